/* waits.c - wait states of messages between two ranks (README.md has the model; the names are those of Scalasca).
 *
 * The wait states are found in one pass over the records, in which each lane has a stack of its open MPI calls. A
 * message has two *ends*: its send and its receive. When the matcher has found both ends of a message, either call may
 * have released the other call, which waited for it:
 *
 *     receive's call   released when the send's call begins             late sender
 *     send's call      released when the receive is posted              late receiver
 *
 *     rank 0   computes 0-50    MPI_Send 50-51         the receive waits from 30 to 50, not to 53: from 50 on, the
 *     rank 1   computes 0-30    MPI_Recv 30-53         message is under way, and that is transfer
 *
 *     rank 0   MPI_Ssend 10-42                         the send waits from 10 to 40; rank 1 does not wait
 *     rank 1   computes 0-40    MPI_Recv 40-43
 *
 * A call is reported when it is over and all its messages are matched; until then it is *live*. So only the messages
 * under way are in memory.
 *
 * A message of MPI_Isend waits in its lane's list until a later MPI_Wait* completes it. A log does not record which
 * MPI_Wait* completed the send. It is assumed to be the first one that began after the send, and ended no earlier than
 * the receive was posted.
 *
 *     rank 0   MPI_Isend 5-6    MPI_Wait 10-30    MPI_Wait 35-42
 *     rank 1   MPI_Irecv 40-41
 *
 * The first MPI_Wait ended at 30, before the receive was posted, so it completed something else. The second one waits
 * for rank 1 from 35 to 40. */
#include "analysis/waits/waits.h"

#include <stdlib.h>
#include <string.h>
#include <stdint.h>

#include "analysis/mpi_calls.h"
#include "analysis/waits/pairs.h"
#include "analysis/waits/records.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "native/log.h"
#include "pithlog.h"
#include "reader/read/match.h"

#define NONE UINT32_MAX

enum {
    LATER_MOST = 1 << 16, /* most sends of a lane that a later call may complete */
    QUEUE_MOST = 64       /* most calls of a lane that are kept until the sends before them are matched */
};

/* ---- Probes ------------------------------------------------------------------------------------------------------ */

/* Probes are calls that find a message without receiving it: MPI_Probe, MPI_Iprobe, MPI_Mprobe.
 *
 * An event in the call has the sender and the tag. The probe found the next message with this sender and tag that the
 * rank receives, if its receive was posted after the probe began. */
/* The event of a probe. Payload: world rank of the sender, and tag; 32 bits each, big-endian. */
#define PITHI_PROBED "pith:probed"

/* Probes whose message has not been received yet. All zero: empty. */
struct probes {
    struct probe {
        int64_t begin_ns;
        uint32_t rank, call; /* rank of the lane; number of the probing call */
        int32_t source, tag; /* sender and tag of the message found (from its MPI_Status) */
    } * all;
    uint32_t count, room;
};

/* A program may never receive the messages that it finds; if all probes are used, the older half is dropped. */
enum { PROBES_MOST = 4096 };

