/* group.c - the table of the legend's groups, which PITH_ONLY and PITH_SKIP may name. */
#include "group.h"

#include "pith_tool.h"

#include <string.h>

/* Matched with the beginning of the class or the name; the first match counts. */
static const struct {
    const char *classes, *name, *group, *colour;
} groups[] = {
    {"coll", "", "MPI collective", "MediumPurple"},
    {"send", "", "MPI point-to-point", "SteelBlue"},
    {"isend", "", "MPI point-to-point", "SkyBlue"},
    {"recv", "", "MPI point-to-point", "green"},
    {"irecv", "", "MPI point-to-point", "PaleGreen"},
    {"wait", "", "MPI wait", "red"},
    {"test", "", "MPI wait", "orange"},
    {"start", "", "MPI point-to-point", "SkyBlue"},
    {"probe", "", "MPI point-to-point", "lavender"},
    {"request", "", "MPI point-to-point", "LightSteelBlue"},
    {"p2p", "", "MPI point-to-point", "SeaGreen"},
    {"comm", "", "MPI communicator", "OliveDrab1"},
    {"job", "", "MPI environment", "tan"},
    {"", "MPI_File_", "MPI file", "HotPink"},
    {"", "MPI_Win_", "MPI one-sided", "DarkGreen"},
    {"rma", "", "MPI one-sided", "LightGreen"},
    {"", "MPI_Type_", "MPI datatype", "khaki"},
    {"", "MPI_Group_", "MPI group", "wheat"},
    {"", "MPI_Comm_", "MPI communicator", "white"},
    {"", "MPI_Cart", "MPI communicator", "white"},
    {"", "MPI_Graph", "MPI communicator", "white"},
    {"", "MPI_Dist_graph", "MPI communicator", "white"},
    {"", "MPI::File::", "MPI file", "HotPink"},
    {"", "MPI::Win::", "MPI one-sided", "DarkGreen"},
    {"", "MPI::Datatype::", "MPI datatype", "khaki"},
    {"", "MPI::Group::", "MPI group", "wheat"},
    {"", "MPI::Comm::", "MPI communicator", "white"},
    {"", "MPI::Intra", "MPI communicator", "white"},
    {"", "MPI::Inter", "MPI communicator", "white"},
    {"", "MPI::Cart", "MPI communicator", "white"},
    {"", "MPI::Graph", "MPI communicator", "white"},
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
