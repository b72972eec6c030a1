/* proto.c - prototypes from a preprocessed header. Not a C parser: declarations are split at ';' outside brackets, and
 * those are kept that read RESULT NAME(ARGUMENTS) with a name beginning with MPI. That is all an mpi.h has. */
#include "wrappergen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int is_one_of(int c, const char *set) { return c && strchr(set, c); }

/* The offset behind the bracket that closes the one at `at`. */
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

/* Copies a declaration without attributes, line markers and superfluous blanks. */
static char *tidy(const char *from, size_t size)
{
    struct text text = {0};

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

/* One argument: its name is the last word outside brackets, or the one after "(*". */
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
        struct text name = {0}, prefix = {0};
        text_printf(&name, "arg%d", index);
        text_printf(&prefix, "%s%s", arg.prefix, begin && is_name(from[begin - 1]) ? " " : "");
        arg.name = name.at;
        arg.prefix = prefix.at;
    }
    return arg;
}

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
    if (from[close] || from[close - 1] != ')') /* goes on: a function that returns a function pointer ... */
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
    struct word word = {name, size};

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
    struct text type = {0};
    size_t size = strlen(arg->prefix);

    while (size && arg->prefix[size - 1] == ' ')
        size--;
    text_add(&type, arg->prefix, size);
    text_printf(&type, "%s%s", *arg->suffix == '[' ? " " : "", arg->suffix);
    return type.at;
}

struct proto *protos_find(const struct protos *protos, const char *name, size_t size)
{
    for (int i = 0; i < protos->count; i++)
        if (strlen(protos->at[i].name) == size && !memcmp(protos->at[i].name, name, size))
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

/* Where the header declares PMPI functions, one without a twin cannot be wrapped. */
static void keep_twins(struct protos *protos, const struct protos *twins)
{
    int kept = 0;

    for (int i = 0; i < protos->count; i++) {
        struct text twin = {0};
        text_printf(&twin, "P%s", protos->at[i].name);
        if (!twins->count || protos_find(twins, twin.at, twin.size))
            protos->at[kept++] = protos->at[i];
    }
    protos->count = kept;
}

/* The header without its lines of directives, blanks in their place. */
static char *without_directives(const struct source *header)
{
    char *text = text_copy(header->at, header->size);

    for (size_t i = 0; i < header->size; i++)
        if (text[i] == '#' && (i == 0 || text[i - 1] == '\n'))
            while (i < header->size && text[i] != '\n')
                text[i++] = ' ';
    return text;
}

/* Marks the functions of whose names the header has macros with arguments, "#define MPI_Aint_add(base, disp) ...". They
 * are in the output of a preprocessor that was asked for them. */
static void find_macros(const struct source *header, struct protos *protos)
{
    static const char define[] = "\n#define ";

    for (const char *at = header->at; (at = strstr(at, define)); at++) {
        const char *name = at + sizeof define - 1;
        size_t size = strcspn(name, "( \n");
        int is_twin = *name == 'P';
        struct proto *proto = name[size] == '(' ? protos_find(protos, name + is_twin, size - (size_t)is_twin) : NULL;
        if (proto && strlen(proto->name) == size - (size_t)is_twin &&
            !memcmp(proto->name, name + is_twin, size - (size_t)is_twin))
            *(is_twin ? &proto->is_twin_macro : &proto->is_macro) = 1;
    }
}

void protos_parse(const struct source *header, struct protos *protos)
{
    struct protos twins = {0};
    const char *text = without_directives(header);
    size_t begin = 0;

    for (size_t i = 0; i < header->size; i++) {
        if (is_one_of(text[i], "([")) {
            i = skip_bracket(text, i, header->size) - 1;
        } else if (text[i] == '{') {
            i = skip_bracket(text, i, header->size) - 1;
            size_t after = i + 1 + strspn(text + i + 1, " \t\n");
            if (text[after] != ';' && !is_name(text[after]) && text[after] != '*')
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
    keep_twins(protos, &twins);
    find_macros(header, protos);
}
