/* test_core_rows.c - the tree of rows: what it is made of, what of it is seen, and what people do to it. */
#include <inttypes.h>
#include <string.h>

#include "core/scene/plot.h"
#include "core/rows/rows.h"
#include "core_log.h"
#include "tap.h"

static void host(struct core_log *log, int32_t rank, const char *name)
{
    struct pithi_rank description = {.rank = rank, .host = name};

    core_check(pithi_writer_rank(log->writer, &description));
}

static void comm(struct core_log *log, uint64_t key, const char *name, const int32_t *ranks, int32_t size)
{
    struct pithlog_comm made = {.key = key, .name = name, .size = size, .world_ranks = ranks};
    uint32_t index;

    core_check(pithi_writer_comm(log->writer, &made, &index));
}

/* Hosts alpha (0, 1), beta (2, 3), node10 (4), node9 (5); a worker on ranks 0 and 3; a communicator of the odd ranks.
 * Lanes: 0 0.1 1 2 3 3.1 4 5. */
static struct pithlog *hosts_log(void)
{
    static const char *const hosts[] = {"alpha", "alpha", "beta", "beta", "node10", "node9"};
    static const int32_t odd[] = {1, 3, 5};
    struct core_log log;

    core_log_begin(&log);
    core_define(&log, PITHLOG_COUNTER_TYPE, "load", "");
    for (int32_t rank = 0; rank < 6; rank++) {
        core_lane(&log, rank, 0, "");
        host(&log, rank, hosts[rank]);
        if (rank % 3 == 0)
            core_lane(&log, rank, 1, "worker");
    }
    comm(&log, 77, "odd", odd, 3);
    return core_log_end(&log);
}

/* Labels of all rows seen: indented by dots; a group closed +, open -. */
static const char *picture(struct pithi_rows *rows)
{
    static char text[8192];
    char label[256], note[64];

    pithi_rows_seen(rows);
    *text = 0;
    for (uint32_t i = 0; i < rows->seen_count; i++) {
        uint32_t node = rows->places[i].node;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s%s%s", i ? "|" : "", rows->places[i].depth,
                 "....",
                 rows->seen[i].lanes                       ? "+"
                 : rows->seen[i].kind == PITHI_ROW_HEADING ? "-"
                                                           : "",
                 pithi_rows_label(rows, node, label, sizeof label));
        if (*pithi_rows_note(rows, node, note, sizeof note))
            snprintf(text + strlen(text), sizeof text - strlen(text), "(%s)", note);
    }
    return text;
}

#define SEEN(rows, wanted, ...)                                                                                        \
    do {                                                                                                               \
        const char *seen_ = picture(rows);                                                                             \
        OK(strcmp(seen_, wanted) == 0, __VA_ARGS__);                                                                   \
        if (strcmp(seen_, wanted) != 0)                                                                                \
            printf("#   got: %s\n", seen_);                                                                            \
    } while (0)

#define ALL_HOSTS "-alpha(2 ranks)|.rank 0|..0.1 worker|.rank 1|-beta(2 ranks)|.rank 2|.rank 3|..3.1 worker|"
#define ALL_HOSTS_END "-node10(1 rank)|.rank 4|-node9(1 rank)|.rank 5"

static uint32_t named(struct pithi_rows *rows, const char *key) { return pithi_rows_node(rows, key); }

static int lanes_are(const struct pithi_row *row, uint32_t count, const uint32_t *lanes)
{
    uint32_t have;
    const uint32_t *got = pithi_row_lanes(row, &have);

    return have == count && memcmp(got, lanes, count * sizeof *lanes) == 0;
}

