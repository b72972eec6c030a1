/* system.c - the operating system of a WebAssembly module, as far as the C library needs it. The C library makes calls
 * of WASI, the system interface of WebAssembly; here they are functions of the module itself.
 *
 * There are two kinds of files: files of the web page, whose bytes are read by an imported function, and files in
 * memory, which the module creates. Files in memory have no names, because while Pith reads a log, it creates only
 * temporary files, and unlinks them at once. There are no folders but the root, no environment, no processes.
 *
 * File descriptors: 0 to 2 are the console, 3 and 4 the root (as / and as the current folder), 5 to 255 open files.
 */
#include "wasm/system.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wasi/api.h>

#include "base/fault.h"

/* Functions of the web page that the module calls. page_read reads up to `size` bytes of a file from the offset `at`
 * on, and returns how many it has read. page_expect announces that such bytes will be read soon. page_print appends to
 * the message that the web page reports if the module ends by a trap. page_now_ns returns the time of a clock. */
__attribute__((import_module("pith"), import_name("read"))) uint32_t page_read(int file, double at, void *to,
                                                                               uint32_t size);
__attribute__((import_module("pith"), import_name("expect"))) void page_expect(int file, double at, double size);
__attribute__((import_module("pith"), import_name("print"))) void page_print(const void *text, uint32_t size);
__attribute__((import_module("pith"), import_name("now"))) double page_now_ns(void);

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* FIRST: the first descriptor of a file; MOST: number of descriptors; PAGE: bytes of a block ("page") of a file in
 * memory */
enum { FIRST = 5, MOST = 256, PAGE = 256 << 10 };

/* A file in memory, in blocks of PAGE bytes, so that a large file is not copied when it grows. */
struct memory {
    unsigned char **pages; /* [page_count]; an entry is NULL for a block of zeros */
    size_t page_count;
    uint64_t size;
};
static struct named {
    char *name;
    uint64_t size;
} * named;
static int named_count; /* number of entries of `named` */
static struct open {
    int in_use;
    int file;              /* the index of a file of the web page; -1: the file is in memory */
    struct memory *memory; /* NULL: a folder or the console */
    uint64_t at;
} table[MOST];

int pithi_system_add(const char *name, double size_bytes)
{
    struct named *more = realloc(named, (size_t)(named_count + 1) * sizeof *more);
    char *copy = strdup(name);

    if (more)
        named = more;
    if (!more || !copy)
        return -1;
    named[named_count] = (struct named){copy, (uint64_t)size_bytes};
    return named_count++;
}

void pithi_system_clear(void)
{
    while (named_count > 0)
        free(named[--named_count].name);
}

static struct open *open_of(__wasi_fd_t fd) { return fd >= FIRST && fd < MOST && table[fd].in_use ? &table[fd] : NULL; }
static int is_root(__wasi_fd_t fd) { return fd == 3 || fd == 4; }
static uint64_t size_of(const struct open *o) { return o->memory ? o->memory->size : named[o->file].size; }

static unsigned char *page_at(struct memory *m, uint64_t at, int make)
{
    size_t page = (size_t)(at / PAGE);
    if (page >= m->page_count) {
        /* Doubles the length of the list of blocks, so that it is rarely moved when a file grows. */
        size_t count = page < 8 ? 8 : page * 2;
        unsigned char **more = make ? realloc(m->pages, count * sizeof *more) : NULL;
        if (!more)
            return NULL;
        memset(more + m->page_count, 0, (count - m->page_count) * sizeof *more);
        m->pages = more;
        m->page_count = count;
    }
    if (!m->pages[page] && make)
        m->pages[page] = calloc(1, PAGE);
    return m->pages[page];
}

static size_t get(struct open *o, uint64_t at, void *to, size_t size)
{
    uint64_t end = size_of(o);
    size_t done = 0;

    /* Limits the size, so that no byte after the file's end is read. The offset is passed as a double, which is exact
     * below 2^53. */
    size = at >= end ? 0 : end - at < size ? (size_t)(end - at) : size;
    if (!o->memory)
        return size ? page_read(o->file, (double)at, to, (uint32_t)size) : 0;
    while (done < size) {
        size_t from = (size_t)((at + done) % PAGE), part = PAGE - from < size - done ? PAGE - from : size - done;
        const unsigned char *page = page_at(o->memory, at + done, 0);
        /* A block that was never written takes no memory and is read as zeros. */
        if (page)
            memcpy((char *)to + done, page + from, part);
        else
            memset((char *)to + done, 0, part);
        done += part;
    }
    return size;
}

