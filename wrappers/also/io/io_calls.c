/* io_calls.c - the calls of POSIX that take descriptors, under all names by which the C library's headers call them.
 *
 * A call read(fd, data, n) in a program's source is compiled as a call of read, or of __read_chk with
 * -D_FORTIFY_SOURCE; open may be compiled as open64, __open_2 or __open64_2. All of them are wrapped and recorded as
 * one state, io:read or io:open: the reader of a log does not care how the program was compiled.
 */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include "io.h"

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

/* The functions for large files (open64) share the state of the function that a program's source calls (open). */
#define STATE(name) static struct pithi_io_state io_##name = {"io:" #name, "orchid", 0}
STATE(open);
STATE(openat);
STATE(creat);
STATE(close);
STATE(read);
STATE(readv);
STATE(pread);
STATE(preadv);
STATE(write);
STATE(writev);
STATE(pwrite);
STATE(pwritev);
STATE(copy_file_range);
STATE(sendfile);
STATE(splice);
STATE(dprintf);
STATE(aio_read);
STATE(aio_write);
STATE(aio_fsync);
STATE(aio_return);
STATE(aio_suspend);
STATE(lio_listio);
STATE(fsync);
STATE(fdatasync);

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* The headers declare these only with _FORTIFY_SOURCE, which is undefined above. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

/* Defines `mode`: the third argument of open, which is given only if the call may make a file. */
#define MODE_OF(mode, flags)                                                                                           \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {                                                            \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode = va_arg(arguments, mode_t);                                                                              \
        va_end(arguments);                                                                                             \
    }

#define OPENS(state, path, call)                                                                                       \
    IO_CALL record = pithi_io_begin_open(&(state), path, PITHI_CALLER);                                                \
    int fd = call;                                                                                                     \
    pithi_io_opened(&record, path, fd);                                                                                \
    return fd
#define OPENS_AT(folder, path, call)                                                                                   \
    char name[PITHI_IO_PATH];                                                                                          \
    const char *full = pithi_io_file_path(name, folder, path);                                                         \
    OPENS(io_openat, full, call)

PITHI_ALSO_API int open(const char *path, int flags, ...)
{
    MODE_OF(mode, flags)
    OPENS(io_open, path, NEXT(open)(path, flags, mode));
}

PITHI_ALSO_API int open64(const char *path, int flags, ...)
{
    MODE_OF(mode, flags)
    OPENS(io_open, path, NEXT(open64)(path, flags, mode));
}

PITHI_ALSO_API int __open_2(const char *path, int flags) { OPENS(io_open, path, NEXT(__open_2)(path, flags)); }

PITHI_ALSO_API int __open64_2(const char *path, int flags) { OPENS(io_open, path, NEXT(__open64_2)(path, flags)); }

PITHI_ALSO_API int openat(int folder, const char *path, int flags, ...)
{
    MODE_OF(mode, flags)
    OPENS_AT(folder, path, NEXT(openat)(folder, path, flags, mode));
}

PITHI_ALSO_API int openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(mode, flags)
    OPENS_AT(folder, path, NEXT(openat64)(folder, path, flags, mode));
}

PITHI_ALSO_API int __openat_2(int folder, const char *path, int flags)
{
    OPENS_AT(folder, path, NEXT(__openat_2)(folder, path, flags));
}

PITHI_ALSO_API int __openat64_2(int folder, const char *path, int flags)
{
    OPENS_AT(folder, path, NEXT(__openat64_2)(folder, path, flags));
}

PITHI_ALSO_API int creat(const char *path, mode_t mode) { OPENS(io_creat, path, NEXT(creat)(path, mode)); }

PITHI_ALSO_API int creat64(const char *path, mode_t mode) { OPENS(io_creat, path, NEXT(creat64)(path, mode)); }

/* ---- Reading and writing ----------------------------------------------------------------------------------------- */

ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room);

#define MOVES_FOR(file, name, state, offset, parameters, arguments)                                                    \
    PITHI_ALSO_API ssize_t name parameters                                                                             \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin(&io_##state, file, PITHI_CALLER);                                              \
        ssize_t bytes = NEXT(name) arguments;                                                                          \
        pithi_io_moved(&record, bytes, offset);                                                                        \
        return bytes;                                                                                                  \
    }
#define MOVES(name, state, offset, parameters, arguments) MOVES_FOR(fd, name, state, offset, parameters, arguments)
#define HERE PITHI_IO_HERE

MOVES(read, read, HERE, (int fd, void *data, size_t size), (fd, data, size))
MOVES(__read_chk, read, HERE, (int fd, void *data, size_t size, size_t room), (fd, data, size, room))
MOVES(write, write, HERE, (int fd, const void *data, size_t size), (fd, data, size))
MOVES(readv, readv, HERE, (int fd, const struct iovec *parts, int count), (fd, parts, count))
MOVES(writev, writev, HERE, (int fd, const struct iovec *parts, int count), (fd, parts, count))
MOVES(pread, pread, offset, (int fd, void *data, size_t size, off_t offset), (fd, data, size, offset))
MOVES(pread64, pread, offset, (int fd, void *data, size_t size, off64_t offset), (fd, data, size, offset))
MOVES(__pread_chk, pread, offset, (int fd, void *data, size_t size, off_t offset, size_t room),
      (fd, data, size, offset, room))
