/* tables.c - the tables that say what a header cannot: the roles of arguments, and the C++ bindings.
 *
 * The roles table has a row for each function, with its classes and the roles of its arguments:
 *
 *     # comment
 *     MPI_Send  send  peer=dest type=datatype colour:#c294aa
 *
 * ROLE=NAME: the argument NAME, as the MPI standard calls it, has this role. The word may be left out if ROLE and NAME
 * are the same. KEY:TEXT gives {{KEY}} the value TEXT. Several classes are written a,b; none is written as -. A
 * function NAME_c without a row of its own has the row of NAME.
 *
 * The table of the C++ bindings of MPI-2.2 (wrappers/cxx/bindings.table) says for each function of namespace MPI which
 * C function it calls, and how to make the arguments of C.
 *
 * Both tables are texts and not code, because their contents change with the MPI standard and not with wrappergen, and
 * because a user may give tables of his own. The text of a table is kept until the end, cut into words by NULs, and
 * rows point into it. */
#include "wrappergen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Roles ------------------------------------------------------------------------------------------------------- */

static const struct roles *table; /* the table given to roles_apply */

/* Adds a word of a row, ROLE=ARGUMENT or KEY:TEXT. */
static void row_add(struct gen_row *row, const struct gen_source *source, size_t at, const char *word)
{
    size_t sign = strcspn(word, "=:");

    if (!word[sign] || sign == 0 || !word[sign + 1]) { /* neither sign, nothing before it, or nothing after it */
        fault(source, at, "'%s' is not a role; write ROLE=ARGUMENT or KEY:TEXT", word);
        return;
    }
    row->roles = grow(row->roles, (size_t)row->role_count, sizeof *row->roles);
    row->roles[row->role_count++] =
        (struct role){text_copy(word, sign), text_copy(word + sign + 1, strlen(word + sign + 1)), word[sign] == ':'};
}

/* Returns where the line's comment begins: at a # at the begin of a word. "colour:#4090e0" has no comment. */
static size_t comment_at(const char *line)
{
    size_t at = strcspn(line, "#");

    while (line[at] && at > 0 && !isspace((unsigned char)line[at - 1]))
        at += 1 + strcspn(line + at + 1, "#");
    return at;
}

/* Reads the table of roles. Reports each error with the place of the faulty word, and reads on, so that a user sees all
 * errors at once. */
void roles_parse(struct roles *roles)
{
    char *line_end, *last, *work = text_copy(roles->source.at, roles->source.size);

    for (char *line = work; *line; line = line_end) {
        line_end = line + strcspn(line, "\n");
        if (*line_end)
            *line_end++ = 0;
        line[comment_at(line)] = 0;
        char *name = strtok_r(line, " \t\r", &last); /* strtok_r cuts the words where they lie */
        if (!name)
            continue;
        char *classes = strtok_r(NULL, " \t\r", &last);
        roles->at = grow(roles->at, (size_t)roles->count, sizeof *roles->at);
        struct gen_row *row = &roles->at[roles->count++];
        *row = (struct gen_row){.name = name, .classes = classes ? classes : "-", .at = (size_t)(name - work)};
        if (!classes)
            fault(&roles->source, row->at, "%s has no class; write - for none", name);
        for (char *word; (word = strtok_r(NULL, " \t\r", &last));)
            row_add(row, &roles->source, (size_t)(word - work), word);
        /* Two rows of one function could contradict each other. */
        for (int i = 0; i < roles->count - 1; i++)
            if (!strcmp(roles->at[i].name, name))
                fault(&roles->source, row->at, "%s already has a row", name);
    }
}

/* Returns the row of a function; NULL if it has none. The few hundred rows are searched once for each function, so no
 * hash table is needed. */
static const struct gen_row *roles_find(const struct roles *roles, const char *name, size_t size)
{
    const struct gen_word word = {name, size};

    for (int i = 0; i < roles->count; i++)
        if (word_is(&word, roles->at[i].name))
            return &roles->at[i];
    return NULL;
}

/* Returns the name of an argument of the function; NULL if it has no such argument. */
static const char *argument_find(const struct proto *proto, const char *name)
{
    const struct arg *arg = protos_argument(proto, name, strlen(name));

    return arg ? arg->name : NULL;
}

/* Reports an error if a role names an argument that the function does not have. The error is in the table, so it is
 * reported before any template is read. */
void roles_apply(const struct roles *roles, struct protos *protos)
{
    table = roles;
    for (int i = 0; i < protos->count; i++) {
        struct proto *proto = &protos->at[i];
        size_t size = strlen(proto->name);
        proto->row = roles_find(roles, proto->name, size);
        /* The variants for large counts have arguments of the same names. */
        if (!proto->row && size > 2 && !strcmp(proto->name + size - 2, "_c"))
            proto->row = roles_find(roles, proto->name, size - 2);
        for (int r = 0; proto->row && r < proto->row->role_count; r++) {
            const struct role *role = &proto->row->roles[r];
            if (!role->is_text && !argument_find(proto, role->value))
                fault(&roles->source, proto->row->at,
                      "%s has no argument %s (role %s); see its prototype in the header", proto->name, role->value,
                      role->name);
        }
    }
}

/* Returns 1 if the row has the class `name`. The row's `classes` is one text: "send,p2p". */
int row_has_class(const struct gen_row *row, const char *name, size_t size)
{
    if (!row)
        return 0;
    for (const char *at = row->classes; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == size && !memcmp(at, name, size))
            return 1;
    return 0;
}

/* Returns 1 if a row of the table has the class. A template that asks for @sned is wrong; a template that asks for
 * @send is right, even if no function of this MPI has this class. */