/* Writes to a file in memory. Returns 0 if there is no memory. */
static int put(struct open *o, uint64_t at, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t from = (size_t)((at + done) % PAGE), part = PAGE - from < size - done ? PAGE - from : size - done;
        unsigned char *page = page_at(o->memory, at + done, 1);
        if (!page)
            return 0;
        memcpy(page + from, (const char *)data + done, part);
        done += part;
    }
    if (at + size > o->memory->size)
        o->memory->size = at + size;
    return 1;
}

static void free_memory(struct memory *m)
{
    for (size_t i = 0; m && i < m->page_count; i++)
        free(m->pages[i]);
    if (m)
        free(m->pages);
    free(m);
}

/* ---- The calls of the C library ---------------------------------------------------------------------------------- */

__wasi_errno_t __wasi_fd_pread(__wasi_fd_t fd, const __wasi_iovec_t *parts, size_t count, __wasi_filesize_t at,
                               __wasi_size_t *done)
{
    struct open *o = open_of(fd);
    *done = 0;
    if (!o)
        return fd == 0 ? 0 : is_root(fd) ? __WASI_ERRNO_ISDIR : __WASI_ERRNO_BADF;
    for (size_t i = 0; i < count; i++) {
        size_t got = get(o, at + *done, parts[i].buf, parts[i].buf_len);
        *done += got;
        if (got < parts[i].buf_len)
            break;
    }
    return 0;
}

__wasi_errno_t __wasi_fd_pwrite(__wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_filesize_t at,
                                __wasi_size_t *done)
{
    struct open *o = open_of(fd);
    *done = 0;
    if (!o || !o->memory)
        return __WASI_ERRNO_BADF;
    for (size_t i = 0; i < count; i++) {
        if (!put(o, at + *done, parts[i].buf, parts[i].buf_len))
            return __WASI_ERRNO_NOSPC;
        *done += parts[i].buf_len;
    }
    return 0;
}

__wasi_errno_t __wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *parts, size_t count, __wasi_size_t *done)
{
    struct open *o = open_of(fd);
    __wasi_errno_t err = __wasi_fd_pread(fd, parts, count, o ? o->at : 0, done);
    if (o)
        o->at += *done;
    return err;
}

__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_size_t *done)
{
    struct open *o = open_of(fd);
    if (fd == 1 || fd == 2) {
        *done = 0;
        for (size_t i = 0; i < count; i++) {
            page_print(parts[i].buf, parts[i].buf_len);
            *done += parts[i].buf_len;
        }
        return 0;
    }
    __wasi_errno_t err = __wasi_fd_pwrite(fd, parts, count, o ? o->at : 0, done);
    if (o)
        o->at += *done;
    return err;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t by, __wasi_whence_t from, __wasi_filesize_t *at)
{
    struct open *o = open_of(fd);
    if (!o)
        return fd < FIRST ? __WASI_ERRNO_SPIPE : __WASI_ERRNO_BADF;
    /* `by` counts from `start`: the begin of the file, the present position or the end of the file. */
    int64_t start = from == __WASI_WHENCE_SET ? 0 : (int64_t)(from == __WASI_WHENCE_CUR ? o->at : size_of(o));
    if (start + by < 0)
        return __WASI_ERRNO_INVAL;
    *at = o->at = (uint64_t)(start + by);
    return 0;
}

__wasi_errno_t __wasi_fd_tell(__wasi_fd_t fd, __wasi_filesize_t *at)
{
    return __wasi_fd_seek(fd, 0, __WASI_WHENCE_CUR, at);
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd)
{
    struct open *o = open_of(fd);
    if (!o)
        return __WASI_ERRNO_BADF;
    free_memory(o->memory);
    *o = (struct open){0};
    return 0;
}

__wasi_errno_t __wasi_fd_filestat_set_size(__wasi_fd_t fd, __wasi_filesize_t size)
{
    struct open *o = open_of(fd);
    if (!o || !o->memory)
        return __WASI_ERRNO_BADF;
    /* Frees or clears the bytes after the new end, because they must be zeros if the file grows again. */
    for (size_t i = 0; i < o->memory->page_count; i++)
        if ((uint64_t)i * PAGE >= size) {
            free(o->memory->pages[i]);
            o->memory->pages[i] = NULL;
        } else if (o->memory->pages[i] && (uint64_t)(i + 1) * PAGE > size) {
            memset(o->memory->pages[i] + size % PAGE, 0, PAGE - (size_t)(size % PAGE));
        }
    o->memory->size = size;
    return 0;
}

