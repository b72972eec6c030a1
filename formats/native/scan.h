/* scan.h - going through a file chunk by chunk, whatever an index says. Where no chunk stands, it looks for the next.
 */
#ifndef PITHI_SCAN_H
#define PITHI_SCAN_H

#include "native/log_files.h"

struct pithi_scan {
    struct pithi_files *files;
    uint64_t at, end;  /* offsets, with the volume: what is to be looked at */
    uint64_t gap;      /* UINT64_MAX, or where bytes stand that are no chunk, before the chunk found last */
    uint64_t buffered; /* offset of what is in `buffer` */
    size_t buffer_size;
    unsigned char buffer[16384];
};

/* From `from` up to `end`, both in the same volume. */
void pithi_scan_begin(struct pithi_scan *scan, struct pithi_files *files, uint64_t from, uint64_t end);

/* The next chunk whose header is good and whose payload ends before the end: 1; 0: there is none; -1: the file cannot
 * be read, with pithlog_error(). */
int pithi_scan_next(struct pithi_scan *scan, uint64_t *offset, struct pithi_chunk_head *head);

#endif
