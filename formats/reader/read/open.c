/* open.c - opens a log of any format: detects the format by content, and converts foreign logs to native ones.
 *
 * The rest of Pith reads only the native format. A foreign log is first converted to a native log in a temporary file,
 * which costs one pass. In return, the reader of a format is only one function, from bytes to records, and lanes,
 * seeking, summaries and pictures work with all formats:
 *
 *     file -> native?  yes: load its index
 *                      no:  gzip? unpack it into a temporary file, and begin again with that
 *                           the first format whose `probe` returns 1 reads it into a native log
 *                           no format: name the known formats that Pith does not read, or say "not a log"
 *
 * The content decides and not the file's name, because logs are renamed, and several formats use the same suffix. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/file_at.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "base/open_file.h"
#include "base/shell_word.h"
#include "base/temporary.h"
#include "base/zip.h"
#include "native/log.h"
#include "reader/read/cache.h"
#include "reader/read/format.h"
#include "reader/read/native.h"
#include "spill/spill_folder.h"

/* ---- Converted logs ---------------------------------------------------------------------------------------------- */

/* Logs of other formats are read into native logs in temporary files. The native log of a large file stays in the cache
 * (cache.h). Behind it is a mark with a hash of all its bytes, so that a file damaged in the cache is not taken for the
 * user's log. Formats with several files are not cached, because the cache would not notice changes of the other
 * files. */

enum {
    KEEP_BYTES = 8 << 20, /* smaller files are not kept in the cache, but read again */
    MARK = 16,            /* bytes of the mark */
    PIECE = 1 << 20       /* bytes read at once */
};

static int plain; /* see pithi_log_plain */

void pithi_log_plain(void) { plain = 1; }

/* Returns the kind of a log in the cache: without summaries (`without` 1) or with summaries. */
static const char *kind_of(int without) { return without ? "plain" : "pith"; }

static const char magic[8] = {'P', 'i', 't', 'h', 'K', 'e', 'p', 't'};

/* Hashes the first `size` bytes of a file. Returns 0 if they cannot be read. The hash combines CRCs of pieces of 1 MiB,
 * so that one buffer is enough for a file of any size. */
static int hash_file(int fd, uint64_t size, uint64_t *hash)
{
    unsigned char *piece = malloc(PIECE);
    uint64_t at = 0;
    *hash = size;
    while (piece && at < size) {
        size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
        if (pithi_read_at(fd, piece, want, at) != want)
            break;
        *hash = pithi_hash_number(*hash, pithi_crc(piece, want));
        *hash ^= *hash >> 32;
        at += want;
    }
    free(piece);
    return at == size;
}

/* Writes the mark behind the log. The mark is written last, so that an interrupted copy has no mark. */
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

/* Returns 1 if a file in the cache is intact, that is, if the hash of its bytes is that in the mark behind them. */
static int has_mark(int fd, uint64_t size)
{
    unsigned char mark[MARK];
    uint64_t hash;
    return pread(fd, mark, sizeof mark, (off_t)size) == (ssize_t)sizeof mark &&
           memcmp(mark, magic, sizeof magic) == 0 && hash_file(fd, size, &hash) && pithi_get64(mark + 8) == hash;
}

/* Loads the log from `fd`, which replaces the file that the log had. */
static int take_file(struct pithlog *log, int fd, uint64_t size)
{
    close(log->files.fd);
    log->files.fd = fd;
    log->files.size = size;
    return pithi_log_load(log, 0);
}

/* Returns a descriptor of the intact native log in the cache, and sets *size; -1 if there is none. */
static int find_kept(const struct pithi_cache_key *key, const char *kind, uint64_t *size)
{
    struct stat st;
    int fd = pithi_cache_find(key, kind);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > MARK && has_mark(fd, (uint64_t)st.st_size - MARK)) {
        *size = (uint64_t)st.st_size - MARK;
        return fd;
    }
    /* removes a file without a mark or with a wrong mark, so that it is written anew */
    if (fd >= 0) {
        close(fd);
        pithi_cache_remove(key, kind);
    }
    return -1;
}

