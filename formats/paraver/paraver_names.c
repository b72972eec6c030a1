/* paraver_names.c - numbers that Paraver's views know: the values of MPI's functions in events of Extrae's types, and
 * the states of state records with their usual colours. */
#include <string.h>

#include "foreign/names.h"
#include "paraver/paraver.h"

/* In the order of their values, from 1, without the "MPI_"; a blank before and behind each. */
static const char calls[] =
    " Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce Alltoall Alltoallv Gather Gatherv"
    " Scatter Scatterv Allgather Allgatherv Comm_rank Comm_size Comm_create Comm_dup Comm_split Comm_group"
    " Comm_free Comm_remote_group Comm_remote_size Comm_test_inter Comm_compare Scan Init Finalize Bsend Ssend"
    " Rsend Ibsend Issend Irsend Test Cancel Sendrecv Sendrecv_replace Cart_create Cart_shift Cart_coords"
    " Cart_get Cart_map Cart_rank Cart_sub Cartdim_get Dims_create Graph_get Graph_map Graph_create"
    " Graph_neighbors Graphdims_get Graph_neighbors_count Topo_test Waitany Waitsome Probe Iprobe Win_create"
    " Win_free Put Get Accumulate Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock"
    " Win_unlock Pack Unpack Op_create Op_free Reduce_scatter Attr_delete Attr_get Attr_put Group_difference"
    " Group_excl Group_free Group_incl Group_intersection Group_rank Group_range_excl Group_range_incl"
    " Group_size Group_translate_ranks Group_union Group_compare Intercomm_create Intercomm_merge Keyval_free"
    " Keyval_create Abort Error_class Errhandler_create Errhandler_free Errhandler_get Error_string"
    " Errhandler_set Get_processor_name Initialized Wtick Wtime Address Bsend_init Buffer_attach Buffer_detach"
    " Request_free Recv_init Send_init Get_count Get_elements Pack_size Rsend_init Ssend_init Start Startall"
    " Testall Testany Test_cancelled Testsome Type_commit Type_contiguous Type_extent Type_free Type_hindexed"
    " Type_hvector Type_indexed Type_lb Type_size Type_struct Type_ub Type_vector File_open File_close"
    " File_read File_read_all File_write File_write_all File_read_at File_read_at_all File_write_at"
    " File_write_at_all Comm_spawn Comm_spawn_multiple Request_get_status Ireduce Iallreduce Ibarrier Ibcast"
    " Ialltoall Ialltoallv Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv Ireduce_scatter Iscan"
    " Reduce_scatter_block Ireduce_scatter_block Alltoallw Ialltoallw Get_accumulate ";

const struct pithi_prv_state pithi_prv_states[PITHI_PRV_STATES] = {
    {"Idle", 0x75c3ff},
    {"Running", 0x0000ff},
    {"Not created", 0xffffff},
    {"Waiting a message", 0xff0000},
    {"Blocking Send", 0xff00ae},
    {"Synchronization", 0xb30000},
    {"Test/Probe", 0x00ff00},
    {"Scheduling and Fork/Join", 0xffff00},
    {"Wait/WaitAll", 0xeb0000},
    {"Blocked", 0x00a200},
    {"Immediate Send", 0xff00ff},
    {"Immediate Receive", 0x6464b1},
    {"I/O", 0xacae29},
    {"Group Communication", 0xff901a},
    {"Tracing Disabled", 0x02ffb1},
    {"Others", 0xc0e000},
    {"Send Receive", 0x424242},
    {"Memory transfer", 0xbd0060},
    {"Profiling", 0x006ec8},
    {"On-line analysis", 0xff5aff},
    {"Remote memory access", 0x8cb0b0},
};

enum {
    WAITING = 3,
    BLOCKING_SEND = 4,
    SYNCHRONIZATION = 5,
    TEST = 6,
    WAIT = 8,
    ISEND = 10,
    IRECV = 11,
    IO = 12,
    GROUP = 13,
    OTHERS = 15,
    SENDRECV = 16,
    ONE_SIDED = 20
};

