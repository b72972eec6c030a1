/* rendezvous.c - keeps a list of the posted messages that stay at the sender, and the notes that arrive before their
 * messages (rendezvous.h).
 *
 * Whether a message stays depends on its size with the header. For example, with a limit of 65,536 bytes and a header
 * of 40 bytes:
 *
 *     65,000 bytes      leaves at once
 *     65,530 bytes      stays, but only because of the header: its number is negative
 *     100,000 bytes     would stay without compensation, too: its number is positive
 *
 * A message's number is unique in the job. Its high half is the sender's rank + 1, its low half counts the sender's
 * messages. */
#include "rendezvous.h"

#include "eager_limit.h"
#include "host_comm.h"
#include "lock.h"
#include "piggyback.h"
#include "real.h"

#include <stdlib.h>

int pithi_rendezvous_count;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm notes;                   /* the communicator for notes; has the ranks of MPI_COMM_WORLD */
static int is_on;                        /* 1: a process has a limit, so notes are sent */
static struct pithi_eager_limits limits; /* sizes up to which a message is sent at once */
static size_t least_limit;               /* the smallest known limit */
static MPI_Group world, host; /* world: all processes; host: those on this machine, MPI_GROUP_NULL if all are */

/* The posted messages that this process has not sent yet, because they stay here until it waits in a call of MPI. */
static struct held {
    int64_t number; /* the message's number */
    int to;         /* the receiver's rank in MPI_COMM_WORLD */
} * held;
static int held_room;

/* ---- Beginning --------------------------------------------------------------------------------------------------- */

/* Finds the sizes up to which MPI sends a message at once (`limits`). A longer message stays at the sender until the
 * sender waits. If a process has such a limit, all processes make the communicator for notes. If no process has one, no
 * message stays at its sender, so notes are not needed. */
void pithi_rendezvous_begin(void)
{
    MPI_Comm all = pithi_shadow_of(&pithi_handle_world);
    int any = 0, mine;
    pithi_eager_find(&limits);
    if (!pithi_delay_several_clocks) /* all processes are on one host */
        limits.network = 0;
    least_limit =
        limits.same_host && (!limits.network || limits.same_host < limits.network) ? limits.same_host : limits.network;
    mine = least_limit > 0;
    if (REAL(MPI_Allreduce)(&mine, &any, 1, MPI_INT, MPI_MAX, all) != MPI_SUCCESS || !any)
        return;
    if (REAL(MPI_Comm_split)(all, 0, pithi_world_rank(), &notes) != MPI_SUCCESS)
        return;
    REAL(MPI_Comm_set_errhandler)(notes, MPI_ERRORS_RETURN);
    REAL(MPI_Comm_group)(notes, &world);
    MPI_Comm here = MPI_COMM_NULL;
    host = MPI_GROUP_NULL;
    if (pithi_delay_several_clocks && pithi_host_comm(notes, 0, &here) == MPI_SUCCESS) {
        REAL(MPI_Comm_group)(here, &host);
        REAL(MPI_Comm_free)(&here);
    }
    is_on = 1;
}

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

/* Returns the size up to which a message to this rank leaves at once; 0 if there is no such limit or it is unknown. */
static size_t limit_to(int rank)
{
    int found = rank;
    if (host != MPI_GROUP_NULL)
        REAL(MPI_Group_translate_ranks)(world, 1, &rank, host, &found);
    return found == MPI_UNDEFINED ? limits.network : limits.same_host;
}

int pithi_rendezvous_to(const struct pithi_handle *comm, int to, uint64_t bytes, uint64_t added_bytes)
{
    if (!is_on || !least_limit || bytes + added_bytes <= least_limit)
        return 0;
    int rank = pithi_handle_peer(comm, to);
    size_t limit = rank < 0 || rank == pithi_world_rank() ? 0 : limit_to(rank);
    if (limit == 0 || bytes + added_bytes <= limit)
        return 0;
    return bytes > limit ? rank + 1 : -(rank + 1);
}

/* See rendezvous.h. If there is no memory, returns 0, so that the message counts as leaving at once. */
int64_t pithi_rendezvous_post(int rendezvous_to)
{
    static uint32_t number;
    int64_t posted = 0;
    if (!rendezvous_to)
        return 0;
    pithi_lock(&mutex);
    if (pithi_rendezvous_count == held_room) {
        struct held *more = realloc(held, (size_t)(held_room + 64) * sizeof *held);
        if (!more)
            goto out;
        held = more;
        held_room += 64;
    }
    posted = (int64_t)(pithi_world_rank() + 1) << 32 | ++number;
    posted = rendezvous_to > 0 ? posted : -posted;
    held[pithi_rendezvous_count] = (struct held){posted, abs(rendezvous_to) - 1};
    __atomic_store_n(&pithi_rendezvous_count, pithi_rendezvous_count + 1, __ATOMIC_RELAXED);
out:
    pithi_unlock(&mutex);
    return posted;
}

void pithi_rendezvous_leave_all(void)
{
    int64_t from = pithi_delay_clock();
    pithi_lock(&mutex);
    for (int i = 0; i < pithi_rendezvous_count; i++) {
        struct pithi_header note = {.held = held[i].number};
        pithi_delay_fill(&note, from);
        pithi_second_send(notes, &note, held[i].to, 0);
    }
    __atomic_store_n(&pithi_rendezvous_count, 0, __ATOMIC_RELAXED);
    pithi_unlock(&mutex);
    pithi_delay_spent_of(NULL, from);
}

/* ---- Receiving ------------------------------------------------------------------------------------------------------
 * Notes are kept in a ring, in which new notes replace the oldest ones. A note that arrives after its message is never
 * used, so without replacing, such notes would need more and more memory. */
enum { NOTES = 256, LOOKS = 3 };        /* NOTES: size of the ring; LOOKS: how often to look for a missing note */
static struct pithi_header came[NOTES]; /* the ring */
static unsigned next_came;              /* how many notes have come; the next goes to the index next_came % NOTES */

static void take_notes(void)
{
    MPI_Status status;
    int flag = 0;
    while (REAL(MPI_Iprobe)(MPI_ANY_SOURCE, 0, notes, &flag, &status) == MPI_SUCCESS && flag &&
           pithi_second_recv(notes, &came[next_came % NOTES], status.MPI_SOURCE, 0))
        next_came++;
}

void pithi_rendezvous_find(struct pithi_header *header)
{
    struct pithi_header *note = NULL;
    if (!is_on)
        return;
    pithi_lock(&mutex);
    for (int i = 0; i < LOOKS && !note; i++) {
        take_notes();
        note = NULL;
        for (unsigned back = 1; back <= NOTES; back++)
            if (came[(next_came - back) % NOTES].held == header->held) {
                note = &came[(next_came - back) % NOTES];
                break;
            }
    }
    /* A message with a negative number stayed only because of its header. Without recording, it would have left when it
     * was posted, that is, at the time in the header. */
    if (note) {
        header->delay_ns = header->held > 0 ? note->delay_ns : header->delay_ns + note->sent_ns - header->sent_ns;
        header->sent_ns = note->sent_ns;
        note->held = 0;
    }
    pithi_unlock(&mutex);
}

void pithi_rendezvous_end(void)
{
    if (!is_on)
        return;
    pithi_rendezvous_leave_all();
    take_notes();
    free(held);
    held = NULL;
    held_room = 0;
}
