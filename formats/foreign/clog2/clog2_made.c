/* clog2_made.c - the tables of MPE's fixed numbers, and the records that only MPE files have.
 *
 * MPE writes the definitions of its MPI states at the very end of a log, so they are missing in a log that was cut.
 * Then the states get their names from the table. In later MPE versions two functions may share a number. The table has
 * only one of them; the other function gets a number of the user range.
 *
 * Event numbers come in pairs: state s begins with event 2 s and ends with 2 s + 1.
 *
 *     [80] = MPI_Send: the events 160 and 161 */
#include "foreign/clog2/clog2_made.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "native/log.h"

/* clang-format off */
static const struct pithi_clog2_known states[PITHI_CLOG2_KNOWN_STATES] = {
    [0] = {"MPI_Allgather", "purple3"}, [1] = {"MPI_Allgatherv", "purple3"}, [2] = {"MPI_Allreduce", "purple"},
    [3] = {"MPI_Alltoall", "DarkViolet"}, [4] = {"MPI_Alltoallv", "DarkViolet"}, [5] = {"MPI_Barrier", "yellow"},
    [6] = {"MPI_Bcast", "cyan"}, [7] = {"MPI_Gather", "white"}, [8] = {"MPI_Gatherv", "white"},
    [9] = {"MPI_Op_create", "white"}, [10] = {"MPI_Op_free", "white"}, [11] = {"MPI_Reduce_scatter", "white"},
    [12] = {"MPI_Reduce", "MediumPurple"}, [13] = {"MPI_Scan", "white"}, [14] = {"MPI_Scatter", "orchid"},
    [15] = {"MPI_Scatterv", "orchid"}, [16] = {"MPI_Attr_delete", "white"}, [17] = {"MPI_Attr_get", "white"},
    [18] = {"MPI_Attr_put", "white"}, [19] = {"MPI_Comm_compare", "white"},
    [20] = {"MPI_Comm_create", "DarkOliveGreen1"}, [21] = {"MPI_Comm_dup", "OliveDrab1"},
    [22] = {"MPI_Comm_free", "LightSeaGreen"}, [23] = {"MPI_Comm_group", "white"}, [24] = {"MPI_Comm_rank", "white"},
    [25] = {"MPI_Comm_remote_group", "white"}, [26] = {"MPI_Comm_remote_size", "white"},
    [27] = {"MPI_Comm_size", "white"}, [28] = {"MPI_Comm_split", "DarkOliveGreen2"},
    [29] = {"MPI_Comm_test_inter", "white"}, [30] = {"MPI_Group_compare", "white"},
    [31] = {"MPI_Group_difference", "white"}, [32] = {"MPI_Group_excl", "white"}, [33] = {"MPI_Group_free", "white"},
    [34] = {"MPI_Group_incl", "white"}, [35] = {"MPI_Group_intersection", "white"},
    [36] = {"MPI_Group_rank", "white"}, [37] = {"MPI_Group_range_excl", "white"},
    [38] = {"MPI_Group_range_incl", "white"}, [39] = {"MPI_Group_size", "white"},
    [40] = {"MPI_Group_translate_ranks", "white"}, [41] = {"MPI_Group_union", "white"},
    [42] = {"MPI_Intercomm_create", "DarkOliveGreen4"}, [43] = {"MPI_Intercomm_merge", "DarkOliveGreen3"},
    [44] = {"MPI_Keyval_create", "white"}, [45] = {"MPI_Keyval_free", "white"}, [46] = {"MPI_Abort", "white"},
    [47] = {"MPI_Error_class", "white"}, [48] = {"MPI_Errhandler_create", "white"},
    [49] = {"MPI_Errhandler_free", "white"}, [50] = {"MPI_Errhandler_get", "white"},
    [51] = {"MPI_Error_string", "white"}, [52] = {"MPI_Errhandler_set", "white"},
    [53] = {"MPI_Get_processor_name", "white"}, [54] = {"MPI_Initialized", "white"}, [55] = {"MPI_Wtick", "white"},
    [56] = {"MPI_Wtime", "white"}, [57] = {"MPI_Address", "white"}, [58] = {"MPI_Bsend", "SlateBlue"},
    [59] = {"MPI_Bsend_init", "white"}, [60] = {"MPI_Buffer_attach", "white"}, [61] = {"MPI_Buffer_detach", "white"},
    [62] = {"MPI_Cancel", "white"}, [63] = {"MPI_Request_free", "white"}, [64] = {"MPI_Recv_init", "white"},
    [65] = {"MPI_Send_init", "white"}, [66] = {"MPI_Get_elements", "white"}, [67] = {"MPI_Get_count", "white"},
    [68] = {"MPI_Ibsend", "white"}, [69] = {"MPI_Iprobe", "LavenderBlush"}, [70] = {"MPI_Irecv", "PaleGreen"},
    [71] = {"MPI_Irsend", "LightSkyBlue"}, [72] = {"MPI_Isend", "SkyBlue"}, [73] = {"MPI_Issend", "LightSteelBlue"},
    [74] = {"MPI_Pack", "white"}, [75] = {"MPI_Pack_size", "white"}, [76] = {"MPI_Probe", "lavender"},
    [77] = {"MPI_Recv", "green"}, [78] = {"MPI_Rsend", "DeepSkyBlue"}, [79] = {"MPI_Rsend_init", "white"},
    [80] = {"MPI_Send", "blue"}, [81] = {"MPI_Sendrecv", "SeaGreen"}, [82] = {"MPI_Sendrecv_replace", "SeaGreen1"},
    [83] = {"MPI_Ssend", "DeepSkyBlue"}, [84] = {"MPI_Ssend_init", "white"}, [85] = {"MPI_Start", "white"},
    [86] = {"MPI_Startall", "white"}, [87] = {"MPI_Test", "orange"}, [88] = {"MPI_Testall", "orange1"},
    [89] = {"MPI_Testany", "orange3"}, [90] = {"MPI_Test_cancelled", "white"}, [91] = {"MPI_Testsome", "orange4"},
    [92] = {"MPI_Type_commit", "white"}, [93] = {"MPI_Type_contiguous", "white"}, [94] = {"MPI_Type_extent", "white"},
    [95] = {"MPI_Type_free", "white"}, [96] = {"MPI_Type_hindexed", "white"}, [97] = {"MPI_Type_hvector", "white"},
    [98] = {"MPI_Type_indexed", "white"}, [99] = {"MPI_Type_lb", "white"}, [100] = {"MPI_Type_size", "white"},
    [101] = {"MPI_Type_struct", "white"}, [102] = {"MPI_Type_ub", "white"}, [103] = {"MPI_Type_vector", "white"},
    [104] = {"MPI_Unpack", "white"}, [105] = {"MPI_Wait", "red"}, [106] = {"MPI_Waitall", "OrangeRed"},
    [107] = {"MPI_Waitany", "coral"}, [108] = {"MPI_Waitsome", "IndianRed"}, [109] = {"MPI_Cart_coords", "white"},
    [110] = {"MPI_Cart_create", "DarkOliveGreen1"}, [111] = {"MPI_Cart_get", "white"},
    [112] = {"MPI_Cart_map", "white"}, [113] = {"MPI_Cart_shift", "white"}, [114] = {"MPI_Cartdim_get", "white"},
    [115] = {"MPI_Dims_create", "white"}, [116] = {"MPI_Graph_create", "DarkOliveGreen3"},
    [117] = {"MPI_Graph_get", "white"}, [118] = {"MPI_Graph_map", "white"}, [119] = {"MPI_Graph_neighbors", "white"},
    [120] = {"MPI_Graph_neighbors_count", "white"}, [121] = {"MPI_Graphdims_get", "white"},
    [122] = {"MPI_Topo_test", "white"}, [123] = {"MPI_Recv_idle", "SeaGreen1"}, [124] = {"MPI_Cart_rank", "white"},
    [125] = {"MPI_Cart_sub", "DarkOliveGreen2"}, [128] = {"MPI_File_open", "HotPink"},
    [129] = {"MPI_File_close", "pink"}, [130] = {"MPI_File_delete", "orchid"},
    [131] = {"MPI_File_set_size", "DarkOrchid"}, [132] = {"MPI_File_preallocate", "brown"},
    [133] = {"MPI_File_get_size", "MediumOrchid"}, [134] = {"MPI_File_get_group", "azure"},
    [135] = {"MPI_File_get_amode", "ivory"}, [136] = {"MPI_File_set_info", "brown"},
    [137] = {"MPI_File_get_info", "brown"}, [138] = {"MPI_File_set_view", "turquoise"},
    [139] = {"MPI_File_get_view", "cyan"}, [140] = {"MPI_File_read_at", "SeaGreen"},
    [141] = {"MPI_File_read_at_all", "LimeGreen"}, [142] = {"MPI_File_write_at", "BlueViolet"},
    [143] = {"MPI_File_write_at_all", "SlateBlue"}, [144] = {"MPI_File_iread_at", "PaleGreen"},
    [145] = {"MPI_File_iwrite_at", "AliceBlue"}, [146] = {"MPI_File_read", "CornflowerBlue"},
    [147] = {"MPI_File_read_all", "DarkSeaGreen"}, [148] = {"MPI_File_write", "LawnGreen"},
    [149] = {"MPI_File_write_all", "DodgerBlue"}, [150] = {"MPI_File_iread", "ForestGreen"},
    [151] = {"MPI_File_iwrite", "aquamarine"}, [152] = {"MPI_File_seek", "maroon"},
    [153] = {"MPI_File_get_position", "brown"}, [154] = {"MPI_File_get_byte_offset", "RosyBrown"},
    [155] = {"MPI_File_read_shared", "MediumSlateBlue"}, [156] = {"MPI_File_write_shared", "SpringGreen4"},
    [157] = {"MPI_File_iread_shared", "SteelBlue"}, [158] = {"MPI_File_iwrite_shared", "SpringGreen"},
    [159] = {"MPI_File_read_ordered", "SteelBlue1"}, [160] = {"MPI_File_write_ordered", "SpringGreen1"},
    [161] = {"MPI_File_seek_shared", "VioletRed"}, [162] = {"MPI_File_get_position_shared", "DarkViolet"},
    [163] = {"MPI_File_read_at_all_begin", "SpringGreen2"}, [164] = {"MPI_File_read_at_all_end", "SpringGreen3"},
    [165] = {"MPI_File_write_at_all_begin", "SteelBlue2"}, [166] = {"MPI_File_write_at_all_end", "SteelBlue3"},
    [167] = {"MPI_File_read_all_begin", "DarkSeaGreen1"}, [168] = {"MPI_File_read_all_end", "DarkSeaGreen2"},
    [169] = {"MPI_File_write_all_begin", "LightSteelBlue1"}, [170] = {"MPI_File_write_all_end", "LightSteelBlue2"},
    [171] = {"MPI_File_read_ordered_begin", "DarkSeaGreen3"}, [172] = {"MPI_File_read_ordered_end", "DarkSeaGreen4"},
    [173] = {"MPI_File_write_ordered_begin", "LightSteelBlue3"},
    [174] = {"MPI_File_write_ordered_end", "LightSteelBlue4"}, [175] = {"MPI_File_get_type_extent", "brown"},
    [176] = {"MPI_Register_datarep", "brown"}, [177] = {"MPI_File_set_atomicity", "brown"},
    [178] = {"MPI_File_get_atomicity", "brown"}, [179] = {"MPI_File_sync", "YellowGreen"},
    [181] = {"MPI_Accumulate", "purple"}, [182] = {"MPI_Alloc_mem", "purple"}, [183] = {"MPI_Free_mem", "purple"},
    [184] = {"MPI_Get", "LightGreen"}, [185] = {"MPI_Put", "LightBlue"}, [186] = {"MPI_Win_complete", "purple"},
    [187] = {"MPI_Win_create", "purple"}, [188] = {"MPI_Win_fence", "tomato"}, [189] = {"MPI_Win_free", "purple"},
    [190] = {"MPI_Win_get_group", "purple"}, [191] = {"MPI_Win_get_name", "purple"},
    [192] = {"MPI_Win_lock", "purple"}, [193] = {"MPI_Win_post", "DarkGreen"}, [194] = {"MPI_Win_set_name", "purple"},
    [195] = {"MPI_Win_start", "purple"}, [196] = {"MPI_Win_test", "DarkOrange"}, [197] = {"MPI_Win_unlock", "purple"},
    [198] = {"MPI_Win_wait", "maroon"}, [201] = {"MPI_Comm_spawn", "DarkSeaGreen1"},
    [202] = {"MPI_Comm_spawn_multiple", "DarkSeaGreen2"}, [203] = {"MPI_Comm_get_parent", "ForestGreen"},
    [204] = {"MPI_Comm_accept", "YellowGreen"}, [205] = {"MPI_Comm_connect", "LawnGreen"},
    [206] = {"MPI_Comm_disconnect", "MediumSpringGreen"}, [207] = {"MPI_Comm_join", "DarkSeaGreen3"},
    [208] = {"MPI_Comm_set_name", "purple"}, [209] = {"MPI_Comm_get_name", "purple"},
    [210] = {"MPI_Open_port", "purple"}, [211] = {"MPI_Close_port", "purple"}, [212] = {"MPI_Lookup_name", "purple"},
    [213] = {"MPI_Publish_name", "purple"}, [214] = {"MPI_Unpublish_name", "purple"},
    [215] = {"MPI_Dist_graph_create_adjacent", "DarkOliveGreen3"},
    [216] = {"MPI_Dist_graph_create", "DarkOliveGreen3"}, [218] = {"MPI_Dist_graph_neighbors", "white"},
    [219] = {"MPI_Mprobe", "lavender"}, [220] = {"MPI_Mrecv", "green"}, [221] = {"MPI_Improbe", "LavenderBlush"},
    [222] = {"MPI_Imrecv", "PaleGreen"}, [223] = {"MPI_Comm_create_group", "DarkOliveGreen1"},
    [225] = {"MPI_Comm_idup", "OliveDrab1"}, [226] = {"MPI_Comm_dup_with_info", "OliveDrab1"},
    [227] = {"MPI_Comm_set_info", "purple"}, [228] = {"MPI_Comm_get_info", "purple"},
    [250] = {"MPE_Isend_waited", "magenta"}, [251] = {"MPE_Irecv_waited", "DarkOrange"},
    [252] = {"MPE_Imrecv_waited", "DarkOrange"}, [280] = {"CLOG_Buffer_write2disk", "maroon"},
};
/* clang-format on */

