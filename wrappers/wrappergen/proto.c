/* proto.c - reads prototypes from a preprocessed header or from a classic prototype file.
 *
 * This is no C parser. Declarations are split at ';' outside brackets. A declaration is kept if it has the form RESULT
 * NAME(ARGUMENTS) and the name begins with MPI. No mpi.h needs more.
 *
 *     extern int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
 *                         MPI_Comm comm) __attribute__((visibility("default")));
 *
 *     result "int", name "MPI_Send", arguments "const void *buf" (buf), "int count" (count) ...
 *
 * An argument's name is its last word outside brackets: `int array[]` is array. In a pointer to a function it is the
 * word after "(*". */
#include "wrappergen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int is_one_of(int c, const char *set) { return c && strchr(set, c); }

/* Returns the offset behind the bracket that closes the bracket at `at`. */
static size_t skip_bracket(const char *text, size_t at, size_t size)
{
    int depth = 0;

    for (; at < size; at++) {
        if (is_one_of(text[at], "([{"))
            depth++;
        else if (is_one_of(text[at], ")]}") && --depth <= 0)
            return at + 1;
    }
    return size;
}

/* Copies a declaration without extern and attributes, and with single blanks. */
static char *tidy(const char *from, size_t size)
{
    struct gen_text text = {0};

    text_add(&text, "", 0);
    for (size_t i = 0; i < size;) {
        if (is_name(from[i])) {
            size_t end = i;
            while (end < size && is_name(from[end]))
                end++;
            size_t length = end - i;
            if ((length == 13 && !memcmp(from + i, "__attribute__", 13)) ||
                (length == 10 && !memcmp(from + i, "__declspec", 10))) {
                while (end < size && isspace((unsigned char)from[end]))
                    end++;
                i = skip_bracket(from, end, size);
                continue;
            }
            if ((length == 6 && !memcmp(from + i, "extern", 6)) ||
                (length == 13 && !memcmp(from + i, "__extension__", 13))) {
                i = end;
                continue;
            }
            text_add(&text, from + i, length);
            i = end;
        } else if (isspace((unsigned char)from[i])) {
            if (text.size && text.at[text.size - 1] != ' ')
                text_puts(&text, " ");
            i++;
        } else {
            text_add(&text, from + i++, 1);
        }
    }
    while (text.size && text.at[text.size - 1] == ' ')
        text.at[--text.size] = 0;
    return text.at;
}

/* Reads an argument (see the head of this file). An argument without a name is called arg0, arg1 ... by its index. */
static struct arg parse_arg(const char *from, size_t size, int index)
{
    struct arg arg = {0};
    size_t begin, end;
    const char *pointer = NULL;

    while (size && *from == ' ')
        from++, size--;
    while (size && from[size - 1] == ' ')
        size--;
    for (size_t i = 0; i + 1 < size && !pointer; i++)
        if (from[i] == '(' && from[i + 1] == '*')
            pointer = from + i + 2;
    if (pointer) {
        begin = (size_t)(pointer - from);
        while (begin < size && !is_name(from[begin]) && from[begin] != ')')
            begin++;
        for (end = begin; end < size && is_name(from[end]);)
            end++;
    } else {
        for (end = 0; end < size && from[end] != '[' && from[end] != '(';)
            end++;
        while (end && !is_name(from[end - 1]))
            end--;
        for (begin = end; begin && is_name(from[begin - 1]);)
            begin--;
        static const char *const types[] = {"int", "void", "char", "double", "long", "short", "unsigned", NULL};
        int nameless = begin == 0;
        for (int t = 0; types[t]; t++)
            nameless |= strlen(types[t]) == end - begin && !memcmp(types[t], from + begin, end - begin);
        for (size_t i = end; i < size; i++) /* "void *": the star after the last word belongs to the type */
            nameless |= from[i] == '*';
        if (nameless)
            for (begin = end = 0; begin < size && from[begin] != '[';)
                end = ++begin;
    }
    arg.prefix = text_copy(from, begin);
    arg.name = text_copy(from + begin, end - begin);
    arg.suffix = text_copy(from + end, size - end);
    if (begin == end) {
        arg.name = text_format("arg%d", index);
        arg.prefix = text_format("%s%s", arg.prefix, begin && is_name(from[begin - 1]) ? " " : "");
    }
    return arg;
}

