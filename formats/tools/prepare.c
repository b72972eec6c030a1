/* prepare.c - `pith --prepare LOG`, which `pith serve` runs: makes what a page reads in place of LOG, in the files that
 * are open as descriptors 3 to 5. 3: the log in the native format, if it is of another one. 4: its digest. 5: the bytes
 * of both that a page reads until its first picture, so that it gets them by one request. These are parts, each with a
 * head of three numbers of 4 bytes: file (0 the log, 1 its digest), KiB at which it begins, bytes. A page that lacks
 * some asks for them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/far.h"
#include "base/file_at.h"
#include "native/lane_summary.h"
#include "native/log.h"
#include "reader/index/digest_file.h"
#include "tools/tools.h"

enum { LOG_FD = 3, DIGEST_FD = 4, FIRST_FD = 5, PIECE = 1 << 20 };

static int copy(const char *path, int from, uint64_t size, int to)
{
    char *piece = malloc(PIECE);
    uint64_t at = 0;
    int sound = piece != NULL;

    for (size_t part; sound && at < size; at += part) {
        part = size - at < PIECE ? (size_t)(size - at) : PIECE;
        sound = pithi_read_at(from, piece, part, at) == part && pithi_write_at(to, piece, part, at) == part;
    }
    free(piece);
    return sound ? PITH_OK : pithi_fail(PITH_ERR_IO, "%s: no place for a temporary copy; set TMPDIR", path);
}

/* 1: the log is read from the file that the user named, not from a copy. */
static int is_itself(const struct pithlog *log)
{
    struct stat named, opened;

    return stat(log->path, &named) == 0 && fstat(log->files.fd, &opened) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

/* ---- What the first picture reads ------------------------------------------------------------------------------- */

enum {
    PAGE = 1024,           /* as in far_worker.js */
    FIRST_MOST = 16 << 20, /* bytes; on a slow line more would keep the page from saying that it works */
    WHOLE_MOST = 1 << 20,  /* a file of fewer is read as a whole */
    COLUMNS = 2000         /* of the pictures of most screens */
};

struct first {
    const struct pithlog *log;
    uint64_t sizes[2], written;
    unsigned char *taken[2]; /* a bit for each page of the log, of the digest */
};

static void take(struct first *first, int file, uint64_t offset, uint64_t size)
{
    uint64_t all = first->sizes[file], end = offset < all && size < all - offset ? offset + size : all;

    for (uint64_t page = offset / PAGE; page * PAGE < end; page++)
        first->taken[file][page / 8] |= (unsigned char)(1 << page % 8);
}

static void take_soon(void *context, int fd, uint64_t offset, uint64_t size)
{
    struct first *first = context;

    if (fd == first->log->files.fd)
        take(first, 0, offset, size);
}

static void ignore_piece(void *context, const struct pithlog_piece *piece) { (void)context, (void)piece; }

/* How a page opens a log, then the pieces of a quick picture of all of it: the reader names what these need. */
static void take_log(struct first *first, struct pithlog *log)
{
    uint32_t lanes = pithlog_get_info(log)->lanes;
    int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
    struct pithlog_summary *summary = NULL;

    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        from_ns = lane && lane->first_ns < from_ns ? lane->first_ns : from_ns;
        to_ns = lane && lane->last_ns > to_ns ? lane->last_ns : to_ns;
    }

    take(first, 0, 0, first->sizes[0] <= WHOLE_MOST ? first->sizes[0] : 4096);
    take(first, 0, first->sizes[0] - (first->sizes[0] < 32768 ? first->sizes[0] : 32768), 32768);
    for (uint32_t i = 0; i < log->rank_count; i++)
        take(first, 0, log->ranks[i].index, log->ranks[i].index_size);
    if (first->sizes[0] <= WHOLE_MOST || from_ns >= to_ns || pithlog_summary_open(log, &summary))
        return;
    pithi_far_play(take_soon, first);
    for (uint32_t i = 0; i < lanes; i++)
        if (pithi_log_kept_sheets(log, i))
            pithlog_summary_pieces(summary, i, from_ns, to_ns, (to_ns - from_ns) / COLUMNS, ignore_piece, NULL);
    pithi_far_play(NULL, NULL);
    pithlog_summary_close(summary);
}

