/* far.h - processes that do not see the folder of the log, as on a host with disks of its own, and how their bytes get
 * there: rank 0 writes for them.
 *
 * Knows nothing of what the bytes are. Memory: 64 KiB a process, and in rank 0 a bit for each rank. */
#ifndef PITHI_FAR_H
#define PITHI_FAR_H

#include "pith_tool.h"

struct pithi_far {
    int own, any;    /* this process is far; at least one is, the same answer in all */
    uint64_t *ranks; /* in rank 0, if there are any: bit r % 64 of word r / 64 says that rank r is far */
};

/* Collective: rank 0 makes the empty file `path`, the others look whether it is there for them to write, and it goes
 * again. Where rank 0 cannot make it, nobody is far: making the log will fail, and say why. 1; 0 in all processes: it
 * failed. */
int pithi_far_find(const struct pith_transport *t, const char *path, struct pithi_far *far);
void pithi_far_close(struct pithi_far *far);

/* In a far process: begin, any number of puts (`offset` in the log's main file), end. Begin waits for rank 0, so that
 * no more than one process sends at a time. 0; -1: the transport failed. */
int pithi_far_begin(const struct pith_transport *t);
int pithi_far_put(const struct pith_transport *t, uint64_t offset, const void *data, size_t size);
int pithi_far_end(const struct pith_transport *t);

/* In rank 0: writes into `file` the bytes of the far ranks whose numbers are multiples of `step`. Each of them must
 * begin and end once. 1; 0: a write failed (errno), but all bytes were received. */
int pithi_far_take(const struct pith_transport *t, const struct pithi_far *far, int step, void *file);

#endif
