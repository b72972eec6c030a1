/* group.c - the table of the legend's groups, which PITH_ONLY and PITH_SKIP may name. */
#include "group.h"

#include "pith_tool.h"

#include <string.h>

/* The colours are quiet, so that the program's own states and the waiting stand out: red for calls that only wait,
 * light red for tests, rose for messages, violet for collectives, grey and beige for the others, brown for files.
 * Functions that should differ at sight from their group have colours of their own in roles.table. The colours of
 * messages and collectives were found by a search (test_core_colours.c tests that they can be distinguished, also by
 * the colour-blind). A row applies to a function if the function's class and name begin with the row's `classes` and
 * `name`. The first row that applies counts. */
static const struct {
    const char *classes, *name, *group, *colour;
} groups[] = {
    {"coll", "", "MPI collective", "#624c92"},
    {"send", "", "MPI point-to-point", "#c294aa"},
    {"isend", "", "MPI point-to-point", "#eccae6"},
    {"recv", "", "MPI point-to-point", "#8c707a"},
    {"irecv", "", "MPI point-to-point", "#d4ace0"},
    {"wait", "", "MPI wait", "#d9694f"},
    {"test", "", "MPI wait", "#e8b3a3"},
    {"start", "", "MPI point-to-point", "#eccae6"},
    {"probe", "", "MPI point-to-point", "#e4cdd2"},
    {"request", "", "MPI point-to-point", "#c9ccd3"},
    {"p2p", "", "MPI point-to-point", "#a4769e"},
    {"comm", "", "MPI communicator", "#aab1bf"},
    {"job", "", "MPI environment", "#b9bfca"},
    {"", "MPI_File_", "MPI file", "#9c8468"},
    {"", "MPI_Win_", "MPI one-sided", "#6e7f99"},
    {"rma", "", "MPI one-sided", "#93a1b8"},
    {"", "MPI_Type_", "MPI datatype", "#cfc8b4"},
    {"", "MPI_Group_", "MPI group", "#cfc8b4"},
    {"", "MPI_Comm_", "MPI communicator", "#d0d5de"},
    {"", "MPI_Cart", "MPI communicator", "#d0d5de"},
    {"", "MPI_Graph", "MPI communicator", "#d0d5de"},
    {"", "MPI_Dist_graph", "MPI communicator", "#d0d5de"},
    {"", "MPI::File::", "MPI file", "#9c8468"},
    {"", "MPI::Win::", "MPI one-sided", "#6e7f99"},
    {"", "MPI::Datatype::", "MPI datatype", "#cfc8b4"},
    {"", "MPI::Group::", "MPI group", "#cfc8b4"},
    {"", "MPI::Comm::", "MPI communicator", "#d0d5de"},
    {"", "MPI::Intra", "MPI communicator", "#d0d5de"},
    {"", "MPI::Inter", "MPI communicator", "#d0d5de"},
    {"", "MPI::Cart", "MPI communicator", "#d0d5de"},
    {"", "MPI::Graph", "MPI communicator", "#d0d5de"},
    {"", "MPI_T_", "MPI tools", "gray70"},
    {"", "", "MPI environment", "gray85"},
};

static int begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static size_t find(const char *name, const char *classes)
{
    size_t i = 0;

    while (!(begins(classes, groups[i].classes) && begins(name, groups[i].name)))
        i++;
    return i;
}

const char *pithi_group_of(const char *name, const char *classes) { return groups[find(name, classes)].group; }

const char *pithi_group_colour(const char *name, const char *classes) { return groups[find(name, classes)].colour; }

int pithi_choice_find(int *slot, const char *name, const char *classes)
{
    int chosen = pith_selected(name, pithi_group_of(name, classes)) ? PITHI_CHOICE_IN : PITHI_CHOICE_OUT;

    __atomic_store_n(slot, chosen, __ATOMIC_RELAXED);
    return chosen;
}
