/* roles.c - the table of what a header cannot say: a row a function, with its classes and the roles of its arguments.
 *
 *     # comment
 *     MPI_Send  send  peer=dest type=datatype colour:blue
 *
 * ROLE=NAME: the argument called NAME plays ROLE; NAME|OTHER where headers differ. A role called like its argument may
 * be left out. KEY:TEXT gives {{KEY}} the value TEXT. Several classes are written a,b; no class: -. A function NAME_c
 * without a row has the row of NAME. */
#include "wrappergen.h"

#include <stdlib.h>
#include <string.h>

static const struct roles *table; /* the one applied, for the keys that other functions have */

static void row_add(struct row *row, const struct source *source, size_t at, const char *word)
{
    size_t sign = strcspn(word, "=:");

    if (!word[sign] || sign == 0 || !word[sign + 1]) {
        fault(source, at, "'%s' is no role; write ROLE=ARGUMENT or KEY:TEXT", word);
        return;
    }
    row->roles = grow(row->roles, (size_t)row->role_count, sizeof *row->roles);
    row->roles[row->role_count++] =
        (struct role){text_copy(word, sign), text_copy(word + sign + 1, strlen(word + sign + 1)), word[sign] == ':'};
}

void roles_parse(struct roles *roles)
{
    char *line_end, *last, *work = text_copy(roles->source.at, roles->source.size);

    for (char *line = work; *line; line = line_end) {
        line_end = line + strcspn(line, "\n");
        if (*line_end)
            *line_end++ = 0;
        line[strcspn(line, "#")] = 0;
        char *name = strtok_r(line, " \t\r", &last);
        if (!name)
            continue;
        char *classes = strtok_r(NULL, " \t\r", &last);
        roles->at = grow(roles->at, (size_t)roles->count, sizeof *roles->at);
        struct row *row = &roles->at[roles->count++];
        *row = (struct row){.name = name, .classes = classes ? classes : "-", .at = (size_t)(name - work)};
        if (!classes)
            fault(&roles->source, row->at, "%s has no class; write - for none", name);
        for (char *word; (word = strtok_r(NULL, " \t\r", &last));)
            row_add(row, &roles->source, (size_t)(word - work), word);
        for (int i = 0; i < roles->count - 1; i++)
            if (!strcmp(roles->at[i].name, name))
                fault(&roles->source, row->at, "%s has a row already", name);
    }
}

static const struct row *roles_find(const struct roles *roles, const char *name, size_t size)
{
    for (int i = 0; i < roles->count; i++)
        if (strlen(roles->at[i].name) == size && !memcmp(roles->at[i].name, name, size))
            return &roles->at[i];
    return NULL;
}

/* The argument that "a|b" names in this prototype; NULL: none. */
static const char *argument_find(const struct proto *proto, const char *names)
{
    const struct arg *arg = NULL;

    for (const char *at = names; *at && !arg; at += strcspn(at, "|"), at += *at == '|')
        arg = protos_argument(proto, at, strcspn(at, "|"));
    return arg ? arg->name : NULL;
}

void roles_apply(const struct roles *roles, struct protos *protos)
{
    table = roles;
    for (int i = 0; i < protos->count; i++) {
        struct proto *proto = &protos->at[i];
        size_t size = strlen(proto->name);
        proto->row = roles_find(roles, proto->name, size);
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

int row_has_class(const struct row *row, const char *name, size_t size)
{
    if (!row)
        return 0;
    for (const char *at = row->classes; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == size && !memcmp(at, name, size))
            return 1;
    return 0;
}

int roles_know_class(const char *name, size_t size)
{
    for (int i = 0; table && i < table->count; i++)
        if (row_has_class(&table->at[i], name, size))
            return 1;
    return 0;
}

const char *role_find(const struct proto *proto, const char *word, size_t size)
{
    const struct row *row = proto->row;

    if (size == 5 && !memcmp(word, "class", 5))
        return row && strcmp(row->classes, "-") ? row->classes : "";
    for (int i = 0; row && i < row->role_count; i++)
        if (strlen(row->roles[i].name) == size && !memcmp(row->roles[i].name, word, size))
            return row->roles[i].is_text ? row->roles[i].value : argument_find(proto, row->roles[i].value);
    for (int i = 0; table && i < table->count; i++) /* a key that other functions have is empty here */
        for (int r = 0; r < table->at[i].role_count; r++)
            if (table->at[i].roles[r].is_text && strlen(table->at[i].roles[r].name) == size &&
                !memcmp(table->at[i].roles[r].name, word, size))
                return "";
    return NULL;
}