/* The place of a name among the calls, from 1; 0: it is none. */
static int call_value(const char *name)
{
    char word[64];
    int value = 0;
    size_t size = strlen(name);
    if (strncmp(name, "MPI_", 4) != 0 || size > sizeof word - 2 || strchr(name, ' '))
        return 0;
    word[0] = ' ';
    memcpy(word + 1, name + 4, size - 4);
    memcpy(word + size - 3, " ", 2);
    const char *at = strstr(calls, word);
    for (; at && at >= calls; at--)
        value += *at == ' ';
    return value;
}

const char *pithi_prv_call_name(int64_t value)
{
    static _Thread_local char name[64];
    const char *at = calls;
    if (value < 1)
        return NULL;
    while (--value > 0 && at[1])
        at += 1 + strcspn(at + 1, " ");
    size_t size = strcspn(at + 1, " ");
    if (size == 0)
        return NULL;
    memcpy(name, "MPI_", 4);
    memcpy(name + 4, at + 1, size);
    name[4 + size] = 0;
    return name;
}

int pithi_prv_call_type(const char *name, int *value)
{
    const char *group = pithi_name_group(name);
    *value = call_value(name);
    if (strncmp(name, "MPI_", 4) != 0)
        return PITHI_PRV_USER;
    if (strncmp(name, "MPI_File_", 9) == 0)
        return PITHI_PRV_MPI_IO;
    if (strncmp(name, "MPI_Win_", 8) == 0 || strcmp(name, "MPI_Put") == 0 || strcmp(name, "MPI_Get") == 0 ||
        strstr(name, "ccumulate"))
        return PITHI_PRV_MPI_ONE_SIDED;
    return strcmp(group, "MPI collective") == 0       ? PITHI_PRV_MPI_COLLECTIVE
           : strcmp(group, "MPI point-to-point") == 0 ? PITHI_PRV_MPI_POINT
                                                      : PITHI_PRV_MPI_OTHER;
}

int pithi_prv_state_in(const char *name)
{
    static const struct {
        const char *begin;
        int state;
    } states[] = {{"MPI_Barrier", SYNCHRONIZATION},
                  {"MPI_Send_init", OTHERS},
                  {"MPI_Recv_init", OTHERS},
                  {"MPI_Sendrecv", SENDRECV},
                  {"MPI_Send", BLOCKING_SEND},
                  {"MPI_Bsend", BLOCKING_SEND},
                  {"MPI_Ssend", BLOCKING_SEND},
                  {"MPI_Rsend", BLOCKING_SEND},
                  {"MPI_Isend", ISEND},
                  {"MPI_Ibsend", ISEND},
                  {"MPI_Issend", ISEND},
                  {"MPI_Irsend", ISEND},
                  {"MPI_Irecv", IRECV},
                  {"MPI_Imrecv", IRECV},
                  {"MPI_Recv", WAITING},
                  {"MPI_Mrecv", WAITING},
                  {"MPI_Wait", WAIT},
                  {"MPI_Test", TEST},
                  {"MPI_Probe", TEST},
                  {"MPI_Mprobe", TEST},
                  {"MPI_Iprobe", TEST},
                  {"MPI_Improbe", TEST}};
    int value;
    switch (pithi_prv_call_type(name, &value)) {
    case PITHI_PRV_USER:
        return PITHI_PRV_RUNNING;
    case PITHI_PRV_MPI_IO:
        return IO;
    case PITHI_PRV_MPI_ONE_SIDED:
        return ONE_SIDED;
    default:
        for (size_t i = 0; i < sizeof states / sizeof *states; i++)
            if (strncmp(name, states[i].begin, strlen(states[i].begin)) == 0)
                return states[i].state;
        return strcmp(pithi_name_group(name), "MPI collective") == 0 ? GROUP : OTHERS;
    }
}