__wasi_errno_t __wasi_fd_allocate(__wasi_fd_t fd, __wasi_filesize_t at, __wasi_filesize_t size)
{
    struct open *o = open_of(fd);
    if (!o || !o->memory)
        return __WASI_ERRNO_BADF;
    if (at + size > o->memory->size)
        o->memory->size = at + size;
    return 0;
}

static void describe(__wasi_filestat_t *stat, __wasi_filetype_t type, uint64_t size)
{
    *stat = (__wasi_filestat_t){.filetype = type, .size = size, .nlink = 1};
}

__wasi_errno_t __wasi_fd_filestat_get(__wasi_fd_t fd, __wasi_filestat_t *stat)
{
    struct open *o = open_of(fd);
    if (!o && fd >= FIRST)
        return __WASI_ERRNO_BADF;
    describe(stat,
             o             ? __WASI_FILETYPE_REGULAR_FILE
             : is_root(fd) ? __WASI_FILETYPE_DIRECTORY
                           : __WASI_FILETYPE_CHARACTER_DEVICE,
             o ? size_of(o) : 0);
    return 0;
}

__wasi_errno_t __wasi_fd_fdstat_get(__wasi_fd_t fd, __wasi_fdstat_t *stat)
{
    __wasi_filestat_t file;
    __wasi_errno_t err = __wasi_fd_filestat_get(fd, &file);
    if (!err)
        *stat = (__wasi_fdstat_t){
            .fs_filetype = file.filetype, .fs_rights_base = UINT64_MAX, .fs_rights_inheriting = UINT64_MAX};
    return err;
}

__wasi_errno_t __wasi_fd_fdstat_set_flags(__wasi_fd_t fd, __wasi_fdflags_t flags) { return (void)fd, (void)flags, 0; }

/* The C library asks for the folders that are open at the start: descriptor 3 is the root as /, descriptor 4 the root
 * as the current folder. */
__wasi_errno_t __wasi_fd_prestat_get(__wasi_fd_t fd, __wasi_prestat_t *stat)
{
    if (!is_root(fd))
        return __WASI_ERRNO_BADF;
    *stat = (__wasi_prestat_t){.tag = __WASI_PREOPENTYPE_DIR, .u.dir.pr_name_len = 1};
    return 0;
}
__wasi_errno_t __wasi_fd_prestat_dir_name(__wasi_fd_t fd, uint8_t *name, __wasi_size_t size)
{
    if (size > 0)
        *name = fd == 3 ? '/' : '.';
    return 0;
}

static int find(const char *path)
{
    for (int i = 0; i < named_count; i++)
        if (strcmp(named[i].name, path) == 0)
            return i;
    return -1;
}

__wasi_errno_t __wasi_path_open(__wasi_fd_t dir, __wasi_lookupflags_t lookup, const char *path, __wasi_oflags_t how,
                                __wasi_rights_t rights, __wasi_rights_t inherited, __wasi_fdflags_t flags,
                                __wasi_fd_t *fd)
{
    int file = find(path), slot = FIRST;

    (void)dir, (void)lookup, (void)rights, (void)inherited, (void)flags;
    if (file < 0 && !(how & __WASI_OFLAGS_CREAT))
        return __WASI_ERRNO_NOENT;
    /* A file of the web page has this name. A new file cannot replace it, because a new file is in memory and has no
     * name. */
    if (file >= 0 && how & __WASI_OFLAGS_CREAT)
        return __WASI_ERRNO_EXIST;
    while (slot < MOST && table[slot].in_use)
        slot++;
    struct memory *memory = file < 0 && slot < MOST ? calloc(1, sizeof *memory) : NULL;
    if (slot == MOST || (file < 0 && !memory))
        return __WASI_ERRNO_MFILE;
    table[slot] = (struct open){.in_use = 1, .file = file, .memory = memory};
    *fd = (__wasi_fd_t)slot;
    return 0;
}

