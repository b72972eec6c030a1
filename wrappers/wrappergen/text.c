/* text.c - growing text, reading of files, and the printing of faults. */
#include "wrappergen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fault_count;

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "wrappergen: out of memory\n");
        exit(1);
    }
    return memory;
}

void *grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return need(realloc(array, (count ? 2 * count : 1) * size));
}

void text_add(struct text *text, const char *from, size_t size)
{
    if (text->size + size + 1 > text->room) {
        text->room = 2 * (text->size + size + 1);
        text->at = need(realloc(text->at, text->room));
    }
    memcpy(text->at + text->size, from, size);
    text->size += size;
    text->at[text->size] = 0;
}

void text_puts(struct text *text, const char *from) { text_add(text, from, strlen(from)); }

void text_printf(struct text *text, const char *format, ...)
{
    char *line = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&line, format, args) < 0)
        need(NULL);
    va_end(args);
    text_puts(text, line);
    free(line);
}

char *text_copy(const char *from, size_t size) { return need(strndup(from, size)); }

int source_read(const char *name, struct source *source)
{
    FILE *file = strcmp(name, "-") ? fopen(name, "r") : stdin;
    struct text text = {0};
    char piece[16384];
    size_t got;

    if (!file)
        return -1;
    text_add(&text, "", 0);
    while ((got = fread(piece, 1, sizeof piece, file)))
        text_add(&text, piece, got);
    int bad = ferror(file);
    if (file != stdin)
        fclose(file);
    *source = (struct source){name, text.at, text.size};
    return bad ? -1 : 0;
}

static void complain(const struct source *source, size_t at, const char *kind, const char *format, va_list args)
{
    int line = 1, column = 1;

    for (size_t i = 0; i < at && i < source->size; i++) {
        column++;
        if (source->at[i] == '\n')
            line++, column = 1;
    }
    fprintf(stderr, "%s:%d:%d: %s", source->name, line, column, kind);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void fault(const struct source *source, size_t at, const char *format, ...)
{
    va_list args;

    fault_count++;
    va_start(args, format);
    complain(source, at, "", format, args);
    va_end(args);
}

void warn(const struct source *source, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(source, at, "warning: ", format, args);
    va_end(args);
}
