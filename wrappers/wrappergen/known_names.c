/* known_names.c - sets of names, and the functions that were removed from MPI. */
#include "wrappergen.h"

#include <string.h>

/* ---- Sets of names: a hash table whose size is a power of two ---------------------------------------------------- */

static size_t hash(const char *text)
{
    size_t sum = 5381;

    while (*text)
        sum = sum * 33 + (unsigned char)*text++;
    return sum ^ sum >> 16;
}

/* Returns the index of the name, or of the free place where the name would go. */
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
    return name_set_number(set, text_format("%s%s", prefix, name)) != NULL;
}

void name_set_read(struct name_set *set, const char *text)
{
    static const char blanks[] = " \t\r\n";

    for (; (text += strspn(text, blanks)), *text; text += strcspn(text, blanks))
        name_set_add(set, text_copy(text, strcspn(text, blanks)));
}

/* ---- Removed functions ------------------------------------------------------------------------------------------- */

const char *names_removed(const struct gen_word *name)
{
    static const char *const removed[][2] = {{"MPI_Address", "MPI_Get_address"},
                                             {"MPI_Errhandler_create", "MPI_Comm_create_errhandler"},
                                             {"MPI_Errhandler_get", "MPI_Comm_get_errhandler"},
                                             {"MPI_Errhandler_set", "MPI_Comm_set_errhandler"},
                                             {"MPI_Type_extent", "MPI_Type_get_extent"},
                                             {"MPI_Type_hindexed", "MPI_Type_create_hindexed"},
                                             {"MPI_Type_hvector", "MPI_Type_create_hvector"},
                                             {"MPI_Type_lb", "MPI_Type_get_extent"},
                                             {"MPI_Type_struct", "MPI_Type_create_struct"},
                                             {"MPI_Type_ub", "MPI_Type_get_extent"}};

    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
        if (word_is(name, removed[i][0]))
            return removed[i][1];
    return NULL;
}
