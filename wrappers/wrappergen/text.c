/* text.c - memory, growing texts, reading of files, and error messages.
 *
 * wrappergen runs once and ends, so nothing is freed before the end, and texts and nodes may point at each other
 * freely. Tests run wrappergen many times in one process and call forget(), which frees all memory blocks. To find
 * them, all blocks form a ring.
 *
 * The room of an array is its count, rounded up to a power of two. The array grows when its count is a power of two, so
 * it needs no field for its room. */
#include "wrappergen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS = 500 }; /* the most errors that are printed */

int fault_count;  /* of this run */
void *fault_file; /* FILE *; NULL: standard error. A test reads the messages from it */

/* All memory blocks form a ring, so that forget() finds them. */
struct block {
    struct block *previous, *next;
    max_align_t body[];
};
static struct block ring = {&ring, &ring};

/* Ends the program if there is no memory. This is acceptable because all output can be made again. */
static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "wrappergen: out of memory\n");
        exit(1);
    }
    return memory;
}

/* As realloc, for blocks of the ring. `memory` NULL: makes a new block. If the block moves, its neighbours in the ring
 * must point to it again. */
static void *resize(void *memory, size_t size)
{
    struct block *block = memory ? (struct block *)((char *)memory - offsetof(struct block, body)) : NULL;
    int is_new = !block;

    block = need(realloc(block, offsetof(struct block, body) + size));
    if (is_new) {
        block->previous = &ring;
        block->next = ring.next;
    }
    block->previous->next = block->next->previous = block;
    return block->body;
}

void *make(size_t size) { return memset(resize(NULL, size), 0, size); }

void forget(void)
{
    while (ring.next != &ring) {
        struct block *gone = ring.next;
        ring.next = gone->next;
        free(gone);
    }
    ring.previous = &ring;
}

void *grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1)) /* neither 0 nor a power of two: there is room */
        return array;
    return resize(array, (count ? 2 * count : 1) * size);
}

void text_add(struct gen_text *text, const char *from, size_t size)
{
    if (text->size + size + 1 > text->room) { /* + 1: the NUL behind it */
        text->room = 2 * (text->size + size + 1);
        text->at = resize(text->at, text->room);
    }
    if (size)
        memcpy(text->at + text->size, from, size);
    text->size += size;
    text->at[text->size] = 0;
}

void text_puts(struct gen_text *text, const char *from) { text_add(text, from, strlen(from)); }

static void text_vprintf(struct gen_text *text, const char *format, va_list args)
{
    char *line = NULL;

    if (vasprintf(&line, format, args) < 0)
        need(NULL);
    text_puts(text, line);
    free(line);
}

void text_printf(struct gen_text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

char *text_format(const char *format, ...)
{
    struct gen_text text = {0};
    va_list args;

    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    return text.at;
}

int text_ends(const char *text, const char *end)
{
    return strlen(text) > strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

char *text_copy(const char *from, size_t size)
{
    char *copy = make(size + 1);

    if (size)
        memcpy(copy, from, size);
    return copy;
}

int is_name(int c) { return isalnum(c & 0xff) || c == '_'; }

int word_is(const struct gen_word *word, const char *text)
{
    return strlen(text) == word->size && !memcmp(word->at, text, word->size);
}

/* Reads a whole file. Returns 0, or -1 and sets errno. The text lives until the end of the run. */
int source_read(const char *name, struct gen_source *source)
{
    FILE *file = strcmp(name, "-") ? fopen(name, "r") : stdin;
    struct gen_text text = {0};
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
    size_t mark = text.size >= 3 && !memcmp(text.at, "\xef\xbb\xbf", 3) ? 3 : 0; /* a byte order mark */
    *source = (struct gen_source){name, text.at + mark, text.size - mark};
    return bad ? -1 : 0;
}

/* Prints a message. The line is counted only here, so that the parsers need not count lines. */
static void print_place(const struct gen_source *source, size_t at, const char *kind, const char *format, va_list args)
{
    int line = 1, column = 1;
    FILE *to = fault_file ? fault_file : stderr;

    for (size_t i = 0; i < at && i < source->size; i++) {
        column++;
        if (source->at[i] == '\n')
            line++, column = 1;
    }
    fprintf(to, "%s:%d:%d: %s", source->name, line, column, kind);
    vfprintf(to, format, args);
    fputc('\n', to);
}

static void add_fault(const struct gen_source *source, size_t at, const char *format, va_list args)
{
    if (++fault_count > MOST_FAULTS)
        return;
    print_place(source, at, "", format, args);
    if (fault_count == MOST_FAULTS)
        fprintf(fault_file ? fault_file : stderr, "wrappergen: too many errors; the rest are only counted\n");
}

void fault(const struct gen_source *source, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_fault(source, at, format, args);
    va_end(args);
}

void fault_once(const struct gen_source *source, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (fault_is_new(source, at))
        add_fault(source, at, format, args);
    va_end(args);
}

/* Returns 1 if no error at this place was reported yet. Without this, an error in a loop would be reported once for
 * each function. */
int fault_is_new(const struct gen_source *source, size_t at)
{
    enum { MOST = 256 }; /* places; further ones always count as new */
    static struct {
        const struct gen_source *source;
        size_t at;
    } reported[MOST];
    static int count;

    if (fault_count == 0)
        count = 0;
    for (int i = 0; i < count; i++)
        if (reported[i].source == source && reported[i].at == at)
            return 0;
    if (count < MOST) {
        reported[count].source = source;
        reported[count++].at = at;
    }
    return 1;
}

void warn(const struct gen_source *source, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_place(source, at, "warning: ", format, args);
    va_end(args);
}
