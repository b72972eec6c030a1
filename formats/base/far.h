/* far.h - files whose bytes come from another machine, each request after a wait. On a system with files there are
 * none: these are for a page that reads a log by HTTP (wasm/far_wasm.c). A process on the log's machine can find out
 * what such a page will read. */
#ifndef PITHI_FAR_H
#define PITHI_FAR_H

#include <stdint.h>

/* 1: files are far away: reading one as a whole takes long, and what is read next should be named before. */
int pithi_far(void);
/* These bytes will be read soon; one request brings all that were named. */
void pithi_far_soon(int fd, uint64_t offset, uint64_t size);
/* These are read now. */
void pithi_far_now(int fd, uint64_t offset, uint64_t size);
/* From now on files are as if far away, and `soon` is called with what the functions above get; NULL: no longer. Pages
 * do not have it. */
void pithi_far_play(void (*soon)(void *context, int fd, uint64_t offset, uint64_t size), void *context);

/* Whether summaries may be coarse, from a sketch beside the log (reader/index/sketch.h). A summary looks for it when it
 * is opened; if there is none, they may no longer. */
void pithi_far_coarse(int may);
int pithi_far_is_coarse(void);

#endif
