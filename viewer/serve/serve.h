/* serve.h - the parts of `pith serve`. All parts run in the one thread of the HTTP library; the main thread only waits
 * for a signal. */
#ifndef PITHI_SERVE_H
#define PITHI_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/say.h"

/* Writes a line "pith: serve: ..." to standard error. The value of the expression is 1. */
#define pithi_serve_failed(...) (pithi_say("serve: " __VA_ARGS__), 1)

/* ---- Logs (serve_logs.c) ----------------------------------------------------------------------------------------- */

/* A process that works for a log. Its output goes to the file out_fd; after a failure, said_fd has a line with the
 * reason. */
struct pithi_serve_job {
    pid_t pid; /* 0: none */
    int out_fd, said_fd;
};

enum pithi_serve_state { PITHI_SERVE_NEW, PITHI_SERVE_WORKING, PITHI_SERVE_READY, PITHI_SERVE_FAILED };

/* An answer that a process makes: the analysis, or a legend. */
struct pithi_serve_answer {
    char key[96];   /* names the question; "": the entry is free */
    uint64_t asked; /* count of requests when this answer was last asked for */
    enum pithi_serve_state state;
    struct pithi_serve_job job;
    int fd; /* READY: a file with the JSON */
    char why[512];
};

enum { PITHI_SERVE_ANSWERS = 8 };

struct pithi_serve_log {
    char *name, *path;
    uint64_t used;    /* count of requests when this log was last asked for */
    uint64_t version; /* version of the log's file from which the files below were made */
    enum pithi_serve_state state;
    /* Descriptors of files; -1: none. fd: the log in Pith's own format. copy_fd: the copy that a process makes of a log
     * in another format, while it does so. digest_fd: the digest (messages). first_fd: the parts of log and digest that
     * a page reads first. */
    int fd, copy_fd, digest_fd, first_fd;
    uint64_t size, digest_size;
    struct pithi_serve_job job;
    char why[512];
    struct pithi_serve_answer answers[PITHI_SERVE_ANSWERS];
};

/* Sets what is served: a log or a folder. Returns 0, or 1 after a message. */
int pithi_serve_begin(const char *path);
/* Ends all jobs. */
void pithi_serve_end(void);
int pithi_serve_is_folder(void);
/* The name of the log, if a single log is served and not a folder. */
const char *pithi_serve_only(void);
enum { PITHI_SERVE_LISTED = 10000 };
/* Returns the names of the logs, sorted, at most PITHI_SERVE_LISTED. They are valid until the next call. */
char **pithi_serve_names(size_t *count);
/* Finds a log by its name. Returns NULL if no log with this name is served. */
struct pithi_serve_log *pithi_serve_find(const char *name);
/* Checks the log's file. If it is new or has changed, starts the process that prepares the log. */
enum pithi_serve_state pithi_serve_look(struct pithi_serve_log *log);
/* Forgets that preparing the log or making an answer failed, so that both are tried again. They may succeed now: a full
 * disk may have room, and an unreadable file may have become readable. */
void pithi_serve_retry(struct pithi_serve_log *log);
/* Returns 1 if the file is not of the version log->version any more. */
int pithi_serve_has_changed(const struct pithi_serve_log *log);
/* Return the answer of a process: the analysis of a log, or the legend of [from, to) with the colours of a theme. If
 * the answer was not asked for before, the process is started. NULL: too many processes are at work; ask again
 * later. */
const struct pithi_serve_answer *pithi_serve_analyze(struct pithi_serve_log *log);
const struct pithi_serve_answer *pithi_serve_legend(struct pithi_serve_log *log, int64_t from_ns, int64_t to_ns,
                                                    const char *theme);
/* The main function of the process that makes a legend: `pith-serve --legend LOG FROM TO THEME`. Returns its exit
 * status. */
int pithi_serve_put_legend(char *const *argv);

/* ---- Pages (serve_page.c) ---------------------------------------------------------------------------------------- */

/* The scripts that the page gets (made from far_early.js, far_worker.js, far_page.js). */
extern const char pithi_serve_early[], pithi_serve_worker[], pithi_serve_script[];
/* Reads the installed page. Returns 0, or 1 after a message. */
int pithi_serve_read_page(void);
/* Returns the page's program (WebAssembly) as a gzip file and sets *size to its length. It stays valid. */
const char *pithi_serve_program(size_t *size);
/* Make the page of a log, and the page with the list of all logs. Return malloc'ed text and set *size to its length.
 * Return NULL if there is no memory. */
char *pithi_serve_page(const char *name, size_t *size);
char *pithi_serve_list(size_t *size);
/* Packs *size bytes as a gzip file. Returns it malloc'ed and sets *size to its length. Returns NULL, and leaves *size,
 * if the gzip file would not be smaller or there is no memory. */
char *pithi_serve_pack(const char *data, size_t *size);

/* ---- HTTP (serve_http.c) ----------------------------------------------------------------------------------------- */

enum { PITHI_SERVE_TOKEN = 32 };

struct pithi_serve_place {
    const char *address; /* NULL: this machine only */
    int port;            /* 0: any port; pithi_serve_listen then sets the port that the system chose */
    char token[PITHI_SERVE_TOKEN + 1];
};
/* Begins to listen. Returns 0, or 1 after a message. */
int pithi_serve_listen(struct pithi_serve_place *place);
void pithi_serve_stop(void);

#endif