/* Runs the format's reader once. Some readers learn only at the end of a lane what they need to know at its begin
 * (foreign/reading.h). Such a reader asks for a second pass through `again`, and the log of the first pass is thrown
 * away. */
static int write_once(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format, int fd)
{
    struct pithi_writer *writer = NULL;
    char name[512];
    int err;
    snprintf(name, sizeof name, "%s (its temporary copy, see TMPDIR)", log->path);
    TRY(pithi_writer_open(&writer, name, fd));
    if (plain)
        pithi_writer_plain(writer);
    err = format->read(input, writer);
    /* ignores the result of a reader that was stopped */
    if (input->watched && input->watched->stopped)
        err = pithi_fail(PITH_ERR_STOPPED, "%s: not opened: stopped", log->path);
    TRY(err);
    /* does not finish the log if the reader asks for a second pass */
    if (!input->again->is_second && input->again->count > 0)
        goto out;
    if (input->cut)
        TRY(pithi_incomplete(pithi_writer_defs(writer), "%s", input->cut));
    TRY(pithi_writer_finish(writer));
out:
    pithi_writer_close(writer);
    return err;
}

/* Reads a log with the reader of its format. `key` is its key in the cache; if it is NULL, the log is not kept
 * there. */
static int read_anew(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format,
                     const struct pithi_cache_key *key)
{
    struct pithi_cache_part part;
    struct stat st = {0};
    if (!(key ? pithi_cache_begin(&part, key, kind_of(plain)) : pithi_cache_begin_nameless(&part)))
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file: %s; set TMPDIR", log->path, strerror(errno));
    /* Runs the reader, and runs it again if it asks for this. The second pass gets the numbers that the first pass put
     * into `again`. */
    struct pithi_again again = {0};
    struct pithi_input twice = *input;
    twice.again = &again;
    int err = write_once(log, &twice, format, part.fd);
    if (err == PITH_OK && again.count > 0) {
        again.is_second = 1;
        err = ftruncate(part.fd, 0) == 0 ? write_once(log, &twice, format, part.fd)
                                         : pithi_fail(PITH_ERR_IO, "%s: %s", log->path, strerror(errno));
    }
    free(again.numbers);

    if (err == PITH_OK && fstat(part.fd, &st) != 0)
        err = pithi_fail(PITH_ERR_IO, "%s: %s", log->path, strerror(errno));
    /* writes the mark only if the log is complete; without a mark, the file is not kept */
    pithi_cache_end(&part, err == PITH_OK && key && put_mark(part.fd, (uint64_t)st.st_size));
    if (err == PITH_OK)
        return take_file(log, part.fd, (uint64_t)st.st_size);
    close(part.fd);
    return err;
}

/* Converts `input` from `format` to a native log in the cache or an unnamed file. This native log is loaded; its file
 * replaces the one in log->files. If the file is large and was read before, its native log is found in the cache. */
static int convert(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format)
{
    struct pithi_cache_key key;
    uint64_t size;
    /* keeps only logs with all data in this one file, and only if reading it again would take long */
    int keep = input->data && !format->beside && input->size >= KEEP_BYTES && pithi_cache_key_file(log->files.fd, &key);
    int kept = keep ? find_kept(&key, kind_of(0), &size) : -1;
    /* If no summaries are wanted, a cached log with summaries can be used, too. */
    if (kept < 0 && keep && plain)
        kept = find_kept(&key, kind_of(1), &size);
    if (kept >= 0)
        return take_file(log, kept, size);
    int err = read_anew(log, input, format, keep ? &key : NULL);
    if (err == PITH_ERR_IO && keep) /* the cache's file system may be full: tries TMPDIR */
        err = read_anew(log, input, format, NULL);
    return err;
}