__wasi_errno_t __wasi_path_filestat_get(__wasi_fd_t dir, __wasi_lookupflags_t lookup, const char *path,
                                        __wasi_filestat_t *stat)
{
    int file = find(path);

    (void)dir, (void)lookup;
    if (file < 0 && strcmp(path, ".") != 0)
        return __WASI_ERRNO_NOENT;
    describe(stat, file < 0 ? __WASI_FILETYPE_DIRECTORY : __WASI_FILETYPE_REGULAR_FILE,
             file < 0 ? 0 : named[file].size);
    return 0;
}

__wasi_errno_t __wasi_path_unlink_file(__wasi_fd_t dir, const char *path) { return (void)dir, (void)path, 0; }

__wasi_errno_t __wasi_clock_time_get(__wasi_clockid_t clock, __wasi_timestamp_t precision, __wasi_timestamp_t *now)
{
    (void)clock, (void)precision;
    *now = (uint64_t)page_now_ns();
    return 0;
}

__wasi_errno_t __wasi_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *bytes) { return *count = *bytes = 0; }
__wasi_errno_t __wasi_environ_get(uint8_t **environment, uint8_t *bytes) { return (void)environment, (void)bytes, 0; }
__wasi_errno_t __wasi_fd_sync(__wasi_fd_t fd) { return (void)fd, 0; }
__wasi_errno_t __wasi_fd_advise(__wasi_fd_t fd, __wasi_filesize_t at, __wasi_filesize_t size, __wasi_advice_t advice)
{
    struct open *o = open_of(fd);
    if (o && !o->memory && advice == __WASI_ADVICE_WILLNEED)
        page_expect(o->file, (double)at, (double)size);
    return 0;
}
/* Newer C libraries ask for random bytes when they start. Fixed bytes are enough, because nothing here is secret. */
__wasi_errno_t __wasi_random_get(uint8_t *bytes, __wasi_size_t count)
{
    memset(bytes, 0x5a, count);
    return __WASI_ERRNO_SUCCESS;
}
__wasi_errno_t __wasi_sched_yield(void) { return 0; }

/* The C library has its own versions of all WASI calls in one object file. If one call were missing here, the linker
 * would add that object file to the module, and each call would be defined twice. So calls that are never made are
 * defined here, too. Their parameters have no names, which C2x allows. */
#pragma clang diagnostic ignored "-Wc2x-extensions"
#define NOT_HERE                                                                                                       \
    {                                                                                                                  \
        return __WASI_ERRNO_NOSYS;                                                                                     \
    }
__wasi_errno_t __wasi_fd_readdir(__wasi_fd_t, uint8_t *, __wasi_size_t, __wasi_dircookie_t,
                                 __wasi_size_t *) NOT_HERE __wasi_errno_t
    __wasi_args_get(uint8_t **, uint8_t *) NOT_HERE __wasi_errno_t
    __wasi_args_sizes_get(__wasi_size_t *, __wasi_size_t *) NOT_HERE __wasi_errno_t
    __wasi_clock_res_get(__wasi_clockid_t, __wasi_timestamp_t *) NOT_HERE __wasi_errno_t __wasi_fd_datasync(__wasi_fd_t)
NOT_HERE __wasi_errno_t __wasi_fd_filestat_set_times(__wasi_fd_t, __wasi_timestamp_t, __wasi_timestamp_t,
                                                     __wasi_fstflags_t)
NOT_HERE __wasi_errno_t __wasi_fd_renumber(__wasi_fd_t, __wasi_fd_t)
NOT_HERE __wasi_errno_t __wasi_path_create_directory(__wasi_fd_t, const char *) NOT_HERE __wasi_errno_t
    __wasi_path_remove_directory(__wasi_fd_t, const char *) NOT_HERE __wasi_errno_t
    __wasi_path_rename(__wasi_fd_t, const char *, __wasi_fd_t, const char *) NOT_HERE __wasi_errno_t
    __wasi_path_link(__wasi_fd_t, __wasi_lookupflags_t, const char *, __wasi_fd_t, const char *) NOT_HERE __wasi_errno_t
    __wasi_path_readlink(__wasi_fd_t, const char *, uint8_t *, __wasi_size_t, __wasi_size_t *) NOT_HERE __wasi_errno_t
    __wasi_path_filestat_set_times(__wasi_fd_t, __wasi_lookupflags_t, const char *, __wasi_timestamp_t,
                                   __wasi_timestamp_t, __wasi_fstflags_t)
