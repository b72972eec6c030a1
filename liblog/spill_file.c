/* spill_file.c - makes and grows the spill file. Never calls malloc, because signal handlers may need a chunk.
 *
 * A mapped file on a full disk ends the program by SIGBUS at the first touch of a page, which recording must never do.
 * So space is allocated first (promised_bytes), then mapped (size_bytes); a full disk is an error of the allocation.
 * Some space stays free for the program's own files: 64 MiB, or a twentieth of a small file system:
 *
 *     1,000 MB in /dev/shm: records stop when 50 MB are left, definitions may take half of that
 *
 * Definitions may use space that records may not, because records cannot be read without definitions.
 *
 * The program may close all descriptors, or change its folder. So the file is opened again by its absolute path when it
 * grows. One descriptor is kept in case that fails; before use it is checked to be the same file. */
#include "spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/file_at.h"
#include "clock.h"
#include "process.h"

static int faults; /* 1: a store hit a truncated part of the file (base/fault.h); atomic */

/* Space left on the file system, so that the program's own output does not fail. */
#define RESERVE_BYTES (UINT64_C(64) << 20)
#define RESERVE_PART 20 /* on a small disk, a twentieth stays free instead */
/* The size of the chunks of definitions, and the space reserved for one; with a low size limit, a part of the limit. */
#define DEFINITIONS_BYTES (UINT64_C(64) << 10)
#define DEFINITIONS_PART 8               /* an eighth of the space is for definitions */
#define TMPFS 0x01021994u                /* f_type of a file system in memory */
#define APPEND_AHEAD (UINT64_C(4) << 20) /* bytes allocated ahead of the records */

/* Allocates the bytes [from, to) on the disk. If the file system cannot allocate, writes zeros instead: a full disk
 * must be seen here, not as SIGBUS in the middle of the program. */
static int allocate(int fd, uint64_t from, uint64_t to)
{
    static char zeros[65536]; /* not const, because constant data would take room in the library file */
    while (fallocate(fd, 0, (off_t)from, (off_t)(to - from)) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EOPNOTSUPP && errno != ENOSYS)
            return -1;
        while (from < to) {
            size_t want = to - from < sizeof zeros ? (size_t)(to - from) : sizeof zeros;
            ssize_t put = pwrite(fd, zeros, want, (off_t)from);
            if (put < 0 && errno != EINTR)
                return -1;
            from += put > 0 ? (uint64_t)put : 0;
        }
        return 0;
    }
    return 0;
}

/* Returns the size limit of the file. It is at most RLIMIT_FSIZE, because the kernel would send SIGXFSZ for a larger
 * file. */
static uint64_t limit_of(const struct pithi_spill_file *file)
{
    uint64_t most = file->max_bytes + file->beyond_bytes;
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < most ? limit.rlim_cur : most;
}