/* ---- Foreign formats --------------------------------------------------------------------------------------------- */

/* Returns the first format whose probe accepts the input; NULL if there is none. The native format was tested
 * before. */
static const struct pithi_format *probe(const struct pithi_input *input)
{
    for (const struct pithi_format *f = pithi_formats; f->name; f++)
        if (f->read && f->read != pithi_native_read && f->probe && f->probe(input))
            return f;
    return NULL;
}

/* Returns the size of all files below a folder, which is the size of a log that is a folder. */
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

/* Formats that Pith does not read, but that users may try, so that the error can name them. A row applies if all of its
 * conditions hold: the suffix, the first bytes (`start`), and a word in the first PIECE bytes. (An RLOG is a series of
 * sections that begin with type and size. The first is the header, with type 0 and size 8.) */
#define SQLITE "SQLite format 3"
static const struct refused {
    const char *suffix, *start, *word, *name;
    size_t start_size;
} refused[] = {
    {.suffix = ".irlog",
     .name = "an RLOG of one process, of MPICH2's rlog; irlog2rlog and Jumpshot-4's converter make SLOG-2 of it"},
    {.suffix = ".rlog", .name = "an RLOG, of MPICH2's rlog; Jumpshot-4's converter makes SLOG-2 of it"},
    {.start = "\0\0\0\0\10\0\0\0",
     .start_size = 8,
     .name = "an RLOG, of MPICH2's rlog; Jumpshot-4's converter makes SLOG-2 of it"},
    {.start = "\0\0\0\0\0\0\0\10",
     .start_size = 8,
     .name = "an RLOG, of MPICH2's rlog; Jumpshot-4's converter makes SLOG-2 of it"},
    {.suffix = ".slog", .name = "SLOG-1, of Jumpshot-3; convert the CLOG that it was made from"},
    {.suffix = ".slog1", .name = "SLOG-1, of Jumpshot-3; convert the CLOG that it was made from"},
    {.start = "{",
     .start_size = 1,
     .word = "speedscope.app/file-format-schema",
     .name = "a profile of speedscope, without times of ranks; open it there"},
    {.start = "{",
     .start_size = 1,
     .word = "\"preprocessedProfileVersion\"",
     .name = "a profile of Firefox; open it at profiler.firefox.com"},
    {.start = "{",
     .start_size = 1,
     .word = "\"geckoProfileVersion\"",
     .name = "a profile of Firefox; open it at profiler.firefox.com"},
    {.start = "{",
     .start_size = 1,
     .word = "\"stackwalk\"",
     .name = "a profile of Firefox; open it at profiler.firefox.com"},
    {.suffix = ".nsys-rep", .name = "a report of NVIDIA's nsys; open it with nsys-ui"},
    {.suffix = ".qdrep", .name = "a report of NVIDIA's nsys; open it with nsys-ui"},
    {.suffix = ".qdstrm", .name = "a report of NVIDIA's nsys; open it with nsys-ui"},
    {.start = SQLITE,
     .start_size = 16,
     .word = "CREATE TABLE CUPTI_ACTIVITY",
     .name = "a database of NVIDIA's nsys; query it with sqlite3"},
    {.start = SQLITE,
     .start_size = 16,
     .word = "CREATE TABLE TARGET_INFO_",
     .name = "a database of NVIDIA's nsys; query it with sqlite3"},
    {.start = SQLITE,
     .start_size = 16,
     .word = "rocpd_",
     .name = "a database of AMD's rocprofv3 (rocpd); `rocprofv3 --output-format otf2` writes what Pith reads"},
    {.start = SQLITE, .start_size = 16, .name = "an SQLite database; convert the log that it was made from"},
    {.start = "PERFILE2", .start_size = 8, .name = "the data of Linux's perf; `perf script` shows them"},
    {.suffix = ".pftrace", .name = "a trace of Perfetto, which Pith only writes; its traceconv makes JSON of it"},
    {.suffix = ".perfetto-trace",
     .name = "a trace of Perfetto, which Pith only writes; its traceconv makes JSON of it"},
    {.suffix = ".perfetto", .name = "a trace of Perfetto, which Pith only writes; its traceconv makes JSON of it"},
    {.start = "time_s,rank,thread,",
     .start_size = 19,
     .name = "the CSV of `pith print`, which Pith only writes; convert the log that it was made from"},
    {.start = "{\"define\":\"",
     .start_size = 11,
     .name = "the JSON of `pith print`, which Pith only writes; convert the log that it was made from"},
};

