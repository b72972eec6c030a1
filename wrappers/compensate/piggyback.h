/* piggyback.h - sends delays between processes with the program's messages and collectives. The templates piggyback.w
 * and after_call.w call these functions if PITH_COMPENSATE is on. README.md describes the header and all cases. */
#ifndef PITHI_PIGGYBACK_H
#define PITHI_PIGGYBACK_H

#include "completion.h"
#include "delay.h"
#include "nested.h"
#include "shadow.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

/* 1: delays are sent with messages and collectives, from the end of MPI_Init to the beginning of MPI_Finalize. */
extern int pithi_piggyback_on __attribute__((visibility("hidden")));
#define PITHI_PIGGYBACKING (__builtin_expect(pithi_piggyback_on, 0) && pithi_self.recorded)
static inline int pithi_piggyback_in_message(void) { return pithi_compensate != PITHI_COMPENSATE_MESSAGE; }

/* Collective over MPI_COMM_WORLD; call begin after MPI_Init, end at the beginning of MPI_Finalize. `members`:
 * MPI_GROUP_NULL if all processes are recorded; otherwise the group of the recorded processes, and nothing is
 * compensated. */
void pithi_piggyback_begin(MPI_Group members);
void pithi_piggyback_end(void);

/* Why a call sends no header, so that only own costs count in it. Such calls are counted by reason. */
enum pithi_piggyback_local_only {
    PITHI_LOCAL_ONLY_COLL, /* neighbourhood collectives; persistent collectives that have no shadow collective */
    PITHI_LOCAL_ONLY_COMM, /* a communicator without a shadow (shadow.h) */
    PITHI_LOCAL_ONLY_LATE, /* nonblocking or persistent collectives that ended long before the shadow collective */
    PITHI_LOCAL_ONLY_PARTITIONED,
    PITHI_LOCAL_ONLY_RMA, /* MPI_Win_lock, MPI_Win_start, MPI_Win_wait ... */
    /* a cancelled send, in the mode `message`: its header reaches the receiver, which takes this header for that of the
     * next message */
    PITHI_LOCAL_ONLY_CANCELLED,
    PITHI_LOCAL_ONLY_KINDS
};
void pithi_piggyback_local_only(enum pithi_piggyback_local_only why);

/* Data that must live as long as a request, in compensation's slot of the table of requests (handles/request.h). */
struct pithi_piggyback_entry {
    struct pithi_header out, in; /* out: the header that is sent; in: the header that is received */
    struct pithi_handle *comm;   /* the communicator, whose shadow carries second messages; NULL: none */
    void *copied;                /* a copy of the sent message, with its header; NULL: the message is not copied */
    /* A receive into a copy (pithi_part_arriving). */
    struct pithi_arriving {
        char *memory; /* receives the message; NULL: the program's buffer receives it */
        void *buf;    /* the program's buffer, which has one element of `type` */
        MPI_Datatype type;
        uint64_t room; /* bytes of data that the copy has room for, without the header */
    } arriving;
    MPI_Datatype out_type, in_type;                     /* freed with the entry */
    int to, to_tag;                                     /* receiver and tag of a persistent send */
    int rendezvous_to;                                  /* for a persistent send (rendezvous.h) */
    int from, tag;                                      /* sender and tag of a receive, as the program gave them */
    uint8_t sends, receives, has_header, is_persistent; /* has_header: 1: messages begin with a header */
    uint8_t is_active;                                  /* 1: a persistent request that is started */
    uint8_t is_cancelled;                               /* 1: MPI_Cancel was called */
    uint8_t is_settled;                                 /* 1: MPI_Request_get_status has already read the header */
    uint8_t has_second_message;                         /* 1: the second message (the header) was already received */
    uint8_t is_local_only;              /* not 0: no start sends a header; the reason (local_only) + 1 */
    uint8_t is_reserved;                /* 1: holds a reservation (pithi_request_reserve) */
    uint8_t is_listed;                  /* 1: in the list of active receives */
    uint8_t keeps_comm;                 /* 1: each start needs the shadow, even after the communicator is freed */
    uint8_t is_starting;                /* 1: a persistent collective that the present or the last call started */
    struct pithi_icoll *icoll;          /* the shadow collective of a nonblocking collective */
    struct pithi_pcoll *pcoll;          /* the shadow collectives of a persistent collective */
    struct pithi_request *request;      /* NULL: not in the table */
    struct pithi_piggyback_entry *next; /* in the list of unused entries */
    struct pithi_piggyback_entry *before, *behind; /* in the list of active receives, in the order of posting */
};

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* A wrapper calls open, then send, recv or both, then go, then the MPI library's function, and then over or pending. */

