/* far.h - for files that lie on another machine, so that each request for bytes costs a wait. That is the case in a web
 * page that reads a log by HTTP (wasm/far_wasm.c). In other programs all files are near. A process on the log's machine
 * can find out which bytes such a page will read (pithi_far_pretend). */
#ifndef PITHI_FAR_H
#define PITHI_FAR_H

#include <stdint.h>

/* Returns 1 if files are far away: reading a whole file takes long, so callers should announce what they read next. */
int pithi_far(void);
/* Announces bytes that will be read soon; one request fetches all bytes announced so far. */
void pithi_far_soon(int fd, uint64_t offset, uint64_t size);
/* Reports bytes that are read now. */
void pithi_far_now(int fd, uint64_t offset, uint64_t size);
/* From this call on, files count as far away, and pithi_far_soon and pithi_far_now pass their arguments to `soon`. If
 * `soon` is NULL, files are near again. Not available in web pages. */
void pithi_far_pretend(void (*soon)(void *context, int fd, uint64_t offset, uint64_t size), void *context);

/* pithi_far_coarse(1) allows summaries to be coarse: a sketch beside the log (reader/index/sketch.h) may then stand for
 * the exact summary. pithi_far_coarse(0) forbids it. Opening a summary also calls pithi_far_coarse(0) if the log has no
 * sketch. pithi_far_is_coarse returns 1 while coarse summaries are allowed. The setting is for the whole process. */
void pithi_far_coarse(int may);
int pithi_far_is_coarse(void);

#endif
