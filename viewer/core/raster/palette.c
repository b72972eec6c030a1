/* palette.c - the colours of definitions and of the themes.
 *
 * A state keeps the colour that the program gave it. The other states get colours of a list, without those that are
 * near a colour of the program. For example, if the program has a state in 0x40a090, the first colour of the list, the
 * other states begin with the second colour. Colours are given out in the order of ids, so a log has the same colours
 * in every picture, even if only a part of it is shown. */
#include "core/raster/palette.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/cells/query.h"
#include "core/rows/words.h"

/* The colours of states for which the program set none. Red and orange are left to calls that wait, violet and grey to
 * the rest of MPI (wrappers/mpi/group.c), so this list ranges from yellow through green to blue. A search found the
 * colours. They are at least 13 apart in CIELAB, the first eight at least 23, for normal vision and for simulated
 * protanopia and deuteranopia (see `safe` below). All of them are at least 7 from MPI's main colours. Neighbours in the
 * list differ in hue and in lightness. */
static const uint32_t choices[] = {0x40a090, 0xe0c070, 0x206080, 0x80e0b0, 0x4090e0, 0x607020, 0x70d0f0, 0x506040,
                                   0x2050a0, 0xb0a070, 0x406060, 0xb09030, 0x508090, 0x90f0a0, 0x20b0e0, 0x60c0a0};
enum { CHOICES = sizeof choices / sizeof *choices };

static int channel(uint32_t rgb, int shift) { return (int)(rgb >> shift & 255); }

/* Returns 1 if two colours are hard to distinguish. Compares the squared distance with rough weights for the eye's
 * sensitivity; a yes-or-no answer needs no better formula. */
static int too_close(uint32_t a, uint32_t b)
{
    int r = channel(a, 16) - channel(b, 16), g = channel(a, 8) - channel(b, 8), blue = channel(a, 0) - channel(b, 0);
    return 3 * r * r + 4 * g * g + 2 * blue * blue < 9 * 30 * 30;
}

/* own[id]: the colour that the program set, or NO_COLOUR; give_out() replaces NO_COLOUR by a colour of the palette. */
enum { NO_COLOUR = 0x1000000 };

static uint32_t *give_out(uint32_t *own, uint32_t defs)
{
    unsigned char taken[CHOICES] = {0};
    uint32_t next = 0;
    int free_choices = 0;

    for (uint32_t id = 0; id < defs; id++)
        for (int i = 0; own[id] != NO_COLOUR && i < CHOICES; i++)
            taken[i] |= (unsigned char)too_close(choices[i], own[id]);
    for (int i = 0; i < CHOICES; i++)
        free_choices += !taken[i];
    for (uint32_t id = 0; id < defs; id++) {
        if (own[id] != NO_COLOUR)
            continue;
        while (free_choices && taken[next % CHOICES])
            next++;
        own[id] = choices[next++ % CHOICES];
    }
    return own;
}

uint32_t *pithi_palette_make(const struct pithlog *log)
{
    uint32_t defs = pithlog_get_info(log)->defs;
    uint32_t *rgb = pithi_alloc(defs, sizeof *rgb);

    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithlog_get_def(log, id)->colour[0] ? pithlog_def_rgb(log, id) : NO_COLOUR;
    return give_out(rgb, defs);
}

/* ---- Other palettes ---------------------------------------------------------------------------------------------- */

int pithi_palette_parse(const char *name, enum pithi_palette *palette)
{
    static const char *const names[] = {"log", "classic", "safe"};

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *palette = (enum pithi_palette)i;
            return 0;
        }
    return -1;
}

/* Found by a search: the first twelve are at least 29 apart in CIELAB for normal vision and for simulated protanopia
 * and deuteranopia (Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency", 2009), and at least 14 from the paper of both themes. All of them are at least 16 apart. */
static const uint32_t safe[] = {0x449999, 0xcc7700, 0x0044bb, 0xffdd44, 0x883300, 0xbbddff, 0x663377, 0xbbee88,
                                0x9999ff, 0x774444, 0xcceecc, 0x999966, 0x3366bb, 0x9966ff, 0x774466, 0x00cc44,
                                0x55bb99, 0xaabbff, 0x337733, 0xdd1133, 0xaadd99, 0xee99cc, 0x8888cc, 0x557799};

