/* prepare.c - `pith --prepare LOG`, which `pith serve` runs: writes what the web page of the viewer reads in place of
 * LOG. It writes into three files that are open already, as descriptors 3 to 5:
 *
 *     3  the log in the native format, if LOG has another format
 *     4  the digest of the log
 *     5  all data that the web page needs for its first picture, so that one request gets them
 *
 * File 5 consists of parts. A part begins with a head of three numbers of 4 bytes: its kind (0: bytes of the log, 1: of
 * the digest, 2: the sketch, 3: JSON with facts that take long to find); the number of the 256-byte page of the log or
 * the digest at which its data begin; its size in bytes. The web page requests other data when it needs them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/far.h"
#include "base/file_at.h"
#include "native/log.h"
#include "reader/index/digest_file.h"
#include "reader/index/sketch.h"
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

/* Returns 1 if the open file of the log is the file that the user named; 0 if it is a copy in the native format. */
static int is_itself(const struct pithlog *log)
{
    struct stat named, opened;

    return stat(log->path, &named) == 0 && fstat(log->files.fd, &opened) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

/* ---- What the first picture reads ------------------------------------------------------------------------------- */

enum {
    PAGE = 256,             /* bytes, as in far_worker.js */
    FIRST_MOST = 2 << 20,   /* bytes of file 5; over a slow network, more would leave the web page without a sign of
                               progress for too long */
    WHOLE_MOST = 256 << 10, /* bytes; a smaller file is sent as a whole */
    COLUMNS = 2000,
    LANES = 128 /* as many as most screens can show */
};

/* PART is the size of a part's head in bytes. SKETCH and KNOWN (the facts that take long to find) are kinds of parts; 0
 * and 1 are the kinds of parts with bytes of the log and of the digest. */
enum { PART = 12, SKETCH = 2, KNOWN = 3 };

struct first {
    uint64_t sizes[2], written;
    unsigned char *taken[2]; /* bit p of [0]: page p of the log, of PAGE bytes, is to be written; [1]: of the digest */
};

static void take(struct first *first, int file, uint64_t offset, uint64_t size)
{
    uint64_t all = first->sizes[file], end = offset < all && size < all - offset ? offset + size : all;

    for (uint64_t page = offset / PAGE; page * PAGE < end; page++)
        first->taken[file][page / 8] |= (unsigned char)(1 << page % 8);
}

static void take_read(void *context, int fd, uint64_t offset, uint64_t size)
{
    (void)fd;
    take(context, 0, offset, size);
}

/* Takes all pages of the digest except those with the messages, which the web page requests later. */
static void take_digest(struct first *first, const struct pithlog_digest *digest)
{
    unsigned char head[PITHI_DIGEST_HEAD];

    if (pithi_read_at(digest->fd, head, sizeof head, 0) != sizeof head)
        return;
    uint64_t messages = (uint64_t)digest->node_count * PITHI_MESSAGE_ENTRY;
    take(first, 1, 0, first->sizes[1] <= WHOLE_MOST / 4 ? first->sizes[1] : sizeof head);
    take(first, 1, pithi_get64(head + 32) + messages, pithi_get64(head + 40) - messages);
}

/* Writes a part. `data` begins with PART bytes of room for the head; the part's `size` bytes follow. Returns 1, or 0 if
 * file 5 would become larger than FIRST_MOST or cannot be written. */
static int write_part(struct first *first, int file, uint64_t page, unsigned char *data, size_t size)
{
    pithi_put32(data, (uint32_t)file);
    pithi_put32(data + 4, (uint32_t)page);
    pithi_put32(data + 8, (uint32_t)size);
    if (page > UINT32_MAX || first->written + size > FIRST_MOST ||
        pithi_write_at(FIRST_FD, data, PART + size, first->written) != PART + size)
        return 0;
    first->written += PART + size;
    return 1;
}

/* Writes all taken pages of the log or the digest to file 5. Adjacent pages become one part. */
static void write_pages(struct first *first, int file, int fd)
{
    enum { IN_ROW = 4096 };
    unsigned char *part = malloc(PART + IN_ROW * PAGE);
    uint64_t pages = (first->sizes[file] + PAGE - 1) / PAGE;

    for (uint64_t page = 0, end; part && page < pages; page = end) {
        for (end = page; end < pages && end < page + IN_ROW && first->taken[file][end / 8] >> end % 8 & 1; end++)
            continue;
        if (end == page) {
            end++;
            continue;
        }
        size_t size = (size_t)((end * PAGE < first->sizes[file] ? end * PAGE : first->sizes[file]) - page * PAGE);
        if (pithi_read_at(fd, part + PART, size, page * PAGE) != size || !write_part(first, file, page, part, size))
            break;
    }
    free(part);
}

/* Finds the interval that the web page shows first: from MPI_Init to MPI_Finalize, or the whole log if it has no such
 * calls. */
static void find_work(struct pithlog *log, int64_t *from_ns, int64_t *to_ns)
{
    int64_t from = log->info.start_ns, to = log->info.end_ns + 1, init, finalize;

    *from_ns = from;
    *to_ns = to;
    init = pithlog_time_find(log, "init", PITHLOG_EDGE_BEGIN, &init) == PITH_OK ? init : from;
    finalize = pithlog_time_find(log, "finalize", PITHLOG_EDGE_END, &finalize) == PITH_OK ? finalize : to;
    if (init >= finalize)
        return;
    *from_ns = init;
    *to_ns = finalize;
}

/* Returns 1 if the log has a pause or a lost record. */
static int has_interruptions(struct pithlog *log)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_PAUSE | 1u << PITHLOG_RESUME | 1u << PITHLOG_LOST};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int has = 1;

    if (pithlog_iter_open(log, &query, &iter) == PITH_OK) {
        has = pithlog_iter_next(iter, &record) != 0;
        pithlog_iter_close(iter);
    }
    return has;
}

