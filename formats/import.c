/* import.c - logs of other formats become native ones in a temporary file. Those of large files are kept in the cache
 * (cache.h), with a mark behind them: a hash of all their bytes, so that what was damaged there is never taken for what
 * stood in the user's file. Not those of formats with files beside: the cache would not see that these change. */
#include "import.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "error.h"
#include "native/bytes.h"
#include "native/zip.h"

enum { KEEP_BYTES = 8 << 20, MARK = 16, PIECE = 1 << 20 };

static int plain; /* see pithi_import_plain */

void pithi_import_plain(void) { plain = 1; }

/* What a kept log is, for the cache: one with summaries, or without. */
static const char *kind_of(int without) { return without ? "plain" : "pith"; }

static const char magic[8] = {'P', 'i', 't', 'h', 'K', 'e', 'p', 't'};

/* Of the first `size` bytes; 0: they cannot be read. */
static int hash_file(int fd, uint64_t size, uint64_t *hash)
{
    unsigned char *piece = malloc(PIECE);
    uint64_t at = 0;
    *hash = size;
    while (piece && at < size) {
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        if (pread(fd, piece, want, (off_t)at) != (ssize_t)want)
            break;
        *hash = (*hash ^ pithi_crc(piece, want)) * UINT64_C(0x9e3779b97f4a7c15);
        *hash ^= *hash >> 32;
        at += want;
    }
    free(piece);
    return at == size;
}

static int put_mark(int fd, uint64_t size)
{
    unsigned char mark[MARK];
    uint64_t hash;
    memcpy(mark, magic, sizeof magic);
    if (!hash_file(fd, size, &hash))
        return 0;
    pithi_put64(mark + 8, hash);
    return pwrite(fd, mark, sizeof mark, (off_t)size) == (ssize_t)sizeof mark;
}

static int has_mark(int fd, uint64_t size)
{
    unsigned char mark[MARK];
    uint64_t hash;
    return pread(fd, mark, sizeof mark, (off_t)size) == (ssize_t)sizeof mark &&
           memcmp(mark, magic, sizeof magic) == 0 && hash_file(fd, size, &hash) && pithi_get64(mark + 8) == hash;
}

/* The log reads from `fd` from now on. */
static int take_file(struct pithlog *log, int fd, uint64_t size)
{
    close(log->files.fd);
    log->files.fd = fd;
    log->files.size = size;
    return pithi_log_load(log, 0);
}

/* What is kept of it, whole and as it was written; -1: nothing. */
static int find_kept(const struct pithi_cache_key *key, const char *kind, uint64_t *size)
{
    struct stat st;
    int fd = pithi_cache_find(key, kind);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > MARK && has_mark(fd, (uint64_t)st.st_size - MARK)) {
        *size = (uint64_t)st.st_size - MARK;
        return fd;
    }
    if (fd >= 0) {
        close(fd);
        pithi_cache_remove(key, kind);
    }
    return -1;
}

static int write_native(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format, int fd)
{
    struct pithi_writer *writer = NULL;
    char name[512];
    int err;
    snprintf(name, sizeof name, "%s (its temporary copy, see TMPDIR)", log->path);
    TRY(pithi_writer_open(&writer, name, fd));
    if (plain)
        pithi_writer_plain(writer);
    err = format->read(input, writer);
    if (input->watched && input->watched->stopped)
        err = pithi_fail(PITH_ERR_STOPPED, "%s: not opened: stopped", log->path);
    TRY(err);
    TRY(pithi_writer_finish(writer));
out:
    pithi_writer_close(writer);
    return err;
}

/* `key` NULL: it is not kept. */
static int read_anew(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format,
                     const struct pithi_cache_key *key)
{
    struct pithi_cache_part part;
    struct stat st = {0};
    if (!(key ? pithi_cache_begin(&part, key, kind_of(plain)) : pithi_cache_begin_nameless(&part)))
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file: %s; set TMPDIR", log->path, strerror(errno));
    int err = write_native(log, input, format, part.fd);
    if (err == PITH_OK && fstat(part.fd, &st) != 0)
        err = pithi_fail(PITH_ERR_IO, "%s: %s", log->path, strerror(errno));
    pithi_cache_end(&part, err == PITH_OK && key && put_mark(part.fd, (uint64_t)st.st_size));
    if (err == PITH_OK)
        return take_file(log, part.fd, (uint64_t)st.st_size);
    close(part.fd);
    return err;
}

int pithi_import(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format)
{
    struct pithi_cache_key key;
    uint64_t size;
    int keep = input->data && !format->beside && input->size >= KEEP_BYTES && pithi_cache_key_file(log->files.fd, &key);
    int kept = keep ? find_kept(&key, kind_of(0), &size) : -1;
    if (kept < 0 && keep && plain)
        kept = find_kept(&key, kind_of(1), &size);
    if (kept >= 0)
        return take_file(log, kept, size);
    int err = read_anew(log, input, format, keep ? &key : NULL);
    if (err == PITH_ERR_IO && keep) /* no room in the cache's file system, but perhaps elsewhere */
        err = read_anew(log, input, format, NULL);
    return err;
}
