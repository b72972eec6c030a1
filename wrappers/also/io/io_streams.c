/* io_streams.c - the calls of stdio, under all names by which the C library's headers call them.
 *
 * The reads and writes that the C library itself makes for a stream do not pass through wrappers and cannot be seen.
 * Calls for single characters and fscanf are not recorded, because they take less time than a record.
 */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* otherwise headers define getline and vprintf, and clang does not export the wrappers */
#endif
#include "io.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Headers may define these as macros. */
#undef fread_unlocked
#undef fwrite_unlocked

#define STATE(name) static struct pithi_io_state io_##name = {"io:" #name, "plum", 0}
STATE(fopen);
STATE(fclose);
STATE(fflush);
STATE(fread);
STATE(fwrite);
STATE(fgets);
STATE(getline);
STATE(getdelim);
STATE(fputs);
STATE(fprintf);

static int descriptor(FILE *stream)
{
    int saved = errno, fd = stream ? fileno(stream) : -1;

    errno = saved;
    return fd;
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

#define OPENS(name)                                                                                                    \
    PITHI_ALSO_API FILE *name(const char *path, const char *mode)                                                      \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin_open(&io_fopen, path, PITHI_CALLER);                                           \
        FILE *stream = NEXT(name)(path, mode);                                                                         \
        pithi_io_opened(&record, path, descriptor(stream));                                                            \
        return stream;                                                                                                 \
    }
OPENS(fopen)
OPENS(fopen64)

/* freopen and pclose replace or close the descriptor of a stream. These calls are not recorded. */
#define REOPENS(name)                                                                                                  \
    PITHI_ALSO_API FILE *name(const char *path, const char *mode, FILE *stream)                                        \
    {                                                                                                                  \
        pithi_io_file_forget(descriptor(stream));                                                                      \
        stream = NEXT(name)(path, mode, stream);                                                                       \
        pithi_io_file_forget(descriptor(stream));                                                                      \
        return stream;                                                                                                 \
    }
REOPENS(freopen)
REOPENS(freopen64)

PITHI_ALSO_API int pclose(FILE *stream)
{
    pithi_io_file_forget(descriptor(stream));
    return NEXT(pclose)(stream);
}

PITHI_ALSO_API int fclose(FILE *stream)
{
    IO_CALL record = pithi_io_begin_stream(&io_fclose, stream, PITHI_CALLER);

    pithi_io_touches(&record);
    pithi_io_file_forget(descriptor(stream));
    return NEXT(fclose)(stream);
}

#define FLUSHES(name)                                                                                                  \
    PITHI_ALSO_API int name(FILE *stream)                                                                              \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin_stream(&io_fflush, stream, PITHI_CALLER);                                      \
        pithi_io_touches(&record);                                                                                     \
        return NEXT(name)(stream);                                                                                     \
    }
FLUSHES(fflush)
FLUSHES(fflush_unlocked)

/* ---- Data -------------------------------------------------------------------------------------------------------- */

size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
size_t __fread_unlocked_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *text, size_t room, int size, FILE *stream);
char *__fgets_unlocked_chk(char *text, size_t room, int size, FILE *stream);

/* Wraps a call that returns a value `result` of type `type`. `moved`: an expression of `result` that gives the number
 * of bytes that the call moved, or -1 if the call failed. */