/* Returns the definition of PITHI_PROBED, or UINT32_MAX if the log does not have it. */
static uint32_t probed_event(const struct pithlog *log)
{
    for (uint32_t i = 0; i < pithlog_get_info(log)->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, PITHI_PROBED) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* Takes an event in a call of the rank that began at begin_ns. `call`: the number of this call, which probes_take
 * returns. Returns 0 if there is no memory. */
static int probes_add(struct probes *probes, uint32_t rank, const struct pithlog_record *event, int64_t begin_ns,
                      uint32_t call)
{
    if (probes->count == PROBES_MOST)
        memmove(probes->all, probes->all + PROBES_MOST / 2, (probes->count = PROBES_MOST / 2) * sizeof *probes->all);
    if (!pithi_grow(&probes->all, probes->count, &probes->room, sizeof *probes->all))
        return 0;
    probes->all[probes->count++] = (struct probe){.begin_ns = begin_ns,
                                                  .rank = rank,
                                                  .call = call,
                                                  .source = (int32_t)pithi_get_be32(event->payload),
                                                  .tag = (int32_t)pithi_get_be32(event->payload + 4)};
    return 1;
}

/* Removes one of the probes that found the message of a receive posted at posted_ns, and returns the number of its
 * call. Returns UINT32_MAX if no such probe is left. */
static uint32_t probes_take(struct probes *probes, uint32_t rank, const struct pithlog_record *recv, int64_t posted_ns)
{
    for (uint32_t i = 0; i < probes->count; i++) {
        struct probe found = probes->all[i];
        if (found.rank != rank || found.source != recv->peer || found.tag != recv->tag || found.begin_ns > posted_ns)
            continue;
        memmove(probes->all + i, probes->all + i + 1, (--probes->count - i) * sizeof *probes->all);
        return found.call;
    }
    return UINT32_MAX;
}

static void probes_free(struct probes *probes) { free(probes->all); }

/* ---- When receives were posted ----------------------------------------------------------------------------------- */

/* This part estimates when the receives of a rank were posted.
 *
 * A log records the order in which receives were posted, not the times. The p-th receive of a rank was posted by the
 * rank's p-th call that posts a receive. But a call with MPI_PROC_NULL looks the same and posts nothing, so the receive
 * may have been posted by a later call:
 *
 *     MPI_Irecv from MPI_PROC_NULL at 10, MPI_Irecv from 1 at 20, MPI_Waitall: completes receive 0
 *
 * The estimate is the earliest possible call. Here it is the call at 10, which is too early by the time between the two
 * calls. A call that posts and completes its receive (MPI_Recv) shows how many calls posted nothing so far, and so does
 * an MPI_Waitall that leaves no receive under way. After an MPI_Waitall, no receive is assumed to be under way. */
#define UNKNOWN INT64_MAX /* time of an unknown posting; end of a call that is not over */

/* A call that posts a receive, or with `is_many` any number of receives. */
struct post {
    int64_t time_ns;
    uint32_t lane, call; /* the posting lane; the client's number of the call */
    int is_many;         /* 1: MPI_Startall */
};

/* The posting calls of one rank. All zero: the call of the first receive is unknown. */
struct posts {
    struct post *calls;   /* the last 512 calls at most; call c is at c % room */
    uint32_t room;        /* a power of two, or 0 */
    uint64_t first, next; /* numbers of the first kept call, and of the next call */
    /* Receives below `base` are complete; `end`: the highest complete receive + 1; `seen`: number of receives completed
     * since `base` was set. */
    uint64_t base, end, seen;
    uint64_t shift; /* call p + shift made receive p */
    int is_known;   /* 0: which call posted the first receive is not known */
};

enum { POSTS_MOST = 512 }; /* calls that are kept for a rank */

static void posts_free(struct posts *posts) { free(posts->calls); }

/* Adds a posting call, which has just begun. Its number is then `next` - 1. Returns 0 if there is no memory. */
static int posts_add(struct posts *posts, const struct post *post)
{
    if (posts->next - posts->first == posts->room && posts->room < POSTS_MOST) {
        uint32_t room = posts->room ? posts->room * 2 : 4;
        struct post *calls = malloc(room * sizeof *calls);
        if (!calls)
            return 0;
        for (uint64_t i = posts->first; i < posts->next; i++)
            calls[i & (room - 1)] = posts->calls[i & (posts->room - 1)];
        free(posts->calls);
        posts->calls = calls;
        posts->room = room;
    }
    posts->first += posts->next - posts->first == posts->room;
    posts->calls[posts->next++ & (posts->room - 1)] = *post;
    return 1;
}

/* Removes the last posting call, because it was an MPI_Start of a send, and posted no receive. */
static void posts_drop(struct posts *posts)
{
    if (posts->next > posts->first)
        posts->next--;
}

/* Begins to count anew when no receive is under way: the next call posts receive `end`. */
static void posts_begin_anew(struct posts *posts)
{
    posts->first = posts->next;
    posts->shift = posts->next - posts->end;
    posts->base = posts->end;
    posts->seen = 0;
    posts->is_known = 1;
}

static int posts_all_complete(const struct posts *posts)
{
    return !posts->is_known || posts->seen == posts->end - posts->base;
}

/* Called when an MPI_Waitall that completed receives has ended. If all receives of the rank so far are complete, counts
 * its calls anew. */
static void posts_none_left(struct posts *posts)
{
    if (posts_all_complete(posts))
        posts_begin_anew(posts);
}

static const struct post post_not_known = {.time_ns = UNKNOWN};

/* Returns the earliest call that can have posted the receive. */
static const struct post *posts_find(const struct posts *posts, uint64_t number)
{
    uint64_t last = number + posts->shift;

    if (!posts->is_known || last - posts->first >= POSTS_MOST)
        return &post_not_known;
    for (uint64_t i = posts->first; i < posts->next && i <= last; i++)
        if (i == last || posts->calls[i & (posts->room - 1)].is_many)
            return &posts->calls[i & (posts->room - 1)];
    return &post_not_known;
}

/* Notes that receive `number` is complete. `by`: the number of the call that posted it, if it is known (MPI_Recv), else
 * NULL. Returns the estimated posting call. If `by` is given, or no call is known, returns a post with the time
 * UNKNOWN. The result is valid until the next posts_add. */
static const struct post *posts_complete(struct posts *posts, uint64_t number, const uint64_t *by)
{
    const struct post *post = by ? &post_not_known : posts_find(posts, number);

    if (by)
        posts->shift = *by - number;
    posts->seen++;
    if (number >= posts->end)
        posts->end = number + 1;
    if (posts->is_known && posts_all_complete(posts) && posts->next - posts->shift == posts->end)
        posts_begin_anew(posts);
    return post;
}

/* ---- The state of the pass --------------------------------------------------------------------------------------- */

/* A live call, that is, a call that is not over, or whose messages are not all matched. */
struct call {
    uint32_t lane, state;
    int64_t begin_ns, end_ns;
    uint32_t number;    /* the client's number of the call */
    uint32_t unmatched; /* messages that the call completes and that are not matched yet */
    uint32_t received;  /* messages that the call received */
    uint32_t colls;     /* collectives that the call completes; set at its end */
    uint32_t kind;      /* kind of the release below */
    int64_t release_ns; /* release by the last message that the call waited for; with PITHI_FIRST, by the first */
    struct pithlog_message message;
    /* if steps come by intervals: sends matched before the call's end was seen, linked by `next`; NONE: no such send */
    uint32_t early;
    uint32_t next;         /* next call in the queue of its lane, among the probes of a message, or in the free list */
    int is_queued;         /* 1: it may complete sends of other calls */
    uint32_t sends_left;   /* if queued: number of sends without a partner before it in the lane's list */
    uint64_t sends_before; /* number of sends of the lane up to the end of the call */
};

/* A send or receive without a partner so far, or a send in its lane's list. */
struct end {
    uint32_t lane;
    uint32_t call;              /* the live call that completes the message; NONE: no such call */
    uint32_t probes;            /* of a receive: first live call that probed its message; NONE: no such call */
    struct pithi_release begin; /* the call that contains its record */
    struct pithi_release post;  /* call that posted the receive; for a send in the list, that posted its receive */
    uint32_t traits;            /* of the call `begin`; with PITHI_SENDS_LATER, the end is in its lane's list */
    uint32_t next;              /* next in the lane's list of sends, or in the free list */
    uint64_t number;            /* in the lane's list: index among the lane's listed sends */
    int is_matched, is_void, must_wait; /* must_wait: as pithi_send_waits */
    uint64_t seen;                      /* number of ends made before this one */
    int64_t matched_ns;                 /* in the lane's list: time of the record that completed the match */
    struct pithlog_message message;
};

/* Data of an open state, in addition to its struct pithlog_open in the steps. */
struct open_call {
    uint32_t call; /* the live call; NONE: it is not live */
    uint32_t number, colls;
    uint64_t post; /* number of the call among the posting calls */
};

struct lane {
    struct open_call *open; /* [depth] */
    uint32_t depth, room;
    uint32_t first_call, last_call, queued; /* queue of calls that may complete sends */
    uint32_t first_send, last_send, sends;  /* list of sends that later calls complete */
    uint32_t sends_left;                    /* sends in the list without a partner */
    uint64_t send_count;                    /* sends of the lane so far */
    uint32_t rank;
    int is_waiting; /* 1: the lane is in the array `waiting` */
};

struct pithi_waits {
    struct pithlog *log;
    const struct pithlog_waits_query *query;
    struct pithi_waits_client client;
    unsigned *traits; /* [definitions] */
    struct lane *lanes;
    struct posts *posts; /* [ranks] */
    struct pithi_eager eager;
    struct pithi_pairs *pairs;
    struct call *calls;
    uint32_t call_count, call_room, free_call;
    struct end *ends;
    uint32_t end_count, end_room, free_end;
    uint32_t probed; /* definition of the event pith:probed; NONE: not in the log */
    struct probes probes;
    int has_calls;                    /* the log defines states of MPI calls */
    uint32_t *waiting, waiting_count; /* by intervals: the lanes with a queue; NULL: records come in the order of
                                         times */
    uint64_t seen;                    /* ends made so far */
    struct held { /* a match that is kept until the interval ends; a record of `lane` completed it */
        struct pithi_turn by;
        uint32_t lane;
        struct pithlog_message message;
    } * held;
    uint32_t held_count, held_room;
};

static int no_memory(const struct pithi_waits *p)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its wait states", p->log->path);
}

