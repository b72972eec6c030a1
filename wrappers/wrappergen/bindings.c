/* bindings.c - the table of the C++ bindings of MPI-2.2 (wrappers/cxx/bindings.table): for each function of
 * namespace MPI the C function that it calls, and where the arguments of C come from. */
#include "wrappergen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text)
{
    size_t size = strlen(text);

    while (size && isspace((unsigned char)text[size - 1]))
        text[--size] = 0;
    return text + strspn(text, " \t");
}

/* "class NAME C_TYPE C_NULL" or "class NAME : BASE", behind "class". */
static void parse_class(struct bindings *bindings, char *line, size_t at)
{
    char *last, *name = strtok_r(line, " \t\r", &last), *type = strtok_r(NULL, " \t\r", &last),
                *null = strtok_r(NULL, " \t\r", &last);
    const struct cxx_class *base = type && null && !strcmp(type, ":") ? bindings_class(bindings, null) : NULL;

    if (!null || (!strcmp(type, ":") && !base)) {
        fault(&bindings->source, at, "no class in this line; write class NAME C_TYPE C_NULL, or class NAME : BASE");
        return;
    }
    struct cxx_class *made = make(sizeof *made); /* members point to it */
    *made = (struct cxx_class){name, base ? base->type : type, base ? base->null : null};
    bindings->classes = grow(bindings->classes, (size_t)bindings->class_count, sizeof *bindings->classes);
    bindings->classes[bindings->class_count++] = made;
}

const struct cxx_class *bindings_class(const struct bindings *bindings, const char *name)
{
    for (int i = 0; i < bindings->class_count; i++)
        if (!strcmp(bindings->classes[i]->name, name))
            return bindings->classes[i];
    return NULL;
}

/* "static RESULT NAME(PARAMETERS) const" */
static int parse_declaration(struct member *member, char *text)
{
    size_t size;

    text = trim(text);
    size = strlen(text);
    if (size > 6 && !strcmp(text + size - 6, " const")) {
        member->is_const = 1;
        text[size - 6] = 0;
    }
    if (!strncmp(text, "static ", 7)) {
        member->is_static = 1;
        text += 7;
    }
    return proto_parse(text, &member->declaration);
}

static void parse_call(struct member *member, char *text)
{
    char *last, *word = strtok_r(text, " \t\r", &last);

    member->function = word ? word : "-";
    while ((word = strtok_r(NULL, " \t\r", &last))) {
        member->sources = grow(member->sources, (size_t)member->source_count, sizeof *member->sources);
        member->sources[member->source_count++] = word;
    }
}

static int has_word(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    return at && (at == text || at[-1] == ' ') && !is_name((unsigned char)at[strlen(word)]);
}

static void parse_member(struct bindings *bindings, char *line, size_t at)
{
    struct member member = {.at = at};
    char *last, *class = strtok_r(line, "|", &last), *declaration = strtok_r(NULL, "|", &last),
                *call = strtok_r(NULL, "|", &last), *words = strtok_r(NULL, "|", &last);

    if (!call || !parse_declaration(&member, declaration)) {
        fault(&bindings->source, at, "no function in this line; write CLASS | DECLARATION | C_FUNCTION ARGUMENT ...");
        return;
    }
    class = trim(class);
    member.of = bindings_class(bindings, class);
    if (!member.of && strcmp(class, "-") != 0)
        fault(&bindings->source, at, "no class %s; name it in a line \"class %s ...\" before", class, class);
    parse_call(&member, call);
    member.is_hand = words && has_word(words, "hand");
    member.is_anytime = words && has_word(words, "anytime");
    member.is_clone = words && has_word(words, "clone");
    bindings->at = grow(bindings->at, (size_t)bindings->count, sizeof *bindings->at);
    bindings->at[bindings->count++] = member;
}

/* "CLASS + TEXT": what else the header declares in the class. */
static int is_verbatim(const char *text)
{
    text += strcspn(text, " \t");
    return text[strspn(text, " \t")] == '+';
}

void bindings_parse(struct bindings *bindings)
{
    char *line_end, *work = text_copy(bindings->source.at, bindings->source.size);

    for (char *line = work; *line; line = line_end) {
        line_end = line + strcspn(line, "\n");
        if (*line_end)
            *line_end++ = 0;
        line[strcspn(line, "#")] = 0;
        char *text = trim(line);
        if (!strncmp(text, "class ", 6))
            parse_class(bindings, text + 6, (size_t)(text - work));
        else if (*text && !is_verbatim(text))
            parse_member(bindings, text, (size_t)(text - work));
    }
}

void bindings_apply(struct bindings *bindings, const struct protos *protos)
{
    for (int i = 0; i < bindings->count; i++) {
        struct member *member = &bindings->at[i];
        member->proto = protos_find(protos, member->function, strlen(member->function));
        if (!member->proto || member->is_hand || member->source_count == member->proto->arg_count)
            continue;
        fault(&bindings->source, member->at, "%s has %d arguments, %d are told; see its prototype in the header",
              member->function, member->proto->arg_count, member->source_count);
        member->proto = NULL;
    }
}

/* "MPI::Comm::Send" */
const char *member_name(const struct member *member)
{
    struct text name = {0};

    text_printf(&name, "MPI::%s%s%s", member->of ? member->of->name : "", member->of ? "::" : "",
                member->declaration.name);
    return name.at;
}