MOVES(__pread64_chk, pread, offset, (int fd, void *data, size_t size, off64_t offset, size_t room),
      (fd, data, size, offset, room))
MOVES(pwrite, pwrite, offset, (int fd, const void *data, size_t size, off_t offset), (fd, data, size, offset))
MOVES(pwrite64, pwrite, offset, (int fd, const void *data, size_t size, off64_t offset), (fd, data, size, offset))
MOVES(preadv, preadv, offset, (int fd, const struct iovec *parts, int count, off_t offset), (fd, parts, count, offset))
MOVES(preadv64, preadv, offset, (int fd, const struct iovec *parts, int count, off64_t offset),
      (fd, parts, count, offset))
MOVES(pwritev, pwritev, offset, (int fd, const struct iovec *parts, int count, off_t offset),
      (fd, parts, count, offset))
MOVES(pwritev64, pwritev, offset, (int fd, const struct iovec *parts, int count, off64_t offset),
      (fd, parts, count, offset))
/* In these four, an offset of -1 means the position of the file. */
#define OR_HERE (offset == -1 ? PITHI_IO_HERE : (int64_t)offset)
MOVES(preadv2, preadv, OR_HERE, (int fd, const struct iovec *parts, int count, off_t offset, int flags),
      (fd, parts, count, offset, flags))
MOVES(preadv64v2, preadv, OR_HERE, (int fd, const struct iovec *parts, int count, off64_t offset, int flags),
      (fd, parts, count, offset, flags))
MOVES(pwritev2, pwritev, OR_HERE, (int fd, const struct iovec *parts, int count, off_t offset, int flags),
      (fd, parts, count, offset, flags))
MOVES(pwritev64v2, pwritev, OR_HERE, (int fd, const struct iovec *parts, int count, off64_t offset, int flags),
      (fd, parts, count, offset, flags))

/* A call that copies from one file to another is recorded for one of them. Returns the descriptor of this file: `fd`,
 * which is written, or if its file is not recorded (a socket or a pipe), `from`, which is read. */
static int either(int fd, int from, const void *caller)
{
    return pithi_also_wanted(caller) && !pithi_also_is_guest() && pithi_io_file_of(fd) ? fd : from;
}
#define EITHER either(fd, from, PITHI_CALLER)
#define IS_WRITTEN (record.fd == fd)
#define AFTER(offset) ((offset) ? *(offset)-bytes : PITHI_IO_HERE)
/* AFTER is the offset at which the access began, because the call has moved *offset forward by `bytes`. If `offset` is
 * NULL, the call used the position of the file. */
MOVES_FOR(EITHER, copy_file_range, copy_file_range, IS_WRITTEN ? AFTER(offset) : AFTER(from_offset),
          (int from, off64_t *from_offset, int fd, off64_t *offset, size_t size, unsigned flags),
          (from, from_offset, fd, offset, size, flags))
MOVES_FOR(EITHER, sendfile, sendfile, IS_WRITTEN ? HERE : AFTER(offset), (int fd, int from, off_t *offset, size_t size),
          (fd, from, offset, size))
MOVES_FOR(EITHER, sendfile64, sendfile, IS_WRITTEN ? HERE : AFTER(offset),
          (int fd, int from, off64_t *offset, size_t size), (fd, from, offset, size))
MOVES_FOR(EITHER, splice, splice, IS_WRITTEN ? AFTER(offset) : AFTER(from_offset),
          (int from, off64_t *from_offset, int fd, off64_t *offset, size_t size, unsigned flags),
          (from, from_offset, fd, offset, size, flags))

/* ---- Text -------------------------------------------------------------------------------------------------------- */

int __vdprintf_chk(int fd, int flag, const char *format, va_list values);
int __dprintf_chk(int fd, int flag, const char *format, ...);

static int print(const void *caller, int fd, int flag, const char *format, va_list values)
{
    IO_CALL record = pithi_io_begin(&io_dprintf, fd, caller);
    int bytes = flag < 0 ? NEXT(vdprintf)(fd, format, values) : NEXT(__vdprintf_chk)(fd, flag, format, values);

    pithi_io_moved(&record, bytes, HERE);
    return bytes;
}

#define PRINTS(name, flag, parameters)                                                                                 \
    PITHI_ALSO_API int name parameters                                                                                 \
    {                                                                                                                  \
        va_list values;                                                                                                \
        va_start(values, format);                                                                                      \
        int bytes = print(PITHI_CALLER, fd, flag, format, values);                                                     \
        va_end(values);                                                                                                \
        return bytes;                                                                                                  \
    }
PRINTS(dprintf, -1, (int fd, const char *format, ...))
PRINTS(__dprintf_chk, flag, (int fd, int flag, const char *format, ...))
PITHI_ALSO_API int vdprintf(int fd, const char *format, va_list values)
{
    return print(PITHI_CALLER, fd, -1, format, values);
}
PITHI_ALSO_API int __vdprintf_chk(int fd, int flag, const char *format, va_list values)
{
    return print(PITHI_CALLER, fd, flag, format, values);
}