uint32_t pithi_safe_colour(uint32_t i) { return safe[i % (sizeof safe / sizeof *safe)]; }

static int heavier(const struct pithi_sum *sums, uint32_t a, uint32_t b)
{
    if (sums[a].self_ns != sums[b].self_ns)
        return sums[a].self_ns > sums[b].self_ns;
    return sums[a].count != sums[b].count ? sums[a].count > sums[b].count : a < b;
}

/* Sorts definitions by `sums`, the heaviest first. This is a shell sort, because qsort cannot pass the sums to its
 * comparison. */
static void sort_by_weight(uint32_t *ids, uint32_t count, const struct pithi_sum *sums)
{
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t id = ids[i], j = i;
            for (; j >= gap && heavier(sums, id, ids[j - gap]); j -= gap)
                ids[j] = ids[j - gap];
            ids[j] = id;
        }
}

int pithi_palette_fill(struct pithlog *log, struct pithlog_summary *summary, enum pithi_palette palette, uint32_t *rgb)
{
    uint32_t defs = pithlog_get_info(log)->defs, *own = pithi_palette_make(log);

    memcpy(rgb, own, defs * sizeof *rgb);
    free(own);
    if (palette == PITHI_PALETTE_CLASSIC)
        for (uint32_t id = 0; id < defs; id++)
            pithi_classic_colour(pithlog_get_def(log, id)->name, &rgb[id]);
    if (palette == PITHI_PALETTE_SAFE) { /* these colours are visible on both papers, so they stay as they are */
        uint32_t lane_count = pithlog_get_info(log)->lanes;
        uint32_t *ids = pithi_alloc(defs, sizeof *ids), *lanes = pithi_alloc(lane_count, sizeof *lanes);
        struct pithi_query query = {.levels = 1, .lanes = lanes, .lane_count = lane_count, .summary = summary};
        struct pithi_cells cells = {0};
        for (uint32_t lane = 0; lane < lane_count; lane++)
            lanes[lane] = lane;
        for (uint32_t id = 0; id < defs; id++)
            ids[id] = id;
        pithi_whole_window(log, &query.t0_ns, &query.t1_ns);
        int err = pithi_query_run(log, &query, &cells);
        if (!err)
            sort_by_weight(ids, defs, cells.sums);
        for (uint32_t i = 0; i < defs; i++)
            rgb[ids[i]] = pithi_safe_colour(i);
        pithi_cells_free(&cells);
        free(lanes);
        free(ids);
        return err;
    }
    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithi_rgb_visible(rgb[id]);
    return PITH_OK;
}

/* ---- Running programs -------------------------------------------------------------------------------------------- */

uint32_t *pithi_palette_make_live(const struct pithlog_follow *follow)
{
    uint32_t defs = pithlog_follow_get_info(follow)->defs;
    uint32_t *rgb = pithi_alloc(defs, sizeof *rgb);

    for (uint32_t id = 0; id < defs; id++)
        rgb[id] = pithlog_follow_get_def(follow, id)->colour[0] ? pithlog_follow_def_rgb(follow, id) : NO_COLOUR;
    return give_out(rgb, defs);
}

/* ---- Mixing ------------------------------------------------------------------------------------------------------ */

uint32_t pithi_rgb_darker(uint32_t rgb, double amount)
{
    uint32_t out = 0;

    for (int shift = 16; shift >= 0; shift -= 8)
        out |= (uint32_t)(channel(rgb, shift) * (1.0 - amount)) << shift;
    return out;
}

uint32_t pithi_rgb_lightness(uint32_t rgb)
{
    return (uint32_t)(299 * channel(rgb, 16) + 587 * channel(rgb, 8) + 114 * channel(rgb, 0) + 500) / 1000;
}

/* The greys lie between nearly black and the grey of a lane without a state. */
enum { DARKEST_GREY = 0x28, LIGHTEST_GREY = 0xd0 };

/* Greys depend on the order of lightness, not on lightness itself: colours of lightness 100, 102 and 180 become 0x28,
 * 0x7c and 0xd0. Otherwise the first two colours would look the same. */