const struct pithi_clog2_known *pithi_clog2_known_state(int32_t number)
{
    if (number < 0 || number >= PITHI_CLOG2_KNOWN_STATES || !states[number].name)
        return NULL;
    return &states[number];
}

int32_t pithi_clog2_known_number(const char *name)
{
    for (int32_t number = 0; number < PITHI_CLOG2_KNOWN_STATES; number++)
        if (states[number].name && strcmp(states[number].name, name) == 0)
            return number;
    return -1;
}

const struct pithi_clog2_known *pithi_clog2_known_event(int32_t event)
{
    static const struct pithi_clog2_known init = {"MPE_Comm_init", "red"}, finalize = {"MPE_Comm_finalize", "orange"};

    return event == PITHI_CLOG2_COMM_INIT ? &init : event == PITHI_CLOG2_COMM_FINALIZE ? &finalize : NULL;
}

static int is_event(const struct pithlog_def *def, int32_t number)
{
    return def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, pithi_clog2_known_event(number)->name) == 0;
}

/* Finds the records to add. A log that was converted from an MPE file already has such records, so none are added to
 * it. */
struct pithi_clog2_made pithi_clog2_to_make(struct pithlog *log)
{
    uint32_t calls = 0, events = 0, shifts = 0, waited = 0, overhead = 0, count = pithlog_get_info(log)->defs;
    struct pithi_clog2_made made = {0};
    const char *value = pithi_property(log, "MPE_LOG_OVERHEAD");

    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        int32_t known = def->kind == PITHLOG_STATE ? pithi_clog2_known_number(def->name) : -1;
        /* The records of communicators are added only to a log with MPI calls. */
        calls |= def->kind == PITHLOG_STATE && strncmp(def->name, "MPI_", 4) == 0;
        events |= is_event(def, PITHI_CLOG2_COMM_INIT) || is_event(def, PITHI_CLOG2_COMM_FINALIZE);
        waited |= known == PITHI_CLOG2_IRECV_WAITED;
        overhead |= known == PITHI_CLOG2_WRITE2DISK;
        shifts |= def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, PITHI_CLOG2_SHIFT) == 0;
    }
    made.states[PITHI_CLOG2_WRITE2DISK] = !value || strcmp(value, "no") != 0;
    made.what = (shifts ? 0 : PITHI_CLOG2_MADE_SHIFTS) | (calls && !events ? PITHI_CLOG2_MADE_COMMS : 0) |
                (calls && !events && !waited ? PITHI_CLOG2_MADE_WAITED : 0) |
                (overhead ? 0 : PITHI_CLOG2_MADE_WRITE2DISK);
    return made;
}