static void test_grouping(void)
{
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);

    SEEN(rows, ALL_HOSTS ALL_HOSTS_END, "by host: a rank's row is its first thread's, the others below it");
    pithi_rows_set_open(rows, named(rows, "host:alpha"), 0);
    pithi_rows_set_open(rows, named(rows, "3"), 0);
    SEEN(rows, "+alpha(2 ranks)|-beta(2 ranks)|.rank 2|.+rank 3(2 threads)|" ALL_HOSTS_END, "a host and a rank closed");
    OK(lanes_are(&rows->seen[0], 3, (const uint32_t[]){0, 1, 2}) &&
           lanes_are(&rows->seen[3], 2, (const uint32_t[]){4, 5}),
       "closed, a row has all lanes in it");
    pithi_rows_open_level(rows, 0);
    SEEN(rows, "+alpha(2 ranks)|+beta(2 ranks)|node10(1 rank)|node9(1 rank)", "level 0: hosts only");
    pithi_rows_open_level(rows, 1);
    SEEN(rows, "-alpha(2 ranks)|.+rank 0(2 threads)|.rank 1|-beta(2 ranks)|.rank 2|.+rank 3(2 threads)|" ALL_HOSTS_END,
         "level 1: ranks");
    pithi_rows_group(rows, PITHI_BY_NOTHING);
    SEEN(rows,
         "rank 0(alpha)|0.1 worker(alpha)|rank 1(alpha)|rank 2(beta)|rank 3(beta)|3.1 worker(beta)|rank 4(node10)|"
         "rank 5(node9)",
         "by nothing: lanes, with their hosts");
    pithi_rows_group(rows, PITHI_BY_COMM);
    pithi_rows_set_open(rows, named(rows, "comm:0"), 0);
    SEEN(rows, "+MPI_COMM_WORLD(6 ranks)|-odd(3 ranks)|.rank 1(alpha)|.rank 3(beta)|..3.1 worker(beta)|.rank 5(node9)",
         "by communicator: members");
    OK(rows->seen[0].lane_count == 8 && rows->seen[0].lane == 0, "the world has all lanes");
    pithi_rows_set_pinned(rows, named(rows, "comm:0/1"), 1);
    pithi_rows_set_pinned(rows, named(rows, "comm:1/1"), 1);
    SEEN(rows,
         "rank 1(alpha)|+MPI_COMM_WORLD(6 ranks)|-odd(3 ranks)|.rank 1(alpha)|.rank 3(beta)|..3.1 worker(beta)|"
         ".rank 5(node9)",
         "a rank is pinned once");
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_one_host(void)
{
    struct core_log writing;
    struct pithlog *log;
    struct pithi_rows *rows;

    core_log_begin(&writing);
    core_lane(&writing, 0, 0, "");
    core_lane(&writing, 0, 1, "");
    core_lane(&writing, 1, 0, "main");
    host(&writing, 0, "alone");
    host(&writing, 1, "alone");
    log = core_log_end(&writing);
    rows = pithi_rows_open(log);
    SEEN(rows, "rank 0|.0.1|rank 1 main", "a single host is no level");
    pithi_rows_group(rows, PITHI_BY_NOTHING);
    SEEN(rows, "rank 0|0.1|rank 1 main", "nor is it told");
    pithi_rows_close(rows);
    pithlog_close(log);
    core_log_begin(&writing);
    log = core_log_end(&writing);
    rows = pithi_rows_open(log);
    pithi_rows_group(rows, PITHI_BY_COMM);
    SEEN(rows, "", "an empty log has no rows");
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_hiding(void)
{
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);
    uint32_t count, *lanes;

    pithi_rows_set_hidden(rows, named(rows, "host:alpha"), 1);
    pithi_rows_set_hidden(rows, named(rows, "2"), 1);
    pithi_rows_set_hidden(rows, named(rows, "4"), 1);
    SEEN(rows, "-beta(1 of 2 ranks)|.rank 3|..3.1 worker|-node9(1 rank)|.rank 5",
         "hidden rows, and groups of which nothing is left, are not seen");
    pithi_rows_set_open(rows, named(rows, "host:beta"), 0);
    pithi_rows_seen(rows);
    OK(lanes_are(&rows->seen[0], 2, (const uint32_t[]){4, 5}), "closed, it stands for what is not hidden");
    lanes = pithi_rows_lanes(rows, &count);
    OK(count == 3 && lanes[0] == 4 && lanes[1] == 5 && lanes[2] == 7, "the lanes shown");
    free(lanes);
    pithi_rows_set_open(rows, named(rows, "host:beta"), 1);
    pithi_rows_show_all(rows);
    SEEN(rows, ALL_HOSTS ALL_HOSTS_END, "all are shown again");
    pithi_rows_set_pinned(rows, named(rows, "5"), 1);
    pithi_rows_set_pinned(rows, named(rows, "0"), 1);
    SEEN(rows,
         "rank 5|rank 0|.0.1 worker|-alpha(2 ranks)|.rank 1|-beta(2 ranks)|.rank 2|.rank 3|..3.1 worker|"
         "-node10(1 rank)|.rank 4",
         "pinned rows come first, with what is in them");
    OK(rows->pinned_count == 3, "and are counted");
    OK(pithi_rows_move(rows, named(rows, "0"), named(rows, "5"), 0) == 0, "pinned rows move among themselves");
    pithi_rows_filter(rows, "beta");
    SEEN(rows, "rank 0|.0.1 worker|rank 5|-beta(2 ranks)|.rank 2|.rank 3|..3.1 worker", "they stay when others go");
    pithi_rows_set_pinned(rows, named(rows, "0"), 0);
    pithi_rows_filter(rows, "");
    pithi_rows_set_pinned(rows, named(rows, "5"), 0);
    SEEN(rows, ALL_HOSTS ALL_HOSTS_END, "unpinned, they are back in their places");
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_filter(void)
{
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);
    uint32_t count, *found;

    OK(pithi_rows_filter(rows, "0-1,3.1") == 0, "a list of ranks");
    SEEN(rows, "-alpha(2 ranks)|.rank 0|..0.1 worker|.rank 1|-beta(1 of 2 ranks)|.3.1 worker", "as it is seen");
    OK(pithi_rows_filter(rows, "node*, WORK") == 0, "names: with a star all of it, without any part, in any case");
    SEEN(rows, "-alpha(1 of 2 ranks)|.0.1 worker|-beta(1 of 2 ranks)|.3.1 worker|" ALL_HOSTS_END, "as it is seen");
    OK(pithi_rows_filter(rows, "zeta") == -1 && strcmp(rows->pattern, "node*, WORK") == 0,
       "what fits nothing: refused");
    SEEN(rows, "-alpha(1 of 2 ranks)|.0.1 worker|-beta(1 of 2 ranks)|.3.1 worker|" ALL_HOSTS_END, "all stays");
    OK(pithi_rows_filter(rows, "9") == -1, "a rank that is not there");
    OK(pithi_rows_filter(rows, "rank ?") == 0, "one letter");
    SEEN(rows, ALL_HOSTS ALL_HOSTS_END, "threads go with their ranks");
    pithi_rows_group(rows, PITHI_BY_COMM);
    OK(pithi_rows_filter(rows, "odd") == 0, "a communicator by its name");
    SEEN(rows, "-odd(3 ranks)|.rank 1(alpha)|.rank 3(beta)|..3.1 worker(beta)|.rank 5(node9)", "its members");
    OK(pithi_rows_filter(rows, "5") == 0, "a rank in all communicators");
    SEEN(rows, "-MPI_COMM_WORLD(1 of 6 ranks)|.rank 5(node9)|-odd(1 of 3 ranks)|.rank 5(node9)", "as it is seen");
    pithi_rows_group(rows, PITHI_BY_HOST);
    SEEN(rows, "-node9(1 rank)|.rank 5", "the filter stays when the grouping changes");
    found = pithi_rows_find(rows, "beta,worker", &count);
    OK(count == 2 && rows->nodes[found[0]].kind == PITHI_NODE_THREAD && found[1] == named(rows, "host:beta"),
       "find: the outermost that fit");
    free(found);
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_order(void)
{
    static const double value[] = {1, 1, 9, 5, 2, 2, 7, 8};
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);

    OK(pithi_rows_move(rows, named(rows, "host:node9"), named(rows, "2"), 0) == 0,
       "a host moves before another's rank");
    OK(pithi_rows_move(rows, named(rows, "0"), named(rows, "1"), 1) == 0, "a rank moves behind its neighbour");
    OK(pithi_rows_move(rows, named(rows, "0"), named(rows, "4"), 1) == -1, "but not into another host");
    SEEN(rows,
         "-alpha(2 ranks)|.rank 1|.rank 0|..0.1 worker|-node9(1 rank)|.rank 5|-beta(2 ranks)|.rank 2|.rank 3|"
         "..3.1 worker|-node10(1 rank)|.rank 4",
         "as it is seen");
    OK(pithi_rows_move(rows, named(rows, "host:alpha"), named(rows, "host:node10"), 0) == 0 &&
           pithi_rows_move(rows, named(rows, "host:alpha"), named(rows, "host:node9"), 0) == 0,
       "down and up again, before others");
    SEEN(rows,
         "-alpha(2 ranks)|.rank 1|.rank 0|..0.1 worker|-node9(1 rank)|.rank 5|-beta(2 ranks)|.rank 2|.rank 3|"
         "..3.1 worker|-node10(1 rank)|.rank 4",
         "as before");
    pithi_rows_sort(rows, PITHI_ORDER_NAME, NULL, 0);
    SEEN(rows, ALL_HOSTS "-node9(1 rank)|.rank 5|-node10(1 rank)|.rank 4", "by name: node9 before node10");
    pithi_rows_sort(rows, PITHI_ORDER_VALUE, value, 1);
    SEEN(rows,
         "-alpha(2 ranks)|.rank 1|.rank 0|..0.1 worker|-beta(2 ranks)|.rank 2|.rank 3|..3.1 worker|-node9(1 rank)|"
         ".rank 5|-node10(1 rank)|.rank 4",
         "by value, falling: sums of what is in them");
    pithi_rows_sort(rows, PITHI_ORDER_MEAN, value, 1);
    pithi_rows_open_level(rows, 0);
    SEEN(rows, "node9(1 rank)|node10(1 rank)|+alpha(2 ranks)|+beta(2 ranks)", "by the mean of their lanes");
    pithi_rows_open_level(rows, 9);
    pithi_rows_sort(rows, PITHI_ORDER_RANK, NULL, 0);
    SEEN(rows, ALL_HOSTS ALL_HOSTS_END, "by rank: as at first");
    pithi_rows_sort(rows, PITHI_ORDER_RANK, NULL, 1);
    SEEN(rows,
         "-node9(1 rank)|.rank 5|-node10(1 rank)|.rank 4|-beta(2 ranks)|.rank 3|..3.1 worker|.rank 2|"
         "-alpha(2 ranks)|.rank 1|.rank 0|..0.1 worker",
         "and falling");
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_counters(void)
{
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);
    const struct pithi_row made[] = {{.lane = 0},
                                     {.kind = PITHI_ROW_COUNTER, .lane = 0, .counter = 0},
                                     {.kind = PITHI_ROW_COUNTER, .lane = 5, .counter = 0}};

    pithi_rows_filter(rows, "0,3");
    pithi_rows_add_counters(rows, made, 3);
    SEEN(rows, "-alpha(1 of 2 ranks)|.rank 0|..load|..0.1 worker|-beta(1 of 2 ranks)|.rank 3|..3.1 worker|...load",
         "counters come below their lanes, above threads");
    pithi_rows_filter(rows, "load");
    SEEN(rows, "-alpha(1 of 2 ranks)|.rank 0|..load|-beta(1 of 2 ranks)|.3.1 worker|..load",
         "found by name, with their lanes");
    pithi_rows_set_open(rows, named(rows, "0"), 0);
    SEEN(rows, "-alpha(1 of 2 ranks)|.rank 0(2 threads)|-beta(1 of 2 ranks)|.3.1 worker|..load", "closed, they go");
    OK(pithi_rows_has_children(rows, named(rows, "0")) && !pithi_rows_has_children(rows, named(rows, "1")),
       "children that can be seen");
    pithi_rows_filter(rows, "");
    pithi_rows_sort(rows, PITHI_ORDER_RANK, NULL, 1);
    pithi_rows_set_open(rows, named(rows, "0"), 1);
    pithi_rows_filter(rows, "0");
    SEEN(rows, "-alpha(1 of 2 ranks)|.rank 0|..load|..0.1 worker", "sorted, counters stay above threads");
    pithi_rows_group(rows, PITHI_BY_COMM);
    SEEN(rows, "-MPI_COMM_WORLD(1 of 6 ranks)|.rank 0(alpha)|..load|..0.1 worker(alpha)", "also in communicators");
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_keys(void)
{
    static const enum pithi_grouping groupings[] = {PITHI_BY_HOST, PITHI_BY_COMM, PITHI_BY_NOTHING};
    static const char *const bad[] = {"host:zeta", "comm:9", "17", "0.2", "x", "comm:1/0", "0/load", "3.1/heat", "-"};
    const struct pithi_row made[] = {{.kind = PITHI_ROW_COUNTER, .lane = 5, .counter = 0}};
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);
    int wrong = 0;
    char key[256];

    pithi_rows_add_counters(rows, made, 1);
    for (int g = 0; g < 3; g++) {
        pithi_rows_group(rows, groupings[g]);
        pithi_rows_seen(rows);
        for (uint32_t node = 0; node < rows->node_count; node++)
            wrong += pithi_rows_node(rows, pithi_rows_key(rows, node, key, sizeof key)) != node;
    }
    OK(!wrong, "every node is found by its key, in every tree");
    pithi_rows_group(rows, PITHI_BY_COMM);
    OK(strcmp(pithi_rows_key(rows, pithi_rows_node(rows, "comm:1/3.1/load"), key, sizeof key), "comm:1/3.1/load") == 0,
       "a counter in a communicator");
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        OK(pithi_rows_node(rows, bad[i]) == PITHI_NONE, "no such node: %s", bad[i]);
    pithi_rows_close(rows);
    pithlog_close(log);
}