void pithi_palette_grey(uint32_t *rgb, uint32_t count)
{
    unsigned char there[256] = {0};
    uint32_t steps = 0, step[256];

    for (uint32_t i = 0; i < count; i++)
        there[pithi_rgb_lightness(rgb[i])] = 1;
    for (int i = 0; i < 256; i++)
        step[i] = there[i] ? steps++ : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = step[pithi_rgb_lightness(rgb[i])];
        rgb[i] = (DARKEST_GREY + rank * (LIGHTEST_GREY - DARKEST_GREY) / (steps > 1 ? steps - 1 : 1)) * 0x010101u;
    }
}

uint32_t pithi_rgb_blend(uint32_t under, uint32_t over, unsigned alpha)
{
    uint32_t out = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        unsigned sum = (unsigned)channel(over, shift) * alpha + (unsigned)channel(under, shift) * (255 - alpha);
        out |= (sum + 127) / 255 << shift;
    }
    return out;
}

/* ---- The colours of MPE ------------------------------------------------------------------------------------------ */

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

/* ---- Themes ------------------------------------------------------------------------------------------------------ */

static const struct pithi_theme themes[] = {
    {.name = "light",
     .paper = 0xffffff,
     .panel = 0xf4f6f8,
     .idle = 0xe9edf1,
     .grid = 0xdfe3e8,
     .separator = 0xc9d0d8,
     .edge = 0xc9d0d8,
     .text = 0x1f2933,
     .faint = 0x616e7b,
     .hidden = 0xa7b1bb,
     .arrow = 0x16202a,
     .accent = 0x0b6bcb,
     .select = 0xd6e6f7,
     .hover = 0xe6ebf0,
     .thumb = 0xd5dbe1,
     .alarm = 0xb3261e,
     .path = 0xd6006c,
     .trail = 0xdde3e9,
     .rim = 0x52606d,
     .absent = 0xeef1f4,
     .unknown = 0xc3cbd3},
    {.name = "dark",
     .paper = 0x15191e,
     .panel = 0x20262d,
     .idle = 0x262d35,
     .grid = 0x2c343d,
     .separator = 0x3c4651,
     .edge = 0x3c4651,
     .text = 0xe6eaee,
     .faint = 0x98a4b0,
     .hidden = 0x66727e,
     .arrow = 0xd5dde5,
     .accent = 0x55a8f5,
     .select = 0x264b70,
     .hover = 0x2e3740,
     .thumb = 0x46515c,
     .alarm = 0xff8a80,
     .path = 0xff5cab,
     .trail = 0x313a44,
     .rim = 0x9aa7b4,
     .absent = 0x20262d,
     .unknown = 0x3f4a55},
};
enum { THEMES = sizeof themes / sizeof *themes };

static const struct pithi_theme *_Atomic chosen = themes; /* read by any thread */

const struct pithi_theme *pithi_theme(void) { return atomic_load_explicit(&chosen, memory_order_relaxed); }

int pithi_theme_choose(const char *name)
{
    for (int i = 0; i < THEMES; i++)
        if (strcmp(themes[i].name, name) == 0) {
            atomic_store(&chosen, &themes[i]);
            return 0;
        }
    return -1;
}

static _Atomic double chosen_scale = 1; /* factor for sizes in pixels; read by any thread */

double pithi_theme_scale(void) { return chosen_scale; }
void pithi_theme_set_scale(double scale) { chosen_scale = scale; }

/* ---- Contrast ---------------------------------------------------------------------------------------------------- */

static double luminance(uint32_t rgb)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double channel = (double)(rgb >> (8 * i) & 255) / 255;
        sum += weights[i] * (channel <= 0.04045 ? channel / 12.92 : pow((channel + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double pithi_contrast(uint32_t a, uint32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

uint32_t pithi_rgb_text_on(uint32_t rgb)
{
    double y = luminance(rgb) + 0.05;
    return 1.05 / y > y / 0.05 ? 0xffffff : 0x000000; /* the contrasts with white and with black */
}

/* Makes colours lighter on dark paper, where nearly black bars would be invisible. On light paper no colour is changed,
 * because bars have darker outlines, which show even nearly white bars. */
uint32_t pithi_rgb_visible(uint32_t rgb)
{
    enum { STEP = 16 }; /* of 255, towards white */
    const struct pithi_theme *theme = pithi_theme();

    if (luminance(theme->paper) > 0.5)
        return rgb;
    for (int tries = 0; tries < 16 && pithi_contrast(rgb, theme->idle) < 1.9; tries++)
        rgb = pithi_rgb_blend(rgb, 0xffffff, STEP);
    return rgb;
}
