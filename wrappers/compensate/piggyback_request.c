/* piggyback_request.c - the data that compensation keeps for requests (handles/request.h), that is, headers, copies and
 * datatypes; and what it does when requests are started, completed and freed. A mutex protects the shared data; it
 * costs nothing unless several threads may be in MPI at once.
 *
 * With second messages (PITH_COMPENSATE=message), the header of a message is a message of its own. MPI keeps headers in
 * the order of their messages, so headers must be received in the order in which the receives were posted, and not in
 * the order in which the receives end:
 *
 *     posted    A, then B, both from rank 1 with tag 5
 *     B ends    the first header that comes is A's: it is received and kept with A, then B's
 *     A ends    its header was received already (has_second_message)
 *
 * A program may free a request that is still active, but MPI still needs the recorder's buffers and datatypes for this
 * request. So MPI gets another request to free, and the program's request is kept until it is complete.
 */
#include "piggyback.h"

#include "base/say.h"
#include "own.h"
#include "real.h"
#include "rendezvous.h"
#include "type_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pithi_piggyback_entry *unused;                     /* freed entries, linked */
static struct pithi_piggyback_entry *first_listed, *last_listed; /* active receives of all communicators */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- Entries ----------------------------------------------------------------------------------------------------- */

int pithi_piggyback_entry_client;

static struct pithi_piggyback_entry **slot_of(struct pithi_request *request)
{
    return pithi_request_data(request, pithi_piggyback_entry_client);
}

static void close_entered(struct pithi_piggyback_entry *entry);

/* Called if a new request has the handle of an older request in the table. Open requests never share a handle, except
 * sends. So if the older request is a receive or persistent, MPI has dropped it after an error. Returns 1 if the older
 * request's entry was closed. */
static int reused(void *data)
{
    struct pithi_piggyback_entry *entry = *(struct pithi_piggyback_entry **)data;
    if (!entry->is_persistent && !entry->receives)
        return 0;
    close_entered(entry); /* the library no longer uses its buffers */
    return 1;
}

void pithi_piggyback_entry_begin(void)
{
    static const struct pithi_request_client compensation = {.size_bytes = sizeof(struct pithi_piggyback_entry *),
                                                             .before = pithi_piggyback_completion_begins,
                                                             .completed = pithi_piggyback_completed,
                                                             .reused = reused};
    pithi_piggyback_entry_client = pithi_request_register(&compensation);
}

/* Returns one of a few static entries; used if there is no memory. When such an entry is closed, it goes to the unused
 * entries. */
static struct pithi_piggyback_entry *take_reserve(void)
{
    enum { RESERVE = 256 };
    static struct pithi_piggyback_entry reserve[RESERVE];
    static int taken, is_reported;
    struct pithi_piggyback_entry *entry = NULL;
    int is_first;
    pithi_lock(&mutex);
    if (taken < RESERVE)
        entry = &reserve[taken++];
    is_first = !entry && !is_reported;
    is_reported |= is_first;
    pithi_unlock(&mutex);
    if (is_first)
        pithi_say("PITH_COMPENSATE: no memory for the headers of requests: MPI refuses them");
    return entry;
}

/* Makes the entry before MPI makes the request, because after MPI has made it, nothing may fail any more. Returns NULL
 * if there is no memory; the call is then refused. */
struct pithi_piggyback_entry *pithi_piggyback_entry_new(struct pithi_handle *comm)
{
    pithi_lock(&mutex);
    struct pithi_piggyback_entry *entry = unused;
    if (entry)
        unused = entry->next;
    pithi_unlock(&mutex);
    if (!entry && !(entry = malloc(sizeof *entry)))
        entry = take_reserve();
    if (!entry)
        return NULL;
    memset(entry, 0, sizeof *entry);
    entry->comm = comm;
    entry->out_type = entry->in_type = MPI_DATATYPE_NULL;
    /* The entry's place in the table of requests is also reserved now. */
    if (!pithi_request_reserve()) {
        close_entered(entry);
        return NULL;
    }
    entry->is_reserved = 1;
    return entry;
}

/* Takes a receive out of the list of active receives. The caller holds the mutex. */
static void unlist(struct pithi_piggyback_entry *entry)
{
    if (!entry->is_listed)
        return;
    *(entry->before ? &entry->before->behind : &first_listed) = entry->behind;
    *(entry->behind ? &entry->behind->before : &last_listed) = entry->before;
    entry->is_listed = 0;
    pithi_handle_hold(entry->comm, PITHI_CLIENT_COMPENSATION, -1);
}