static void write_sketch(struct first *first, struct pithlog *log, int64_t from_ns, int64_t to_ns)
{
    struct pithi_buffer part = {0};
    uint32_t lanes = log->info.lanes < LANES ? log->info.lanes : LANES;

    if (first->sizes[0] <= WHOLE_MOST || from_ns < INT64_MIN / 4 || to_ns > INT64_MAX / 4 || to_ns <= from_ns)
        return;
    if (pithi_buffer_reserve(&part, PART)) {
        part.size = PART;
        if (pithi_sketch_make(log, from_ns, to_ns, COLUMNS, lanes, &part) == PITH_OK)
            write_part(first, SKETCH, 0, part.data, part.size - PART);
    }
    free(part.data);
}

/* Writes file 5. Errors are ignored, as without this file the web page requests the same data one by one. */
static void put_first(struct pithlog *log, const struct pithlog_digest *digest)
{
    struct first first = {.sizes = {log->files.size, (uint64_t)lseek(digest->fd, 0, SEEK_END)}};
    int64_t from_ns, to_ns;

    for (int i = 0; i < 2; i++)
        first.taken[i] = calloc((size_t)(first.sizes[i] / PAGE / 8 + 1), 1);
    if (first.taken[0] && first.taken[1]) {
        find_work(log, &from_ns, &to_ns);

        if (first.sizes[0] <= WHOLE_MOST)
            take(&first, 0, 0, first.sizes[0]);
        else {
            /* Opens the log a second time and loads all lanes, as the web page will do, and takes all pages that are
             * read meanwhile. */
            struct pithlog *again = NULL;
            int fd = dup(log->files.fd);

            pithi_far_pretend(take_read, &first);
            if (fd >= 0 && pithi_log_open_file(log->path, fd, &again) == PITH_OK) {
                for (uint32_t i = 0; i < again->info.lanes; i++)
                    pithlog_get_lane(again, i);
                pithlog_close(again);
            }
            pithi_far_pretend(NULL, NULL);
        }

        take_digest(&first, digest);

        unsigned char part[PART + 128];
        int size = snprintf((char *)part + PART, sizeof part - PART,
                            "{\"from\":\"%" PRId64 "\",\"to\":\"%" PRId64 "\",\"interruptions\":%d}", from_ns, to_ns,
                            has_interruptions(log));
        write_part(&first, KNOWN, 0, part, (size_t)size);

        write_sketch(&first, log, from_ns, to_ns);
        write_pages(&first, 1, digest->fd);
        write_pages(&first, 0, log->files.fd);
    }
    /* If the disk became full, the last part is only half written; it is cut off. */
    if (ftruncate(FIRST_FD, (off_t)first.written) != 0)
        (void)0;
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
    /* For a damaged log no digest is written. So the web page makes the digest itself, finds the damage, and reports
     * it. */
    if (!err && pithlog_digest_open(log, NULL, NULL, &digest) == PITH_OK)
        err = copy(argv[1], digest->fd, (uint64_t)lseek(digest->fd, 0, SEEK_END), DIGEST_FD);
    /* If the index of the log had to be rebuilt, the web page must read the whole log anyway, so file 5 stays empty. */
    if (!err && digest && !log->rebuilt)
        put_first(log, digest);
    if (digest)
        pithlog_digest_close(digest);
    if (err)
        pithi_tool_failed();
    pithlog_close(log);
    return err != PITH_OK;
}