int pithi_clog2_make_shift(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           int32_t rank)
{
    unsigned char *body;

    if (!(made->what & PITHI_CLOG2_MADE_SHIFTS))
        return PITH_OK;
    body = pithi_clog2_put(stream, PITHI_CLOG2_TIMESHIFT, time_ns, 0, rank, 0);
    if (!body)
        return PITH_ERR_IO;
    /* The record has the negated shift of the rank's times. The shift is 0, so this is -0.0. */
    pithi_clog2_put64f(body, -0.0);
    return PITH_OK;
}

int pithi_clog2_make_event(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           const struct pithi_clog2_line *line, int32_t number)
{
    unsigned char *body;

    if (!(made->what & PITHI_CLOG2_MADE_COMMS))
        return PITH_OK;
    /* Notes that the event is in use, so that pithi_clog2_define_known defines it at the end of the file. */
    made->events[number - PITHI_CLOG2_COMM_INIT] = 1;
    body = pithi_clog2_put(stream, PITHI_CLOG2_BAREEVT, time_ns, line->comm, line->rank, line->thread);
    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, number);
    return PITH_OK;
}

int pithi_clog2_completes(const char *name)
{
    /* MPI_Test_cancelled completes nothing: its message is complete already. */
    return strncmp(name, "MPI_Wait", 8) == 0 || (strncmp(name, "MPI_Test", 8) == 0 && !strstr(name, "cancelled"));
}