static void test_picture(void)
{
    struct pithlog *log = hosts_log();
    struct pithi_rows *rows = pithi_rows_open(log);

    OK(pithi_rows_picture(rows, PITHI_BY_HOST, "alpha,2") == 0, "a picture by host");
    SEEN(rows, "+alpha(2 ranks)|beta(1 of 2 ranks)", "has a row each");
    OK(rows->seen[0].lane_count == 3 && !rows->seen[1].lanes && rows->seen[1].lane == 3, "for the lanes that fit");
    OK(pithi_rows_picture(rows, PITHI_BY_NOTHING, "") == 0 && rows->seen_count == 8 && rows->seen[7].lane == 7,
       "a picture of all lanes");
    OK(pithi_rows_picture(rows, PITHI_BY_COMM, "nobody") == -1, "nothing fits: none");
    pithi_rows_close(rows);
    pithlog_close(log);
}

/* ---- Rows lower than a pixel ------------------------------------------------------------------------------------- */

static void test_groups(void)
{
    struct pithi_row rows[] = {{.lane = 4, .band = 1, .label = "rank 4"},
                               {.lane = 4, .band = 2, .label = "level 2"},
                               {.lane = 4, .band = 1, .kind = PITHI_ROW_FUNCTIONS, .label = "depth 1"},
                               {.lane = 4, .band = 2, .kind = PITHI_ROW_FUNCTIONS, .label = "depth 2"},
                               {.lane = 5, .label = "rank 5"},
                               {.lane = 6, .label = "rank 6"}};
    struct pithi_groups groups;
    const struct pithi_row *of = rows;

    pithi_groups_make(rows, 6, 3, &groups);
    of = groups.rows;
    OK(groups.count == 2 && of[0].lane_count == 1 && of[0].lane == 4 && !of[0].band && of[0].kind == PITHI_ROW_STATES,
       "a group of an unfolded lane: the lane");
    OK(of[1].lane_count == 2 && of[1].lane == 5 && of[1].lanes[1] == 6 && !of[1].band && of[1].kind == PITHI_ROW_STATES,
       "functions of the lane before are not in a group");
    OK(strcmp(of[1].label, "rank 5") == 0, "its label is that of its first lane");
    pithi_groups_free(&groups);
}

