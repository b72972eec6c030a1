/* known_names.c - sets of names, and the MPI standard's argument names. */
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

/* The index of the name, or of the free place for it. */
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

/* ---- Names in the MPI standard ----------------------------------------------------------------------------------- */

static const struct {
    const char *function, *standard, *other;
} argument_names[] = {
    /* where MPICH 4 or Open MPI 4 differs from the standard */
    {"MPI_Buffer_detach", "buffer_addr", "buffer"},
    {"MPI_Cart_create", "comm_old", "old_comm"},
    {"MPI_Cart_sub", "newcomm", "new_comm"},
    {"MPI_Comm_create_errhandler", "comm_errhandler_fn", "function"},
    {"MPI_Comm_get_errhandler", "errhandler", "erhandler"},
    {"MPI_Dist_graph_create", "sources", "nodes"},
    {"MPI_Dist_graph_create", "destinations", "targets"},
    {"MPI_Dist_graph_create", "comm_dist_graph", "newcomm"},
    {"MPI_Dist_graph_neighbors_count", "indegree", "inneighbors"},
    {"MPI_Dist_graph_neighbors_count", "outdegree", "outneighbors"},
    {"MPI_File_create_errhandler", "file_errhandler_fn", "function"},
    {"MPI_Graph_create", "index", "indx"},
    {"MPI_Graph_get", "index", "indx"},
    {"MPI_Graph_map", "index", "indx"},
    {"MPI_Imrecv", "datatype", "type"},
    {"MPI_Intercomm_create", "peer_comm", "bridge_comm"},
    {"MPI_Intercomm_merge", "newintracomm", "newintercomm"},
    {"MPI_Mrecv", "datatype", "type"},
    {"MPI_Op_create", "user_fn", "function"},
    {"MPI_Precv_init", "source", "dest"},
    {"MPI_Rput", "target_count", "target_cout"},
    {"MPI_Rsend", "buf", "ibuf"},
    {"MPI_Testany", "index", "indx"},
    {"MPI_Type_commit", "datatype", "type"},
    {"MPI_Type_create_darray", "array_of_gsizes", "gsize_array"},
    {"MPI_Type_create_darray", "array_of_distribs", "distrib_array"},
    {"MPI_Type_create_darray", "array_of_dargs", "darg_array"},
    {"MPI_Type_create_darray", "array_of_psizes", "psize_array"},
    {"MPI_Type_create_struct", "array_of_blocklengths", "array_of_block_lengths"},
    {"MPI_Type_create_subarray", "array_of_sizes", "size_array"},
    {"MPI_Type_create_subarray", "array_of_subsizes", "subsize_array"},
    {"MPI_Type_create_subarray", "array_of_starts", "start_array"},
    {"MPI_Type_delete_attr", "datatype", "type"},
    {"MPI_Type_dup", "oldtype", "type"},
    {"MPI_Type_free", "datatype", "type"},
    {"MPI_Type_get_attr", "datatype", "type"},
    {"MPI_Type_get_contents", "datatype", "mtype"},
    {"MPI_Type_get_envelope", "datatype", "type"},
    {"MPI_Type_get_extent", "datatype", "type"},
    {"MPI_Type_get_extent_x", "datatype", "type"},
    {"MPI_Type_get_name", "datatype", "type"},
    {"MPI_Type_get_true_extent_x", "datatype", "type"},
    {"MPI_Type_match_size", "datatype", "type"},
    {"MPI_Type_set_attr", "datatype", "type"},
    {"MPI_Type_set_attr", "attribute_val", "attr_val"},
    {"MPI_Type_set_name", "datatype", "type"},
    {"MPI_Type_size", "datatype", "type"},
    {"MPI_Type_size_x", "datatype", "type"},
    {"MPI_Waitany", "index", "indx"},
    {"MPI_Win_create_errhandler", "win_errhandler_fn", "function"},
    {"MPI_T_category_changed", "update_number", "stamp"},
    {"MPI_T_category_get_index", "cat_index", "category_index"},
    {"MPI_T_enum_get_item", "index", "indx"},
};

/* 1: the row is about this function or its large-count twin (MPI_X_c). */
static int is_function(const char *name, const char *row)
{
    size_t size = strlen(row);

    return !strncmp(name, row, size) && (!name[size] || !strcmp(name + size, "_c"));
}

void names_apply(struct protos *protos)
{
    for (int i = 0; i < protos->count; i++)
        for (size_t n = 0; n < sizeof argument_names / sizeof argument_names[0]; n++) {
            struct proto *proto = &protos->at[i];
            if (!is_function(proto->name, argument_names[n].function) ||
                protos_argument(proto, argument_names[n].standard, strlen(argument_names[n].standard)))
                continue;
            struct arg *arg =
                (struct arg *)protos_argument(proto, argument_names[n].other, strlen(argument_names[n].other));
            if (arg) {
                arg->header_name = arg->name;
                arg->name = text_copy(argument_names[n].standard, strlen(argument_names[n].standard));
            }
        }
}

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