/* Enters the entry in the table under the key of the request's handle. Cannot fail, because its place is reserved. */
void pithi_piggyback_entry_enter(struct pithi_piggyback_entry *entry, uint64_t key)
{
    struct pithi_request *request = pithi_request_open_reserved(key, pithi_piggyback_entry_client);
    *slot_of(request) = entry;
    entry->request = request;
    entry->is_reserved = 0;
    pithi_request_close();
}

struct pithi_piggyback_entry *pithi_piggyback_entry_find(uint64_t key)
{
    struct pithi_request *request = pithi_request_find(key, pithi_piggyback_entry_client);
    return request ? *slot_of(request) : NULL;
}

/* Like find, but no other call gets the request until this call has unclaimed or forgotten the request. */
struct pithi_piggyback_entry *pithi_piggyback_entry_claim(uint64_t key)
{
    struct pithi_request *request = pithi_request_claim(key, 1u << pithi_piggyback_entry_client);
    return request ? *slot_of(request) : NULL;
}

struct pithi_piggyback_entry *pithi_piggyback_entry_of(struct pithi_request *request) { return *slot_of(request); }

void pithi_piggyback_entry_keep_comm(struct pithi_piggyback_entry *entry)
{
    entry->keeps_comm = 1;
    pithi_handle_hold(entry->comm, PITHI_CLIENT_COMPENSATION, 1);
}

/* Frees what the entry owns, and keeps the entry itself for another request. The entry must not be in the table any
 * more. */
static void close_entered(struct pithi_piggyback_entry *entry)
{
    if (entry->keeps_comm)
        pithi_handle_hold(entry->comm, PITHI_CLIENT_COMPENSATION, -1);
    if (entry->out_type != MPI_DATATYPE_NULL)
        REAL(MPI_Type_free)(&entry->out_type);
    if (entry->in_type != MPI_DATATYPE_NULL)
        REAL(MPI_Type_free)(&entry->in_type);
    if (entry->arriving.memory)
        pithi_part_arriving_end(&entry->arriving);
    if (entry->pcoll)
        pithi_pcoll_drop(entry->pcoll);
    free(entry->copied);
    pithi_lock(&mutex);
    unlist(entry);
    entry->next = unused;
    unused = entry;
    pithi_unlock(&mutex);
}

void pithi_piggyback_entry_close(struct pithi_piggyback_entry *entry)
{
    if (entry->request)
        pithi_request_forget(entry->request, pithi_piggyback_entry_client);
    if (entry->is_reserved)
        pithi_request_unreserve();
    close_entered(entry);
}

/* ---- Second messages --------------------------------------------------------------------------------------------- */

/* Adds a receive at the end of the list, which is in the order of posting. */
void pithi_piggyback_entry_list(struct pithi_piggyback_entry *entry)
{
    pithi_lock(&mutex);
    unlist(entry);
    entry->before = last_listed;
    entry->behind = NULL;
    *(last_listed ? &last_listed->behind : &first_listed) = entry;
    last_listed = entry;
    entry->is_listed = 1;
    entry->has_second_message = 0;
    pithi_handle_hold(entry->comm, PITHI_CLIENT_COMPENSATION, 1);
    pithi_unlock(&mutex);
}

/* See piggyback.h. Receives in the list before `entry` that have the same source and tag get their headers first. */
int pithi_piggyback_receive_header(struct pithi_handle *comm, struct pithi_piggyback_entry *entry, int from, int tag,
                                   struct pithi_header *header)
{
    int good = 1;
    pithi_lock(&mutex);
    for (struct pithi_piggyback_entry *other = first_listed; good && other && other != entry; other = other->behind)
        if (other->comm == comm && other->from == from && other->tag == tag && !other->has_second_message) {
            good = pithi_second_recv(pithi_shadow_of(comm), &other->in, from, tag);
            other->has_second_message = (uint8_t)good;
        }
    if (entry && entry->has_second_message)
        *header = entry->in;
    else
        good = good && pithi_second_recv(pithi_shadow_of(comm), header, from, tag);
    if (entry) {
        unlist(entry);
        entry->has_second_message = 0;
    }
    pithi_unlock(&mutex);
    return good;
}

/* ---- Requests that the program has freed ------------------------------------------------------------------------- */

struct kept {
    struct pithi_piggyback_entry *entry;
    MPI_Request handle; /* the request's handle in MPI */
    struct kept *next;
};
static struct kept *all_kept; /* a list; protected by the mutex */
static int kept_count;        /* atomic */

