/* job_time.c - begins counting in MPI_Init, and makes the report in MPI_Finalize. Rank 0 requests the block of one
 * process after the other, so that it never holds more than one block.
 *
 *     MPI_Finalize: a barrier; counting ends; rank 0 sends "your turn" to 1, gets its block, adds it; then 2 ...
 */
#include "job_time.h"

#include "base/say.h"
#include "piggyback.h"
#include "base/launcher.h"
#include "group.h"
#include "lock.h"
#include "members.h"
#include "ranks.h"
#include "partners.h"
#include "pith_tool.h"
#include "transport.h"
#include "compare_clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1, PIECE = 1 << 30 }; /* TAG: of all messages; PIECE: the most bytes of a message */

static int is_up, is_over; /* is_up: 1: MPI is initialized; is_over: 1: the report is made */
int pithi_time_is_spawned;
static int64_t total_delay_ns; /* total delay of this process, with PITH_COMPENSATE */
static MPI_Comm job_comm;      /* see pithi_time_ours; valid while is_up */
static pid_t process;          /* the process that initialized MPI: a forked child is not in the job */

void pithi_time_mark(void)
{
    if (!is_up)
        pithi_members_mark("time");
}

void pithi_time_job(int result)
{
    MPI_Comm parent = MPI_COMM_NULL;

    /* MPI_Init failed, or was called twice. */
    if (result != MPI_SUCCESS || is_up) {
        pithi_members_end();
        return;
    }
    is_up = 1;
    process = getpid();
    /* Read now, because the program may disconnect from its parent later. */
    pithi_time_is_spawned = REAL(MPI_Comm_get_parent)(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
    MPI_Group members = pithi_members_find(NULL);
    job_comm = pithi_own_comm(members);
    pithi_members_end();
    pithi_lock_begin();
    pithi_handles_begin(MPI_COMM_WORLD, members);
    pithi_time_requests_begin();
    pithi_piggyback_begin(members);
    pithi_time_delays = pithi_compensate != PITHI_COMPENSATE_OFF;
}

MPI_Comm pithi_time_ours(void) { return is_up ? job_comm : MPI_COMM_NULL; }

/* Compares the clocks from time to time, because PITH_COMPENSATE needs their offsets. */
void pithi_compare_clocks(int result, MPI_Comm comm)
{
    /* Compares only in a call on MPI_COMM_WORLD that the program itself made, because all ranks meet there anyway. */
    if (!pithi_piggyback_on || !pithi_delay_several_clocks || pithi_self.depth != pithi_self.base ||
        result != MPI_SUCCESS || comm != MPI_COMM_WORLD)
        return;
    int64_t from = pithi_delay_clock();
    pith_clocks_turn(pithi_transport_on(job_comm));
    pithi_delay_spent(from);
}

void pithi_time_resume(int level)
{
    if (level && !is_over)
        __atomic_store_n(&pithi_time_off, 0, __ATOMIC_RELAXED);
}

void pithi_time_pause(int level)
{
    if (!level)
        __atomic_store_n(&pithi_time_off, 1, __ATOMIC_RELAXED);
}

/* ---- this process's block ---------------------------------------------------------------------------------------- */

static void fill_row(struct pithi_time_row *row, int function, int comm, const struct pithi_time_cell *cell,
                     double tick_s)
{
    memset(row, 0, sizeof *row);
    row->function = function;
    snprintf(row->comm, sizeof row->comm, "%s", comm ? pithi_time_label(comm) : "");
    row->calls = cell->calls;
    row->messages = cell->messages;
    row->bytes = cell->bytes;
    row->total_s = tick_s * (double)cell->ticks;
    row->least_s = tick_s * (double)cell->least;
    row->most_s = tick_s * (double)cell->most;
    /* Removes the delays that compensation found. Rounding must not make the time negative. */
    row->compensated_s = row->total_s - 1e-9 * (double)cell->saved_ns;
    if (row->compensated_s < 0)
        row->compensated_s = 0;
}

/* Adds a row for each used cell, and the sums. Returns 0 if there is no memory. */
static int fill_rows(struct pithi_time_block *block, const struct pithi_time_thread *sum, double tick_s)
{
    struct pithi_time_rank *rank = &block->rank;
    uint32_t room = 0;

    for (int f = 0; f < pithi_time_functions; f++) {
        int choice = 0;
        if (!pithi_chosen(&choice, pithi_time_names[f], pithi_time_classes[f]))
            continue;
        for (int c = 0; c < PITHI_TIME_COMMS; c++) {
            if (!sum->cells[c] || !sum->cells[c][f].calls)
                continue;
            if (rank->row_count == room) {
                struct pithi_time_row *wider = realloc(block->rows, (room = room ? 2 * room : 64) * sizeof *wider);
                if (!wider)
                    return 0;
                block->rows = wider;
            }
            const struct pithi_time_row *row = &block->rows[rank->row_count];
            fill_row(&block->rows[rank->row_count++], f, c, &sum->cells[c][f], tick_s);
            rank->calls += row->calls;
            rank->messages += row->messages;
            rank->bytes += row->bytes;
            rank->mpi_s += row->total_s;
            rank->compensated_s += row->compensated_s;
        }
    }
    return 1;
}

static int by_peer(const void *a, const void *b)
{
    return ((const struct pithi_time_pair *)a)->peer - ((const struct pithi_time_pair *)b)->peer;
}

static void free_block(struct pithi_time_block *block)
{
    free(block->rows);
    free(block->pairs);
}

/* ---- to rank 0 --------------------------------------------------------------------------------------------------- */

/* Sends or receives data in pieces. Returns 0 if that failed. */
static int move(void *data, size_t size, int peer, int is_send, MPI_Comm comm)
{
    char *at = data;

    for (; size; at += size < PIECE ? size : PIECE, size -= size < PIECE ? size : PIECE) {
        int piece = size < PIECE ? (int)size : PIECE;
        int bad = is_send ? REAL(MPI_Send)(at, piece, MPI_BYTE, peer, TAG, comm)
                          : REAL(MPI_Recv)(at, piece, MPI_BYTE, peer, TAG, comm, MPI_STATUS_IGNORE);
        if (bad)
            return 0;
    }
    return 1;
}

/* In rank 0: lets a process send its block, and receives the block. Returns 0 if that failed. */
static int recv_block(struct pithi_time_block *block, int from, MPI_Comm comm)
{
    int turn = 1;

    memset(block, 0, sizeof *block);
    if (!move(&turn, sizeof turn, from, 1, comm) || !move(&block->rank, sizeof block->rank, from, 0, comm))
        return 0;
    block->rows = calloc((size_t)block->rank.row_count + 1, sizeof *block->rows);
    block->pairs = calloc((size_t)block->rank.pair_count + 1, sizeof *block->pairs);
    return block->rows && block->pairs &&
           move(block->rows, block->rank.row_count * sizeof *block->rows, from, 0, comm) &&
           move(block->pairs, block->rank.pair_count * sizeof *block->pairs, from, 0, comm);
}

/* Fills in this process's block; rank 0 collects all blocks and writes the report. */
static void report(MPI_Comm comm)
{
    struct pithi_time_block own, other;
    int rank = 0, size = 1;

    double run_s, tick_s = pithi_time_tick_s(&run_s);
    const struct pithi_time_thread *sum = pithi_time_sum();

    memset(&own, 0, sizeof own);
    own.rank.run_s = run_s;
    own.rank.delay_s = 1e-9 * (double)total_delay_ns;
    fill_rows(&own, sum, tick_s);
    own.pairs = calloc((size_t)sum->partner_count + 1, sizeof *own.pairs);
    for (uint32_t i = 0; own.pairs && i < sum->partner_room; i++)
        /* A slot has the rank + 1; 0 is a free slot. */
        if (sum->partners[i].rank)
            own.pairs[own.rank.pair_count++] =
                (struct pithi_time_pair){sum->partners[i].rank - 1, sum->partners[i].messages, sum->partners[i].bytes};
    if (own.pairs)
        qsort(own.pairs, own.rank.pair_count, sizeof *own.pairs, by_peer);
    if (comm != MPI_COMM_NULL) {
        REAL(MPI_Comm_rank)(comm, &rank);
        REAL(MPI_Comm_size)(comm, &size);
    }
    if (rank != 0) {
        /* Each process waits for its turn, so that rank 0 is not flooded. */
        int turn = 0;

        if (move(&turn, sizeof turn, 0, 0, comm) && move(&own.rank, sizeof own.rank, 0, 1, comm) &&
            move(own.rows, own.rank.row_count * sizeof *own.rows, 0, 1, comm))
            move(own.pairs, own.rank.pair_count * sizeof *own.pairs, 0, 1, comm);
    } else {
        struct pithi_time_report *made = pithi_time_report_begin(size);
        if (made)
            pithi_time_report_add(made, 0, &own);
        for (int from = 1; from < size; from++) {
            if (!recv_block(&other, from, comm)) {
                /* Further messages could be mixed up, so no further rank is asked. The report has the ranks before this
                 * one. */
                pithi_say("the times of rank %d did not come; the report goes without them", from);
                size = from;
            } else if (made) {
                pithi_time_report_add(made, from, &other);
            }
            free_block(&other);
        }
        if (made)
            pithi_time_report_end(made);
    }
    free_block(&own);
}

/* Stops counting: calls of callbacks that MPI makes from here on are not in the report. */
static void end(struct pithi_time_call *call)
{
    pithi_time_end(call);
    pithi_self.depth++;
    __atomic_store_n(&pithi_time_off, 1, __ATOMIC_RELAXED);
    is_over = 1;
}

void pithi_time_finish(struct pithi_time_call *call)
{
    if (!is_up || job_comm == MPI_COMM_NULL) { /* without a communicator there is no report, but the job goes on */
        end(call);
        return;
    }
    /* After the barrier all processes have ended their calls, so no times grow while others send theirs. */
    REAL(MPI_Barrier)(job_comm);
    end(call);
    total_delay_ns = pithi_delay_total_ns();
    pithi_piggyback_end();
    report(job_comm);
    pithi_handles_end();
    REAL(MPI_Comm_free)(&job_comm);
}

/* ---- sessions ------------------------------------------------------------------------------------------------------
 * MPI_Session_init is not collective, so collective work waits for the end of the last session. */
#ifdef MPI_SESSION_NULL /* Open MPI 5 has sessions, but its MPI_VERSION is 3 */
static int sessions;    /* open sessions of the program; atomic */
static int has_session; /* 1: own_session and `all` are valid */
static MPI_Session own_session;
static MPI_Group all; /* all processes */

void pithi_time_session(int result)
{
    /* Counting begins with the first session of a program that has not called MPI_Init. */
    if (result != MPI_SUCCESS || !pithi_self.recorded || __atomic_add_fetch(&sessions, 1, __ATOMIC_SEQ_CST) > 1 ||
        is_up || REAL(MPI_Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) != MPI_SUCCESS)
        return;
    if (REAL(MPI_Group_from_session_pset)(own_session, "mpi://WORLD", &all) != MPI_SUCCESS) {
        REAL(MPI_Session_finalize)(&own_session);
        return;
    }
    is_up = has_session = 1;
    process = getpid();
    pithi_many_threads = 1; /* a later session may have a higher thread level, so threads are expected */
    pithi_handles_begin(MPI_COMM_NULL, all);
    pithi_time_requests_begin();
}

void pithi_time_session_finish(struct pithi_time_call *call)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int world = 0;

    REAL(MPI_Initialized)(&world);
    if (__atomic_sub_fetch(&sessions, 1, __ATOMIC_SEQ_CST) > 0 || !has_session || world || is_over) {
        pithi_time_end(call);
        return;
    }
    /* All processes of the job come here, because each ends its last session. */
    REAL(MPI_Comm_create_from_group)(all, "pith:time", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    if (comm != MPI_COMM_NULL)
        REAL(MPI_Barrier)(comm);
    end(call);
    if (comm != MPI_COMM_NULL) {
        report(comm);
        REAL(MPI_Comm_free)(&comm);
    }
    pithi_handles_end();
    REAL(MPI_Group_free)(&all);
    REAL(MPI_Session_finalize)(&own_session);
    has_session = 0;
}
#endif

/* Prints a message if the program ended without MPI_Finalize. There is no report then, because other processes cannot
 * be reached, and the counts of one process say little. */
__attribute__((destructor)) static void without_finalize(void)
{
    /* Only rank 0 prints, and not its forked children. */
    if (is_up && !is_over && process == getpid() && pithi_launcher_rank(0) == 0)
        pithi_say("no table of times: the program ended without MPI_Finalize");
}