/* Makes a live call. Returns NONE if there is no memory. */
static uint32_t new_call(struct pithi_waits *p, uint32_t lane, const struct pithlog_open *state, uint32_t number)
{
    uint32_t at = p->free_call;

    if (at != NONE)
        p->free_call = p->calls[at].next;
    else if (pithi_grow(&p->calls, p->call_count, &p->call_room, sizeof *p->calls))
        at = p->call_count++;
    else
        return NONE;
    p->calls[at] = (struct call){.lane = lane,
                                 .state = state->id,
                                 .number = number,
                                 .begin_ns = state->start_ns,
                                 .end_ns = UNKNOWN,
                                 .release_ns = p->traits[state->id] & PITHI_FIRST ? INT64_MAX : state->start_ns,
                                 .early = NONE,
                                 .next = NONE};
    return at;
}

static uint32_t new_end(struct pithi_waits *p, const struct pithlog_record *r)
{
    uint32_t at = p->free_end;

    if (at != NONE)
        p->free_end = p->ends[at].next;
    else if (pithi_grow(&p->ends, p->end_count, &p->end_room, sizeof *p->ends))
        at = p->end_count++;
    else
        return NONE;
    p->ends[at] = (struct end){.lane = r->lane,
                               .call = NONE,
                               .probes = NONE,
                               .begin = {r->time_ns, r->lane, NONE},
                               .post = {UNKNOWN, r->lane, NONE},
                               .seen = p->seen++,
                               .next = NONE};
    return at;
}

static void free_end(struct pithi_waits *p, uint32_t at)
{
    p->ends[at].next = p->free_end;
    p->free_end = at;
}

/* ---- Reporting --------------------------------------------------------------------------------------------------- */

/* Notes that a message releases a call, and keeps the call's decisive release. A call may have several releases:
 * MPI_Waitall with releases at 20, 50 and 40 waits until 50, the latest; MPI_Waitany that began at 10 waits until 20,
 * the earliest. Of two releases at the same time, the late sender's is decisive. `must_wait`: 1: the message could not
 * be buffered; 0: it could; -1: not known. `posted_ns`: see waits.h. */
