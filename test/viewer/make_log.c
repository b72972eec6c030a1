/* make_log.c - writes the logs that the viewer's tests look at.
 *
 * make_log KIND OUT: kind "plain" is small and exact, for known places, "alone" its first rank; "rich" has all that can
 * be drawn: nesting, messages, events with payload, counters, threads, a rare state; "big" has many records on many
 * ranks, "crowd" half a million messages, "many" 2000 states; "deep" has states 20 deep, "fine" short ones; "hosts" has
 * ranks on three hosts, threads, communicators and counters; "late" has ranks that wait for each other; "nasty" has
 * names that a terminal would obey and cairo refuse; "empty" has nothing, "point" one record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/segment.h"

static struct pithi_writer *writer;

static void check(int err)
{
    if (err) {
        fprintf(stderr, "make_log: %s\n", pithlog_error());
        exit(1);
    }
}

static uint32_t define(enum pithlog_def_kind kind, const char *name, const char *colour, const char *format)
{
    struct pithlog_def def = {.kind = kind, .name = name, .colour = colour, .group = "user", .format = format};
    uint32_t id;

    check(pithi_defs_add(pithi_writer_defs(writer), &def, &id));
    return id;
}

static uint32_t lane_of(int32_t rank, uint32_t thread, const char *name)
{
    uint32_t lane;

    check(pithi_writer_lane(writer, rank, thread, name, &lane));
    return lane;
}

static void add(uint32_t lane, uint32_t kind, int64_t time_ns, uint32_t id)
{
    struct pithlog_record record = {.time_ns = time_ns, .lane = lane, .kind = kind, .id = id, .peer = -1};
    check(pithi_writer_add(writer, &record));
}

static void message(uint32_t lane, uint32_t kind, int64_t time_ns, int32_t peer, uint64_t bytes, uint64_t posted)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = kind, .peer = peer, .tag = 7, .bytes = bytes, .posted = posted};
    check(pithi_writer_add(writer, &record));
}

static void count(uint32_t lane, int64_t time_ns, uint32_t id, double value)
{
    struct pithlog_record record = {
        .time_ns = time_ns, .lane = lane, .kind = PITHLOG_COUNTER, .id = id, .peer = -1, .value = value};
    check(pithi_writer_add(writer, &record));
}

static void event(uint32_t lane, int64_t time_ns, uint32_t id, const void *payload, uint32_t bytes)
{
    struct pithlog_record record = {.time_ns = time_ns,
                                    .lane = lane,
                                    .kind = PITHLOG_EVENT,
                                    .id = id,
                                    .peer = -1,
                                    .payload = payload,
                                    .payload_bytes = bytes};
    check(pithi_writer_add(writer, &record));
}

/* Two ranks, a second long. Rank 0: red [0, 0.5), green inside it [0.2, 0.3), blue [0.5, 1). Rank 1: blue [0.25,
 * 0.75), an event at 0.1 and a message from rank 0, sent at 0.4, received at 0.6. Or rank 0 alone. */
static void make_plain(int ranks)
{
    static const unsigned char payload[] = {0, 0, 0, 42};
    const int64_t tenth = 100000000;
    uint32_t red = define(PITHLOG_STATE, "red", "#cc0000", ""), green = define(PITHLOG_STATE, "green", "#00aa00", "");
    uint32_t blue = define(PITHLOG_STATE, "blue", "#0000cc", "");
    uint32_t mark = define(PITHLOG_EVENT_TYPE, "mark", "#ff00ff", "answer=%d");
    uint32_t a = lane_of(0, 0, ""), b;

    add(a, PITHLOG_ENTER, 0, red);
    add(a, PITHLOG_ENTER, 2 * tenth, green);
    add(a, PITHLOG_LEAVE, 3 * tenth, green);
    message(a, PITHLOG_SEND, 4 * tenth, 1, 1024, 0);
    add(a, PITHLOG_LEAVE, 5 * tenth, red);
    add(a, PITHLOG_ENTER, 5 * tenth, blue);
    add(a, PITHLOG_LEAVE, 10 * tenth, blue);
    if (ranks < 2)
        return;
    b = lane_of(1, 0, "");
    event(b, tenth, mark, payload, sizeof payload);
    add(b, PITHLOG_ENTER, 25 * tenth / 10, blue);
    message(b, PITHLOG_RECV, 6 * tenth, 0, 1024, 0);
    add(b, PITHLOG_LEAVE, 75 * tenth / 10, blue);
}

/* Three ranks in states inside each other, 20 deep: rank r is in "level d" from d to 100 - 2d + r, in hundredths of a
 * second. */