#define MOVES(type, name, state, file, moved, parameters, arguments)                                                   \
    PITHI_ALSO_API type name parameters                                                                                \
    {                                                                                                                  \
        IO_CALL record = pithi_io_begin_stream(&io_##state, file, PITHI_CALLER);                                       \
        type result = NEXT(name) arguments;                                                                            \
        if (record.id)                                                                                                 \
            pithi_io_moved(&record, moved, PITHI_IO_HERE);                                                             \
        return result;                                                                                                 \
    }
#define ITEMS (int64_t)(result * size) /* bytes that a call moved */

MOVES(size_t, fread, fread, stream, ITEMS, (void *data, size_t size, size_t count, FILE *stream),
      (data, size, count, stream))
MOVES(size_t, fread_unlocked, fread, stream, ITEMS, (void *data, size_t size, size_t count, FILE *stream),
      (data, size, count, stream))
MOVES(size_t, __fread_chk, fread, stream, ITEMS, (void *data, size_t room, size_t size, size_t count, FILE *stream),
      (data, room, size, count, stream))
MOVES(size_t, __fread_unlocked_chk, fread, stream, ITEMS,
      (void *data, size_t room, size_t size, size_t count, FILE *stream), (data, room, size, count, stream))
MOVES(size_t, fwrite, fwrite, stream, ITEMS, (const void *data, size_t size, size_t count, FILE *stream),
      (data, size, count, stream))
MOVES(size_t, fwrite_unlocked, fwrite, stream, ITEMS, (const void *data, size_t size, size_t count, FILE *stream),
      (data, size, count, stream))

#define LINE (result ? (int64_t)strlen(result) : 0)
MOVES(char *, fgets, fgets, stream, LINE, (char *text, int size, FILE *stream), (text, size, stream))
MOVES(char *, fgets_unlocked, fgets, stream, LINE, (char *text, int size, FILE *stream), (text, size, stream))
MOVES(char *, __fgets_chk, fgets, stream, LINE, (char *text, size_t room, int size, FILE *stream),
      (text, room, size, stream))
MOVES(char *, __fgets_unlocked_chk, fgets, stream, LINE, (char *text, size_t room, int size, FILE *stream),
      (text, room, size, stream))

#define READ (result >= 0 ? (int64_t)result : feof(stream) ? 0 : -1)
MOVES(ssize_t, getline, getline, stream, READ, (char **text, size_t *room, FILE *stream), (text, room, stream))
MOVES(ssize_t, getdelim, getdelim, stream, READ, (char **text, size_t *room, int end, FILE *stream),
      (text, room, end, stream))
/* Headers may define getline and getdelim as inline functions that call __getdelim. */
PITHI_ALSO_API ssize_t __getdelim(char **text, size_t *room, int end, FILE *stream)
{
    IO_CALL record = pithi_io_begin_stream(end == '\n' ? &io_getline : &io_getdelim, stream, PITHI_CALLER);
    ssize_t result = NEXT(__getdelim)(text, room, end, stream);

    if (record.id)
        pithi_io_moved(&record, READ, PITHI_IO_HERE);
    return result;
}

#define TEXT (result < 0 ? -1 : (int64_t)strlen(text))
MOVES(int, fputs, fputs, stream, TEXT, (const char *text, FILE *stream), (text, stream))
MOVES(int, fputs_unlocked, fputs, stream, TEXT, (const char *text, FILE *stream), (text, stream))
MOVES(int, puts, fputs, stdout, TEXT + (result >= 0), (const char *text), (text))

int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list values);
int __vprintf_chk(int flag, const char *format, va_list values);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);

MOVES(int, vfprintf, fprintf, stream, result, (FILE * stream, const char *format, va_list values),
      (stream, format, values))
MOVES(int, vprintf, fprintf, stdout, result, (const char *format, va_list values), (format, values))
MOVES(int, __vfprintf_chk, fprintf, stream, result, (FILE * stream, int flag, const char *format, va_list values),
      (stream, flag, format, values))
MOVES(int, __vprintf_chk, fprintf, stdout, result, (int flag, const char *format, va_list values),
      (flag, format, values))

/* Wraps a function that takes its values as `...`. The wrapper calls `next`, the function that takes a va_list. */
#define PRINTS(name, file, next, parameters, arguments)                                                                \
    PITHI_ALSO_API int name parameters                                                                                 \
    {                                                                                                                  \
        va_list values;                                                                                                \
        va_start(values, format);                                                                                      \
        IO_CALL record = pithi_io_begin_stream(&io_fprintf, file, PITHI_CALLER);                                       \
        int bytes = NEXT(next) arguments;                                                                              \
        va_end(values);                                                                                                \
        pithi_io_moved(&record, bytes, PITHI_IO_HERE);                                                                 \
        return bytes;                                                                                                  \
    }
PRINTS(fprintf, stream, vfprintf, (FILE * stream, const char *format, ...), (stream, format, values))
PRINTS(printf, stdout, vfprintf, (const char *format, ...), (stdout, format, values))
PRINTS(__fprintf_chk, stream, __vfprintf_chk, (FILE * stream, int flag, const char *format, ...),
       (stream, flag, format, values))
PRINTS(__printf_chk, stdout, __vfprintf_chk, (int flag, const char *format, ...), (stdout, flag, format, values))
