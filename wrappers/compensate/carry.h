/* carry.h - how delays go from process to process with the program's own messages and collectives: what carry.w calls
 * right before and right after the library's call, when PITH_COMPENSATE is on.
 *
 * PITH_COMPENSATE=message    before each message goes one of ours with a header (delay.h), on the shadow communicator
 *                            (shadow.h), with the same receiver and tag. Who has received the program's, receives it.
 * PITH_COMPENSATE=datatype   the header stands before the message's own data: sent and received as one element of a
 *                            struct type {header at our address, n elements at the program's}, from MPI_BOTTOM. As it
 *                            comes first, the data are where they belong also when fewer came than there was room for.
 * PITH_COMPENSATE=auto       the same bytes on the wire; each side copies where that is faster than making a type.
 */
#ifndef PITHI_CARRY_H
#define PITHI_CARRY_H

#include "carried.h"
#include "delay.h"
#include "nested.h"
#include "shadow.h"

#include <mpi.h>
#include <string.h>

/* 1: delays are carried, from the end of MPI_Init to the beginning of MPI_Finalize. Own costs alone need no wrapper. */
extern int pithi_carry_on __attribute__((visibility("hidden")));
#define PITHI_CARRYING (__builtin_expect(pithi_carry_on, 0) && pithi_self.recorded)
static inline int pithi_carry_in_message(void) { return pithi_compensate != PITHI_COMPENSATE_MESSAGE; }

/* After MPI_Init, and in MPI_Finalize before anything else: collective over MPI_COMM_WORLD. With `members` other than
 * MPI_GROUP_NULL only these are recorded, and nothing is carried. */
void pithi_carry_begin(MPI_Group members);
void pithi_carry_end(void);

/* Why a call takes part with its own costs only, which is counted. */
enum pithi_carry_alone {
    PITHI_ALONE_COLL, /* neighbourhood collectives; persistent ones that ours could not be made for */
    PITHI_ALONE_COMM, /* a communicator that carries nothing */
    PITHI_ALONE_LATE, /* nonblocking and persistent collectives that were complete before ours beside them */
    PITHI_ALONE_PARTITIONED,
    PITHI_ALONE_RMA,       /* what may wait for one process: locks, MPI_Win_start, MPI_Win_wait ... */
    PITHI_ALONE_CANCELLED, /* a send, with `message`: the next message to there gets its header */
    PITHI_ALONE_KINDS
};
void pithi_carry_alone(enum pithi_carry_alone why);

/* ---- messages: open, one or both of send and recv, go; the library's call; and one of the ends ------------------- */

/* The buffer of a message as the library gets it; and as the program gave it, to be put back. */
struct pithi_part {
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    void *user_buf;
    MPI_Count user_count;
    MPI_Datatype user_type;
    int has_header; /* in the message */
    int has_type;   /* to be freed */
    char *copied;   /* where; NULL: it is not */
    uint64_t room;  /* bytes of that behind the header */
    struct pithi_header *header;
};

enum pithi_carry_call {
    PITHI_CARRY_BLOCKING,
    PITHI_CARRY_REQUEST,    /* nonblocking: an entry for the request (carried.h) */
    PITHI_CARRY_BOTH,       /* the same, a send and a receive in one (MPI_Isendrecv) */
    PITHI_CARRY_PERSISTENT, /* the same, and nothing is sent yet */
};

struct pithi_carry {
    int64_t from_ns, begin_ns; /* our part began; the library's own call */
    struct pithi_shadow *comm; /* NULL: nothing is carried */
    struct pithi_carried *entry;
    enum pithi_carry_call call;
    struct pithi_part out, in;
    struct pithi_header out_header, in_header;
    struct pithi_arriving arriving; /* of MPI_Sendrecv_replace */
    int sends, receives;            /* what is carried */
    int from, tag;                  /* of what is received */
    MPI_Status own_status, *user_status;
};