uint64_t pithi_spill_whole_pages(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

uint64_t pithi_spill_definitions_bytes(const struct pithi_spill_file *file)
{
    uint64_t part = limit_of(file) / DEFINITIONS_PART, least = pithi_spill_whole_pages(PITHI_SPILL_PAGE);
    uint64_t bytes = part - part % least;
    return bytes > DEFINITIONS_BYTES ? DEFINITIONS_BYTES : bytes < least ? least : bytes;
}

/* Returns 1 if the file may grow to `size_bytes`, by more_bytes. Records must leave room for definitions. */
static int may_grow(const struct pithi_spill_file *file, int fd, uint64_t size_bytes, uint64_t more_bytes,
                    enum pithi_spill_use use)
{
    struct statvfs info;
    errno = EFBIG;
    if (size_bytes + (use == PITHI_FOR_RECORDS ? pithi_spill_definitions_bytes(file) : 0) > limit_of(file))
        return 0;
    if (fstatvfs(fd, &info) == 0 && info.f_blocks > 0) {
        uint64_t unit = info.f_frsize, total = unit * info.f_blocks;
        uint64_t reserve = total / RESERVE_PART < RESERVE_BYTES ? total / RESERVE_PART : RESERVE_BYTES;
        errno = ENOSPC;
        return unit * info.f_bavail >= more_bytes + (use == PITHI_FOR_RECORDS ? reserve : reserve / 2);
    }
    return 1;
}

/* Allocates space on the disk up to `end`. Returns 0, or -1 (errno). */
static int promise_to(struct pithi_spill_file *file, int fd, uint64_t end, enum pithi_spill_use use)
{
    int saved;
    if (end <= file->promised_bytes)
        return 0;
    if (!may_grow(file, fd, end, end - file->promised_bytes, use))
        return -1;
    if (allocate(fd, file->promised_bytes, end) == 0) {
        file->promised_bytes = end;
        return 0;
    }
    saved = errno;
    /* Some of the space may have been allocated: frees it again. */
    if (ftruncate(fd, (off_t)file->promised_bytes) != 0)
        saved = errno;
    errno = saved;
    return -1;
}

void pithi_spill_file_reaches(struct pithi_spill_file *file, uint64_t end_bytes)
{
    if (end_bytes <= file->end_bytes)
        return;
    file->end_bytes = end_bytes;
    if (file->page != NULL)
        __atomic_store_n(&file->page->end_bytes, end_bytes, __ATOMIC_RELEASE);
}

static int extend_fd(struct pithi_spill_file *file, int fd, uint64_t more_bytes, enum pithi_spill_use use,
                     void **mapped)
{
    uint64_t begin = file->size_bytes;
    if (more_bytes >= PITHI_SPILL_ALIGN)
        begin = (begin + PITHI_SPILL_ALIGN - 1) & ~(uint64_t)(PITHI_SPILL_ALIGN - 1);
    if (promise_to(file, fd, begin + more_bytes, use) != 0)
        return -1;
    *mapped = mmap(NULL, (size_t)more_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)begin);
    if (*mapped == MAP_FAILED)
        return -1;
    /* If the file system has pages of 2 MiB, they cost a fraction of small ones. */
    if (more_bytes >= PITHI_SPILL_ALIGN)
        madvise(*mapped, (size_t)more_bytes, MADV_HUGEPAGE);
    pithi_fault_watch(*mapped, more_bytes, &faults);
    file->size_bytes = begin + more_bytes;
    pithi_spill_file_reaches(file, file->size_bytes);
    return 0;
}

/* Returns 1 if `fd` is this file, and the file was not removed. */
static int is_same(const struct pithi_spill_file *file, int fd)
{
    struct stat info;
    return fd > 0 && fstat(fd, &info) == 0 && info.st_dev == file->device && info.st_ino == file->inode &&
           info.st_nlink > 0;
}

static void keep(struct pithi_spill_file *file, int fd)
{
    int kept = pithi_descriptor_far(fd);
    file->kept = kept > 0 ? kept : 0;
}

void pithi_spill_file_let_go(struct pithi_spill_file *file)
{
    if (is_same(file, file->kept))
        close(file->kept);
    file->kept = 0;
}

/* Makes the name that the file has until its page is complete. So a file with the final name that has no complete page
 * is known to be damaged. */
static void name_before(char *name, size_t size, const struct pithi_spill_file *file)
{
    snprintf(name, size, "%s.new", file->path);
}

int pithi_spill_file_appear(const struct pithi_spill_file *file)
{
    char before[PITHI_PATH_MAX + 8];
    int saved;
    name_before(before, sizeof before, file);
    if (rename(before, file->path) == 0)
        return 0;
    saved = errno;
    unlink(before);
    errno = saved;
    return -1;
}

