/* open.c - opening a log of any format: probe by content, map, and for foreign ones read into a nameless native log.
 * Also the small questions about an open log. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "import.h"
#include "native/bytes.h"
#include "native/log.h"
#include "native/native.h"

/* ---- Files ------------------------------------------------------------------------------------------------------- */

int pithi_temporary_file(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[4096];
        if (!folders[i] || !*folders[i])
            continue;
        int fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
        if (snprintf(name, sizeof name, "%s/pith-XXXXXX", folders[i]) >= (int)sizeof name)
            continue;
        if ((fd = mkostemp(name, O_CLOEXEC)) >= 0) {
            unlink(name);
            return fd;
        }
    }
    return memfd_create("pith", MFD_CLOEXEC);
}

/* ---- Foreign formats --------------------------------------------------------------------------------------------- */

static const struct pithi_format *probe(const struct pithi_input *input)
{
    for (const struct pithi_format *f = pithi_formats; f->name; f++)
        if (f->read && f->read != pithi_native_read && f->probe && f->probe(input))
            return f;
    return NULL;
}

static uint64_t folder_bytes(const char *path)
{
    char *paths[] = {(char *)path, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    uint64_t bytes = 0;
    if (!tree)
        return 0;
    for (FTSENT *entry; (entry = fts_read(tree));)
        bytes += entry->fts_info == FTS_F ? (uint64_t)entry->fts_statp->st_size : 0;
    fts_close(tree);
    return bytes;
}

/* Logs of MPE's other formats are named when they are refused. RLOG is a series of sections, each with its type and
 * size in front; the first is the header: type 0, 8 bytes, the lowest and highest rank. SLOG-1 is known by its name. */
static int is_rlog(const struct pithi_input *input)
{
    static const unsigned char little[8] = {0, 0, 0, 0, 8, 0, 0, 0}, big[8] = {0, 0, 0, 0, 0, 0, 0, 8};
    return input->size >= 16 && (memcmp(input->data, little, 8) == 0 || memcmp(input->data, big, 8) == 0);
}

static int has_suffix(const struct pithi_input *input, const char *suffix)
{
    const char *dot = strrchr(input->path, '.');
    return dot && strcasecmp(dot, suffix) == 0;
}

static const char *refused_format(const struct pithi_input *input)
{
    if (has_suffix(input, ".irlog"))
        return "an RLOG of one process, of MPICH2's rlog; irlog2rlog and Jumpshot-4's converter make SLOG-2 of it";
    if (has_suffix(input, ".rlog") || is_rlog(input))
        return "an RLOG, of MPICH2's rlog; Jumpshot-4's converter makes SLOG-2 of it";
    if (has_suffix(input, ".slog") || has_suffix(input, ".slog1"))
        return "SLOG-1, of Jumpshot-3; convert the CLOG that it was made from";
    return NULL;
}

static int refuse(const struct pithlog *log, const struct pithi_input *input)
{
    const char *name = input->data ? refused_format(input) : NULL;
    if (!input->data)
        return pithi_fail(PITH_ERR_OPEN, "%s: is a folder without a log; give the name of one", log->path);
    if (name)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: cannot be read: it looks like %s", log->path, name);
    return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: not a log of any known format; `pith help formats` lists them",
                      log->path);
}

static int read_foreign(struct pithlog *log, const struct pithi_input *input)
{
    const struct pithi_format *format = probe(input);
    int err;
    if (!format)
        return refuse(log, input);
    if (log->watched)
        log->watched->passes = 2;
    TRY(pithi_import(log, input, format));
    log->info.format = format->name;
    log->info.version = 0;
    log->info.bytes = format->bytes ? format->bytes(input) : input->data ? input->size : folder_bytes(input->path);
out:
    return err;
}

static void damage(void *context, const char *text)
{
    struct pithlog *log = context;
    log->damages++;
    if (log->say)
        log->say(log->say_context, text);
}

/* Readers of foreign formats get the file mapped. */
static int open_foreign(struct pithlog *log, size_t size)
{
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, log->files.fd, 0);
    if (data == MAP_FAILED)
        return pithi_fail(PITH_ERR_IO, "%s: cannot be mapped: %s", log->path, strerror(errno));
    struct pithi_input input = {.path = log->path,
                                .data = data,
                                .size = size,
                                .mapped = 1,
                                .watched = log->watched,
                                .damage = damage,
                                .damage_context = log};
    int err = read_foreign(log, &input);
    munmap(data, size);
    return err;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int open_file(struct pithlog *log, int blocks)
{
    unsigned char start[PITHI_NATIVE_START];
    struct stat st;
    log->files.fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (log->files.fd < 0 || fstat(log->files.fd, &st) != 0)
        return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", log->path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return read_foreign(log, &(struct pithi_input){.path = log->path, .damage = damage, .damage_context = log});
    if (!S_ISREG(st.st_mode))
        return pithi_fail(PITH_ERR_OPEN, "%s: is no regular file; write it to a file first", log->path);
    if (st.st_size == 0)
        return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: the file is empty; nothing was recorded in it", log->path);
    ssize_t got = pread(log->files.fd, start, sizeof start, 0);
    if (got < 0)
        return pithi_fail(PITH_ERR_IO, "%s: cannot be read: %s", log->path, strerror(errno));
    if (!pithi_native_is(start, (size_t)got))
        return open_foreign(log, (size_t)st.st_size);
    log->files.size = (uint64_t)st.st_size;
    return pithi_log_load(log, blocks);
}

