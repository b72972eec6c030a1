/* cache.c - finds, makes and removes files in the user's cache folder (cache.h), whatever their contents.
 *
 * A cache file is named by a key, which is a hash of the log that the file was made from. So a cache file is never out
 * of date: a changed log has another key, for which no file is found. Reading all of a log of 10 GB for its key would
 * take as long as the work that the cache saves. So the key is made of the log's size, its modification time, its first
 * and last 8 KiB, and 63 samples of 512 bytes between them: 48,640 bytes of any large log.
 *
 * A file gets its final name only when it is complete; until then, it has no name or a temporary one. So two programs
 * that make the same file at once do not disturb each other: of two equal files, one replaces the other.
 * pithi_cache_end removes the files that were used longest ago. A program that has such a file open can still read
 * it. */
#include "reader/read/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file_at.h"
#include "base/hash.h"
#include "base/open_file.h"
#include "base/temporary.h"
#include "native/log.h"

enum {
    SAMPLES = 64,       /* a key has SAMPLES - 1 samples of the log's file */
    SAMPLE_BYTES = 512, /* bytes of a sample */
    END_BYTES = 8192    /* bytes of the file's begin, and of its end */
};

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

static void mix(struct pithi_cache_key *key, uint64_t word)
{
    key->hash[0] = pithi_hash_mix(key->hash[0], word);
    key->hash[1] = (key->hash[1] + word) * UINT64_C(0xd6e8feb86659fd93);
    key->hash[1] ^= key->hash[1] >> 32;
}

static int mix_bytes(struct pithi_cache_key *key, int fd, uint64_t offset, uint64_t size)
{
    unsigned char bytes[END_BYTES + 8] = {0};
    if (pithi_read_at(fd, bytes, (size_t)size, offset) != size)
        return 0;
    for (uint64_t i = 0; i < size; i += 8)
        mix(key, pithi_get64(bytes + i));
    return 1;
}

/* Mixes a file into the key. The key includes its modification time, because a byte between the samples may have
 * changed. */
static int mix_file(struct pithi_cache_key *key, int fd, uint64_t size)
{
    uint64_t end = size < END_BYTES ? size : END_BYTES;
    struct stat st;
    if (fstat(fd, &st) != 0)
        return 0;
    mix(key, (uint64_t)st.st_mtim.tv_sec);
    mix(key, (uint64_t)st.st_mtim.tv_nsec);
    mix(key, size);
    if (!mix_bytes(key, fd, 0, end) || !mix_bytes(key, fd, size - end, end))
        return 0;
    for (uint64_t i = 1; size > 2 * END_BYTES && i < SAMPLES; i++)
        if (!mix_bytes(key, fd, (size - SAMPLE_BYTES) / SAMPLES * i, SAMPLE_BYTES))
            return 0;
    return 1;
}