/* The buffer of a message: the arguments that the MPI library's function gets, and those that the program gave. */
struct pithi_part {
    void *buf; /* buf, count and type: for the MPI library's function */
    MPI_Count count;
    MPI_Datatype type;
    void *user_buf; /* user_buf, user_count and user_type: from the program */
    MPI_Count user_count;
    MPI_Datatype user_type;
    int has_header;              /* 1: the message begins with a header */
    int has_type;                /* 1: `type` was made here and must be freed */
    char *copied;                /* a copy of header and data; NULL: the message is not copied */
    uint64_t room;               /* size of the copy in bytes, without the header */
    struct pithi_header *header; /* points into the copy or into struct pithi_piggyback; NULL: no header */
};

enum pithi_piggyback_call {
    PITHI_PIGGYBACK_BLOCKING,
    PITHI_PIGGYBACK_REQUEST,    /* nonblocking: the request has an entry */
    PITHI_PIGGYBACK_BOTH,       /* nonblocking, with a send and a receive in one request (MPI_Isendrecv) */
    PITHI_PIGGYBACK_PERSISTENT, /* makes a persistent request, and sends nothing yet */
};

/* The state of one call, a variable of its wrapper. */
struct pithi_piggyback {
    /* from_ns: when the recorder's work in the wrapper began; begin_ns: when the MPI library's function was called */
    int64_t from_ns, begin_ns;
    struct pithi_handle *comm;           /* NULL: no header is sent */
    struct pithi_piggyback_entry *entry; /* the entry of the call's request; NULL: the call has no request */
    enum pithi_piggyback_call call;      /* the kind of call */
    struct pithi_part out, in;           /* out: the sent message; in: the received message */
    struct pithi_header out_header, in_header;
    struct pithi_arriving arriving; /* for MPI_Sendrecv_replace */
    int sends, receives;            /* sends: 1: a header is sent; receives: 1: a header is received */
    int from, tag;                  /* sender and tag of the receive, as the program gave them */
    /* own_status: used if the program passed MPI_STATUS_IGNORE; user_status: what the program passed */
    MPI_Status own_status, *user_status;
};

void pithi_piggyback_open(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call, MPI_Comm comm);
void pithi_piggyback_send(struct pithi_piggyback *piggyback, const void *buf, MPI_Count count, MPI_Datatype type,
                          int to, int tag);
void pithi_piggyback_recv(struct pithi_piggyback *piggyback, void *buf, MPI_Count count, MPI_Datatype type, int from,
                          int tag);
/* For MPI_Sendrecv_replace. Both messages use one buffer, piggyback->in. */
void pithi_piggyback_replace(struct pithi_piggyback *piggyback, void *buf, MPI_Count count, MPI_Datatype type, int to,
                             int tag, int from, int from_tag);
void pithi_piggyback_go(struct pithi_piggyback *piggyback);

/* Returns the status to pass to the MPI library: the program's, or the wrapper's own if the program passes
 * MPI_STATUS_IGNORE. */
MPI_Status *pithi_piggyback_status(struct pithi_piggyback *piggyback, MPI_Status *status);
/* Call it after a blocking call. `status`: that of the received message; NULL: the call only sends. `least`:
 * PITHI_LEAST. */
void pithi_piggyback_over(struct pithi_piggyback *piggyback, int result, MPI_Status *status, struct pithi_least *least);
/* Call it after a call that made a request. */
void pithi_piggyback_pending(struct pithi_piggyback *piggyback, int result, const MPI_Request *request);

/* Call matched after MPI_Mprobe or MPI_Improbe. It makes an entry for the message, under the message's handle, and
 * subtracts the header from the size in the status. Call open_matched in place of pithi_piggyback_open in a call that
 * receives such a message. */