static void make_deep(void)
{
    enum { DEEP = 20 };
    const int64_t unit = 10000000;
    uint32_t ids[DEEP];
    char name[16];

    for (int d = 0; d < DEEP; d++) {
        snprintf(name, sizeof name, "level %d", d);
        ids[d] = define(PITHLOG_STATE, name, "", "");
    }
    for (int32_t rank = 0; rank < 3; rank++) {
        uint32_t lane = lane_of(rank, 0, "");
        for (int d = 0; d < DEEP; d++)
            add(lane, PITHLOG_ENTER, d * unit, ids[d]);
        for (int d = DEEP; d-- > 0;)
            add(lane, PITHLOG_LEAVE, (100 - 2 * d + rank) * unit, ids[d]);
    }
}

/* Two ranks, a second long. Rank 0: five states within 62 ns from 0.5 s on, of 10, 20, 5, 20 and 7 ns, the second with
 * an event at its begin. Rank 1: one state all the time. */
static void make_fine(void)
{
    static const char *const colours[] = {"#ff0000", "#00ff00", "#0000ff", "#ffff00", "#ff00ff"};
    static const int64_t lengths_ns[] = {10, 20, 5, 20, 7};
    uint32_t a = lane_of(0, 0, ""), b = lane_of(1, 0, ""), ids[5];
    uint32_t all = define(PITHLOG_STATE, "all", "#808080", ""),
             mark = define(PITHLOG_EVENT_TYPE, "mark", "#000000", "");
    int64_t now = 500000000;
    char name[8];

    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "s%d", i);
        ids[i] = define(PITHLOG_STATE, name, colours[i], "");
        add(a, PITHLOG_ENTER, now, ids[i]);
        if (i == 1)
            add(a, PITHLOG_EVENT, now, mark);
        add(a, PITHLOG_LEAVE, now += lengths_ns[i], ids[i]);
    }
    add(b, PITHLOG_ENTER, 0, all);
    add(b, PITHLOG_LEAVE, 1000000000, all);
}

/* 2000 states, "state 0" of 1 us, "state 1" of 2 us ..., one after the other. */
static void make_many(void)
{
    uint32_t lane = lane_of(0, 0, "");
    int64_t now = 0;
    char name[32];

    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "state %d", i);
        uint32_t id = define(PITHLOG_STATE, name, "", "");
        add(lane, PITHLOG_ENTER, now, id);
        add(lane, PITHLOG_LEAVE, now += 1000 * (i + 1), id);
    }
}

/* A call of an MPI function, with its sends and receives given by `message` in between. */
static void call(uint32_t lane, uint32_t id, int64_t from_ms, int64_t to_ms, void (*inside)(uint32_t lane))
{
    add(lane, PITHLOG_ENTER, from_ms * 1000000, id);
    if (inside)
        inside(lane);
    add(lane, PITHLOG_LEAVE, to_ms * 1000000, id);
}

static void send_55(uint32_t lane) { message(lane, PITHLOG_SEND, 55000000, 1, 1000, 0); }
static void send_105(uint32_t lane) { message(lane, PITHLOG_SEND, 105000000, 2, 2000, 0); }
static void send_241(uint32_t lane) { message(lane, PITHLOG_SEND, 241000000, 1, 4000, 0); }
static void send_261(uint32_t lane) { message(lane, PITHLOG_SEND, 261000000, 1, 8000, 0); }
static void recv_60(uint32_t lane) { message(lane, PITHLOG_RECV, 60000000, 0, 1000, 0); }
static void recv_195(uint32_t lane) { message(lane, PITHLOG_RECV, 195000000, 0, 2000, 0); }
static void recv_both(uint32_t lane)
{
    message(lane, PITHLOG_RECV, 250000000, 0, 4000, 1);
    message(lane, PITHLOG_RECV, 280000000, 2, 8000, 2);
}

/* Three ranks that wait for each other, times in ms: rank 1 waits in MPI_Recv from 20 to 50 for rank 0 to send, rank 0
 * in MPI_Send from 100 to 180 for rank 2 to receive, rank 1 in MPI_Waitall from 210 to 240 for rank 0 and on to 260
 * for rank 2. */
static void make_late(void)
{
    uint32_t work = define(PITHLOG_STATE, "work", "", ""), send = define(PITHLOG_STATE, "MPI_Send", "", "");
    uint32_t recv = define(PITHLOG_STATE, "MPI_Recv", "", ""), all = define(PITHLOG_STATE, "MPI_Waitall", "", "");
    uint32_t a = lane_of(0, 0, ""), b = lane_of(1, 0, ""), c = lane_of(2, 0, "");

    call(a, work, 0, 50, NULL);
    call(a, send, 50, 60, send_55);
    call(a, send, 100, 200, send_105);
    call(a, send, 240, 245, send_241);
    call(b, recv, 20, 62, recv_60);
    call(b, all, 210, 290, recv_both);
    call(c, work, 0, 180, NULL);
    call(c, recv, 180, 200, recv_195);
    call(c, send, 260, 265, send_261);
}

