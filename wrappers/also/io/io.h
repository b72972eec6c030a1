/* io.h - libpith-io: records the calls of POSIX and of stdio that open, read and write files. For example:
 *
 *     enter  io:pwrite
 *     event  io:access     file=out.dat bytes=4096 offset=8192
 *     leave  io:pwrite
 *
 * io_calls.c wraps the calls that take descriptors, and io_streams.c the calls that take streams; io_record.c records
 * them; io_files.c finds the names of the files. Sockets, pipes and the pseudo-files of /proc, /sys and /dev are not
 * recorded, because MPI libraries use them all the time. Standard input, output and error are always recorded.
 *
 * The event io:access is recorded after the real call, because the number of bytes is known only then. If the call
 * fails, there is no io:access. Calls that open, close or flush a file, or start a request for it, have an event
 * io:file, even if they fail.
 */
#ifndef PITHI_IO_H
#define PITHI_IO_H

#include <stdint.h>
#include <stdio.h>

#include "also/also.h"

/* ---- Files (io_files.c) ------------------------------------------------------------------------------------------ */

enum { PITHI_IO_NAME = 248, PITHI_IO_PATH = 4096 }; /* bytes, with the final 0 */
struct pithi_io_file {
    int kind;                 /* UNKNOWN, RECORDED or OTHER (io_files.c); accessed atomically */
    int seekable;             /* 1: the file has a position */
    char name[PITHI_IO_NAME]; /* if the name is too long: "..." and the end of the name */
};

/* Returns the file of a descriptor; NULL if the descriptor has no file or the file is not recorded. Preserves errno. */
struct pithi_io_file *pithi_io_file_of(int fd);
/* As pithi_io_file_of, for a descriptor that was just opened by the name `path`. */
struct pithi_io_file *pithi_io_file_opened(int fd, const char *path);
/* Returns the path of a file for a call such as openat: `path` itself if it does not depend on `folder`, else the
 * folder's name and `path`, joined in `name`. Returns NULL if the folder is unknown or not recorded, or the joined path
 * is too long. */
const char *pithi_io_file_path(char name[PITHI_IO_PATH], int folder, const char *path);
/* Call these when the descriptor `fd`, or all descriptors from `first` to `last`, are closed or replaced. */
void pithi_io_file_forget(int fd);
void pithi_io_file_forget_range(unsigned first, unsigned last);
/* Returns 1 if the file `path` is to be recorded; 0 if not, or if `path` is NULL. */
int pithi_io_file_wanted(const char *path);

/* ---- Records (io_record.c) --------------------------------------------------------------------------------------- */

struct pithi_io_state {
    const char *name, *colour; /* never freed */
    uint32_t id;               /* 0: not yet defined; accessed atomically */
};

struct pithi_io_call {
    uint32_t id;                /* the id of the call's state; 0: the call is not recorded */
    struct pithi_io_file *file; /* NULL: unknown or not recorded */
    FILE *stream;               /* NULL: a call with a descriptor */
    int fd;                     /* -1: not known (a call that opens a file) */
};

/* The type of a variable that a wrapper sets by one of the functions pithi_io_begin..., which begin the call's state.
 * The state ends when the thread leaves the block that declares the variable, even by being cancelled. */
#define IO_CALL __attribute__((cleanup(pithi_io_end))) struct pithi_io_call
struct pithi_io_call pithi_io_begin(struct pithi_io_state *state, int fd, const void *caller);
struct pithi_io_call pithi_io_begin_stream(struct pithi_io_state *state, FILE *stream, const void *caller);
struct pithi_io_call pithi_io_begin_open(struct pithi_io_state *state, const char *path, const void *caller);
void pithi_io_end(const struct pithi_io_call *call);

/* Records the event io:access. Call it after the real call, which read or wrote `bytes` bytes (-1: it failed).
 * `offset`: where in the file these bytes begin, or PITHI_IO_HERE if the call used the position of the file. This
 * function and the next preserve errno. */
#define PITHI_IO_HERE (-2)
void pithi_io_moved(const struct pithi_io_call *call, int64_t bytes, int64_t offset);
/* Records the event io:file, and notes the file of the descriptor. Call it after the real call, which opened `path` and
 * returned the descriptor `fd` (-1: the call failed). */
void pithi_io_opened(const struct pithi_io_call *call, const char *path, int fd);
/* Records the event io:file. Call it before a call that moves no bytes itself: a call that closes or flushes the file,
 * or starts a request for the file. */
void pithi_io_touches(const struct pithi_io_call *call);

#endif