NOT_HERE
__wasi_errno_t __wasi_path_symlink(const char *, __wasi_fd_t, const char *) NOT_HERE __wasi_errno_t
    __wasi_poll_oneoff(const __wasi_subscription_t *, __wasi_event_t *, __wasi_size_t, __wasi_size_t *) NOT_HERE

    /* The trap ends the module. Then the web page reports the text that page_print got before. */
    _Noreturn void __wasi_proc_exit(__wasi_exitcode_t code)
{
    (void)code;
    __builtin_trap();
}

/* ---- Functions that wasi-libc does not have ---------------------------------------------------------------------- */

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    /* A module has no mappings, so the "mapping" is memory with a copy of the file's bytes. */
    char *memory = at || (flags & MAP_FIXED) ? NULL : calloc(1, size ? size : 1);

    (void)protection;
    if (!memory)
        return errno = ENOMEM, MAP_FAILED;
    if (flags & MAP_ANONYMOUS)
        return memory;
    struct open *o = open_of((__wasi_fd_t)fd);
    if (!o)
        return free(memory), errno = EBADF, MAP_FAILED;
    if (flags & MAP_PRIVATE || !o->memory)
        get(o, (uint64_t)offset, memory, size);
    /* For a shared mapping of a file in memory, nothing is copied. Such a file was just made and has only zeros, and it
     * is read and written only by this mapping. */
    return memory;
}

int munmap(void *memory, size_t size)
{
    (void)size;
    free(memory);
    return 0;
}

int memfd_create(const char *name, unsigned flags)
{
    (void)name, (void)flags;
    return open("memory", O_RDWR | O_CREAT, 0600);
}

int mkostemp(char *name, int flags) { return open(name, O_RDWR | O_CREAT | flags, 0600); }

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to, (void)flags;
    errno = ENOSYS;
    return -1;
}

char *secure_getenv(const char *name) { return getenv(name); }

/* qsort_r, here as a merge sort, which keeps equal items in order. qsort_r of glibc does so, too, and results must be
 * equal to those of a native build. Items are copied in a loop over words, because a call of memcpy would take longer
 * than the copy. */
struct sorting {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *context;
};

static void copy_item(char *to, const char *from, size_t size)
{
    for (; size >= 8; size -= 8, to += 8, from += 8)
        __builtin_memcpy(to, from, 8);
    for (; size > 0; size--)
        *to++ = *from++;
}

/* Merges the two halves of `from`, each of which is sorted, into `to`. */
static void merge(const struct sorting *sorting, char *to, const char *from, size_t count)
{
    size_t size = sorting->size;
    const char *left = from, *middle = from + count / 2 * size, *right = middle, *end = from + count * size;

    for (; left < middle || right < end; to += size) {
        int first = right == end || (left < middle && sorting->compare(left, right, sorting->context) <= 0);
        copy_item(to, first ? left : right, size);
        left += first ? size : 0;
        right += first ? 0 : size;
    }
}

/* Sorts `count` items. Before the call, both `from` and `to` must contain the items; after it, `to` has the sorted
 * items, and `from` is overwritten. */
static void merge_sort(const struct sorting *sorting, char *to, char *from, size_t count)
{
    size_t half = count / 2;

    if (count < 2)
        return;
    merge_sort(sorting, from, to, half);
    merge_sort(sorting, from + half * sorting->size, to + half * sorting->size, count - half);
    merge(sorting, to, from, count);
}

void qsort_r(void *items, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *context)
{
    char *other = malloc(count * size + 1);

    if (!other)
        abort();
    memcpy(other, items, count * size);
    merge_sort(&(struct sorting){size, compare, context}, items, other, count);
    free(other);
}

typedef int comparison(const void *, const void *);
static int compare_plain(const void *a, const void *b, void *context) { return (*(comparison **)context)(a, b); }
void qsort(void *items, size_t count, size_t size, comparison *compare)
{
    qsort_r(items, count, size, compare_plain, &compare);
}

int kill(int process, int number) { return (void)process, (void)number, errno = ESRCH, -1; }

/* In a native build these functions catch the fault if a mapped file becomes shorter. Here they do nothing, because a
 * mapping is a copy in memory. */
void pithi_fault_watch(const void *begin, uint64_t size_bytes, int *seen) { (void)begin, (void)size_bytes, (void)seen; }
void pithi_fault_leave(const void *begin) { (void)begin; }