static void release(struct pithi_waits *p, struct call *call, uint32_t kind, const struct pithi_release *by,
                    const struct pithlog_message *message, int must_wait, int64_t posted_ns)
{
    int64_t time_ns = by->time_ns;
    int is_first = p->traits[call->state] & PITHI_FIRST;

    if (p->client.need && (must_wait > 0 || time_ns > call->begin_ns))
        p->client.need(p->client.context, call->lane, call->number, kind, by, message->bytes, posted_ns);
    else if (p->client.need && must_wait < 0 && message->bytes >= PITHI_EAGER_LEAST)
        p->client.need(p->client.context, call->lane, call->number, PITHLOG_WAIT_FOR_PROGRESS, by, message->bytes,
                       UNKNOWN);

    if (time_ns == call->release_ns ? kind != PITHLOG_LATE_SENDER || call->kind != PITHLOG_LATE_RECEIVER
                                    : (time_ns > call->release_ns) == (is_first != 0))
        return;
    call->release_ns = time_ns;
    call->kind = kind;
    call->message = *message;
}

/* Reports and frees a call that is over and whose messages are all matched. */
static void finish(struct pithi_waits *p, uint32_t at)
{
    struct call *call = &p->calls[at];
    int64_t to_ns = call->release_ns < call->end_ns ? call->release_ns : call->end_ns;

    if (call->end_ns == UNKNOWN || call->unmatched || call->is_queued)
        return;
    if (p->client.tell && call->kind && to_ns > call->begin_ns)
        p->client.tell(p->client.context, &(struct pithlog_wait){.kind = call->kind,
                                                                 .lane = call->lane,
                                                                 .state = call->state,
                                                                 .from_ns = call->begin_ns,
                                                                 .to_ns = to_ns,
                                                                 .message = call->message});
    call->end_ns = UNKNOWN;
    call->next = p->free_call;
    p->free_call = at;
}

/* ---- Sends that a later call completes --------------------------------------------------------------------------- */

/* Removes from the lane's list the sends that this call can have completed, and that were matched by the time by_ns.
 *
 * The call is over. All sends before it are matched, unless too many calls are queued (QUEUE_MOST). A send whose
 * receive was posted after the end of the call stays in the list for a later call. MPI_Wait completes one request, so
 * if it completed a receive or a collective, it completed no send. */
static void complete_sends(struct pithi_waits *p, struct lane *lane, struct call *call, int64_t by_ns)
{
    unsigned traits = p->traits[call->state];
    uint32_t before = NONE, next, others = call->received + call->colls;

    if (traits & PITHI_ONE && others)
        return;
    for (uint32_t at = lane->first_send; at != NONE; at = next) {
        struct end *send = &p->ends[at];
        next = send->next;
        if (send->number >= call->sends_before)
            break;
        if (!send->is_matched || send->matched_ns > by_ns || (!send->is_void && send->post.time_ns > call->end_ns)) {
            before = at;
            continue;
        }
        if (!send->is_void && (send->must_wait > 0 || !others) && !(traits & PITHI_FIRST && others))
            release(p, call, PITHLOG_LATE_RECEIVER, &send->post, &send->message, send->must_wait, UNKNOWN);
        *(before == NONE ? &lane->first_send : &p->ends[before].next) = next;
        if (lane->last_send == at)
            lane->last_send = before;
        lane->sends--;
        int was_void = send->is_void;
        free_end(p, at);
        if (traits & PITHI_ONE && !was_void)
            break;
    }
}

/* Removes the call at the front of the queue, after it has completed its sends. */
static void leave_queue(struct pithi_waits *p, struct lane *lane, int64_t by_ns)
{
    uint32_t at = lane->first_call;
    struct call *call = &p->calls[at];

    complete_sends(p, lane, call, by_ns);
    lane->first_call = call->next;
    lane->queued--;
    call->is_queued = 0;
    finish(p, at);
}

/* Removes calls from the front of the queue as long as all sends before them are matched. */
static void look_at_queue(struct pithi_waits *p, struct lane *lane)
{
    while (lane->first_call != NONE && (p->calls[lane->first_call].sends_left == 0 || lane->queued > QUEUE_MOST))
        leave_queue(p, lane, INT64_MAX);
}

/* Returns 1 if all sends of the lane before the call are matched. */
static int are_matched(const struct pithi_waits *p, const struct lane *lane, const struct call *call)
{
    for (uint32_t at = lane->first_send; at != NONE && p->ends[at].number < call->sends_before; at = p->ends[at].next)
        if (!p->ends[at].is_matched)
            return 0;
    return 1;
}

/* At the end of an interval, handles the queued calls of a lane for which the result is known now. Within an interval
 * records come lane by lane, and look_at_queue, which needs the order of times, is not called. The result is the same
 * as in that order: the call at the front leaves the queue when QUEUE_MOST calls after it are over, and ignores sends
 * that are matched later. */
static void look_at_interval(struct pithi_waits *p, struct lane *lane)
{
    uint32_t later = lane->first_call;

    for (uint32_t i = 0; i < QUEUE_MOST && later != NONE; i++)
        later = p->calls[later].next;
    while (lane->first_call != NONE && (later != NONE || are_matched(p, lane, &p->calls[lane->first_call]))) {
        int64_t by_ns = later != NONE ? p->calls[later].end_ns : INT64_MAX;
        later = later != NONE ? p->calls[later].next : NONE;
        leave_queue(p, lane, by_ns);
    }
}

