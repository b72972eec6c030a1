/* redefine.c - writes a native log again with other properties. All other chunks stay where they are. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/zip.h"
#include "native/log.h"

static int put(FILE *out, const void *data, size_t size)
{
    if (fwrite(data, 1, size, out) == size)
        return PITH_OK;
    return pithi_fail(PITH_ERR_IO, "cannot write: %s", strerror(errno));
}

int pithi_log_redefine(struct pithlog *log, FILE *out)
{
    unsigned char footer[PITHI_FOOTER_SIZE], head_bytes[PITHI_CHUNK_HEAD];
    uint64_t end = log->files.size - sizeof footer, old;
    struct pithi_chunk_head head;
    void *chunk;
    size_t size;

    CHECK(pithi_files_read(&log->files, end, footer, sizeof footer));
    old = pithi_get64(footer + 16);
    CHECK(pithi_files_read(&log->files, old, head_bytes, sizeof head_bytes));
    /* If the definitions lie just before the footer, an earlier call of this function put them there; they are
     * replaced. */
    if (pithi_chunk_head_get(head_bytes, log->files.size - old, 0, &head) &&
        old + PITHI_CHUNK_HEAD + pithi_pad8(head.size) == end)
        end = old;
    /* The part before the definitions stays as it is. */
    unsigned char bytes[1 << 16];

    for (uint64_t at = 0; at < end;) {
        size_t piece = end - at < sizeof bytes ? (size_t)(end - at) : sizeof bytes;
        CHECK(pithi_files_read(&log->files, at, bytes, piece));
        CHECK(put(out, bytes, piece));
        at += piece;
    }
    CHECK(pithi_defs_chunk(log->defs, &chunk, &size));
    int err = put(out, chunk, size);
    free(chunk);
    pithi_put64(footer + 16, end);
    pithi_put32(footer + 124, pithi_crc(footer, 124));
    return err ? err : put(out, footer, sizeof footer);
}
