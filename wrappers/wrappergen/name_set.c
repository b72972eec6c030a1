/* name_set.c - a set of names, each with a number: a hash table of a power of two places. */
#include "wrappergen.h"

#include <string.h>

static size_t hash(const char *text)
{
    size_t sum = 5381;

    while (*text)
        sum = sum * 33 + (unsigned char)*text++;
    return sum ^ sum >> 16;
}

/* Where the name is, or would be. */
static size_t find(const struct name_set *set, const char *name)
{
    size_t place = hash(name) & (set->room - 1);

    while (set->at[place].name && strcmp(set->at[place].name, name) != 0)
        place = (place + 1) & (set->room - 1);
    return place;
}

int name_set_add(struct name_set *set, const char *name)
{
    if (set->count * 2 >= set->room) {
        struct name_set larger = {.room = set->room ? 2 * set->room : 64, .count = set->count};
        larger.at = make(larger.room * sizeof *larger.at);
        for (size_t i = 0; i < set->room; i++)
            if (set->at[i].name)
                larger.at[find(&larger, set->at[i].name)] = set->at[i];
        *set = larger;
    }
    size_t place = find(set, name);
    if (set->at[place].name)
        return 0;
    set->at[place].name = name;
    set->count++;
    return 1;
}

int *name_set_number(const struct name_set *set, const char *name)
{
    size_t place = set->room ? find(set, name) : 0;

    return set->room && set->at[place].name ? &set->at[place].number : NULL;
}

int name_set_has(const struct name_set *set, const char *prefix, const char *name)
{
    struct text whole = {0};

    text_printf(&whole, "%s%s", prefix, name);
    return name_set_number(set, whole.at) != NULL;
}

void name_set_read(struct name_set *set, const char *text)
{
    static const char blanks[] = " \t\r\n";

    for (; (text += strspn(text, blanks)), *text; text += strcspn(text, blanks))
        name_set_add(set, text_copy(text, strcspn(text, blanks)));
}