void pithi_piggyback_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message, MPI_Status *status);
void pithi_piggyback_open_matched(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call,
                                  const MPI_Message *message);

/* Call it after MPI_Probe. Subtracts the header from the size in the status. */
void pithi_piggyback_probed(int result, int flag, MPI_Comm comm, MPI_Status *status);

/* ---- the buffer for MPI_Bsend (piggyback_message.c) -------------------------------------------------------------- */

/* Messages carry headers, so the recorder attaches a larger buffer in place of the program's. */
struct pithi_bsend_buffer {
    void *buf;
    MPI_Count size_bytes;
};
/* Returns the buffer to attach: a larger buffer, or the program's if there is no memory or no need. */
struct pithi_bsend_buffer pithi_bsend_attach(void *buf, MPI_Count size_bytes);
/* Call it after the buffer `room` was attached. */
void pithi_bsend_attached(int result, const struct pithi_bsend_buffer *room);
/* Call it after MPI has detached the buffer `buf`. Returns the program's buffer, in place of which `buf` was
 * attached. */
struct pithi_bsend_buffer pithi_bsend_detached(void *buf, MPI_Count size_bytes);

/* ---- headers as messages of their own, on a shadow (second_message.c) -------------------------------------------- */

/* Sends a header as a message of its own. Does not block. */
void pithi_second_send(MPI_Comm shadow, const struct pithi_header *header, int to, int tag);
/* Receives the header of a message that has been received. Returns 0 on an error. */
int pithi_second_recv(MPI_Comm shadow, struct pithi_header *header, int from, int tag);
/* Releases the buffers. Call it in MPI_Finalize. */
void pithi_second_end(void);

/* ---- requests (piggyback_request.c) ------------------------------------------------------------------------------ */

/* Returns a new entry, which is not yet in the table; NULL if there is no memory and the reserve of entries is used
 * up. */
struct pithi_piggyback_entry *pithi_piggyback_entry_new(struct pithi_handle *comm);
/* Enters the entry in the table (handles/request.h) under `key`. */
void pithi_piggyback_entry_enter(struct pithi_piggyback_entry *entry, uint64_t key);
/* Return the entry of an open request; NULL if there is none. After claim, no other call gets the entry until this call
 * closes the entry or calls pithi_request_unclaim. */
struct pithi_piggyback_entry *pithi_piggyback_entry_find(uint64_t key);
struct pithi_piggyback_entry *pithi_piggyback_entry_claim(uint64_t key);
struct pithi_piggyback_entry *pithi_piggyback_entry_of(struct pithi_request *request);
/* Keeps the shadow as long as the entry exists. */
void pithi_piggyback_entry_keep_comm(struct pithi_piggyback_entry *entry);
/* Removes the entry from the table and frees what the entry owns. */
void pithi_piggyback_entry_close(struct pithi_piggyback_entry *entry);

/* Registers compensation in the table of requests, before the first request. */
void pithi_piggyback_entry_begin(void);
extern int pithi_piggyback_entry_client __attribute__((visibility("hidden")));
void pithi_piggyback_completion_begins(struct pithi_completion *completion);
void pithi_piggyback_completed(struct pithi_completion *completion);

/* For second messages. Adds an active receive to the list; headers are received in the order of this list. */
void pithi_piggyback_entry_list(struct pithi_piggyback_entry *entry);
/* Receives the header of a message from `from` with `tag`, for the request `entry`, or for a blocking call if `entry`
 * is NULL. Earlier matching receives in the list already got their messages, so their headers are received first.
 * Returns 0 on an error. */
int pithi_piggyback_receive_header(struct pithi_handle *comm, struct pithi_piggyback_entry *entry, int from, int tag,
                                   struct pithi_header *header);

/* For MPI_Request_free of an active request. Keeps the request until it is complete, and returns another request for
 * MPI to free. Returns MPI_REQUEST_NULL if there is no memory, so that MPI must free the program's request. */
MPI_Request pithi_piggyback_entry_keep(struct pithi_piggyback_entry *entry, MPI_Request handle);
/* Tests one of the kept requests. `all` 1: tests all of them; used in MPI_Finalize. */
void pithi_piggyback_entry_look(int all);

