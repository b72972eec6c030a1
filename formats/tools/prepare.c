/* prepare.c - `pith --prepare LOG`, which `pith serve` runs: makes what a page reads in place of LOG, in the files that
 * are open as descriptors 3 and 4. 3: the log in the native format, if it is of another one. 4: its digest. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_at.h"
#include "native/log.h"
#include "reader/index/digest_file.h"
#include "tools/tools.h"

enum { LOG_FD = 3, DIGEST_FD = 4, PIECE = 1 << 20 };

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
    if (digest)
        pithlog_digest_close(digest);
    if (err)
        pithi_tool_failed();
    pithlog_close(log);
    return err != PITH_OK;
}
