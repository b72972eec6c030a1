/* serve.h - the functions by which the source files of `pith serve` call each other. Requests are served in a single
 * thread, that of the HTTP library. The main thread only waits for a signal. */
#ifndef PITHI_SERVE_H
#define PITHI_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/say.h"

/* Writes a line "pith: serve: ..." to standard error. The value of this macro is 1. */
#define pithi_serve_failed(...) (pithi_say("serve: " __VA_ARGS__), 1)

/* ---- Logs (serve_logs.c) ----------------------------------------------------------------------------------------- */

/* A process that prepares or analyzes a log. Its standard output goes to the file out_fd, its standard error to the
 * file said_fd, which has a line with the reason if the process fails. */
struct pithi_serve_job {
    pid_t pid; /* 0: none */
    int out_fd, said_fd;
};

enum pithi_serve_state { PITHI_SERVE_NEW, PITHI_SERVE_WORKING, PITHI_SERVE_READY, PITHI_SERVE_FAILED };

/* An answer to the page that a process makes: the analysis, or a legend. */
struct pithi_serve_answer {
    char key[96];   /* the name of the question, by which the answer is found; "": the entry is free */
    uint64_t asked; /* the number of the last request for this answer; the oldest answer is replaced first */
    enum pithi_serve_state state;
    struct pithi_serve_job job;
    int fd;        /* in state READY: a file with the answer as JSON */
    char why[512]; /* in state FAILED: the reason */
};

enum { PITHI_SERVE_ANSWERS = 8 };

struct pithi_serve_log {
    char *name, *path;
    uint64_t used;    /* the number of the last request for this log; the log not used for the longest is forgotten */
    uint64_t version; /* the version of the log from which the files below were made */
    enum pithi_serve_state state;
    /* Descriptors of files; -1: none. fd: the log in the native format. copy_fd: while a process converts a log of
     * another format, the native copy that it writes. digest_fd: the digest, which has the messages. first_fd: the data
     * that a page needs for its first picture. */
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
/* Returns the name of the log. Called only if a single log is served, not a folder. */
const char *pithi_serve_only(void);
enum { PITHI_SERVE_LISTED = 10000 };
/* Returns the names of the logs, sorted, at most PITHI_SERVE_LISTED. They are valid until the next call. */
char **pithi_serve_names(size_t *count);
/* Finds a log by its name. Returns NULL if no log with this name is served. */
struct pithi_serve_log *pithi_serve_find(const char *name);
/* Checks the log's file. If it is new or has changed, starts the process that prepares the log. */
enum pithi_serve_state pithi_serve_look(struct pithi_serve_log *log);
/* If preparing the log or making an answer has failed, forgets this, so that it is tried again. The cause may be gone:
 * a full disk may have room again, and an unreadable file may be readable. */
void pithi_serve_retry(struct pithi_serve_log *log);
/* Returns 1 if the log's file has changed, so that its version is no longer log->version. */
int pithi_serve_has_changed(const struct pithi_serve_log *log);
/* These two functions return an answer that a process makes: the analysis of a log, or the legend of [from, to) with
 * the colours of a theme. If there is no such answer yet, the process is started. They return NULL if too many
 * processes are at work; then the page has to ask again later. */
const struct pithi_serve_answer *pithi_serve_analyze(struct pithi_serve_log *log);
const struct pithi_serve_answer *pithi_serve_legend(struct pithi_serve_log *log, int64_t from_ns, int64_t to_ns,
                                                    const char *theme);
/* The main function of the process that makes a legend: `pith-serve --legend LOG FROM TO THEME`. Returns its exit
 * status. */
int pithi_serve_put_legend(char *const *argv);

/* ---- Pages (serve_page.c) ---------------------------------------------------------------------------------------- */

/* The texts of the scripts that are put into the page (far_early.js, far_worker.js, far_page.js). */
extern const char pithi_serve_early[], pithi_serve_worker[], pithi_serve_script[];
/* Reads the installed page. Returns 0, or 1 after a message. */
int pithi_serve_read_page(void);
/* Returns the WebAssembly program of the page as a gzip file, and sets *size to its length. The memory stays valid. */
const char *pithi_serve_program(size_t *size);
/* pithi_serve_page makes the page of a log, pithi_serve_list the page with the list of all logs. Both return malloc'ed
 * text and set *size to its length, or return NULL if there is no memory. */
char *pithi_serve_page(const char *name, size_t *size);
char *pithi_serve_list(size_t *size);
/* Packs *size bytes of data. Returns the gzip file, malloc'ed, and sets *size to its length. Returns NULL and leaves
 * *size unchanged if the gzip file would not be smaller, or if there is no memory. */
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
