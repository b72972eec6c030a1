/* classic_colours.c - the colours that MPE gave to the states of its own; those without one were white. */
#include <stdlib.h>
#include <string.h>

#include "core/palette.h"

struct classic {
    const char *name;
    uint32_t rgb;
};

/* Sorted by name (ASCII). */
/* clang-format off */
static const struct classic classics[] = {
    {"CLOG_Buffer_write2disk", 0xb03060}, {"MPE_Imrecv_waited", 0xff8c00}, {"MPE_Irecv_waited", 0xff8c00},
    {"MPE_Isend_waited", 0xff00ff}, {"MPI_Abort", 0xffffff}, {"MPI_Accumulate", 0xa020f0}, {"MPI_Address", 0xffffff},
    {"MPI_Allgather", 0x7d26cd}, {"MPI_Allgatherv", 0x7d26cd}, {"MPI_Alloc_mem", 0xa020f0},
    {"MPI_Allreduce", 0xa020f0}, {"MPI_Alltoall", 0x9400d3}, {"MPI_Alltoallv", 0x9400d3},
    {"MPI_Attr_delete", 0xffffff}, {"MPI_Attr_get", 0xffffff}, {"MPI_Attr_put", 0xffffff}, {"MPI_Barrier", 0xffff00},
    {"MPI_Bcast", 0x00ffff}, {"MPI_Bsend", 0x6a5acd}, {"MPI_Bsend_init", 0xffffff}, {"MPI_Buffer_attach", 0xffffff},
    {"MPI_Buffer_detach", 0xffffff}, {"MPI_Cancel", 0xffffff}, {"MPI_Cart_coords", 0xffffff},
    {"MPI_Cart_create", 0xcaff70}, {"MPI_Cart_get", 0xffffff}, {"MPI_Cart_map", 0xffffff},
    {"MPI_Cart_rank", 0xffffff}, {"MPI_Cart_shift", 0xffffff}, {"MPI_Cart_sub", 0xbcee68},
    {"MPI_Cartdim_get", 0xffffff}, {"MPI_Close_port", 0xa020f0}, {"MPI_Comm_accept", 0x9acd32},
    {"MPI_Comm_compare", 0xffffff}, {"MPI_Comm_connect", 0x7cfc00}, {"MPI_Comm_create", 0xcaff70},
    {"MPI_Comm_create_group", 0xcaff70}, {"MPI_Comm_disconnect", 0x00fa9a}, {"MPI_Comm_dup", 0xc0ff3e},
    {"MPI_Comm_dup_with_info", 0xc0ff3e}, {"MPI_Comm_free", 0x20b2aa}, {"MPI_Comm_get_info", 0xa020f0},
    {"MPI_Comm_get_name", 0xa020f0}, {"MPI_Comm_get_parent", 0x228b22}, {"MPI_Comm_group", 0xffffff},
    {"MPI_Comm_idup", 0xc0ff3e}, {"MPI_Comm_join", 0x9bcd9b}, {"MPI_Comm_rank", 0xffffff},
    {"MPI_Comm_remote_group", 0xffffff}, {"MPI_Comm_remote_size", 0xffffff}, {"MPI_Comm_set_info", 0xa020f0},
    {"MPI_Comm_set_name", 0xa020f0}, {"MPI_Comm_size", 0xffffff}, {"MPI_Comm_spawn", 0xc1ffc1},
    {"MPI_Comm_spawn_multiple", 0xb4eeb4}, {"MPI_Comm_split", 0xbcee68}, {"MPI_Comm_test_inter", 0xffffff},
    {"MPI_Dims_create", 0xffffff}, {"MPI_Dist_graph_create", 0xa2cd5a}, {"MPI_Dist_graph_create_adjacent", 0xa2cd5a},
    {"MPI_Dist_graph_neighbors", 0xffffff}, {"MPI_Dist_graph_neighbors_count", 0xffffff},
    {"MPI_Errhandler_create", 0xffffff}, {"MPI_Errhandler_free", 0xffffff}, {"MPI_Errhandler_get", 0xffffff},
    {"MPI_Errhandler_set", 0xffffff}, {"MPI_Error_class", 0xffffff}, {"MPI_Error_string", 0xffffff},
    {"MPI_File_close", 0xffc0cb}, {"MPI_File_delete", 0xda70d6}, {"MPI_File_get_amode", 0xfffff0},
    {"MPI_File_get_atomicity", 0xa52a2a}, {"MPI_File_get_byte_offset", 0xbc8f8f}, {"MPI_File_get_group", 0xf0ffff},
    {"MPI_File_get_info", 0xa52a2a}, {"MPI_File_get_position", 0xa52a2a}, {"MPI_File_get_position_shared", 0x9400d3},
    {"MPI_File_get_size", 0xba55d3}, {"MPI_File_get_type_extent", 0xa52a2a}, {"MPI_File_get_view", 0x00ffff},
    {"MPI_File_iread", 0x228b22}, {"MPI_File_iread_at", 0x98fb98}, {"MPI_File_iread_shared", 0x4682b4},
    {"MPI_File_iwrite", 0x7fffd4}, {"MPI_File_iwrite_at", 0xf0f8ff}, {"MPI_File_iwrite_shared", 0x00ff7f},
    {"MPI_File_open", 0xff69b4}, {"MPI_File_preallocate", 0xa52a2a}, {"MPI_File_read", 0x6495ed},
    {"MPI_File_read_all", 0x8fbc8f}, {"MPI_File_read_all_begin", 0xc1ffc1}, {"MPI_File_read_all_end", 0xb4eeb4},
    {"MPI_File_read_at", 0x2e8b57}, {"MPI_File_read_at_all", 0x32cd32}, {"MPI_File_read_at_all_begin", 0x00ee76},
    {"MPI_File_read_at_all_end", 0x00cd66}, {"MPI_File_read_ordered", 0x63b8ff},
    {"MPI_File_read_ordered_begin", 0x9bcd9b}, {"MPI_File_read_ordered_end", 0x698b69},
    {"MPI_File_read_shared", 0x7b68ee}, {"MPI_File_seek", 0xb03060}, {"MPI_File_seek_shared", 0xd02090},
    {"MPI_File_set_atomicity", 0xa52a2a}, {"MPI_File_set_info", 0xa52a2a}, {"MPI_File_set_size", 0x9932cc},
    {"MPI_File_set_view", 0x40e0d0}, {"MPI_File_sync", 0x9acd32}, {"MPI_File_write", 0x7cfc00},
    {"MPI_File_write_all", 0x1e90ff}, {"MPI_File_write_all_begin", 0xcae1ff}, {"MPI_File_write_all_end", 0xbcd2ee},
    {"MPI_File_write_at", 0x8a2be2}, {"MPI_File_write_at_all", 0x6a5acd}, {"MPI_File_write_at_all_begin", 0x5cacee},
    {"MPI_File_write_at_all_end", 0x4f94cd}, {"MPI_File_write_ordered", 0x00ff7f},
    {"MPI_File_write_ordered_begin", 0xa2b5cd}, {"MPI_File_write_ordered_end", 0x6e7b8b},
    {"MPI_File_write_shared", 0x008b45}, {"MPI_Free_mem", 0xa020f0}, {"MPI_Gather", 0xffffff},
    {"MPI_Gatherv", 0xffffff}, {"MPI_Get", 0x90ee90}, {"MPI_Get_count", 0xffffff}, {"MPI_Get_elements", 0xffffff},
    {"MPI_Get_processor_name", 0xffffff}, {"MPI_Graph_create", 0xa2cd5a}, {"MPI_Graph_get", 0xffffff},
    {"MPI_Graph_map", 0xffffff}, {"MPI_Graph_neighbors", 0xffffff}, {"MPI_Graph_neighbors_count", 0xffffff},
    {"MPI_Graphdims_get", 0xffffff}, {"MPI_Group_compare", 0xffffff}, {"MPI_Group_difference", 0xffffff},
    {"MPI_Group_excl", 0xffffff}, {"MPI_Group_free", 0xffffff}, {"MPI_Group_incl", 0xffffff},
    {"MPI_Group_intersection", 0xffffff}, {"MPI_Group_range_excl", 0xffffff}, {"MPI_Group_range_incl", 0xffffff},
    {"MPI_Group_rank", 0xffffff}, {"MPI_Group_size", 0xffffff}, {"MPI_Group_translate_ranks", 0xffffff},
    {"MPI_Group_union", 0xffffff}, {"MPI_Ibsend", 0xffffff}, {"MPI_Improbe", 0xfff0f5}, {"MPI_Imrecv", 0x98fb98},
    {"MPI_Initialized", 0xffffff}, {"MPI_Intercomm_create", 0x6e8b3d}, {"MPI_Intercomm_merge", 0xa2cd5a},
    {"MPI_Iprobe", 0xfff0f5}, {"MPI_Irecv", 0x98fb98}, {"MPI_Irsend", 0x87cefa}, {"MPI_Isend", 0x87ceeb},
    {"MPI_Issend", 0xb0c4de}, {"MPI_Keyval_create", 0xffffff}, {"MPI_Keyval_free", 0xffffff},
    {"MPI_Lookup_name", 0xa020f0}, {"MPI_Mprobe", 0xe6e6fa}, {"MPI_Mrecv", 0x00ff00}, {"MPI_Op_create", 0xffffff},
    {"MPI_Op_free", 0xffffff}, {"MPI_Open_port", 0xa020f0}, {"MPI_Pack", 0xffffff}, {"MPI_Pack_size", 0xffffff},
    {"MPI_Probe", 0xe6e6fa}, {"MPI_Publish_name", 0xa020f0}, {"MPI_Put", 0xadd8e6}, {"MPI_Recv", 0x00ff00},
    {"MPI_Recv_idle", 0x54ff9f}, {"MPI_Recv_init", 0xffffff}, {"MPI_Reduce", 0x9370db},
    {"MPI_Reduce_scatter", 0xffffff}, {"MPI_Register_datarep", 0xa52a2a}, {"MPI_Request_free", 0xffffff},
    {"MPI_Rsend", 0x00bfff}, {"MPI_Rsend_init", 0xffffff}, {"MPI_Scan", 0xffffff}, {"MPI_Scatter", 0xda70d6},
    {"MPI_Scatterv", 0xda70d6}, {"MPI_Send", 0x0000ff}, {"MPI_Send_init", 0xffffff}, {"MPI_Sendrecv", 0x2e8b57},
    {"MPI_Sendrecv_replace", 0x54ff9f}, {"MPI_Ssend", 0x00bfff}, {"MPI_Ssend_init", 0xffffff},
    {"MPI_Start", 0xffffff}, {"MPI_Startall", 0xffffff}, {"MPI_Test", 0xffa500}, {"MPI_Test_cancelled", 0xffffff},
    {"MPI_Testall", 0xffa500}, {"MPI_Testany", 0xcd8500}, {"MPI_Testsome", 0x8b5a00}, {"MPI_Topo_test", 0xffffff},
    {"MPI_Type_commit", 0xffffff}, {"MPI_Type_contiguous", 0xffffff}, {"MPI_Type_extent", 0xffffff},
    {"MPI_Type_free", 0xffffff}, {"MPI_Type_hindexed", 0xffffff}, {"MPI_Type_hvector", 0xffffff},
    {"MPI_Type_indexed", 0xffffff}, {"MPI_Type_lb", 0xffffff}, {"MPI_Type_size", 0xffffff},
    {"MPI_Type_struct", 0xffffff}, {"MPI_Type_ub", 0xffffff}, {"MPI_Type_vector", 0xffffff}, {"MPI_Unpack", 0xffffff},
    {"MPI_Unpublish_name", 0xa020f0}, {"MPI_Wait", 0xff0000}, {"MPI_Waitall", 0xff4500}, {"MPI_Waitany", 0xff7f50},
    {"MPI_Waitsome", 0xcd5c5c}, {"MPI_Win_complete", 0xa020f0}, {"MPI_Win_create", 0xa020f0},
    {"MPI_Win_fence", 0xff6347}, {"MPI_Win_free", 0xa020f0}, {"MPI_Win_get_group", 0xa020f0},
    {"MPI_Win_get_name", 0xa020f0}, {"MPI_Win_lock", 0xa020f0}, {"MPI_Win_post", 0x006400},
    {"MPI_Win_set_name", 0xa020f0}, {"MPI_Win_start", 0xa020f0}, {"MPI_Win_test", 0xff8c00},
    {"MPI_Win_unlock", 0xa020f0}, {"MPI_Win_wait", 0xb03060}, {"MPI_Wtick", 0xffffff}, {"MPI_Wtime", 0xffffff},
};
/* clang-format on */

static int by_name(const void *name, const void *classic)
{
    return strcmp(name, ((const struct classic *)classic)->name);
}

int pithi_classic_colour(const char *name, uint32_t *rgb)
{
    const struct classic *found =
        bsearch(name, classics, sizeof classics / sizeof *classics, sizeof *classics, by_name);

    if (found)
        *rgb = found->rgb;
    return found != NULL;
}
