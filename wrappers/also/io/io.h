/* io.h - libpith-io: records the calls of POSIX and of stdio that open, read and write files.
 *
 *     enter  io:pwrite
 *     event  io:access     file=out.dat bytes=4096 offset=8192
 *     leave  io:pwrite
 *
 * io_calls.c wraps the calls with descriptors and io_streams.c those with streams; io_record.c records them;
 * io_files.c knows the names of the files. Sockets, pipes and the pseudo-files of /proc, /sys and /dev are not
 * recorded, because MPI libraries use them all the time. Standard input, output and error are always recorded.
 *
 * The event is recorded after the real call, because only then the number of bytes is known. A call that fails has no
 * event, except a call that opens a file.
 */
#ifndef PITHI_IO_H
#define PITHI_IO_H

#include <stdint.h>
#include <stdio.h>

#include "also/also.h"

/* ---- Files (io_files.c) ------------------------------------------------------------------------------------------ */

enum { PITHI_IO_NAME = 248, PITHI_IO_PATH = 4096 }; /* bytes */
struct pithi_io_file {
    int kind;                 /* atomic */
    int seekable;             /* 1: it has a position */
    char name[PITHI_IO_NAME]; /* a longer name: "..." and its end */
};

/* The file of a descriptor; NULL: none, or it is not recorded. Preserves errno. */
struct pithi_io_file *pithi_io_file_of(int fd);
/* Tells that the descriptor was opened as `path`. Returns the same. */
struct pithi_io_file *pithi_io_file_opened(int fd, const char *path);
/* The path of a call such as openat: `path` itself, or `name`, with the name of the folder's descriptor before `path`.
 * NULL: the folder is unknown, or is not recorded. */
const char *pithi_io_file_path(char name[PITHI_IO_PATH], int folder, const char *path);
/* The descriptor, or each from `first` to `last`, is closed or replaced. */
void pithi_io_file_forget(int fd);
void pithi_io_file_forget_range(unsigned first, unsigned last);
/* 1: files of this name are recorded. NULL: 0. */
int pithi_io_file_wanted(const char *path);

/* ---- Records (io_record.c) --------------------------------------------------------------------------------------- */

struct pithi_io_state {
    const char *name, *colour; /* never freed */
    uint32_t id;               /* 0: not yet defined; atomic */
};

struct pithi_io_call {
    uint32_t id;                /* of its state; 0: the call is not recorded */
    struct pithi_io_file *file; /* NULL: not known, or not wanted */
    FILE *stream;               /* NULL: a call with a descriptor */
    int fd;                     /* -1: a stream */
};

/* The state ends when the program leaves the block of the call, even if the thread is cancelled. */
#define IO_CALL __attribute__((cleanup(pithi_io_end))) struct pithi_io_call
struct pithi_io_call pithi_io_begin(struct pithi_io_state *state, int fd, const void *caller);
struct pithi_io_call pithi_io_begin_stream(struct pithi_io_state *state, FILE *stream, const void *caller);
struct pithi_io_call pithi_io_begin_open(struct pithi_io_state *state, const char *path, const void *caller);
void pithi_io_end(const struct pithi_io_call *call);

/* After the real call, which read or wrote `bytes` bytes (-1: it failed) at `offset`; PITHI_IO_HERE: at the position
 * of the file. These functions preserve errno. */
#define PITHI_IO_HERE (-2)
void pithi_io_moved(const struct pithi_io_call *call, int64_t bytes, int64_t offset);
/* Opening `path` gave `fd` (-1: it failed). */
void pithi_io_opened(const struct pithi_io_call *call, const char *path, int fd);
/* The call reads and writes nothing, but closes or flushes the file. */
void pithi_io_touches(const struct pithi_io_call *call);

#endif