static int new_log(const char *path, struct pithlog **log)
{
    *log = NULL;
    if (!path)
        return pithi_fail(PITH_ERR_USAGE, "no name of a log was given");
    struct pithlog *l = calloc(1, sizeof *l);
    if (!l || !(l->path = strdup(path))) {
        free(l);
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to open it", path);
    }
    l->files.path = l->path;
    l->files.fd = -1;
    *log = l;
    return PITH_OK;
}

struct way {
    int blocks; /* 1: by all blocks, whatever the index says */
    void (*say)(void *context, const char *text);
    void *say_context;
    struct pithi_watched *watched;
};

static int open_log(const char *path, const struct way *way, struct pithlog **log)
{
    struct pithlog *l;
    int err = new_log(path, &l);
    *log = NULL;
    if (err != PITH_OK)
        return err;
    l->say = way->say;
    l->say_context = way->say_context;
    l->watched = way->watched;
    if ((err = open_file(l, way->blocks)) != PITH_OK) {
        pithlog_close(l);
        return err;
    }
    l->watched = NULL;
    *log = l;
    return PITH_OK;
}

int pithi_log_open(const char *path, void (*say)(void *, const char *), void *context,
                   int (*progress)(void *context, double part), struct pithlog **log)
{
    struct pithi_watched watched = {.progress = progress, .context = context, .passes = 1};
    struct way way = {.say = say, .say_context = context, .watched = progress ? &watched : NULL};
    return open_log(path, &way, log);
}

int pithi_log_open_blocks(const char *path, struct pithlog **log)
{
    return open_log(path, &(struct way){.blocks = 1}, log);
}

int pithi_log_open_file(const char *name, int fd, struct pithlog **log)
{
    off_t size = lseek(fd, 0, SEEK_END);
    struct pithlog *l;
    int err = new_log(name, &l);
    *log = NULL;
    if (err != PITH_OK) {
        close(fd);
        return err;
    }
    l->files.fd = fd;
    l->files.size = size > 0 ? (uint64_t)size : 0;
    if ((err = pithi_log_load(l, 0)) == PITH_OK)
        *log = l;
    else
        pithlog_close(l);
    return err;
}

int pithlog_open(const char *path, struct pithlog **log) { return open_log(path, &(struct way){0}, log); }

int pithlog_open_watched(const char *path, int (*progress)(void *context, double part), void *context,
                         struct pithlog **log)
{
    return pithi_log_open(path, NULL, context, progress, log);
}

void pithlog_close(struct pithlog *log)
{
    if (!log)
        return;
    pithi_log_unload(log);
    pithi_files_end(&log->files);
    if (log->files.fd >= 0)
        close(log->files.fd);
    free(log->path);
    free(log);
}

/* ---- Small questions --------------------------------------------------------------------------------------------- */

const struct pithlog_info *pithlog_get_info(const struct pithlog *log) { return &log->info; }

const struct pithlog_def *pithlog_get_def(const struct pithlog *log, uint32_t id)
{
    return pithi_defs_get(log->defs, id);
}

/* A log changes inside when something of it is first asked for; to who asks it does not. */
static struct pithlog *inside(const struct pithlog *log) { return (struct pithlog *)(uintptr_t)log; }

const struct pithlog_lane *pithlog_get_lane(const struct pithlog *log, uint32_t lane)
{
    static _Thread_local struct pithlog_lane lost;
    const struct pithi_log_lane *found;
    if (lane >= log->info.lanes)
        return NULL;
    pithi_log_lane(inside(log), lane, &found);
    if (found)
        return &found->seen;
    const struct pithi_log_rank *rank = pithi_log_rank(log, pithi_log_rank_of(log, lane));
    lost = (struct pithlog_lane){.rank = rank->rank,
                                 .thread = lane - rank->first_lane,
                                 .name = "",
                                 .host = pithi_log_host(log, rank),
                                 .first_ns = INT64_MAX,
                                 .last_ns = INT64_MIN};
    return &lost;
}

const struct pithlog_comm *pithlog_get_comm(const struct pithlog *log, uint32_t comm)
{
    static const struct pithlog_comm none = {.name = ""};
    if (comm >= log->info.comms)
        return NULL;
    struct pithlog_comm *made = __atomic_load_n(&log->comms[comm], __ATOMIC_ACQUIRE), *before = NULL;
    if (made || !(made = pithi_log_make_comm(inside(log), comm)))
        return made ? made : &none;
    if (__atomic_compare_exchange_n(&log->comms[comm], &before, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    pithi_log_free_comm(made); /* another thread was first */
    return before;
}

const char *pithlog_get_property(const struct pithlog *log, uint32_t index, const char **value)
{
    return pithi_defs_get_property(log->defs, index, value);
}