/* Of the digest, its entries: their place is in its head. Messages come with the second picture. */
static void take_digest(struct first *first, const struct pithlog_digest *digest)
{
    unsigned char head[PITHI_DIGEST_HEAD];

    if (pithi_read_at(digest->fd, head, sizeof head, 0) != sizeof head)
        return;
    take(first, 1, 0, first->sizes[1] <= WHOLE_MOST / 4 ? first->sizes[1] : 4096);
    take(first, 1, pithi_get64(head + 32), pithi_get64(head + 40));
}

/* Writes the pages of a file that are taken, those in a row as one part, up to FIRST_MOST in all. */
static void write_first(struct first *first, int file, int fd)
{
    enum { IN_ROW = 1024 };
    unsigned char *part = malloc(12 + IN_ROW * PAGE);
    uint64_t pages = (first->sizes[file] + PAGE - 1) / PAGE;

    for (uint64_t page = 0, end; part && page < pages; page = end) {
        for (end = page; end < pages && end < page + IN_ROW && first->taken[file][end / 8] >> end % 8 & 1; end++)
            continue;
        if (end == page) {
            end++;
            continue;
        }
        size_t size = (size_t)((end * PAGE < first->sizes[file] ? end * PAGE : first->sizes[file]) - page * PAGE);
        pithi_put32(part, (uint32_t)file);
        pithi_put32(part + 4, (uint32_t)page);
        pithi_put32(part + 8, (uint32_t)size);
        if (page > UINT32_MAX || first->written + size > FIRST_MOST ||
            pithi_read_at(fd, part + 12, size, page * PAGE) != size ||
            pithi_write_at(FIRST_FD, part, 12 + size, first->written) != 12 + size)
            break;
        first->written += 12 + size;
    }
    /* half a part, written to a full disk */
    if (ftruncate(FIRST_FD, (off_t)first->written) != 0)
        first->written = 0;
    free(part);
}

/* Without this file the page reads the same by itself. */
static void put_first(struct pithlog *log, const struct pithlog_digest *digest)
{
    struct first first = {.log = log, .sizes = {log->files.size, (uint64_t)lseek(digest->fd, 0, SEEK_END)}};

    for (int i = 0; i < 2; i++)
        first.taken[i] = calloc((size_t)(first.sizes[i] / PAGE / 8 + 1), 1);
    if (first.taken[0] && first.taken[1]) {
        take_log(&first, log);
        take_digest(&first, digest);
        write_first(&first, 1, digest->fd);
        write_first(&first, 0, log->files.fd);
    }
    for (int i = 0; i < 2; i++)
        free(first.taken[i]);
}

int pithi_tool_prepare(int argc, char **argv)
{
    struct pithlog_digest *digest = NULL;
    struct pithlog *log;
    int err;

    if (argc != 2)
        return pithi_tool_usage("--prepare", "give LOG");
    if (pithlog_open(argv[1], &log))
        return pithi_tool_failed();
    if (log->files.volume.count)
        err = pithi_fail(PITH_ERR_USAGE,
                         "%s: a page cannot hold a log of several files; `pith convert` makes one of it", argv[1]);
    else
        err = is_itself(log) ? PITH_OK : copy(argv[1], log->files.fd, log->files.size, LOG_FD);
    /* Of a damaged log the page makes the digest itself, so that it can say what is damaged. */
    if (!err && pithlog_digest_open(log, NULL, NULL, &digest) == PITH_OK)
        err = copy(argv[1], digest->fd, (uint64_t)lseek(digest->fd, 0, SEEK_END), DIGEST_FD);
    if (!err && digest)
        put_first(log, digest);
    if (digest)
        pithlog_digest_close(digest);
    if (err)
        pithi_tool_failed();
    pithlog_close(log);
    return err != PITH_OK;
}