int pithi_cache_key(struct pithlog *log, struct pithi_cache_key *key)
{
    struct stat st;
    uint64_t size;
    int fd;
    *key = (struct pithi_cache_key){{UINT64_C(0x50697468), 1}};
    if (stat(log->path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    for (uint32_t volume = 0; volume <= log->files.volume.count; volume++)
        if (pithi_files_find(&log->files, (uint64_t)volume << PITHI_VOLUME_SHIFT, &fd, &size) != PITH_OK ||
            !mix_file(key, fd, size))
            return 0;
    return 1;
}

int pithi_cache_key_file(int fd, struct pithi_cache_key *key)
{
    struct stat st;
    *key = (struct pithi_cache_key){{UINT64_C(0x50697468), 2}};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    for (const char *p = PITH_VERSION; *p; p++)
        mix(key, (unsigned char)*p);
    return mix_file(key, fd, (uint64_t)st.st_size);
}

/* ---- The folder -------------------------------------------------------------------------------------------------- */

/* Writes the path of the cache folder to `name`; with `make`, makes the folder. Returns 0 if there is no such folder.
 * Relative paths are ignored, as the XDG Base Directory Specification demands. */
static int folder(char *name, size_t size, int make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (cache && *cache == '/')
        length = snprintf(name, size, "%s", cache);
    else if (home && *home == '/')
        length = snprintf(name, size, "%s/.cache", home);
    else
        return 0;
    if (length < 0 || (size_t)length + 80 > size)
        return 0;
    if (make)
        mkdir(name, 0700);
    memcpy(name + length, "/pith", sizeof "/pith");
    return !make || mkdir(name, 0700) == 0 || errno == EEXIST;
}

static int file_name(const struct pithi_cache_key *key, const char *kind, char *name, size_t size, int make)
{
    if (!folder(name, size - 64, make))
        return 0;
    size_t length = strlen(name);
    snprintf(name + length, size - length, "/%016llx%016llx.%.16s", (unsigned long long)key->hash[0],
             (unsigned long long)key->hash[1], kind);
    return 1;
}

/* ---- Limiting the size ------------------------------------------------------------------------------------------- */

struct entry {
    char name[64];        /* in the cache folder */
    struct timespec used; /* when the file was last found or made */
    uint64_t size;        /* bytes */
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

int pithi_cache_find(const struct pithi_cache_key *key, const char *kind)
{
    char name[4096];
    if (!file_name(key, kind, name, sizeof name, 0))
        return -1;
    int fd = pithi_open_input(name, O_NOFOLLOW);
    if (fd >= 0)
        utimensat(AT_FDCWD, name, NULL, 0); /* marks the file as used now */
    return fd;
}

int pithi_cache_begin_nameless(struct pithi_cache_part *part)
{
    part->name[0] = 0;
    part->unnamed = 0;
    part->fd = pithi_temporary_file();
    return part->fd >= 0;
}

/* Opens an unnamed file in the folder of `final`, so that no file is left if the process dies. Returns -1 if the system
 * cannot do this. */
static int open_unnamed(const char *final)
{
    char name[4096];
    snprintf(name, sizeof name, "%.*s", (int)(strrchr(final, '/') - final), final);
    return open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int pithi_cache_begin(struct pithi_cache_part *part, const struct pithi_cache_key *key, const char *kind)
{
    if (file_name(key, kind, part->final, sizeof part->final, 1)) {
        snprintf(part->name, sizeof part->name, "%.*s.XXXXXX", (int)sizeof part->name - 8, part->final);
        if ((part->unnamed = (part->fd = open_unnamed(part->final)) >= 0))
            return 1;
        if ((part->fd = mkostemp(part->name, O_CLOEXEC)) >= 0)
            return 1;
    }
    return pithi_cache_begin_nameless(part);
}

/* Gives an unnamed file a temporary name, because a link cannot replace a file that already has the final name; a
 * rename can. */
static int give_name(struct pithi_cache_part *part)
{
    char file[64];
    snprintf(file, sizeof file, "/proc/self/fd/%d", part->fd);
    snprintf(part->name, sizeof part->name, "%.*s.%d", (int)sizeof part->name - 16, part->final, (int)getpid());
    return linkat(AT_FDCWD, file, AT_FDCWD, part->name, AT_SYMLINK_FOLLOW) == 0;
}

int pithi_cache_end(struct pithi_cache_part *part, int whole)
{
    struct stat st;
    if (!part->name[0])
        return 0;
    whole = whole && fstat(part->fd, &st) == 0 && (uint64_t)st.st_size <= PITHI_CACHE_BYTES / 2;
    int named = !part->unnamed || (whole && give_name(part));
    whole = whole && named && rename(part->name, part->final) == 0;
    if (named && !whole)
        unlink(part->name);
    part->name[0] = 0;
    /* Removes the least recently used files until the rest is small enough. */
    char name[4096];
    uint32_t count = 0;
    uint64_t total = 0;
    DIR *dir = folder(name, sizeof name, 0) ? opendir(name) : NULL;
    if (dir) {
        struct entry *entries = NULL;
        struct dirent *found;
        struct stat status;
        uint32_t room = 0;
        while ((found = readdir(dir)))
            if (strlen(found->d_name) < sizeof entries->name &&
                fstatat(dirfd(dir), found->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
                pithi_grow(&entries, count, &room, sizeof *entries)) {
                entries[count].used = status.st_mtim;
                entries[count].size = (uint64_t)status.st_size;
                total += entries[count].size;
                snprintf(entries[count].name, sizeof entries->name, "%.63s", found->d_name);
                ++count;
            }

        if (total > PITHI_CACHE_BYTES)
            qsort(entries, count, sizeof *entries, by_use);
        for (uint32_t i = 0; i < count && total > PITHI_CACHE_BYTES; i++)
            if (unlinkat(dirfd(dir), entries[i].name, 0) == 0)
                total -= entries[i].size;
        free(entries);
        closedir(dir);
    }
    return whole;
}

void pithi_cache_remove(const struct pithi_cache_key *key, const char *kind)
{
    char name[4096];
    if (file_name(key, kind, name, sizeof name, 0))
        unlink(name);
}