/* Reads the list of arguments between the brackets. */
static void parse_args(struct proto *proto, const char *from, size_t size)
{
    size_t begin = 0;

    if (size == 0 || (size == 4 && !memcmp(from, "void", 4)))
        return;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && (from[i] == '(' || from[i] == '[')) {
            i = skip_bracket(from, i, size) - 1;
        } else if (i == size || from[i] == ',') {
            while (begin < i && from[begin] == ' ')
                begin++;
            if (i - begin >= 3 && !memcmp(from + begin, "...", 3)) {
                proto->variable = 1;
            } else {
                proto->args = grow(proto->args, (size_t)proto->arg_count, sizeof *proto->args);
                proto->args[proto->arg_count] = parse_arg(from + begin, i - begin, proto->arg_count);
                proto->arg_count++;
            }
            begin = i + 1;
        }
    }
}

int proto_parse(const char *from, struct proto *proto)
{
    const char *open = strchr(from, '(');
    size_t end, begin, close;

    if (!open || !strncmp(from, "typedef", 7) || strchr(from, '{') || memchr(from, '=', (size_t)(open - from)))
        return 0;
    for (end = (size_t)(open - from); end && from[end - 1] == ' ';)
        end--;
    for (begin = end; begin && is_name(from[begin - 1]);)
        begin--;
    if (begin == end || begin == 0)
        return 0;
    close = skip_bracket(from, (size_t)(open - from), strlen(from));
    /* A function is left out if text follows its arguments, as in one that returns a pointer to a function. */
    if (from[close] || from[close - 1] != ')')
        return 0;
    memset(proto, 0, sizeof *proto);
    proto->name = text_copy(from + begin, end - begin);
    while (begin && from[begin - 1] == ' ')
        begin--;
    proto->result = text_copy(from, begin);
    parse_args(proto, open + 1, close - 1 - (size_t)(open + 1 - from));
    return 1;
}

const struct arg *protos_argument(const struct proto *proto, const char *name, size_t size)
{
    struct gen_word word = {name, size};

    if (size && size < 6 && strspn(name, "0123456789") >= size) {
        int index = atoi(name);
        return index < proto->arg_count ? &proto->args[index] : NULL;
    }
    for (int i = 0; i < proto->arg_count; i++)
        if (word_is(&word, proto->args[i].name))
            return &proto->args[i];
    for (int i = 0; i < proto->arg_count; i++)
        if (proto->args[i].header_name && word_is(&word, proto->args[i].header_name))
            return &proto->args[i];
    return NULL;
}

char *arg_type(const struct arg *arg)
{
    size_t size = strlen(arg->prefix);

    while (size && arg->prefix[size - 1] == ' ')
        size--;
    return text_format("%.*s%s%s", (int)size, arg->prefix, *arg->suffix == '[' ? " " : "", arg->suffix);
}

struct proto *protos_find(const struct protos *protos, const char *name, size_t size)
{
    const struct gen_word word = {name, size};

    for (int i = 0; i < protos->count; i++)
        if (word_is(&word, protos->at[i].name))
            return &protos->at[i];
    for (int i = 0; i < protos->count; i++)
        if (strlen(protos->at[i].name) == size && !strncasecmp(protos->at[i].name, name, size))
            return &protos->at[i];
    return NULL;
}

static void protos_add(struct protos *protos, const struct proto *proto)
{
    if (protos_find(protos, proto->name, strlen(proto->name)))
        return;
    protos->at = grow(protos->at, (size_t)protos->count, sizeof *protos->at);
    protos->at[protos->count++] = *proto;
}

