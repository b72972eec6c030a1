/* far.h - for files whose bytes come from another machine, where each request costs a wait: a page that reads a log by
 * HTTP (wasm/far_wasm.c). In other programs all files are near. A process on the log's machine can find out which bytes
 * such a page will read (pithi_far_pretend). */
#ifndef PITHI_FAR_H
#define PITHI_FAR_H

#include <stdint.h>

/* 1: files are far away. Reading a whole file takes long, so callers should announce the bytes that they read next. */
int pithi_far(void);
/* Announces bytes that will be read soon; one request fetches all bytes announced so far. */
void pithi_far_soon(int fd, uint64_t offset, uint64_t size);
/* Reports bytes that are read now. */
void pithi_far_now(int fd, uint64_t offset, uint64_t size);
/* From this call on, files count as far away, and `soon` is called with the arguments of the two functions above; NULL:
 * files are near again. Not available in pages. */
void pithi_far_pretend(void (*soon)(void *context, int fd, uint64_t offset, uint64_t size), void *context);

/* Allows (1) or forbids (0) that summaries are coarse, from a sketch beside the log (reader/index/sketch.h). When a
 * summary is opened, it looks for the sketch; if there is none, it forbids this for the process. */
void pithi_far_coarse(int may);
int pithi_far_is_coarse(void);

#endif