/* The request that MPI gets to free is a new persistent receive that is never started. It is not a receive from
 * MPI_PROC_NULL, because after freeing such a request, MPICH 4.0.2 hangs in a persistent collective. */
MPI_Request pithi_piggyback_entry_keep(struct pithi_piggyback_entry *entry, MPI_Request handle)
{
    MPI_Request nothing = MPI_REQUEST_NULL;
    struct kept *kept = malloc(sizeof *kept);
    if (!kept || REAL(MPI_Recv_init)(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &nothing) != MPI_SUCCESS) {
        free(kept);
        return MPI_REQUEST_NULL;
    }
    *kept = (struct kept){entry, handle, NULL};
    /* The program has freed the handle, so a search for this handle must not find the entry any more. */
    pithi_request_forget(entry->request, pithi_piggyback_entry_client);
    entry->request = NULL;
    pithi_lock(&mutex);
    kept->next = all_kept;
    all_kept = kept;
    __atomic_add_fetch(&kept_count, 1, __ATOMIC_RELAXED);
    pithi_unlock(&mutex);
    return nothing;
}

/* Tests a kept request. If it is complete, receives and discards its header, frees it, and returns 1. Otherwise returns
 * 0. */
static int is_over(struct kept *kept)
{
    struct pithi_piggyback_entry *entry = kept->entry;
    struct pithi_header header;
    MPI_Status status;
    int done = 0, flag = 0;
    if (REAL(MPI_Request_get_status)(kept->handle, &done, &status) != MPI_SUCCESS || !done)
        return 0;
    if (entry->is_cancelled)
        REAL(MPI_Test_cancelled)(&status, &flag);
    if (entry->arriving.memory && !flag)
        pithi_part_arrived(&entry->arriving, &header);
    /* Receives the header that was sent beside the message, because otherwise a later receive would take it for the
     * header of its own message. */
    else if (entry->receives && !entry->has_header && !flag)
        pithi_piggyback_receive_header(entry->comm, entry,
                                       entry->from == MPI_ANY_SOURCE ? status.MPI_SOURCE : entry->from,
                                       entry->tag == MPI_ANY_TAG ? status.MPI_TAG : entry->tag, &header);
    REAL(MPI_Request_free)(&kept->handle);
    return 1;
}

/* See piggyback.h. Tests the first request of the list. If it is still active, moves it to the end of the list. */
void pithi_piggyback_entry_look(int all)
{
    if (!__atomic_load_n(&kept_count, __ATOMIC_RELAXED))
        return;
    do {
        pithi_lock(&mutex);
        struct kept *kept = all_kept;
        if (kept)
            all_kept = kept->next;
        pithi_unlock(&mutex);
        if (!kept)
            return;
        if (is_over(kept)) {
            pithi_piggyback_entry_close(kept->entry);
            __atomic_sub_fetch(&kept_count, 1, __ATOMIC_RELAXED);
            free(kept);
        } else if (!all) { /* to the end of the list, so that the next calls test other requests */
            pithi_lock(&mutex);
            struct kept **last = &all_kept;
            while (*last)
                last = &(*last)->next;
            kept->next = NULL;
            *last = kept;
            pithi_unlock(&mutex);
        }
    } while (all);
}

static struct pithi_piggyback_entry *find(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NULL : pithi_piggyback_entry_find(pithi_request_key(request));
}

/* ---- Starts ------------------------------------------------------------------------------------------------------ */

/* Returns 1 if the request can be started, that is, if it is not active. Asks MPI, because the request may be complete
 * although no wrapped call has completed it. */
static int can_start(const struct pithi_piggyback_entry *entry, MPI_Request request)
{
    MPI_Status status;
    int is_over = 0;
    return !entry->is_active || (REAL(MPI_Request_get_status)(request, &is_over, &status) == MPI_SUCCESS && is_over);
}

/* Called before the start of a persistent request. Fills in the request's header, and sends it if it is a message of
 * its own; or starts the shadow collective. */