/* Call it before MPI_Start and MPI_Startall. */
void pithi_piggyback_start(int count, const MPI_Request *requests);
/* Call it if MPI_Start or MPI_Startall failed. */
void pithi_piggyback_not_started(int count, const MPI_Request *requests);
/* Call it after a call that made a persistent request. Each start of this request counts as a call that sends no
 * header, for the reason `why`. */
void pithi_piggyback_start_local_only(int result, const MPI_Request *request, enum pithi_piggyback_local_only why);
/* Call it before MPI_Cancel. */
void pithi_piggyback_cancel(const MPI_Request *request);

/* Call it after MPI_Request_get_status. */
void pithi_piggyback_peeked(MPI_Request request, int result, int flag, MPI_Status *status);

/* Call begin before MPI_Request_free; it returns the request to pass to MPI_Request_free. Call end after it; it sets
 * the program's handle. */
struct pithi_piggyback_freed {
    MPI_Request instead, *user;             /* instead: the request that the call frees; user: the program's handle */
    struct pithi_piggyback_entry *inactive; /* an entry to close after the call; NULL: none */
};
MPI_Request *pithi_piggyback_free_begin(struct pithi_piggyback_freed *freed, MPI_Request *request);
void pithi_piggyback_free_end(struct pithi_piggyback_freed *freed, int result);

/* Call made after a call that makes a communicator (shadow.h), and window_made after a call that makes a window on the
 * communicator `on` (NULL: it has no shadow). The time of these functions is an own cost. */
void pithi_piggyback_made(int result, const MPI_Comm *made);
void pithi_piggyback_window_made(int result, const struct pithi_handle *on, const MPI_Win *window);

/* ---- collectives (piggyback_coll.c) ------------------------------------------------------------------------------ */

/* A wrapper calls open first, come right before the MPI library's function, and end after the end of the state. */

enum pithi_piggyback_shape { PITHI_PIGGYBACK_ALL, PITHI_PIGGYBACK_FROM, PITHI_PIGGYBACK_TO, PITHI_PIGGYBACK_LOWER };
/* Which processes wait for which in an MPI function, from its classes in roles.table (with_all, from_root, i_to ...).
 * The compiler evaluates this. */
#define PITHI_PIGGYBACK_SHAPE(classes)                                                                                 \
    (strstr(classes, "_all")                                 ? PITHI_PIGGYBACK_ALL                                     \
     : strstr(classes, "_lower")                             ? PITHI_PIGGYBACK_LOWER                                   \
     : strstr(classes, "_to") || strstr(classes, ",to_root") ? PITHI_PIGGYBACK_TO                                      \
                                                             : PITHI_PIGGYBACK_FROM)

/* A process's arrival at a collective: the time of the arrival, the time at which the process would have arrived
 * without recording, the negated delay, and the negated end of its call. A shadow collective finds the maximum of each
 * number over all processes; the maximum of a negated number gives the minimum. Without a shared clock, the times of a
 * process are relative to the end of its call, as if all calls had ended together. A process that does not wait (all
 * but the root of a gather) then counts as arriving at the end of its call. */
struct pithi_arrival {
    int64_t at_ns, before_ns, minus_delay_ns, minus_end_ns;
};
enum { PITHI_ARRIVAL_NUMBERS = sizeof(struct pithi_arrival) / sizeof(int64_t) };

/* Returns 1 if this process waits for others in a collective of this shape with this root. */
int pithi_piggyback_waits(const struct pithi_handle *comm, enum pithi_piggyback_shape shape, int root);
/* Adds to `wait` the arrivals of the processes for which this process waited. `all`: the maximum over these
 * arrivals. */
void pithi_piggyback_came(struct pithi_wait *wait, const struct pithi_arrival *all, uint64_t size_bytes);

struct pithi_piggyback_coll {
    int64_t begin_ns;                   /* when the library's call began */
    int may_wait;                       /* 1: perhaps no process waits for others, as when a communicator is made */
    struct pithi_handle *comm;          /* NULL: no delays are sent */
    struct pithi_piggyback_coll *outer; /* if a callback makes this collective, the collective that called it */
    struct pithi_least *least;          /* for a collective from a root: shortest times of the MPI function */
    uint64_t got_bytes;                 /* for a collective from a root: how many bytes this process received */
};
void pithi_piggyback_coll_open(struct pithi_piggyback_coll *piggyback);
/* Notes that this process arrives at the collective. `least`: PITHI_LEAST; `may_wait`: as in struct
 * pithi_piggyback_coll. */