/* ---- Size -------------------------------------------------------------------------------------------------------- */

static void test_many(void)
{
    enum { RANKS = 100000, A_NODE = 64 };
    struct core_log writing;
    struct pithlog *log;
    struct pithi_rows *rows;
    double *value = calloc(RANKS, sizeof *value);
    char name[32];

    core_log_begin(&writing);
    for (int32_t rank = 0; rank < RANKS; rank++) {
        core_lane(&writing, rank, 0, "");
        snprintf(name, sizeof name, "node%d", (int)rank / A_NODE);
        host(&writing, rank, name);
        value[rank] = rank * 7919 % RANKS;
    }
    log = core_log_end(&writing);
    rows = pithi_rows_open(log);
    pithi_rows_seen(rows);
    OK(rows->seen_count == (RANKS + A_NODE - 1) / A_NODE, "100,000 ranks: at first a row a host");
    pithi_rows_open_level(rows, 9);
    pithi_rows_filter(rows, "node1*");
    pithi_rows_seen(rows);
    pithi_rows_filter(rows, "");
    pithi_rows_sort(rows, PITHI_ORDER_VALUE, value, 1);
    pithi_rows_group(rows, PITHI_BY_COMM);
    pithi_rows_seen(rows);
    OK(rows->seen_count == 1 && rows->seen[0].lane_count == RANKS && rows->node_count == 2,
       "a closed communicator is a row for all, without nodes for its members");
    pithi_rows_open_level(rows, 9);
    pithi_rows_sort(rows, PITHI_ORDER_NAME, NULL, 1);
    pithi_rows_seen(rows);
    OK(rows->seen_count == RANKS + 1, "all open");
    pithi_rows_close(rows);
    pithlog_close(log);
    free(value);
}

int main(void)
{
    test_grouping();
    test_one_host();
    test_hiding();
    test_filter();
    test_order();
    test_counters();
    test_keys();
    test_picture();
    test_groups();
    test_many();
    return tap_done();
}