int pithi_clog2_make_waited(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                            const struct pithi_clog2_line *line, int is_end)
{
    unsigned char *body;

    if (!(made->what & PITHI_CLOG2_MADE_WAITED))
        return PITH_OK;
    made->states[PITHI_CLOG2_IRECV_WAITED] = 1;
    body = pithi_clog2_put(stream, PITHI_CLOG2_BAREEVT, time_ns, line->comm, line->rank, line->thread);
    if (!body)
        return PITH_ERR_IO;
    /* The state has the number 251, so event 502 begins it and event 503 ends it. */
    pithi_clog2_put32(body, 2 * PITHI_CLOG2_IRECV_WAITED + is_end);
    return PITH_OK;
}

static int define_state(struct pithi_clog2_stream *stream, int64_t time_ns, int32_t state)
{
    unsigned char *body = pithi_clog2_put(stream, PITHI_CLOG2_STATEDEF, time_ns, 0, 0, 0);

    if (!body)
        return PITH_ERR_IO;
    /* STATEDEF: the state's number, its two events, a field of 4 bytes, colour at byte 16, name at byte 40. */
    pithi_clog2_put32(body, state);
    pithi_clog2_put32(body + 4, 2 * state);
    pithi_clog2_put32(body + 8, 2 * state + 1);
    memcpy(body + 16, states[state].colour, strlen(states[state].colour));
    memcpy(body + 40, states[state].name, strlen(states[state].name));
    return PITH_OK;
}

int pithi_clog2_define_known(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns)
{
    /* Write2disk comes last, as in MPE's own files. */
    for (int32_t state = 0; state < PITHI_CLOG2_WRITE2DISK; state++)
        if (made->states[state])
            CHECK(define_state(stream, time_ns, state));
    for (int32_t event = PITHI_CLOG2_COMM_INIT; event <= PITHI_CLOG2_COMM_FINALIZE; event++)
        if (made->events[event - PITHI_CLOG2_COMM_INIT]) {
            const struct pithi_clog2_known *known = pithi_clog2_known_event(event);
            unsigned char *body = pithi_clog2_put(stream, PITHI_CLOG2_EVENTDEF, time_ns, 0, 0, 0);
            if (!body)
                return PITH_ERR_IO;
            pithi_clog2_put32(body, event);
            memcpy(body + 8, known->colour, strlen(known->colour));
            memcpy(body + 32, known->name, strlen(known->name));
        }
    if (made->states[PITHI_CLOG2_WRITE2DISK])
        CHECK(define_state(stream, time_ns, PITHI_CLOG2_WRITE2DISK));
    return PITH_OK;
}
