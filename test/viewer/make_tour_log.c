/* make_tour_log.c - the logs of the guided tour (viewer/tour): make_tour_log before|after OUT
 *
 * A made-up stencil program on 16 ranks of two hosts, always the same to the nanosecond: each step computes and
 * exchanges edges with both neighbours; every tenth step has an MPI_Allreduce, every thirtieth a checkpoint that rank 0
 * writes while all others wait. From step 40 on, rank 6 has to refine its part of the mesh: it computes longer, its
 * neighbours wait in MPI_Waitall, then theirs, and at the MPI_Allreduce all of them. `after` has that work shared by
 * all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/segment.h"

enum { RANKS = 16, STEPS = 120, REFINED_FROM = 40, SLOW_RANK = 6, COMPUTE_US = 1500, REFINE_US = 900 };

static struct pithi_writer *writer;
static uint32_t lanes[RANKS];
static int64_t now[RANKS], sent[RANKS]; /* ns; when the edges of this step went out */
static uint64_t posted[RANKS];
static struct defs {
    uint32_t init, finalize, step, compute, refine, irecv, isend, waitall, allreduce, barrier, write;
    uint32_t checkpoint, residual;
} defs;

static void check(int err)
{
    if (err) {
        fprintf(stderr, "make_tour_log: %s\n", pithlog_error());
        exit(1);
    }
}

static uint32_t define(enum pithlog_def_kind kind, const char *name, const char *colour, const char *group,
                       const char *format)
{
    struct pithlog_def def = {.kind = kind, .name = name, .colour = colour, .group = group, .format = format};
    uint32_t id;

    check(pithi_defs_add(pithi_writer_defs(writer), &def, &id));
    return id;
}

static void define_all(void)
{
    defs.step = define(PITHLOG_STATE, "step", "#c3ccd5", "user", "");
    defs.compute = define(PITHLOG_STATE, "compute", "#40a090", "user", "");
    defs.refine = define(PITHLOG_STATE, "refine mesh", "#80e0b0", "user", "");
    defs.write = define(PITHLOG_STATE, "write checkpoint", "#206080", "user", "");
    defs.irecv = define(PITHLOG_STATE, "MPI_Irecv", "#d4ace0", "MPI point-to-point", "");
    defs.isend = define(PITHLOG_STATE, "MPI_Isend", "#eccae6", "MPI point-to-point", "");
    defs.waitall = define(PITHLOG_STATE, "MPI_Waitall", "#d9694f", "MPI wait", "");
    defs.allreduce = define(PITHLOG_STATE, "MPI_Allreduce", "#624c92", "MPI collective", "");
    defs.barrier = define(PITHLOG_STATE, "MPI_Barrier", "#5c586e", "MPI collective", "");
    defs.init = define(PITHLOG_STATE, "MPI_Init", "#b9bfca", "MPI environment", "");
    defs.finalize = define(PITHLOG_STATE, "MPI_Finalize", "#b9bfca", "MPI environment", "");
    defs.checkpoint = define(PITHLOG_EVENT_TYPE, "checkpoint", "#206080", "user", "step=%d");
    defs.residual = define(PITHLOG_COUNTER_TYPE, "residual", "#4090e0", "user", "1");
}