/* After an error, errno has the cause of the failure, not of a later failure of close or unlink. */
int pithi_spill_file_create(struct pithi_spill_file *file, const char *folder, uint64_t max_bytes)
{
    char host[sizeof file->page->host] = "localhost", name[PITHI_PATH_MAX + 8];
    struct stat info;
    struct statfs system;
    void *page;
    int fd, in_memory, saved;

    memset(file, 0, sizeof *file);
    gethostname(host, sizeof host - 1);
    file->max_bytes = max_bytes > PITHI_SPILL_PAGE ? max_bytes : PITHI_SPILL_PAGE;
    if (snprintf(file->path, sizeof file->path, "%s/%.64s-%d-%lld.spill", folder, host, (int)getpid(),
                 (long long)pithi_clock_ns(CLOCK_REALTIME)) >= (int)sizeof file->path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    name_before(name, sizeof name, file);
    fd = pithi_descriptor_open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    in_memory = fstatfs(fd, &system) == 0 && (uint32_t)system.f_type == TMPFS;
    if (fstat(fd, &info) != 0 ||
        extend_fd(file, fd, pithi_spill_whole_pages(PITHI_SPILL_PAGE), PITHI_FOR_DEFINITIONS, &page) != 0) {
        saved = errno;
        close(fd);
        unlink(name);
        errno = saved;
        return -1;
    }
    file->device = info.st_dev;
    file->in_memory = in_memory;
    file->inode = info.st_ino;
    keep(file, fd);
    close(fd);
    file->page = page;
    memcpy(file->page->host, host, sizeof host);
    pithi_boot_id(file->page->boot_id, sizeof file->page->boot_id);
    file->page->pid = (uint32_t)getpid();
    file->page->rank = -1;
    file->page->end_bytes = file->end_bytes;
    __atomic_store_n(&faults, 0, __ATOMIC_SEQ_CST);
    pithi_clock_anchor_next(&file->page->first);
    file->page->last = file->page->first;
    return 0;
}

int pithi_spill_file_cut(void) { return __atomic_load_n(&faults, __ATOMIC_SEQ_CST); }

/* Returns 0 if the file was not truncated; -1 (errno) if it was. A truncated file does not grow any more: its
 * definitions may be lost, and records cannot be read without them. */
static int still_whole(struct pithi_spill_file *file, int fd)
{
    struct stat info;
    if (!file->cut && !pithi_spill_file_cut() && fstat(fd, &info) == 0 && (uint64_t)info.st_size >= file->end_bytes)
        return 0;
    file->cut = 1;
    errno = EIO;
    return -1;
}

/* Opens the file by its name, or returns the kept descriptor. Returns -1 (errno) on an error. close_same closes the
 * descriptor. */
static int open_same(struct pithi_spill_file *file)
{
    int fd = pithi_descriptor_open(file->path, O_RDWR | O_NOFOLLOW, 0), saved = errno;
    if (is_same(file, fd)) {
        if (!is_same(file, file->kept))
            keep(file, fd);
        return fd;
    }
    if (fd >= 0) {
        close(fd);
        saved = ENOENT;
    }
    if (is_same(file, file->kept))
        return file->kept;
    errno = saved;
    return -1;
}

static void close_same(const struct pithi_spill_file *file, int fd)
{
    int saved = errno;
    if (fd != file->kept)
        close(fd);
    errno = saved;
}

static void *extend(struct pithi_spill_file *file, uint64_t size_bytes, enum pithi_spill_use use)
{
    void *mapped = NULL;
    int fd, status;
    errno = EFBIG; /* the limit is tested without a system call, because a full ring tries this for each chunk */
    if (file->size_bytes + size_bytes > file->max_bytes + file->beyond_bytes || (fd = open_same(file)) < 0)
        return NULL;
    status = still_whole(file, fd) == 0 ? extend_fd(file, fd, size_bytes, use, &mapped) : -1;
    file->full |= status != 0 && (errno == ENOSPC || errno == EDQUOT);
    close_same(file, fd);
    return status == 0 ? mapped : NULL;
}

void *pithi_spill_file_extend(struct pithi_spill_file *file, uint64_t size_bytes, enum pithi_spill_use use)
{
    uint64_t most = file->max_bytes > PITHI_SPILL_BEYOND ? file->max_bytes : PITHI_SPILL_BEYOND;
    uint64_t before = file->beyond_bytes;
    void *mapped;
    if (use == PITHI_FOR_NEWEST && before + size_bytes <= most)
        file->beyond_bytes += size_bytes; /* file->size_bytes is at most the old limit, so these bytes are enough */
    mapped = extend(file, size_bytes, use);
    if (mapped == NULL)
        file->beyond_bytes = before;
    return mapped;
}

/* Allocates APPEND_AHEAD bytes more than needed: on a disk 4 MiB take 5 us and save a third of the writing time. In
 * tmpfs allocating takes as long as writing, so nothing is allocated ahead there. */
static int promise_ahead(struct pithi_spill_file *file, int fd, uint64_t end)
{
    return end <= file->promised_bytes ||
           (!file->in_memory && promise_to(file, fd, end + APPEND_AHEAD, PITHI_FOR_RECORDS) == 0);
}

int pithi_spill_file_reserve(struct pithi_spill_file *file, uint64_t size_bytes, struct pithi_spill_place *place)
{
    uint64_t begin = file->size_bytes;
    place->fd = open_same(file);
    place->is_kept = place->fd == file->kept;
    place->offset = begin;
    if (place->fd < 0)
        return -1;
    if (still_whole(file, place->fd) != 0 ||
        (!promise_ahead(file, place->fd, begin + size_bytes) &&
         !may_grow(file, place->fd, begin + size_bytes, size_bytes, PITHI_FOR_RECORDS))) {
        file->full |= errno == ENOSPC || errno == EDQUOT;
        close_same(file, place->fd);
        return -1;
    }
    file->size_bytes = begin + size_bytes;
    if (file->promised_bytes < file->size_bytes)
        file->promised_bytes = file->size_bytes;
    return 0;
}

/* Tests RLIMIT_FSIZE again, because the program may have lowered it since the place was reserved. A write beyond it
 * would raise SIGXFSZ, which would arrive as soon as the guard is left. */
int pithi_spill_place_write(const struct pithi_spill_place *place, const void *data, uint64_t size_bytes)
{
    const size_t word = sizeof(uint64_t), rest = size_bytes - word;
    struct rlimit limit;
    int is_within = getrlimit(RLIMIT_FSIZE, &limit) != 0 || place->offset + size_bytes <= limit.rlim_cur;
    errno = EFBIG;
    int whole = is_within && pithi_write_at(place->fd, (const char *)data + word, rest, place->offset + word) == rest &&
                pithi_write_at(place->fd, data, word, place->offset) == word;
    int saved = errno;
    if (!place->is_kept)
        close(place->fd);
    errno = saved;
    return whole ? 0 : -1;
}

int pithi_spill_file_sync(struct pithi_spill_file *file)
{
    int fd = open_same(file), status;
    if (fd < 0)
        return -1;
    status = fdatasync(fd);
    close_same(file, fd);
    return status;
}

/* Returns 1 if the file has another name now. In a chroot without /proc the result is 0. */
static int is_renamed(const struct pithi_spill_file *file)
{
    char link[64], name[PITHI_PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->kept);
    ssize_t length = readlink(link, name, sizeof name);
    return length > 0 && ((size_t)length != strlen(file->path) || memcmp(name, file->path, (size_t)length) != 0);
}

int pithi_spill_file_is_there(const struct pithi_spill_file *file)
{
    return access(file->path, F_OK) == 0 || (is_same(file, file->kept) && !is_renamed(file));
}

void pithi_spill_file_remove(struct pithi_spill_file *file)
{
    int fd = pithi_descriptor_open(file->path, O_RDWR | O_NOFOLLOW, 0);
    if (is_same(file, fd)) /* only if it is not another file of that name */
        unlink(file->path);
    if (fd >= 0)
        close(fd);
    pithi_spill_file_let_go(file);
}