/* ---- Asynchronous ------------------------------------------------------------------------------------------------
 * The number of bytes is known only when the program asks for it by aio_return. So io:access is recorded in aio_return,
 * unless the request failed. The call that starts a request has an event io:file. */

#define STARTS(name, state, type)                                                                                      \
    PITHI_ALSO_API int name(struct type *request)                                                                      \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin(&io_##state, request->aio_fildes, PITHI_CALLER);                               \
        pithi_io_touches(&record);                                                                                     \
        return NEXT(name)(request);                                                                                    \
    }
STARTS(aio_read, aio_read, aiocb)
STARTS(aio_read64, aio_read, aiocb64)
STARTS(aio_write, aio_write, aiocb)
STARTS(aio_write64, aio_write, aiocb64)

#define SYNCS(name, type)                                                                                              \
    PITHI_ALSO_API int name(int operation, struct type *request)                                                       \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin(&io_aio_fsync, request->aio_fildes, PITHI_CALLER);                             \
        pithi_io_touches(&record);                                                                                     \
        return NEXT(name)(operation, request);                                                                         \
    }
SYNCS(aio_fsync, aiocb)
SYNCS(aio_fsync64, aiocb64)

#define RETURNS(name, type)                                                                                            \
    PITHI_ALSO_API ssize_t name(struct type *request)                                                                  \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin(&io_aio_return, request->aio_fildes, PITHI_CALLER);                            \
        ssize_t bytes = NEXT(name)(request);                                                                           \
        pithi_io_moved(&record, bytes, (int64_t)request->aio_offset);                                                  \
        return bytes;                                                                                                  \
    }
RETURNS(aio_return, aiocb)
RETURNS(aio_return64, aiocb64)

/* Declares `first`, the descriptor of the first request in a list. The call is recorded for this request's file. */
#define FIRST(first, list, count)                                                                                      \
    int first = -1;                                                                                                    \
    for (int i = 0; list && i < count && first < 0; i++)                                                               \
        first = list[i] ? list[i]->aio_fildes : -1;

#define WAITS(name, type)                                                                                              \
    PITHI_ALSO_API int name(const struct type *const list[], int count, const struct timespec *time)                   \
    {                                                                                                                  \
        const struct type *const *volatile given = list;                                                               \
        FIRST(first, given, count)                                                                                     \
        IO_CALL record = pithi_io_begin(&io_aio_suspend, first, PITHI_CALLER);                                         \
        pithi_io_touches(&record);                                                                                     \
        return NEXT(name)(list, count, time);                                                                          \
    }
WAITS(aio_suspend, aiocb)
WAITS(aio_suspend64, aiocb64)

#define LISTS(name, type)                                                                                              \
    PITHI_ALSO_API int name(int mode, struct type *const list[], int count, struct sigevent *event)                    \
    {                                                                                                                  \
        struct type *const *volatile given = list;                                                                     \
        FIRST(first, given, count)                                                                                     \
        IO_CALL record = pithi_io_begin(&io_lio_listio, first, PITHI_CALLER);                                          \
        pithi_io_touches(&record);                                                                                     \
        return NEXT(name)(mode, list, count, event);                                                                   \
    }
LISTS(lio_listio, aiocb)
LISTS(lio_listio64, aiocb64)

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

#define TOUCHES(name)                                                                                                  \
    PITHI_ALSO_API int name(int fd)                                                                                    \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin(&io_##name, fd, PITHI_CALLER);                                                 \
        pithi_io_touches(&record);                                                                                     \
        return NEXT(name)(fd);                                                                                         \
    }
TOUCHES(fsync)
TOUCHES(fdatasync)

/* The file is forgotten before the real call, because as soon as the real call has closed the descriptor, another
 * thread may open a file and get the same descriptor. */
PITHI_ALSO_API int close(int fd)
{
    IO_CALL record = pithi_io_begin(&io_close, fd, PITHI_CALLER);

    pithi_io_touches(&record);
    pithi_io_file_forget(fd);
    return NEXT(close)(fd);
}

/* The following calls close or replace descriptors. They are not recorded. */
PITHI_ALSO_API int dup2(int from, int to)
{
    int result = NEXT(dup2)(from, to);

    pithi_io_file_forget(to);
    return result;
}

PITHI_ALSO_API int dup3(int from, int to, int flags)
{
    int result = NEXT(dup3)(from, to, flags);

    pithi_io_file_forget(to);
    return result;
}

PITHI_ALSO_API int closedir(DIR *folder)
{
    DIR *volatile given = folder; /* volatile, because the header forbids NULL, so the compiler would drop the test */

    if (given)
        pithi_io_file_forget(dirfd(given));
    return NEXT(closedir)(folder);
}

PITHI_ALSO_API int close_range(unsigned first, unsigned last, int flags)
{
    pithi_io_file_forget_range(first, last);
    return NEXT(close_range)(first, last, flags);
}

PITHI_ALSO_API void closefrom(int first)
{
    pithi_io_file_forget_range(first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    NEXT(closefrom)(first);
}