/* Judges a file by its name and content. Returns the name for errors of its format, if this is one that Pith does not
 * read; else NULL. */
static const char *refused_format(const struct pithi_input *input)
{
    /* A native log that gzip packed is refused: reading it would be slow, and packing it saves nothing, because it is
     * already compressed. */
    if (input->size >= PITHI_NATIVE_START && pithi_native_is(input->data, input->size))
        return "a log of Pith that gzip packed; unpack it with gunzip (it is compressed in itself)";
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct refused *r = &refused[i];
        size_t suffix = r->suffix ? strlen(r->suffix) : 0, length = strlen(input->path);
        size_t head = input->size < PIECE ? input->size : PIECE, least = r->start_size > 16 ? r->start_size : 16;
        if ((!suffix || (length > suffix && strcasecmp(input->path + length - suffix, r->suffix) == 0)) &&
            (!r->start || (input->size >= least && memcmp(input->data, r->start, r->start_size) == 0)) &&
            (!r->word || memmem(input->data, head, r->word, strlen(r->word))))
            return refused[i].name;
    }
    return NULL;
}

/* Returns the name of the folder's format for an error, if this is one that Pith does not read; else NULL. */
static const char *refused_folder(const char *path)
{
    char *file = NULL, start[] = "/* CTF 1.8 */", begin[sizeof start] = "";
    int fd = asprintf(&file, "%s/metadata", path) < 0 ? -1 : pithi_open_input(file, 0);
    int is_ctf = fd >= 0 && read(fd, begin, sizeof start - 1) > 0 && strcmp(begin, start) == 0;

    if (fd >= 0)
        close(fd);
    free(file);
    return is_ctf ? "a trace in CTF, which Pith only writes; convert the log that it was made from" : NULL;
}

static int read_foreign(struct pithlog *log, const struct pithi_input *input)
{
    const struct pithi_format *format = probe(input);
    if (!format) {
        const char *name = input->data ? refused_format(input) : refused_folder(input->path);
        if (!input->data && !name)
            return pithi_fail(PITH_ERR_OPEN, "%s: is a folder without a log; give the name of one", log->path);
        if (name)
            return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: cannot be read: it looks like %s", log->path, name);
        return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: not a log of any known format; `pith help formats` lists them",
                          log->path);
    }
    if (log->watched) /* two passes: unpacking or reading, then loading */
        log->watched->passes = 2;
    CHECK(convert(log, input, format));
    log->info.format = format->name;
    log->info.version = 0;
    log->info.bytes = format->bytes ? format->bytes(input) : input->data ? input->size : folder_bytes(input->path);
    return PITH_OK;
}

static int read_gzip(struct pithlog *log, const void *data, size_t size);

/* Counts and reports a damage of a foreign file, as is done for native logs. */
static void damage(void *context, const char *text)
{
    struct pithlog *log = context;
    log->damages++;
    if (log->say)
        log->say(log->say_context, text);
}

