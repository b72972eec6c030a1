/* scan.c - going through a file chunk by chunk. */
#include "native/scan.h"

#include "error.h"

void pithi_scan_begin(struct pithi_scan *scan, struct pithi_files *files, uint64_t from, uint64_t end)
{
    scan->files = files;
    scan->at = from;
    scan->end = end;
    scan->gap = UINT64_MAX;
    scan->buffered = 0;
    scan->buffer_size = 0;
}

/* The bytes at `at`, at least a chunk's header; NULL: they cannot be read. After a chunk only a header is likely to be
 * wanted; in a gap all that follows is. */
static const unsigned char *bytes_at(struct pithi_scan *scan, uint64_t at)
{
    if (at < scan->buffered || at - scan->buffered + PITHI_CHUNK_HEAD > scan->buffer_size) {
        size_t want = scan->gap == UINT64_MAX ? PITHI_CHUNK_HEAD : sizeof scan->buffer;
        if (want > scan->end - at)
            want = (size_t)(scan->end - at);
        scan->buffer_size = 0;
        if (pithi_files_read(scan->files, at, scan->buffer, want) != PITH_OK)
            return NULL;
        scan->buffered = at;
        scan->buffer_size = want;
    }
    return scan->buffer + (at - scan->buffered);
}

int pithi_scan_next(struct pithi_scan *scan, uint64_t *offset, struct pithi_chunk_head *head)
{
    for (scan->gap = UINT64_MAX; scan->at < scan->end && scan->end - scan->at >= PITHI_CHUNK_HEAD; scan->at += 8) {
        const unsigned char *p = bytes_at(scan, scan->at);
        if (!p)
            return -1;
        if (pithi_chunk_head_get(p, scan->end - scan->at, 0, head)) {
            *offset = scan->at;
            scan->at += PITHI_CHUNK_HEAD + pithi_pad8(head->size);
            return 1;
        }
        if (scan->gap == UINT64_MAX)
            scan->gap = scan->at;
    }
    if (scan->at < scan->end && scan->gap == UINT64_MAX)
        scan->gap = scan->at;
    return 0;
}