static void put_into_queue(struct pithi_waits *p, struct lane *lane, uint32_t at)
{
    struct call *call = &p->calls[at];

    call->is_queued = 1;
    call->sends_left = lane->sends_left;
    call->sends_before = lane->send_count;
    *(lane->first_call == NONE ? &lane->first_call : &p->calls[lane->last_call].next) = at;
    lane->last_call = at;
    lane->queued++;
    if (!p->waiting)
        look_at_queue(p, lane);
    else if (!lane->is_waiting)
        p->waiting[p->waiting_count++] = call->lane;
    lane->is_waiting = p->waiting != NULL;
}

static void put_into_list(struct pithi_waits *p, struct lane *lane, uint32_t at)
{
    p->ends[at].number = lane->send_count++;
    *(lane->first_send == NONE ? &lane->first_send : &p->ends[lane->last_send].next) = at;
    lane->last_send = at;
    lane->sends++;
    lane->sends_left++;
}

/* Notes that a send in the lane's list is matched at the time by_ns, and removes calls from the queue that waited for
 * this. */
static void matched_later(struct pithi_waits *p, struct end *send, const struct pithi_release *post,
                          const struct pithlog_message *message, int64_t by_ns)
{
    struct lane *lane = &p->lanes[send->lane];

    send->is_matched = 1;
    send->is_void = post->time_ns == UNKNOWN;
    send->post = *post;
    send->message = *message;
    send->matched_ns = by_ns;
    lane->sends_left--;
    if (p->waiting)
        return;
    for (uint32_t at = lane->first_call; at != NONE; at = p->calls[at].next)
        if (send->number < p->calls[at].sends_before && p->calls[at].sends_left)
            p->calls[at].sends_left--;
    look_at_queue(p, lane);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Does the second half of the work of `join`: releases the sending call if it waited for the receive, and frees the
 * send. */
static void join_send(struct pithi_waits *p, uint32_t at, const struct pithi_release *post,
                      const struct pithlog_message *message)
{
    struct end *send = &p->ends[at];

    if (send->call != NONE) {
        struct call *call = &p->calls[send->call];
        if (post->time_ns != UNKNOWN && !(send->traits & PITHI_BUFFERED) &&
            (call->end_ns == UNKNOWN || call->end_ns >= post->time_ns || send->must_wait > 0) &&
            pithi_message_reaches(message, p->query->from_ns, p->query->to_ns))
            release(p, call, PITHLOG_LATE_RECEIVER, post, message, send->must_wait, UNKNOWN);
        call->unmatched--;
        finish(p, send->call);
    }
    free_end(p, at);
}

/* Called when the end of the call is seen: handles its sends that were matched before. */
static void join_sends(struct pithi_waits *p, uint32_t call)
{
    for (uint32_t at = p->calls[call].early, next; at != NONE; at = next) {
        struct end send = p->ends[at];
        next = send.next;
        p->calls[call].early = next;
        join_send(p, at, &send.post, &send.message);
    }
}

/* Handles a matched message and frees its ends, except a send that a later call completes. `by_ns`: the time of the
 * record that completed the match.
 *
 * A sending call that was over when the receive was posted did not wait for the receive. So the end of the sending call
 * must be known. If records come in the order of times, a call whose end was not seen is still open. If records come by
 * intervals, the end may only not be read yet; then the send is kept for join_sends. */
static void join(struct pithi_waits *p, struct pithlog_message message, int64_t by_ns)
{
    uint32_t send_at = message.send_lane, recv_at = message.recv_lane;
    struct end *send = &p->ends[send_at], *recv = &p->ends[recv_at];

    ++*p->client.matched;
    message.send_lane = send->lane;
    message.recv_lane = recv->lane;
    int is_wanted = pithi_message_reaches(&message, p->query->from_ns, p->query->to_ns);
    if (recv->call != NONE) {
        struct call *call = &p->calls[recv->call];
        if (is_wanted)
            release(p, call, PITHLOG_LATE_SENDER, &send->begin, &message, 1,
                    recv->post.lane == recv->lane ? recv->post.time_ns : UNKNOWN);
        call->unmatched--;
        finish(p, recv->call);
    }
    for (uint32_t at = recv->probes, next; at != NONE; at = next) {
        next = p->calls[at].next;
        if (is_wanted)
            release(p, &p->calls[at], PITHLOG_LATE_SENDER, &send->begin, &message, 1, UNKNOWN);
        p->calls[at].unmatched--;
        finish(p, at);
    }
    if (send->traits & PITHI_SENDS_LATER) {
        if (!is_wanted)
            recv->post.time_ns = UNKNOWN;
        matched_later(p, send, &recv->post, &message, by_ns);
    } else if (p->waiting && send->call != NONE && p->calls[send->call].end_ns == UNKNOWN) {
        send->message = message;
        send->post = recv->post;
        send->next = p->calls[send->call].early;
        p->calls[send->call].early = send_at;
    } else {
        join_send(p, send_at, &recv->post, &message);
    }
    free_end(p, recv_at);
}

/* Takes a matched message. Returns 0 if there is no memory.
 *
 * If a call receives several messages, the order of their matches matters. So if records come by intervals, such
 * matches are kept until the interval ends. Then they are handled in the order in which records by time would complete
 * them: at the receive, when it has its turn, or at the send, if the send is later. */
static int take_match(struct pithi_waits *p, const struct pithlog_message *message)
{
    const struct end *send = &p->ends[message->send_lane], *recv = &p->ends[message->recv_lane];
    struct pithi_turn turn = pithi_pairs_turn(p->pairs);
    struct held match = {.by = turn, .lane = recv->lane, .message = *message};

    if (message->send_ns > turn.time_ns || (message->send_ns == turn.time_ns && send->lane > recv->lane)) {
        match.by = (struct pithi_turn){message->send_ns, send->seen};
        match.lane = send->lane;
    }
    if (!p->waiting || recv->call == NONE ||
        (p->has_calls && p->traits[p->calls[recv->call].state] & (PITHI_ONE | PITHI_RECEIVES))) {
        join(p, *message, match.by.time_ns);
        return 1;
    }
    if (!pithi_grow(&p->held, p->held_count, &p->held_room, sizeof *p->held))
        return 0;
    p->held[p->held_count++] = match;
    return 1;
}

static int by_match(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    return x->by.time_ns != y->by.time_ns ? (x->by.time_ns < y->by.time_ns ? -1 : 1)
           : x->lane != y->lane           ? (x->lane < y->lane ? -1 : 1)
                                          : (x->by.number > y->by.number) - (x->by.number < y->by.number);
}

static void join_held(struct pithi_waits *p)
{
    if (p->held_count > 1)
        qsort(p->held, p->held_count, sizeof *p->held, by_match);
    for (uint32_t i = 0; i < p->held_count; i++)
        join(p, p->held[i].message, p->held[i].by.time_ns);
    p->held_count = 0;
}

int pithi_waits_interval_ends(struct pithi_waits *p)
{
    uint32_t kept = 0;

    if (!p->waiting && !(p->waiting = malloc((p->log->info.lanes + (size_t)1) * sizeof *p->waiting)))
        return no_memory(p);
    join_held(p);
    for (uint32_t i = 0; i < p->waiting_count; i++) {
        struct lane *lane = &p->lanes[p->waiting[i]];
        look_at_interval(p, lane);
        lane->is_waiting = lane->first_call != NONE;
        if (lane->is_waiting)
            p->waiting[kept++] = p->waiting[i];
    }
    p->waiting_count = kept;
    return PITH_OK;
}

static int pair(struct pithi_waits *p, const struct pithlog_record *r, uint32_t end)
{
    struct pithlog_message message;
    int status = pithi_pairs_take(p->pairs, r, end, &message);

    if (status > 0 && !take_match(p, &message))
        status = -1;
    while (status >= 0 && (status = pithi_pairs_more(p->pairs, &message)) > 0)
        status = take_match(p, &message) ? status : -1;
    return status < 0 ? no_memory(p) : PITH_OK;
}

/* Call this function at the end of the log. Handles receives whose predecessors are missing, and reports calls that are
 * still open or miss a partner. */
int pithi_waits_end(struct pithi_waits *p)
{
    struct pithlog_message message;
    int status;

    join_held(p);
    while ((status = pithi_pairs_rest(p->pairs, &message)) > 0)
        join(p, message, INT64_MAX);
    for (uint32_t i = 0; i < p->log->info.lanes; i++) {
        struct lane *lane = &p->lanes[i];
        for (uint32_t k = 0; k < lane->depth; k++)
            if (lane->open[k].call != NONE)
                p->calls[lane->open[k].call].end_ns = p->log->info.end_ns;
        for (uint32_t at = lane->first_call; at != NONE; at = p->calls[at].next)
            p->calls[at].sends_left = 0;
        look_at_queue(p, lane);
    }
    free(p->waiting);
    p->waiting = NULL;
    for (uint32_t i = 0; i < p->call_count; i++)
        join_sends(p, i);
    for (uint32_t i = 0; i < p->call_count; i++) {
        p->calls[i].unmatched = 0;
        finish(p, i);
    }
    return status < 0 ? no_memory(p) : PITH_OK;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int begin_state(struct pithi_waits *p, const struct pithlog_step *step, uint32_t number)
{
    struct lane *lane = &p->lanes[step->lane];
    unsigned traits = p->traits[step->record->id];

    if (!pithi_grow(&lane->open, step->depth, &lane->room, sizeof *lane->open))
        return no_memory(p);
    lane->depth = step->depth + 1;
    lane->open[step->depth].call = NONE;
    if (!traits)
        return PITH_OK;
    struct posts *posts = &p->posts[lane->rank];
    lane->open[step->depth] = (struct open_call){NONE, number, 0, posts->next};
    if (traits & (PITHI_POSTS | PITHI_MAY_POST | PITHI_POSTS_MANY) &&
        !posts_add(posts, &(struct post){step->record->time_ns, step->lane, number, (traits & PITHI_POSTS_MANY) != 0}))
        return no_memory(p);
    return PITH_OK;
}

static int end_state(struct pithi_waits *p, const struct pithlog_step *step)
{
    struct lane *lane = &p->lanes[step->lane];
    unsigned traits = p->traits[step->open[step->at].id];

    lane->depth = step->depth - 1;
    if (!traits && step->at == lane->depth)
        return PITH_OK;
    struct open_call left = lane->open[step->at];
    if (step->at < lane->depth)
        memmove(&lane->open[step->at], &lane->open[step->at + 1], (lane->depth - step->at) * sizeof *lane->open);
    if (!traits || step->why & PITHLOG_DISCARDED ||
        (left.call == NONE && (!(traits & PITHI_COMPLETES) || !lane->sends)))
        return PITH_OK;
    if (left.call == NONE && (left.call = new_call(p, step->lane, &step->open[step->at], left.number)) == NONE)
        return no_memory(p);
    p->calls[left.call].end_ns = step->record->time_ns;
    p->calls[left.call].colls = left.colls;
    p->calls[left.call].unmatched++; /* so that join_sends does not finish the call, which is used below */
    join_sends(p, left.call);
    p->calls[left.call].unmatched--;
    if (traits & PITHI_LEAVES_NONE && p->calls[left.call].received)
        posts_none_left(&p->posts[lane->rank]);
    if (traits & PITHI_COMPLETES && lane->sends)
        put_into_queue(p, lane, left.call);
    else
        finish(p, left.call);
    return PITH_OK;
}

/* Finds the innermost open MPI call of a lane. Sets *state to its state, and returns its data. Returns NULL if no MPI
 * call is open. */
static struct open_call *innermost(const struct pithi_waits *p, const struct pithlog_step *step,
                                   const struct pithlog_open **state)
{
    for (uint32_t i = step->depth; i > 0; i--)
        if (p->traits[step->open[i - 1].id]) {
            *state = &step->open[i - 1];
            return &p->lanes[step->lane].open[i - 1];
        }
    return NULL;
}

/* Makes the call live. Returns its index, or NONE if there is no memory. */
static uint32_t live(struct pithi_waits *p, uint32_t lane, struct open_call *open, const struct pithlog_open *state)
{
    if (open->call == NONE)
        open->call = new_call(p, lane, state, open->number);
    return open->call;
}

static int take_send(struct pithi_waits *p, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    const struct pithlog_open *state = NULL;
    struct lane *lane = &p->lanes[r->lane];
    struct posts *posts = &p->posts[lane->rank];
    struct open_call *open = innermost(p, step, &state);
    unsigned traits = open ? p->traits[state->id] : 0;
    uint32_t at;

    if (traits & PITHI_MAY_POST && posts->next == open->post + 1)
        posts_drop(posts);
    if (r->peer < 0 || !pithi_pairs_want(p->pairs, r))
        return PITH_OK;
    if ((at = new_end(p, r)) == NONE)
        return no_memory(p);
    struct end *end = &p->ends[at];
    if (open) {
        end->begin = (struct pithi_release){state->start_ns, r->lane, open->number};
        end->traits = traits;
        int waits = pithi_send_waits(&p->eager, p->log, r, traits);
        if (waits == 0 || lane->sends == LATER_MOST)
            end->traits &= ~(unsigned)PITHI_SENDS_LATER;
        end->must_wait = waits;
        if (end->traits & PITHI_SENDS_LATER)
            put_into_list(p, lane, at);
        else if (!(traits & (PITHI_SENDS_LATER | PITHI_BUFFERED)) &&
                 (end->call = live(p, r->lane, open, state)) == NONE)
            return no_memory(p);
        if (end->call != NONE)
            p->calls[end->call].unmatched++;
    }
    return pair(p, r, at);
}

static int take_recv(struct pithi_waits *p, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    const struct pithlog_open *state = NULL;
    struct open_call *open = innermost(p, step, &state);
    unsigned traits = open ? p->traits[state->id] : 0;
    const struct post *post = posts_complete(&p->posts[p->lanes[r->lane].rank], r->posted,
                                             traits & PITHI_RECEIVES && traits & PITHI_POSTS ? &open->post : NULL);
    uint32_t call = NONE, at;

    if (r->peer >= 0 && open) {
        if ((call = live(p, r->lane, open, state)) == NONE)
            return no_memory(p);
        p->calls[call].received++;
    }
    if (!pithi_pairs_want(p->pairs, r))
        return PITH_OK;
    if ((at = new_end(p, r)) == NONE)
        return no_memory(p);
    struct pithi_release *posted = &p->ends[at].post;
    *posted = traits & PITHI_RECEIVES ? (struct pithi_release){state->start_ns, r->lane, open->number}
                                      : (struct pithi_release){post->time_ns, post->lane, post->call};
    p->ends[at].call = call;
    if (call != NONE)
        p->calls[call].unmatched++;
    while ((call = probes_take(&p->probes, p->lanes[r->lane].rank, r, posted->time_ns)) != NONE) {
        p->calls[call].next = p->ends[at].probes;
        p->ends[at].probes = call;
    }
    return pair(p, r, at);
}

static int take_event(struct pithi_waits *p, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    const struct pithlog_open *state = NULL;
    struct open_call *open = innermost(p, step, &state);

    if (r->id != p->probed || r->payload_bytes != 8 || !open || (open->call != NONE && p->calls[open->call].unmatched))
        return PITH_OK;
    if (live(p, r->lane, open, state) == NONE)
        return no_memory(p);
    p->calls[open->call].unmatched = 1;
    return probes_add(&p->probes, p->lanes[r->lane].rank, r, state->start_ns, open->call) ? PITH_OK : no_memory(p);
}

void pithi_waits_completes_coll(struct pithi_waits *p, const struct pithlog_step *step)
{
    const struct pithlog_open *state;
    struct open_call *open = innermost(p, step, &state);

    if (open)
        open->colls++;
}

int pithi_waits_take(struct pithi_waits *p, const struct pithlog_step *step, uint32_t number)
{
    if (step->change == PITHLOG_BEGINS)
        return begin_state(p, step, number);
    if (step->change == PITHLOG_ENDS)
        return end_state(p, step);
    if (step->change != PITHLOG_HAPPENS)
        return PITH_OK;
    switch (step->record->kind) {
    case PITHLOG_SEND:
        return take_send(p, step);
    case PITHLOG_RECV:
        return take_recv(p, step);
    case PITHLOG_EVENT:
        return take_event(p, step);
    default:
        return PITH_OK;
    }
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

static int prepare(struct pithi_waits *p)
{
    const struct pithlog_info *info = pithlog_get_info(p->log);
    unsigned found = 0;

    p->traits = calloc(info->defs + (size_t)1, sizeof *p->traits);
    p->lanes = calloc(info->lanes + (size_t)1, sizeof *p->lanes);
    p->posts = calloc(pithi_log_ranks(p->log) + (size_t)1, sizeof *p->posts);
    if (!p->traits || !p->lanes || !p->posts)
        return no_memory(p);
    for (uint32_t i = 0; i < info->defs; i++)
        found |= p->traits[i] = pithi_mpi_call_traits(pithlog_get_def(p->log, i));
    p->has_calls = found != 0;
    p->probed = probed_event(p->log);
    for (uint32_t i = 0; !found && i < info->defs; i++)
        p->traits[i] = pithlog_get_def(p->log, i)->kind == PITHLOG_STATE ? PITHI_CALL | PITHI_RECEIVES : 0;
    for (uint32_t i = 0; i < info->lanes; i++)
        p->lanes[i] = (struct lane){.first_call = NONE, .first_send = NONE, .rank = pithi_log_rank_of(p->log, i)};
    pithi_eager_of_log(p->log, &p->eager);
    return PITH_OK;
}

void pithi_waits_close(struct pithi_waits *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; p->lanes && i < pithlog_get_info(p->log)->lanes; i++)
        free(p->lanes[i].open);
    for (uint32_t i = 0; p->posts && i < pithi_log_ranks(p->log); i++)
        posts_free(&p->posts[i]);
    free(p->traits);
    free(p->lanes);
    free(p->posts);
    pithi_pairs_close(p->pairs);
    free(p->calls);
    free(p->ends);
    free(p->waiting);
    free(p->held);
    probes_free(&p->probes);
    free(p);
}

int pithi_waits_open(struct pithlog *log, const struct pithlog_waits_query *query,
                     const struct pithi_waits_client *client, struct pithlog_query *records, struct pithi_waits **waits)
{
    struct pithi_waits *p = *waits = calloc(1, sizeof *p);
    int err;

    *records = (struct pithlog_query){
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
    if (!p)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its wait states", log->path);
    *p = (struct pithi_waits){.log = log, .query = query, .client = *client, .free_call = NONE, .free_end = NONE};
    TRY(prepare(p));
    records->kinds |= p->probed != NONE ? 1u << PITHLOG_EVENT : 0;
    if (query->digest)
        TRY(pithi_pairs_open_window(log, query->digest, query->from_ns, query->to_ns, &records->from_ns,
                                    &records->to_ns, &p->pairs));
    if (p->pairs) {
        records->flags = PITHLOG_CLIP;
        return PITH_OK;
    }
    records->from_ns = INT64_MIN;
    records->to_ns = INT64_MAX;
    TRY((p->pairs = pithi_pairs_open(log)) ? PITH_OK : no_memory(p));
    for (uint32_t i = 0; i < pithi_log_ranks(log); i++)
        p->posts[i].is_known = !pithi_match_incomplete(log);
    return PITH_OK;
out:
    pithi_waits_close(p);
    *waits = NULL;
    return err;
}

unsigned pithi_waits_traits(const struct pithi_waits *p, uint32_t state) { return p->traits[state]; }

void pithi_waits_missing(struct pithi_waits *p, uint32_t lane) { pithi_pairs_missing(p->pairs, lane); }

/* ---- The whole log at once --------------------------------------------------------------------------------------- */

static void wait_missing(void *waits, uint32_t lane) { pithi_waits_missing(waits, lane); }

static int wait_step(void *waits, const struct pithlog_step *step) { return pithi_waits_take(waits, step, 0); }

int pithlog_waits(struct pithlog *log, const struct pithlog_waits_query *query,
                  void (*tell)(void *context, const struct pithlog_wait *wait), void *context)
{
    uint64_t matched = 0;
    struct pithi_waits_client client = {.tell = tell, .matched = &matched, .context = context};
    struct pithi_waits *waits;
    struct pithlog_query records;
    int err = pithi_waits_open(log, query, &client, &records, &waits), damaged;

    if (err)
        return err;
    if (records.from_ns <= records.to_ns) {
        struct pithi_reading reading = {.take = wait_step,
                                        .missing = wait_missing,
                                        .context = waits,
                                        .progress = query->progress,
                                        .progress_context = query->context};
        damaged = pithi_read_steps(log, &records, &reading);
        err = damaged && damaged != PITH_ERR_DAMAGED ? damaged : pithi_waits_end(waits);
        err = err ? err : damaged;
    }
    pithi_waits_close(waits);
    return err;
}