int roles_know_class(const char *name, size_t size)
{
    for (int i = 0; table && i < table->count; i++)
        if (row_has_class(&table->at[i], name, size))
            return 1;
    return 0;
}

int roles_know_role(const struct gen_word *name)
{
    for (int i = 0; table && i < table->count; i++)
        for (int r = 0; r < table->at[i].role_count; r++)
            if (word_is(name, table->at[i].roles[r].name))
                return 1;
    return 0;
}

/* Returns the value of {{class}}, of a role or of a KEY; NULL if the function has no such role and no row of the table
 * has such a KEY. */
const char *role_find(const struct proto *proto, const char *name, size_t size)
{
    const struct gen_row *row = proto->row;
    const struct gen_word word = {name, size};

    if (word_is(&word, "class"))
        return row && strcmp(row->classes, "-") ? row->classes : "";
    for (int i = 0; row && i < row->role_count; i++)
        if (word_is(&word, row->roles[i].name))
            return row->roles[i].is_text ? row->roles[i].value : argument_find(proto, row->roles[i].value);
    for (int i = 0; table && i < table->count; i++) /* a KEY that only other functions have is "" */
        for (int r = 0; r < table->at[i].role_count; r++)
            if (table->at[i].roles[r].is_text && word_is(&word, table->at[i].roles[r].name))
                return "";
    return NULL;
}

/* ---- C++ bindings ------------------------------------------------------------------------------------------------ */

/* Returns the text without white space at both ends; the text is cut in place. */
static char *trim(char *text)
{
    size_t size = strlen(text);

    while (size && isspace((unsigned char)text[size - 1]))
        text[--size] = 0;
    return text + strspn(text, " \t");
}

/* Reads "NAME C_TYPE C_NULL" or "NAME : BASE" after "class". */
static void parse_class(struct bindings *bindings, char *line, size_t at)
{
    char *last, *name = strtok_r(line, " \t\r", &last), *type = strtok_r(NULL, " \t\r", &last),
                *null = strtok_r(NULL, " \t\r", &last);
    /* "NAME : BASE": the third word is the name of the base class. */
    const struct cxx_class *base = type && null && !strcmp(type, ":") ? bindings_class(bindings, null) : NULL;

    if (!null || (!strcmp(type, ":") && !base)) {
        fault(&bindings->source, at, "no class in this line; write class NAME C_TYPE C_NULL, or class NAME : BASE");
        return;
    }
    /* A derived class has the C type and the null handle of its base: Intracomm : Comm. */
    struct cxx_class *made = make(sizeof *made); /* not in the array, which may move: members point to it */
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

/* Reads "static RESULT NAME(PARAMETERS) const". */
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

/* Returns 1 if `text` contains the word as a whole. */
static int has_word(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    return at && (at == text || at[-1] == ' ') && !is_name((unsigned char)at[strlen(word)]);
}

/* Reads "CLASS | DECLARATION | C_FUNCTION ARGUMENT ... | WORDS". */
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
    member.of = bindings_class(bindings, class); /* NULL: a function of the namespace, class "-" */
    if (!member.of && strcmp(class, "-") != 0)
        fault(&bindings->source, at, "no class %s; name it in a line \"class %s ...\" before", class, class);
    char *word = strtok_r(call, " \t\r", &last);
    member.function = word ? word : "-"; /* "-": the member has no C function */
    while ((word = strtok_r(NULL, " \t\r", &last))) {
        member.sources = grow(member.sources, (size_t)member.source_count, sizeof *member.sources);
        member.sources[member.source_count++] = word;
    }
    /* hand: written by hand; anytime: may be called before MPI_Init; clone: makes a copy of its object */
    member.is_hand = words && has_word(words, "hand");
    member.is_anytime = words && has_word(words, "anytime");
    member.is_clone = words && has_word(words, "clone");
    bindings->at = grow(bindings->at, (size_t)bindings->count, sizeof *bindings->at);
    bindings->at[bindings->count++] = member;
}

void bindings_parse(struct bindings *bindings)
{
    char *line_end, *work = text_copy(bindings->source.at, bindings->source.size);

    for (char *line = work; *line; line = line_end) {
        line_end = line + strcspn(line, "\n");
        if (*line_end)
            *line_end++ = 0;
        line[strcspn(line, "#")] = 0; /* C++ has no # outside of macros */
        char *text = trim(line);
        const char *second = text + strcspn(text, " \t");
        second += strspn(second, " \t");
        if (!strncmp(text, "class ", 6))
            parse_class(bindings, text + 6, (size_t)(text - work));
        else if (*text && *second != '+') /* "CLASS + TEXT" is only for bindings.awk */
            parse_member(bindings, text, (size_t)(text - work));
    }
}

/* Reports an error if a row gives another number of arguments than the header's prototype has, because the call would
 * not compile. */
void bindings_apply(struct bindings *bindings, const struct protos *protos)
{
    for (int i = 0; i < bindings->count; i++) {
        struct member *member = &bindings->at[i];
        member->proto = protos_find(protos, member->function, strlen(member->function));
        /* If this MPI lacks the C function, the member is not written. */
        if (!member->proto || member->is_hand || member->source_count == member->proto->arg_count)
            continue;
        fault(&bindings->source, member->at, "%s has %d arguments, the table gives %d; see its prototype in the header",
              member->function, member->proto->arg_count, member->source_count);
        member->proto = NULL; /* not written */
    }
}

/* Returns the member's name as logs and messages show it: "MPI::Comm::Send". */
const char *member_name(const struct member *member)
{
    return text_format("MPI::%s%s%s", member->of ? member->of->name : "", member->of ? "::" : "",
                       member->declaration.name);
}