static void start(struct pithi_piggyback_entry *entry, MPI_Request request, int64_t from_ns)
{
    /* The start of a request that cannot have a header is only counted. */
    if (entry->is_local_only) {
        pithi_piggyback_local_only((enum pithi_piggyback_local_only)(entry->is_local_only - 1));
        return;
    }
    entry->is_starting = entry->pcoll && can_start(entry, request);
    entry->is_active = 1;
    entry->is_cancelled = entry->is_settled = 0;
    /* A persistent collective has shadow collectives in place of a header. */
    if (entry->pcoll) {
        if (entry->is_starting)
            pithi_pcoll_start(entry->pcoll, from_ns);
    } else if (entry->sends) {
        /* The header is part of the message, or is sent now as a second message. */
        pithi_delay_fill(&entry->out, from_ns);
        entry->out.latency_ns = pithi_delay_latency((uint64_t)entry->out.size_bytes);
        entry->out.held = pithi_rendezvous_post(entry->rendezvous_to);
        if (!entry->has_header)
            pithi_second_send(pithi_shadow_of(entry->comm), &entry->out, entry->to, entry->to_tag);
    } else if (!entry->has_header) {
        pithi_piggyback_entry_list(entry);
    }
}

void pithi_piggyback_start(int count, const MPI_Request *requests)
{
    if (!pithi_request_any())
        return;
    int64_t from = pithi_delay_clock();
    pithi_pcoll_look();
    for (int i = 0; i < count; i++) {
        struct pithi_piggyback_entry *entry = find(requests[i]);
        if (entry && entry->is_persistent)
            start(entry, requests[i], from);
    }
    pithi_delay_spent(from);
}

/* See piggyback.h. MPI_Startall may have started some of the requests before it failed. So messages count as started.
 * But if MPI reports that a persistent collective is not active, its start is undone. */
void pithi_piggyback_not_started(int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++) {
        struct pithi_piggyback_entry *entry = find(requests[i]);
        MPI_Status status;
        int is_over = 0;
        if (!entry || !entry->pcoll || !entry->is_starting ||
            REAL(MPI_Request_get_status)(requests[i], &is_over, &status) != MPI_SUCCESS || !is_over)
            continue;
        entry->is_active = entry->is_starting = 0;
        pithi_pcoll_not_started(entry->pcoll);
    }
}

void pithi_piggyback_start_local_only(int result, const MPI_Request *request, enum pithi_piggyback_local_only why)
{
    struct pithi_piggyback_entry *entry = result == MPI_SUCCESS ? pithi_piggyback_entry_new(NULL) : NULL;
    if (!entry)
        return;
    entry->is_persistent = 1;
    entry->is_local_only = (uint8_t)(why + 1);
    pithi_piggyback_entry_enter(entry, pithi_request_key(*request));
}

void pithi_piggyback_cancel(const MPI_Request *request)
{
    struct pithi_piggyback_entry *entry = find(*request);
    if (entry)
        entry->is_cancelled = 1;
    /* A request without an entry is a send, because receives always have an entry. */
    if (!pithi_piggyback_in_message() && (!entry || entry->sends))
        pithi_piggyback_local_only(PITHI_LOCAL_ONLY_CANCELLED);
}

/* ---- Completions ------------------------------------------------------------------------------------------------- */

/* Reads the header of a completed receive, and subtracts the header's size from that in the status. MPI sets the status
 * in each call, so the size is subtracted in each call, but the delay is counted only once (is_settled). MPICH 4.0 does
 * not set the status of MPI_Isendrecv, so a status that has another source or tag is not changed. */
static void settle(struct pithi_piggyback_entry *entry, int result, MPI_Status *status, struct pithi_wait *wait)
{
    int class = pithi_error_class(result), good = class == MPI_SUCCESS;
    /* A truncated message has a header, too. */
    if (!entry->receives || (!good && class != MPI_ERR_TRUNCATE))
        return;
    int flag = 0;
    if (entry->is_cancelled)
        REAL(MPI_Test_cancelled)(status, &flag);
    if (flag)
        return;
    if (entry->arriving.memory && !entry->is_settled)
        pithi_part_arrived(&entry->arriving, &entry->in);
    /* If the receive has MPI_ANY_SOURCE or MPI_ANY_TAG, the status shows the source and the tag of the message. */
    int from = entry->from == MPI_ANY_SOURCE ? status->MPI_SOURCE : entry->from;
    int tag = entry->tag == MPI_ANY_TAG ? status->MPI_TAG : entry->tag;
    if (entry->has_header && status->MPI_SOURCE == from && status->MPI_TAG == tag)
        pithi_status_without_header(status);
    if (!entry->has_header && !entry->is_settled)
        good &= pithi_piggyback_receive_header(entry->comm, entry, from, tag, &entry->in);
    if (good && !entry->is_settled) {
        pithi_rendezvous_left(&entry->in);
        pithi_delay_message(wait, &entry->in, pithi_status_bytes(status));
    }
    entry->is_settled = 1;
}