/* Maps a file for the reader of its format. `cut`: see struct pithi_input. */
static int read_mapped(struct pithlog *log, int fd, uint64_t bytes, const char *cut)
{
    size_t size = (size_t)bytes;
    errno = EFBIG; /* if the file has more than 4 GiB, and addresses have 32 bits */
    void *data = size == bytes ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (data == MAP_FAILED)
        return pithi_fail(PITH_ERR_IO, "%s: cannot be mapped: %s", log->path, strerror(errno));
    struct pithi_input input = {.path = log->path,
                                .data = data,
                                .size = size,
                                .mapped = 1,
                                .watched = log->watched,
                                .damage = damage,
                                .damage_context = log,
                                .cut = cut};
    int was_cut = 0;
    /* If a mapped file becomes shorter while it is read, access to the missing bytes is a fault (SIGBUS). The watch
     * puts empty pages there, so that the reader ends with an error instead. */
    pithi_fault_watch(data, size, &was_cut);
    int err =
        /* if `fd` is not log->files.fd, this is the unpacked copy; gzip inside gzip is not unpacked */
        pithi_zip_is_gzip(data, size) && fd == log->files.fd ? read_gzip(log, data, size) : read_foreign(log, &input);
    pithi_fault_leave(data);
    munmap(data, size);
    /* the reader has read empty pages, so its result is not the user's log */
    if (__atomic_load_n(&was_cut, __ATOMIC_SEQ_CST))
        err = pithi_fail(PITH_ERR_IO, "%s: was cut while it was read; open it again when it is complete", log->path);
    return err;
}

/* Reads a file that gzip packed, from an unpacked copy in a temporary file. */
static int read_gzip(struct pithlog *log, const void *data, size_t size)
{
    int fd = pithi_temporary_file(), err;
    uint64_t unpacked;
    const char *cut;
    if (fd < 0)
        return pithi_temporary_failed("made");
    TRY(pithi_zip_gunzip(data, size, fd, log->watched, &unpacked, &cut));
    if (log->watched && log->watched->stopped)
        err = pithi_fail(PITH_ERR_STOPPED, "%s: not opened: stopped", log->path);
    else if (unpacked == 0)
        err = pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: %s", log->path, cut ? cut : "the packed file is empty");
    else
        err = read_mapped(log, fd, unpacked, cut);
    /* The error may name bytes that are not in the packed file, so the reason why it is cut is added. */
    if (err == PITH_ERR_DAMAGED && cut) {
        char text[512];
        snprintf(text, sizeof text, "%s", pithlog_error());
        err = pithi_fail(err, "%s; %s", text, cut);
    }
    log->info.bytes = size;
out:
    close(fd);
    return err;
}

/* ---- Opening -----------------------------------------------------------------------------------------------------
 * In some formats a log is a folder, so EISDIR is no error here. A pipe (ESPIPE) is refused, because it cannot be
 * mapped. */

/* Returns the error that a log does not exist. The text of the error says what the program left instead of the log, or
 * suggests a file in the same folder with a similar name. */
static int no_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int folder_size = (int)(name - path);
    char *folder = strndup(folder_size ? path : ".", folder_size ? (size_t)folder_size : 1), *spill = NULL;
    char found[NAME_MAX + 1] = "", absent[] = "No such file or directory";
    struct pithi_nearest nearest;
    DIR *all = folder ? opendir(folder) : NULL;

    free(folder);
    pithi_nearest_begin(&nearest, name, strlen(name));
    for (const struct dirent *entry; all && (entry = readdir(all));) {
        int edits = nearest.edits;
        pithi_nearest_try(&nearest, entry->d_name);
        if (nearest.edits != edits) /* copies the name, because readdir reuses its memory */
            nearest.name = strcpy(found, entry->d_name);
    }
    if (all)
        closedir(all);
    /* While a program runs, its records are in NAME.spill. If the program is killed, they stay there, and `pith
     * recover` makes a log of them. */
    int there = asprintf(&spill, "%s.spill", path) >= 0 && access(spill, F_OK) == 0, runs = 0;
    struct pithi_spill_folder jobs;
    if (there && pithi_spill_folder_open(&jobs, spill) == PITH_OK) {
        for (uint32_t i = 0; i < jobs.job_count; i++)
            runs |= jobs.jobs[i].running > 0;
        pithi_spill_folder_close(&jobs);
    }
    if (runs) {
        char word[PATH_MAX];
        pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: its program still runs; `pith top %s` shows what it does",
                   path, pithi_shell_word(path, word, sizeof word));
    } else if (there)
        pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s; its run left %s: see `pith help recover`", path, absent,
                   spill);
    else if (nearest.name)
        pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s; did you mean %.*s%s?", path, absent, folder_size, path,
                   nearest.name);
    else
        pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", path, absent);
    free(spill);
    return PITH_ERR_OPEN;
}

