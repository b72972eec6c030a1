/* state.c - names, colours and groups of the states. */
#include "state.h"

#include "pith_tool.h"

#include <string.h>

/* The group of the legend, and the colour of a function that has none of its own in the table, by the beginning of the
 * class or of the name; the first that fits. */
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
    {"", "MPI_T_", "MPI tools", "gray70"},
    {"", "", "MPI environment", "gray85"},
};

static int begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

uint32_t pithi_state_define(struct pithi_state *state)
{
    size_t i = 0;

    while (!(begins(state->classes, groups[i].classes) && begins(state->name, groups[i].name)))
        i++;
    const char *colour = *state->colour ? state->colour : groups[i].colour;
    uint32_t id = pith_state_define_group(state->name, colour, groups[i].group);
    __atomic_store_n(&state->id, id, __ATOMIC_RELAXED);
    return id;
}