/* Returns the shortest times of the function that completes requests; NULL if there is no memory. *site, a variable of
 * this function's wrapper, points to them. The first call allocates them. If two threads allocate them at once, the
 * memory of the first thread is used. */
static struct pithi_least *least_of(void **site)
{
    void *least = __atomic_load_n(site, __ATOMIC_ACQUIRE), *none = NULL;
    if (least || !(least = calloc(PITHI_SIZES, sizeof(struct pithi_least))))
        return least;
    if (__atomic_compare_exchange_n(site, &none, least, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return least;
    free(least);
    return none;
}

void pithi_piggyback_completion_begins(struct pithi_completion *completion)
{
    int64_t from = pithi_delay_clock();
    completion->begin_ns = pithi_delay_spent(from);
}

void pithi_piggyback_completed(struct pithi_completion *completion)
{
    struct pithi_completed one;
    if (!pithi_piggyback_on)
        return;
    pithi_own_over();
    struct pithi_wait wait = {.begin_ns = completion->begin_ns,
                              .end_ns = pithi_delay_clock(),
                              .least = least_of(completion->site),
                              .count = 0};
    while (pithi_completion_next(completion, pithi_piggyback_entry_client, &one)) {
        struct pithi_piggyback_entry *entry = pithi_piggyback_entry_of(one.request);
        /* An inactive persistent request is among the completed requests of MPI_Waitall, but no call waited for it. */
        if (entry->is_persistent && !entry->is_active)
            continue;
        if (entry->icoll)
            pithi_icoll_complete(entry->icoll, &wait);
        if (entry->pcoll)
            pithi_pcoll_complete(entry->pcoll, &wait);
        settle(entry, one.result, one.status, &wait);
        entry->is_active = entry->is_settled = 0;
        if (entry->is_persistent)
            continue;
        pithi_completion_forget(&one, pithi_piggyback_entry_client);
        entry->request = NULL;
        pithi_piggyback_entry_close(entry);
    }
    pithi_delay_waited(&wait);
    pithi_delay_spent(wait.end_ns);
    if (wait.count)
        pithi_own_waited(pithi_delay_ns());
}

void pithi_piggyback_peeked(MPI_Request request, int result, int flag, MPI_Status *status)
{
    /* MPI_Request_get_status does not complete the request, but sets its status, so the header's size must be
     * subtracted from the size in the status. */
    struct pithi_piggyback_entry *entry =
        result == MPI_SUCCESS && flag && request != MPI_REQUEST_NULL ? find(request) : NULL;
    struct pithi_wait wait = {.least = NULL, .count = 0}; /* no `least`: nobody noted when the call began */
    if (!entry || !entry->receives || status == MPI_STATUS_IGNORE || (entry->is_persistent && !entry->is_active))
        return;
    wait.begin_ns = wait.end_ns = pithi_delay_clock();
    settle(entry, result, status, &wait);
    pithi_delay_waited(&wait);
}

/* ---- Ends of requests -------------------------------------------------------------------------------------------- */

/* If the request is active, it is kept, and MPI frees another request in its place. If it is inactive, MPI frees it,
 * and pithi_piggyback_free_end closes its entry. */
MPI_Request *pithi_piggyback_free_begin(struct pithi_piggyback_freed *freed, MPI_Request *request)
{
    struct pithi_piggyback_entry *entry =
        *request == MPI_REQUEST_NULL ? NULL : pithi_piggyback_entry_claim(pithi_request_key(*request));
    freed->user = request;
    freed->inactive = NULL;
    freed->instead = MPI_REQUEST_NULL;
    if (entry && (entry->is_local_only || (entry->is_persistent && !entry->is_active)))
        freed->inactive = entry;
    else if (entry)
        freed->instead = pithi_piggyback_entry_keep(entry, *request);
    return freed->instead == MPI_REQUEST_NULL ? request : &freed->instead;
}

/* If MPI_Request_free failed, the request stays as it was. */
void pithi_piggyback_free_end(struct pithi_piggyback_freed *freed, int result)
{
    if (freed->inactive && result == MPI_SUCCESS)
        pithi_piggyback_entry_close(freed->inactive);
    else if (freed->inactive)
        pithi_request_unclaim(freed->inactive->request);
    else if (result == MPI_SUCCESS)
        *freed->user = MPI_REQUEST_NULL;
}