static int open_file(struct pithlog *log, int blocks)
{
    unsigned char start[PITHI_NATIVE_START];
    struct stat st;
    log->files.fd = pithi_open_input(log->path, 0);
    if (log->files.fd < 0 && errno == ENOENT)
        return no_file(log->path);
    if (log->files.fd < 0 && errno == EISDIR)
        return read_foreign(log, &(struct pithi_input){.path = log->path, .damage = damage, .damage_context = log});
    if (log->files.fd < 0 && errno == ESPIPE)
        return pithi_fail(PITH_ERR_OPEN, "%s: is no regular file; write it to a file first", log->path);
    if (log->files.fd < 0 || fstat(log->files.fd, &st) != 0)
        return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", log->path, strerror(errno));
    if (st.st_size == 0)
        return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: the file is empty; nothing was recorded in it", log->path);
    ssize_t got = pread(log->files.fd, start, sizeof start, 0);
    if (got < 0)
        return pithi_fail(PITH_ERR_IO, "%s: cannot be read: %s", log->path, strerror(errno));
    if (!pithi_native_is(start, (size_t)got))
        return read_mapped(log, log->files.fd, (uint64_t)st.st_size, NULL);
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
    int blocks; /* 1: reads all blocks and ignores the index */
    void (*say)(void *context, const char *text);
    void *say_context;
    struct pithi_watched *watched; /* for progress; may be NULL */
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
    l->watched = NULL; /* `progress` is not called after opening */
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

/* Opens a native log whose file is already open, such as a temporary file. The log closes `fd`; after an error, this
 * function has closed it. */
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

/* Returns 1 if a file is a log. is_copy 1: the file is the unpacked begin of a packed file. */
static int is_log(const char *path, int fd, size_t size, int is_copy)
{
    enum { PACKED = 16 << 10 }; /* only so many bytes of a packed file are unpacked, which give at most 16 MiB */
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    int is_cut = 0, is = 0;

    if (data == MAP_FAILED)
        return 0;
    pithi_fault_watch(data, size, &is_cut);
    if (!is_copy && pithi_zip_is_gzip(data, size)) {
        int copy = pithi_temporary_file();
        uint64_t unpacked = 0;
        const char *why;
        if (copy >= 0 &&
            pithi_zip_gunzip(data, size < PACKED ? size : PACKED, copy, NULL, &unpacked, &why) == PITH_OK && unpacked)
            is = is_log(path, copy, (size_t)unpacked, 1);
        if (copy >= 0)
            close(copy);
    } else /* a native log in a packed file is refused */
        is = (!is_copy && pithi_native_is(data, size)) ||
             probe(&(struct pithi_input){.path = path, .data = data, .size = size}) != NULL;
    pithi_fault_leave(data);
    munmap(data, size);
    return is && !__atomic_load_n(&is_cut, __ATOMIC_SEQ_CST);
}

int pithlog_is_log(const char *path)
{
    int fd = pithi_open_input(path, 0), is = 0;
    struct stat st;

    if (fd < 0)
        return errno == EISDIR && probe(&(struct pithi_input){.path = path}) != NULL;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        is = is_log(path, fd, (size_t)st.st_size, 0);
    close(fd);
    return is;
}

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