/* The same numbers everywhere: 0 up to 1. */
static double chance(void)
{
    static uint64_t seed = 88172645463325252u;

    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static int64_t about_us(double us) { return (int64_t)(us * 1000 * (0.94 + 0.12 * chance())); }

static void add(int rank, uint32_t kind, uint32_t id)
{
    struct pithlog_record record = {.time_ns = now[rank], .lane = lanes[rank], .kind = kind, .id = id, .peer = -1};
    check(pithi_writer_add(writer, &record));
}

static void state(int rank, uint32_t id, int64_t span_ns)
{
    add(rank, PITHLOG_ENTER, id);
    now[rank] += span_ns;
    add(rank, PITHLOG_LEAVE, id);
}

static void message(int rank, uint32_t kind, int peer, uint64_t order)
{
    struct pithlog_record record = {.time_ns = now[rank],
                                    .lane = lanes[rank],
                                    .kind = kind,
                                    .peer = peer,
                                    .tag = 4,
                                    .bytes = 65536,
                                    .posted = order};
    check(pithi_writer_add(writer, &record));
}

static void compute(int rank, int step, int shared)
{
    add(rank, PITHLOG_ENTER, defs.step);
    for (int i = 0; i < 2; i++)
        state(rank, defs.irecv, about_us(6));
    add(rank, PITHLOG_ENTER, defs.compute);
    now[rank] += about_us(COMPUTE_US);
    if (step >= REFINED_FROM && (shared || rank == SLOW_RANK))
        state(rank, defs.refine, about_us(shared ? REFINE_US / (double)RANKS : REFINE_US));
    add(rank, PITHLOG_LEAVE, defs.compute);
}

static void send_edges(int rank)
{
    for (int peer = rank - 1; peer <= rank + 1; peer += 2) {
        add(rank, PITHLOG_ENTER, defs.isend);
        now[rank] += about_us(9);
        if (peer >= 0 && peer < RANKS)
            message(rank, PITHLOG_SEND, peer, 0);
        add(rank, PITHLOG_LEAVE, defs.isend);
    }
    sent[rank] = now[rank];
}

static void wait_for_edges(int rank)
{
    add(rank, PITHLOG_ENTER, defs.waitall);
    for (int peer = rank - 1; peer <= rank + 1; peer += 2) {
        int64_t there_ns;
        if (peer < 0 || peer >= RANKS)
            continue;
        there_ns = sent[peer] + about_us(peer / 8 == rank / 8 ? 22 : 70); /* the other host is farther away */
        now[rank] = (there_ns > now[rank] ? there_ns : now[rank]) + 500;
        message(rank, PITHLOG_RECV, peer, posted[rank]++);
    }
    now[rank] += about_us(4);
    add(rank, PITHLOG_LEAVE, defs.waitall);
}

/* All leave when the last one has come. */
static void collective(uint32_t id)
{
    int64_t last_ns = 0;

    for (int rank = 0; rank < RANKS; rank++)
        last_ns = now[rank] > last_ns ? now[rank] : last_ns;
    for (int rank = 0; rank < RANKS; rank++) {
        add(rank, PITHLOG_ENTER, id);
        check(pithi_writer_add(
            writer, &(struct pithlog_record){
                        .time_ns = now[rank], .lane = lanes[rank], .kind = PITHLOG_COLL, .peer = -1, .bytes = 8}));
        now[rank] = last_ns + about_us(40);
        add(rank, PITHLOG_LEAVE, id);
    }
}

static void note_residual(int step)
{
    struct pithlog_record record = {.time_ns = now[0], .lane = lanes[0], .kind = PITHLOG_COUNTER, .id = defs.residual};

    record.peer = -1;
    record.value = 1.0 / (1 + step * 0.08) + 0.02 * chance();
    check(pithi_writer_add(writer, &record));
}

static void checkpoint(int step)
{
    unsigned char payload[4] = {0, 0, 0, (unsigned char)step};
    struct pithlog_record record = {.lane = lanes[0],
                                    .kind = PITHLOG_EVENT,
                                    .id = defs.checkpoint,
                                    .peer = -1,
                                    .payload = payload,
                                    .payload_bytes = sizeof payload};

    record.time_ns = now[0];
    check(pithi_writer_add(writer, &record));
    state(0, defs.write, about_us(5200));
    collective(defs.barrier);
}

static void run(int shared)
{
    for (int step = 0; step < STEPS; step++) {
        for (int rank = 0; rank < RANKS; rank++) {
            compute(rank, step, shared);
            send_edges(rank);
        }
        for (int rank = 0; rank < RANKS; rank++)
            wait_for_edges(rank);
        if (step % 10 == 9)
            collective(defs.allreduce);
        for (int rank = 0; rank < RANKS; rank++)
            add(rank, PITHLOG_LEAVE, defs.step);
        if (step % 10 == 9)
            note_residual(step);
        if (step % 30 == 29)
            checkpoint(step);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "before") != 0 && strcmp(argv[1], "after") != 0)) {
        fputs("make_tour_log before|after OUT\n", stderr);
        return 2;
    }
    check(pithi_writer_open(&writer, argv[2], -1));
    define_all();
    for (int rank = 0; rank < RANKS; rank++) {
        struct pithi_rank description = {.rank = rank, .host = rank < RANKS / 2 ? "node1" : "node2"};
        check(pithi_writer_lane(writer, rank, 0, "", &lanes[rank]));
        check(pithi_writer_rank(writer, &description));
        state(rank, defs.init, about_us(14000));
    }
    collective(defs.barrier);
    run(strcmp(argv[1], "after") == 0);
    for (int rank = 0; rank < RANKS; rank++)
        state(rank, defs.finalize, about_us(6000));
    check(pithi_writer_finish(writer));
    pithi_writer_close(writer);
    return 0;
}
