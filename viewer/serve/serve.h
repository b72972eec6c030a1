/* serve.h - the parts of `pith serve`. All of it runs in one thread, that of the HTTP library; the main thread only
 * waits for a signal. */
#ifndef PITHI_SERVE_H
#define PITHI_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/say.h"

/* "pith: serve: ...", a line on standard error; 1. */
#define pithi_serve_failed(...) (pithi_say("serve: " __VA_ARGS__), 1)

/* ---- Logs (serve_logs.c) ----------------------------------------------------------------------------------------- */

/* A process that works for a log: it makes something, or says in a line why it cannot. */
struct pithi_serve_job {
    pid_t pid; /* 0: none */
    int out_fd, said_fd;
};

enum pithi_serve_state { PITHI_SERVE_NEW, PITHI_SERVE_WORKING, PITHI_SERVE_READY, PITHI_SERVE_FAILED };

/* What a process answers. */
struct pithi_serve_answer {
    char key[96];   /* what was asked; "": nothing */
    uint64_t asked; /* when: a number that grows */
    enum pithi_serve_state state;
    struct pithi_serve_job job;
    int fd; /* READY: has the JSON */
    char why[512];
};

enum { PITHI_SERVE_ANSWERS = 8 };

struct pithi_serve_log {
    char *name, *path;
    uint64_t used;    /* when it was asked for: a number that grows */
    uint64_t version; /* of its file when the rest was made */
    enum pithi_serve_state state;
    /* The log in Pith's own format, its messages, and what of both a page reads first: -1, none. `copy_fd`: of a log of
     * another format. */
    int fd, copy_fd, digest_fd, first_fd;
    uint64_t size, digest_size;
    struct pithi_serve_job job;
    char why[512];
    struct pithi_serve_answer answers[PITHI_SERVE_ANSWERS];
};

/* Says what is served, a log or a folder. 0, or 1 after a message. */
int pithi_serve_begin(const char *path);
/* Ends all jobs. */
void pithi_serve_end(void);
int pithi_serve_is_folder(void);
/* The name of the log, if no folder is served. */
const char *pithi_serve_only(void);
enum { PITHI_SERVE_LISTED = 10000 };
/* The names of the logs, at most PITHI_SERVE_LISTED, sorted, until the next call. */
char **pithi_serve_names(size_t *count);
/* A log by its name; NULL: no log of what is served has it. */
struct pithi_serve_log *pithi_serve_find(const char *name);
/* Looks at the log's file, and has the rest made if it has changed. */
enum pithi_serve_state pithi_serve_look(struct pithi_serve_log *log);
/* Forgets what has failed, which may now go well: a disk was full, a file not to be read. */
void pithi_serve_retry(struct pithi_serve_log *log);
/* 1: the file is no longer that of the version. */
int pithi_serve_has_changed(const struct pithi_serve_log *log);
/* What a process answers, which is started if it was not asked before: the analysis; or the legend of [from, to) with
 * the colours of a theme. NULL: too many are at work, ask again. */
const struct pithi_serve_answer *pithi_serve_analyze(struct pithi_serve_log *log);
const struct pithi_serve_answer *pithi_serve_legend(struct pithi_serve_log *log, int64_t from_ns, int64_t to_ns,
                                                    const char *theme);
/* The process that does the latter: `pith-serve --legend LOG FROM TO THEME`. Returns its exit status. */
int pithi_serve_put_legend(char *const *argv);

/* ---- Pages (serve_page.c) ---------------------------------------------------------------------------------------- */

/* The scripts that the page gets (made from far_early.js, far_worker.js, far_page.js). */
extern const char pithi_serve_early[], pithi_serve_worker[], pithi_serve_script[];
/* Reads the page that is installed. 0, or 1 after a message. */
int pithi_serve_read_page(void);
/* Its program, WebAssembly as a gzip file: *size bytes, until the end. */
const char *pithi_serve_program(size_t *size);
/* The page of a log, and the page with the list of all: malloc'ed, *size bytes; NULL: no memory. */
char *pithi_serve_page(const char *name, size_t *size);
char *pithi_serve_list(size_t *size);
/* The bytes as a gzip file, malloc'ed, and their size; NULL: no smaller. */
char *pithi_serve_pack(const char *data, size_t *size);

/* ---- HTTP (serve_http.c) ----------------------------------------------------------------------------------------- */

enum { PITHI_SERVE_TOKEN = 32 };

struct pithi_serve_place {
    const char *address; /* NULL: this machine only */
    int port;            /* 0: any; then the port it got */
    char token[PITHI_SERVE_TOKEN + 1];
};
/* Begins to listen; 0, or 1 after a message. */
int pithi_serve_listen(struct pithi_serve_place *place);
void pithi_serve_stop(void);

#endif
