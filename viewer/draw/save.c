/* save.c - whole files; see save.h. */
#include "draw/save.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "draw/draw.h"

static char *part; /* being written */

static void drop_part(int number)
{
    unlink(part);
    signal(number, SIG_DFL);
    raise(number);
}

static void on_signals(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], handler);
}

static int write_part(const char *path, const char *(*write)(void *context, FILE *file), void *context)
{
    FILE *file = fopen(part, "w+b"); /* PostScript is read again */
    const char *wrong;
    int error;

    if (!file)
        return pithi_draw_failed("%s: %s", part, strerror(errno));
    on_signals(drop_part);
    errno = 0;
    wrong = write(context, file);
    error = errno;
    if (fclose(file) != 0 && !wrong) {
        wrong = "";
        error = errno;
    }
    if (!wrong && rename(part, path) != 0) {
        wrong = "";
        error = errno;
    }
    on_signals(SIG_DFL);
    if (!wrong)
        return 0;
    pithi_draw_failed("%s: cannot write: %s", path, error ? strerror(error) : wrong);
    unlink(part);
    return 1;
}

int pithi_save(const char *path, const char *(*write)(void *context, FILE *file), void *context)
{
    size_t size = strlen(path) + sizeof ".part";
    int status;

    part = pithi_alloc(size, 1);
    snprintf(part, size, "%s.part", path);
    status = write_part(path, write, context);
    free(part);
    return status;
}