static void make_nasty(void)
{
    uint32_t bad = define(PITHLOG_STATE, "\033[31mred\033]0;title\007", "", "");
    uint32_t worse = define(PITHLOG_STATE, "\xff\xfe", "", "");
    uint32_t lane = lane_of(0, 0, "\033[2J\xc3");

    add(lane, PITHLOG_ENTER, 10, bad);
    add(lane, PITHLOG_ENTER, 20, worse);
    add(lane, PITHLOG_LEAVE, 30, worse);
    add(lane, PITHLOG_LEAVE, 40, bad);
}

/* ---- A stencil program, made up ---------------------------------------------------------------------------------- */

static uint64_t seed = 88172645463325252u;

static double chance(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static int64_t about(double ns) { return (int64_t)(ns * (0.6 + 0.8 * chance())); }

static struct names {
    uint32_t step, compute, isend, irecv, waitall, allreduce, io, repair, mark, residual, idle_work;
} names;

static void define_names(void)
{
    names.step = define(PITHLOG_STATE, "step", "", "");
    names.compute = define(PITHLOG_STATE, "compute", "", "");
    names.isend = define(PITHLOG_STATE, "MPI_Isend", "", "");
    names.irecv = define(PITHLOG_STATE, "MPI_Irecv", "", "");
    names.waitall = define(PITHLOG_STATE, "MPI_Waitall", "", "");
    names.allreduce = define(PITHLOG_STATE, "MPI_Allreduce", "", "");
    names.io = define(PITHLOG_STATE, "write checkpoint", "", "");
    names.repair = define(PITHLOG_STATE, "repair", "", "");
    names.idle_work = define(PITHLOG_STATE, "prefetch", "", "");
    names.mark = define(PITHLOG_EVENT_TYPE, "checkpoint", "", "step=%d");
    names.residual = define(PITHLOG_COUNTER_TYPE, "residual", "", "1");
}

static void state(uint32_t lane, int64_t *now, uint32_t id, int64_t span)
{
    add(lane, PITHLOG_ENTER, *now, id);
    add(lane, PITHLOG_LEAVE, *now += span, id);
}

/* One step of one rank; messages go to both neighbours, sent at a time that all know: `base`. */
static int64_t step(uint32_t lane, int32_t rank, int32_t ranks, int number, int64_t base, int64_t end, uint64_t *posted)
{
    int64_t now = base + about(20000);
    int32_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    unsigned char payload[4] = {0, 0, (unsigned char)(number >> 8), (unsigned char)number};

    add(lane, PITHLOG_ENTER, now, names.step);
    state(lane, &now, names.irecv, about(4000));
    state(lane, &now, names.irecv, about(4000));
    add(lane, PITHLOG_ENTER, now, names.isend);
    message(lane, PITHLOG_SEND, now + 1000, left, 8192, 0);
    add(lane, PITHLOG_LEAVE, now += about(9000) + 2000, names.isend);
    add(lane, PITHLOG_ENTER, now, names.isend);
    message(lane, PITHLOG_SEND, now + 1000, right, 8192, 0);
    add(lane, PITHLOG_LEAVE, now += about(9000) + 2000, names.isend);
    add(lane, PITHLOG_ENTER, now, names.compute);
    if (number % 97 == 13)
        state(lane, &now, names.repair, 3000);
    add(lane, PITHLOG_LEAVE, now += about(300000), names.compute);
    add(lane, PITHLOG_ENTER, now, names.waitall);
    message(lane, PITHLOG_RECV, now += about(60000), left, 8192, (*posted)++);
    message(lane, PITHLOG_RECV, now += about(30000), right, 8192, (*posted)++);
    add(lane, PITHLOG_LEAVE, now += 1000, names.waitall);
    if (number % 10 == 9) {
        event(lane, now, names.mark, payload, sizeof payload);
        add(lane, PITHLOG_ENTER, now, names.io);
        add(lane, PITHLOG_LEAVE, now += about(150000), names.io);
    }
    add(lane, PITHLOG_ENTER, now, names.allreduce);
    now = end > now ? end - about(2000) : now + 1000;
    add(lane, PITHLOG_LEAVE, now, names.allreduce);
    add(lane, PITHLOG_LEAVE, now, names.step);
    if (rank == 0)
        count(lane, now, names.residual, 100.0 / (1 + number * 0.2) + 3 * chance());
    return now;
}

static void make_stencil(int32_t ranks, int steps, int threads)
{
    define_names();
    for (int32_t rank = 0; rank < ranks; rank++) {
        uint32_t lane = lane_of(rank, 0, "");
        uint64_t posted = 0;
        int64_t now = 0;
        for (int i = 0; i < steps; i++) {
            int64_t base = (int64_t)i * 800000;
            if (now < base)
                now = base;
            now = step(lane, rank, ranks, i, now, base + 780000, &posted);
        }
        for (int32_t t = 1; t <= threads && rank < 2; t++) {
            uint32_t worker = lane_of(rank, (uint32_t)t, "worker");
            int64_t at = 50000;
            for (int i = 0; i < steps * 2; i++) {
                at += about(250000);
                state(worker, &at, names.idle_work, about(130000));
            }
        }
    }
}

/* ---- A job on three hosts ---------------------------------------------------------------------------------------- */

/* Ranks 0 to 3 on alpha, 4 and 5 on beta, 6 and 7 on gamma; rank r works for r + 1 tenths of each second, then waits in
 * MPI_Barrier; ranks 0 and 4 have a worker each, rank 5 has two; even and odd ranks have communicators of their own;
 * each rank counts its load, rank 0 "queue" as well. Rank 7 sends r bytes to each rank r, all at 0.05 s. */
static void make_hosts(void)
{
    static const char *const hosts[] = {"alpha", "alpha", "alpha", "alpha", "beta", "beta", "gamma", "gamma"};
    static const int32_t halves[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    static const int32_t threads[] = {2, 1, 1, 1, 2, 3, 1, 1};
    const int64_t tenth = 100000000;
    uint32_t work = define(PITHLOG_STATE, "work", "#2a9d5c", ""), help = define(PITHLOG_STATE, "help", "#c98a1b", "");
    uint32_t barrier = define(PITHLOG_STATE, "MPI_Barrier", "#c0392b", "");
    uint32_t load = define(PITHLOG_COUNTER_TYPE, "load", "", "tasks");
    uint32_t queue = define(PITHLOG_COUNTER_TYPE, "queue", "", "");

    for (int i = 0; i < 2; i++) {
        struct pithlog_comm comm = {
            .key = 100 + (uint64_t)i, .name = i ? "odd" : "even", .size = 4, .world_ranks = halves[i]};
        uint32_t index;
        check(pithi_writer_comm(writer, &comm, &index));
    }
    for (int32_t rank = 0; rank < 8; rank++) {
        struct pithi_rank description = {.rank = rank, .host = hosts[rank]};
        uint32_t lane = lane_of(rank, 0, "");
        check(pithi_writer_rank(writer, &description));
        for (int second = 0; second < 4; second++) {
            int64_t now = second * 10 * tenth, end = now + (rank + 1) * tenth;
            add(lane, PITHLOG_ENTER, now, work);
            for (int32_t to = 0; rank == 7 && !second && to < 7; to++)
                message(lane, PITHLOG_SEND, tenth / 2, to, (uint64_t)to, 0);
            if (rank < 7 && !second)
                message(lane, PITHLOG_RECV, tenth / 2, 7, (uint64_t)rank, 0);
            count(lane, now + tenth / 2, load, rank + second);
            if (rank == 0)
                count(lane, now + tenth / 2, queue, 4 - second);
            add(lane, PITHLOG_LEAVE, end, work);
            add(lane, PITHLOG_ENTER, end, barrier);
            add(lane, PITHLOG_LEAVE, now + 10 * tenth, barrier);
        }
        for (int32_t t = 1; t < threads[rank]; t++) {
            int64_t now = t * tenth;
            state(lane_of(rank, (uint32_t)t, "worker"), &now, help, 30 * tenth);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("make_log plain|alone|rich|big|crowd|many|deep|fine|hosts|late|nasty|empty|point OUT\n", stderr);
        return 2;
    }
    check(pithi_writer_open(&writer, argv[2], -1));
    if (strcmp(argv[1], "plain") == 0)
        make_plain(2);
    else if (strcmp(argv[1], "alone") == 0)
        make_plain(1);
    else if (strcmp(argv[1], "rich") == 0)
        make_stencil(6, 24, 1);
    else if (strcmp(argv[1], "big") == 0)
        make_stencil(64, 1000, 0);
    else if (strcmp(argv[1], "crowd") == 0)
        make_stencil(32, 8000, 0);
    else if (strcmp(argv[1], "many") == 0)
        make_many();
    else if (strcmp(argv[1], "fine") == 0)
        make_fine();
    else if (strcmp(argv[1], "deep") == 0)
        make_deep();
    else if (strcmp(argv[1], "hosts") == 0)
        make_hosts();
    else if (strcmp(argv[1], "nasty") == 0)
        make_nasty();
    else if (strcmp(argv[1], "late") == 0)
        make_late();
    else if (strcmp(argv[1], "point") == 0)
        event(lane_of(0, 0, ""), 5, define(PITHLOG_EVENT_TYPE, "only", "", ""), NULL, 0);
    check(pithi_writer_finish(writer));
    pithi_writer_close(writer);
    return 0;
}
