/* protofile.c - the classic tool's file of prototypes: counts and names, a line each. */
#include "wrappergen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct source *file;
    size_t at;    /* of the line read */
    size_t after; /* of the next */
};

/* The next line, without blanks at its ends; NULL at the end of the file. */
static char *next_line(struct reader *reader)
{
    const char *text = reader->file->at;
    size_t begin = reader->after, end;

    if (begin >= reader->file->size)
        return NULL;
    for (end = begin; end < reader->file->size && text[end] != '\n';)
        end++;
    reader->after = end + 1;
    while (begin < end && isspace((unsigned char)text[begin]))
        begin++;
    while (end > begin && isspace((unsigned char)text[end - 1]))
        end--;
    reader->at = begin;
    return text_copy(text + begin, end - begin);
}

static int is_identifier(const char *text)
{
    size_t size = 0;

    while (is_name(text[size]))
        size++;
    return size && !text[size] && !isdigit((unsigned char)*text);
}

/* The line as a number up to `most`; -1 with a fault when it is none. */
static int number(struct reader *reader, const char *what, int most)
{
    char *line = next_line(reader), *end = line;
    long value = line ? strtol(line, &end, 10) : -1;

    if (!line)
        fault(reader->file, reader->file->size, "the file ends where %s should stand", what);
    else if (end == line || *end || value < 0 || value > most)
        fault(reader->file, reader->at, "'%.40s' should be %s, a number up to %d", line, what, most);
    else
        return (int)value;
    return -1;
}

static char *identifier(struct reader *reader, const char *what)
{
    char *line = next_line(reader);

    if (!line)
        fault(reader->file, reader->file->size, "the file ends where %s should stand", what);
    else if (!is_identifier(line))
        fault(reader->file, reader->at, "'%.40s' should be %s", line, what);
    else
        return line;
    return NULL;
}

static int read_arg(struct reader *reader, struct arg *arg)
{
    char *type = next_line(reader);
    struct text prefix = {0};

    if (!type || !*type) {
        fault(reader->file, reader->at, "the type of an argument is missing");
        return -1;
    }
    text_printf(&prefix, "%s%s", type, is_name((unsigned char)type[strlen(type) - 1]) ? " " : "");
    arg->prefix = prefix.at;
    if (!(arg->name = identifier(reader, "the name of an argument")))
        return -1;
    char *suffix = next_line(reader);
    if (!suffix || !strcmp(suffix, "int"))
        suffix = text_copy("", 0);
    else if (!strcmp(suffix, "arr"))
        suffix = text_copy("[]", 2);
    if (*suffix && *suffix != '[' && *suffix != ')') {
        fault(reader->file, reader->at, "'%.40s' cannot follow the argument %s; write int, arr, or [3]", suffix,
              arg->name);
        return -1;
    }
    arg->suffix = suffix;
    return 0;
}

static int read_function(struct reader *reader, struct proto *proto)
{
    char *result = next_line(reader);

    if (!result || !*result) {
        fault(reader->file, reader->at, "the type of a result is missing");
        return -1;
    }
    proto->result = result;
    if (!(proto->name = identifier(reader, "the name of a function")))
        return -1;
    proto->defined_at = reader->at;
    int count = number(reader, "the number of arguments", 1000);
    if (count < 0)
        return -1;
    proto->args = make(((size_t)count + 1) * sizeof *proto->args);
    for (; proto->arg_count < count; proto->arg_count++)
        if (read_arg(reader, &proto->args[proto->arg_count]))
            return -1;
    return 0;
}

void protofile_parse(const struct source *file, struct protos *protos)
{
    struct reader reader = {file, 0, 0};
    int count = number(&reader, "the number of functions", 100000);

    for (int i = 0; i < count; i++) {
        struct proto proto = {0};
        if (read_function(&reader, &proto)) /* what follows has lost its place */
            return;
        if (protos_find(protos, proto.name, strlen(proto.name))) {
            fault(file, proto.defined_at, "%s has a prototype already", proto.name);
            continue;
        }
        protos->at = grow(protos->at, (size_t)protos->count, sizeof *protos->at);
        protos->at[protos->count++] = proto;
    }
}