void pithi_piggyback_coll_come(MPI_Comm comm, struct pithi_least *least, int may_wait);
/* Call it right after a collective from a root. Notes how many bytes this process received. */
void pithi_piggyback_coll_got(int result, int root, MPI_Count count, MPI_Datatype type);
/* Like pithi_piggyback_coll_come, for a collective on a window. `gone` 1: the call frees the window. The window's entry
 * is then held, and pithi_piggyback_window_gone must release it. */
void pithi_piggyback_window_come(MPI_Win window, int gone);
void pithi_piggyback_window_gone(struct pithi_handle *window);
void pithi_piggyback_coll_end(struct pithi_piggyback_coll *piggyback, enum pithi_piggyback_shape shape, int root);

/* ---- nonblocking collectives (piggyback_icoll.c) ----------------------------------------------------------------- */

/* A wrapper calls begin before the call that starts a collective, and pending after it. */

struct pithi_piggyback_icoll {
    struct pithi_icoll *ours; /* the shadow collective; NULL: no delays are sent */
    struct pithi_handle *comm;
};
void pithi_piggyback_icoll_begin(struct pithi_piggyback_icoll *icoll, MPI_Comm comm, enum pithi_piggyback_shape shape,
                                 int root);
void pithi_piggyback_icoll_pending(struct pithi_piggyback_icoll *icoll, int result, const MPI_Request *request);
/* Call it when the program's collective is complete. Adds to `wait` the arrivals of the processes for which the
 * completing call waited. Releases `ours`. */
void pithi_icoll_complete(struct pithi_icoll *ours, struct pithi_wait *wait);
/* Completes the shadow collectives that are still active. Call it in MPI_Finalize. */
void pithi_icoll_end(void);
/* Returns this process's arrival at the present time. `from_ns`: when the recorder's work in this call began. */
struct pithi_arrival pithi_icoll_arrival(int64_t from_ns);
/* Calls is_over_now(ours) again and again for about a millisecond. Returns 1 as soon as is_over_now returns 1, else
 * 0. */
int pithi_icoll_soon(int (*is_over_now)(void *), void *ours);
/* Like pithi_piggyback_came, for a nonblocking or persistent collective of this shape. */
void pithi_icoll_came(struct pithi_wait *wait, const struct pithi_arrival *all, enum pithi_piggyback_shape shape);

/* ---- persistent collectives (piggyback_pcoll.c) ------------------------------------------------------------------ */

/* A wrapper calls begin before the call that makes a persistent collective, and made after it. */

struct pithi_piggyback_pcoll {
    struct pithi_pcoll *ours;            /* the shadow collectives; NULL: no delays are sent */
    int is_local_only;                   /* 1: each start is counted, for the reason `why` */
    enum pithi_piggyback_local_only why; /* used if is_local_only */
};
void pithi_piggyback_pcoll_begin(struct pithi_piggyback_pcoll *pcoll, MPI_Comm comm, enum pithi_piggyback_shape shape,
                                 int root);
void pithi_piggyback_pcoll_made(struct pithi_piggyback_pcoll *pcoll, int result, const MPI_Request *request);
/* Call start before a start of the program's collective, and not_started if this start failed. Call complete when the
 * program's collective is complete; it adds to `wait` the arrivals of the processes for which the completing call
 * waited. Call drop when the program's collective is freed; it releases `ours` as soon as possible. */
void pithi_pcoll_start(struct pithi_pcoll *ours, int64_t from_ns);
void pithi_pcoll_not_started(struct pithi_pcoll *ours);
void pithi_pcoll_complete(struct pithi_pcoll *ours, struct pithi_wait *wait);
void pithi_pcoll_drop(struct pithi_pcoll *ours);
/* Complete shadow collectives that are still active. Call look from time to time, and end in MPI_Finalize. */
void pithi_pcoll_look(void);
void pithi_pcoll_end(void);

#endif