void pithi_carry_open(struct pithi_carry *carry, enum pithi_carry_call call, MPI_Comm comm);
void pithi_carry_send(struct pithi_carry *carry, const void *buf, MPI_Count count, MPI_Datatype type, int to, int tag);
void pithi_carry_recv(struct pithi_carry *carry, void *buf, MPI_Count count, MPI_Datatype type, int from, int tag);
/* MPI_Sendrecv_replace: what is sent is where it is received; carry->in is it. */
void pithi_carry_replace(struct pithi_carry *carry, void *buf, MPI_Count count, MPI_Datatype type, int to, int tag,
                         int from, int from_tag);
void pithi_carry_go(struct pithi_carry *carry);

/* What to call with: the program's status, or an own one where it wants none. */
MPI_Status *pithi_carry_status(struct pithi_carry *carry, MPI_Status *status);
/* A blocking call is over; `status` of what it received, NULL: it received nothing. `least`: PITHI_LEAST. */
void pithi_carry_over(struct pithi_carry *carry, int result, MPI_Status *status, struct pithi_least *least);
/* A request was made. */
void pithi_carry_pending(struct pithi_carry *carry, int result, const MPI_Request *request);

/* Messages matched before they are received, known by their handle. */
void pithi_carry_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message, MPI_Status *status);
void pithi_carry_open_matched(struct pithi_carry *carry, enum pithi_carry_call call, const MPI_Message *message);

/* A status of MPI_Probe: without the header. */
void pithi_carry_probed(int result, int flag, MPI_Comm comm, MPI_Status *status);

/* ---- requests (carry_request.c) ---------------------------------------------------------------------------------- */

void pithi_carry_start(int count, const MPI_Request *requests);
/* The library refused; what was then started is not. */
void pithi_carry_not_started(int count, const MPI_Request *requests);
/* A request each start of which counts as `why`. */
void pithi_carry_start_alone(int result, const MPI_Request *request, enum pithi_carry_alone why);
void pithi_carry_cancel(const MPI_Request *request);

struct pithi_carry_done {
    int64_t begin_ns;
    struct pithi_least *least;
    int count;                    /* of requests looked at; 0: none carries */
    struct pithi_carried **found; /* [count] */
    MPI_Status *own;              /* in place of statuses that the program ignores */
    MPI_Status *user;             /* what it gave */
    void *memory;
    struct pithi_carried *few[4];
    MPI_Status few_own[4];
};
/* Around a call that completes requests: the statuses to call with; and one of the ends. `least`: PITHI_LEAST. */
MPI_Status *pithi_carry_done_begin(struct pithi_carry_done *done, int count, const MPI_Request *requests,
                                   MPI_Status *statuses, const MPI_Status *ignored, struct pithi_least *least);
void pithi_carry_done_all(struct pithi_carry_done *done, int result, MPI_Status *statuses);
void pithi_carry_done_one(struct pithi_carry_done *done, int result, int index, MPI_Status *status);
void pithi_carry_done_some(struct pithi_carry_done *done, int result, int count, const int *indices,
                           MPI_Status *statuses);
void pithi_carry_done_none(struct pithi_carry_done *done);
/* After MPI_Request_get_status said that it is complete. */
void pithi_carry_peeked(MPI_Request request, int result, int flag, MPI_Status *status);

/* Around MPI_Request_free: the request to call with; and what the program sees. */
struct pithi_carry_freed {
    MPI_Request instead, *user;
    struct pithi_carried *inactive;
};
MPI_Request *pithi_carry_free_begin(struct pithi_carry_freed *freed, MPI_Request *request);
void pithi_carry_free_end(struct pithi_carry_freed *freed, int result);

/* A communicator was made (shadow.h), which takes its time; a window, on the one of that shadow (NULL: none). One of
 * either was freed, as pithi_shadow_drop_end has it. */
void pithi_carry_made(int result, const MPI_Comm *made);
void pithi_carry_gone(int result, struct pithi_shadow *gone);
void pithi_carry_window_made(int result, const struct pithi_shadow *on, const MPI_Win *window);

/* ---- collectives (carry_coll.c): open and end outside of all else, come right before the library's call ---------- */

enum pithi_carry_shape { PITHI_CARRY_ALL, PITHI_CARRY_FROM, PITHI_CARRY_TO, PITHI_CARRY_LOWER };