void protos_parse(const struct gen_source *header, struct protos *protos)
{
    struct protos twins = {0};
    /* A copy of the header in which preprocessor directives are replaced by blanks. */
    char *text = text_copy(header->at, header->size);

    for (size_t i = 0; i < header->size; i++)
        if (text[i] == '#' && (i == 0 || text[i - 1] == '\n'))
            while (i < header->size && text[i] != '\n')
                text[i++] = ' ';

    size_t begin = 0;

    for (size_t i = 0; i < header->size; i++) {
        if (is_one_of(text[i], "([")) {
            i = skip_bracket(text, i, header->size) - 1;
        } else if (text[i] == '{') {
            size_t before = i;
            while (before > begin && isspace((unsigned char)text[before - 1]))
                before--;
            i = skip_bracket(text, i, header->size) - 1;
            size_t after = i + 1 + strspn(text + i + 1, " \t\n");
            /* The next declaration begins behind the "}" if the braces are the body of a function, that is, if ")"
             * stands before the "{". It also begins there if neither ";" nor a name nor "*" follows the "}". */
            int is_body = before > begin && text[before - 1] == ')';
            if (is_body || (text[after] != ';' && !is_name(text[after]) && text[after] != '*'))
                begin = i + 1;
        } else if (text[i] == ';') {
            struct proto proto;
            char *declaration = tidy(text + begin, i - begin);
            if (proto_parse(declaration, &proto)) {
                if (!strncmp(proto.name, "MPI", 3))
                    protos_add(protos, &proto);
                else if (!strncmp(proto.name, "PMPI", 4))
                    protos_add(&twins, &proto);
            }
            begin = i + 1;
        }
    }
    /* Leaves out functions without a PMPI twin, because they cannot be wrapped; unless the header declares no PMPI
     * function at all. */
    int kept = 0;

    for (int i = 0; i < protos->count; i++) {
        const char *twin = text_format("P%s", protos->at[i].name);
        if (!twins.count || protos_find(&twins, twin, strlen(twin)))
            protos->at[kept++] = protos->at[i];
    }
    protos->count = kept;
    /* Marks functions that the header also defines as macros, "#define MPI_Aint_add(base, disp) ...": the preprocessor
     * was asked to keep such lines. */
    static const char define[] = "\n#define ";

    for (const char *at = header->at; (at = strstr(at, define)); at++) {
        const char *name = at + sizeof define - 1;
        size_t size = strcspn(name, "( \n");
        int is_twin = *name == 'P';
        struct proto *proto = name[size] == '(' ? protos_find(protos, name + is_twin, size - (size_t)is_twin) : NULL;
        if (proto && word_is(&(struct gen_word){name + is_twin, size - (size_t)is_twin}, proto->name))
            *(is_twin ? &proto->is_twin_macro : &proto->is_macro) = 1;
    }
}

/* ---- The classic prototype file ---------------------------------------------------------------------------------- */

struct line_reader {
    const struct gen_source *file;
    size_t at;    /* offset of the line that was read */
    size_t after; /* offset of the next line */
};

/* Returns the next line without blanks at its ends; NULL at the end of the file. */
static char *next_line(struct line_reader *reader)
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

/* Reads a line that must be a number from 0 to `most`. Reports an error and returns -1 if it is not. */
static int number(struct line_reader *reader, const char *what, int most)
{
    char *line = next_line(reader), *end = line;
    long value = line ? strtol(line, &end, 10) : -1;

    if (!line)
        fault(reader->file, reader->file->size, "the file ends where %s should be", what);
    else if (end == line || *end || value < 0 || value > most)
        fault(reader->file, reader->at, "'%.40s' should be %s, a number up to %d", line, what, most);
    else
        return (int)value;
    return -1;
}

/* Reads a line that must be a name. Reports an error and returns NULL if it is not. */
static char *identifier(struct line_reader *reader, const char *what)
{
    char *line = next_line(reader);
    size_t size = 0;

    while (line && is_name(line[size]))
        size++;
    if (!line)
        fault(reader->file, reader->file->size, "the file ends where %s should be", what);
    else if (!size || line[size] || isdigit((unsigned char)*line))
        fault(reader->file, reader->at, "'%.40s' should be %s", line, what);
    else
        return line;
    return NULL;
}

static int read_arg(struct line_reader *reader, struct arg *arg)
{
    char *type = next_line(reader);

    if (!type || !*type) {
        fault(reader->file, reader->at, "the type of an argument is missing");
        return -1;
    }
    arg->prefix = text_format("%s%s", type, is_name((unsigned char)type[strlen(type) - 1]) ? " " : "");
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

static int read_function(struct line_reader *reader, struct proto *proto)
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

void protofile_parse(const struct gen_source *file, struct protos *protos)
{
    struct line_reader reader = {file, 0, 0};
    int count = number(&reader, "the number of functions", 100000);

    for (int i = 0; i < count; i++) {
        struct proto proto = {0};
        if (read_function(&reader, &proto)) /* the lines that follow cannot be interpreted */
            return;
        if (protos_find(protos, proto.name, strlen(proto.name))) {
            fault(file, proto.defined_at, "%s already has a prototype", proto.name);
            continue;
        }
        protos->at = grow(protos->at, (size_t)protos->count, sizeof *protos->at);
        protos->at[protos->count++] = proto;
    }
}