/* A process came when it was as late as `at`, and would have come at `before`; and by how much earlier; and when it
 * ended. The largest of each is asked for. Without one clock for all, time counts from the end of each one's call,
 * as if all had ended at once; who does not wait (all but the root that gathers) is taken to have come then. */
struct pithi_arrival {
    int64_t at_ns, before_ns, minus_delay_ns, minus_end_ns;
};
enum { PITHI_ARRIVAL_NUMBERS = sizeof(struct pithi_arrival) / sizeof(int64_t) };

/* 1: a process that gave this root waits in a collective of that shape. */
int pithi_carry_waits(const struct pithi_shadow *comm, enum pithi_carry_shape shape, int root);
/* That a wait was for others that came so. */
void pithi_carry_came(struct pithi_wait *wait, const struct pithi_arrival *all, uint64_t size_bytes);

struct pithi_carry_coll {
    int64_t begin_ns;
    int is_window;
    struct pithi_shadow *comm;      /* NULL: nothing is carried */
    struct pithi_carry_coll *outer; /* a call inside of which this one is (a callback's) */
    struct pithi_least *least;      /* from a root: of the function, */
    uint64_t got_bytes;             /* and what this process got */
};
void pithi_carry_coll_open(struct pithi_carry_coll *carry);
/* `least`: PITHI_LEAST. */
void pithi_carry_coll_come(MPI_Comm comm, struct pithi_least *least);
/* Right after it, when it is one from a root. */
void pithi_carry_coll_got(int result, int root, MPI_Count count, MPI_Datatype type);
/* The same of a window; `gone`: it is freed in the call, and carry->comm is what pithi_carry_gone gets. */
void pithi_carry_window_come(MPI_Win window, int gone);
void pithi_carry_coll_end(struct pithi_carry_coll *carry, enum pithi_carry_shape shape, int root);

/* ---- nonblocking collectives (carry_icoll.c): around the call that starts one ------------------------------------ */

struct pithi_carry_icoll {
    struct pithi_icoll *ours; /* NULL: nothing is carried */
    struct pithi_shadow *comm;
};
void pithi_carry_icoll_begin(struct pithi_carry_icoll *icoll, MPI_Comm comm, enum pithi_carry_shape shape, int root);
void pithi_carry_icoll_pending(struct pithi_carry_icoll *icoll, int result, const MPI_Request *request);
/* The program's is complete: what the call that completed it waited for goes into `wait`. `ours` is gone. */
void pithi_icoll_complete(struct pithi_icoll *ours, struct pithi_wait *wait);
/* Before the end: those that were late. */
void pithi_icoll_end(void);
/* This process comes now; its part of the call began at from_ns. */
struct pithi_arrival pithi_icoll_arrival(int64_t from_ns);
/* 1: it is over, now or after a moment. */
int pithi_icoll_soon(int (*is_over_now)(void *), void *ours);
/* That a wait was for others that came so, in one of this shape. */
void pithi_icoll_came(struct pithi_wait *wait, const struct pithi_arrival *all, enum pithi_carry_shape shape);

/* ---- persistent collectives (carry_pcoll.c): around the call that makes one -------------------------------------- */

struct pithi_carry_pcoll {
    struct pithi_pcoll *ours;   /* NULL: nothing is carried, */
    int is_alone;               /* though there are others, */
    enum pithi_carry_alone why; /* each start counts so */
};
void pithi_carry_pcoll_begin(struct pithi_carry_pcoll *pcoll, MPI_Comm comm, enum pithi_carry_shape shape, int root);
void pithi_carry_pcoll_made(struct pithi_carry_pcoll *pcoll, int result, const MPI_Request *request);
/* The program's will be started now; it was not after all; it is complete, and what the call that completed it waited
 * for goes into `wait`; and it is gone, and so is ours as soon as it can. */
void pithi_pcoll_start(struct pithi_pcoll *ours, int64_t from_ns);
void pithi_pcoll_not_started(struct pithi_pcoll *ours);
void pithi_pcoll_complete(struct pithi_pcoll *ours, struct pithi_wait *wait);
void pithi_pcoll_drop(struct pithi_pcoll *ours);
/* Now and then, and before the end: those that are late. */
void pithi_pcoll_look(void);
void pithi_pcoll_end(void);

#endif
