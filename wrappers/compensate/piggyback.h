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
 * MPI_GROUP_NULL; or, if only some processes are recorded, their group; then nothing is compensated. */
void pithi_piggyback_begin(MPI_Group members);
void pithi_piggyback_end(void);

/* Why a call sends no header, so that only own costs count in it. Such calls are counted by reason. */
enum pithi_piggyback_local_only {
    PITHI_LOCAL_ONLY_COLL, /* neighbourhood collectives; persistent ones without a shadow collective */
    PITHI_LOCAL_ONLY_COMM, /* a communicator without a shadow (shadow.h) */
    PITHI_LOCAL_ONLY_LATE, /* nonblocking or persistent collectives that ended long before the shadow collective */
    PITHI_LOCAL_ONLY_PARTITIONED,
    PITHI_LOCAL_ONLY_RMA, /* MPI_Win_lock, MPI_Win_start, MPI_Win_wait ... */
    /* a cancelled send, with `message`: the next message to that receiver gets its header */
    PITHI_LOCAL_ONLY_CANCELLED,
    PITHI_LOCAL_ONLY_KINDS
};
void pithi_piggyback_local_only(enum pithi_piggyback_local_only why);

/* Data that must live as long as a request, in compensation's slot of the table of requests (handles/request.h). */
struct pithi_piggyback_entry {
    struct pithi_header out, in; /* out: of the send; in: of the receive */
    struct pithi_handle *comm;   /* the communicator; its shadow carries second messages; NULL: none */
    void *copied;                /* the message that is sent, with its header; NULL: not copied */
    /* A receive into a copy (pithi_part_arriving). */
    struct pithi_arriving {
        char *memory; /* a copy of a received message; NULL: received in the program's buffer */
        void *buf;    /* the program's buffer, of one element of `type` */
        MPI_Datatype type;
        uint64_t room; /* bytes of data that the copy has room for, without the header */
    } arriving;
    MPI_Datatype out_type, in_type;                     /* freed with the entry */
    int to, to_tag;                                     /* for a persistent send */
    int rendezvous_to;                                  /* for a persistent send (rendezvous.h) */
    int from, tag;                                      /* of a receive, as posted */
    uint8_t sends, receives, has_header, is_persistent; /* 1: it sends; receives; has a header in the message; ... */
    uint8_t is_active;                                  /* 1: a persistent request that is started */
    uint8_t is_cancelled;                               /* 1: MPI_Cancel was called */
    uint8_t is_settled;                                 /* 1: MPI_Request_get_status has already read the header */
    uint8_t has_second_message;                         /* 1: its second message was already received */
    uint8_t is_local_only;              /* sends no header; each start counts as enum pithi_piggyback_local_only + 1 */
    uint8_t is_reserved;                /* 1: holds a reservation (pithi_request_reserve) */
    uint8_t is_listed;                  /* 1: in the list of active receives */
    uint8_t keeps_comm;                 /* 1: needs the shadow at each start, even after the communicator is freed */
    uint8_t is_starting;                /* 1: a persistent collective that the current or the last call started */
    struct pithi_icoll *icoll;          /* the shadow collective of a nonblocking collective */
    struct pithi_pcoll *pcoll;          /* the shadow collectives of a persistent collective */
    struct pithi_request *request;      /* NULL: not in the table */
    struct pithi_piggyback_entry *next; /* in the list of unused entries */
    struct pithi_piggyback_entry *before, *behind; /* in the list of active receives, in the order of posting */
};

/* ---- messages: open, one or both of send and recv, go; the library's call; then one of the ends ------------------ */

/* The buffer of a message as the library gets it, and as the program gave it. */
struct pithi_part {
    void *buf; /* of the library's call, as `count` and `type` are */
    MPI_Count count;
    MPI_Datatype type;
    void *user_buf; /* of the program's call, as user_count and user_type are */
    MPI_Count user_count;
    MPI_Datatype user_type;
    int has_header;              /* the message begins with a header */
    int has_type;                /* 1: `type` was made here and must be freed */
    char *copied;                /* the copy; NULL: not copied */
    uint64_t room;               /* size of the copy in bytes, without the header */
    struct pithi_header *header; /* in the copy or in struct pithi_piggyback; NULL: none */
};

enum pithi_piggyback_call {
    PITHI_PIGGYBACK_BLOCKING,
    PITHI_PIGGYBACK_REQUEST,    /* nonblocking: the request has an entry */
    PITHI_PIGGYBACK_BOTH,       /* nonblocking, with a send and a receive in one request (MPI_Isendrecv) */
    PITHI_PIGGYBACK_PERSISTENT, /* makes a persistent request, and sends nothing yet */
};

/* The state of one call, a variable of its wrapper. */
struct pithi_piggyback {
    /* from_ns: start of the recorder's part; begin_ns: start of the library's call */
    int64_t from_ns, begin_ns;
    struct pithi_handle *comm;           /* NULL: no header is sent */
    struct pithi_piggyback_entry *entry; /* NULL: no request */
    enum pithi_piggyback_call call;      /* the kind of call */
    struct pithi_part out, in;           /* out: the sent message; in: the received message */
    struct pithi_header out_header, in_header;
    struct pithi_arriving arriving; /* for MPI_Sendrecv_replace */
    int sends, receives;            /* 1: sends, receives a header */
    int from, tag;                  /* of the receive, as posted */
    /* own_status: used in place of MPI_STATUS_IGNORE; user_status: the program's */
    MPI_Status own_status, *user_status;
};

void pithi_piggyback_open(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call, MPI_Comm comm);
void pithi_piggyback_send(struct pithi_piggyback *piggyback, const void *buf, MPI_Count count, MPI_Datatype type,
                          int to, int tag);
void pithi_piggyback_recv(struct pithi_piggyback *piggyback, void *buf, MPI_Count count, MPI_Datatype type, int from,
                          int tag);
/* MPI_Sendrecv_replace: both messages use one buffer, piggyback->in. */
void pithi_piggyback_replace(struct pithi_piggyback *piggyback, void *buf, MPI_Count count, MPI_Datatype type, int to,
                             int tag, int from, int from_tag);
void pithi_piggyback_go(struct pithi_piggyback *piggyback);

/* The status to pass to the call: the program's, or the wrapper's own if the program ignores it. */
MPI_Status *pithi_piggyback_status(struct pithi_piggyback *piggyback, MPI_Status *status);
/* After a blocking call. `status`: of the received message; NULL: the call only sends. `least`: PITHI_LEAST. */
void pithi_piggyback_over(struct pithi_piggyback *piggyback, int result, MPI_Status *status, struct pithi_least *least);
/* After a call that made a request. */
void pithi_piggyback_pending(struct pithi_piggyback *piggyback, int result, const MPI_Request *request);

/* Matched messages (MPI_Mprobe), identified by their handle. */
void pithi_piggyback_matched(int result, int flag, MPI_Comm comm, const MPI_Message *message, MPI_Status *status);
void pithi_piggyback_open_matched(struct pithi_piggyback *piggyback, enum pithi_piggyback_call call,
                                  const MPI_Message *message);

/* After MPI_Probe: subtracts the header from the size in the status. */
void pithi_piggyback_probed(int result, int flag, MPI_Comm comm, MPI_Status *status);

/* ---- a larger buffer for MPI_Bsend, as messages carry headers (piggyback_message.c) ------------------------------ */

struct pithi_bsend_buffer {
    void *buf; /* the program's */
    MPI_Count size_bytes;
};
/* The buffer to attach: a larger one, or the program's if there is no memory or no need. */
struct pithi_bsend_buffer pithi_bsend_attach(void *buf, MPI_Count size_bytes);
void pithi_bsend_attached(int result, const struct pithi_bsend_buffer *room);
/* The program's buffer that belongs to the detached one. */
struct pithi_bsend_buffer pithi_bsend_detached(void *buf, MPI_Count size_bytes);

/* ---- headers as messages of their own, on a shadow (second_message.c) -------------------------------------------- */

/* Does not block. */
void pithi_second_send(MPI_Comm shadow, const struct pithi_header *header, int to, int tag);
/* Receives the header of a message that has been received. 0: it failed. */
int pithi_second_recv(MPI_Comm shadow, struct pithi_header *header, int from, int tag);
/* In MPI_Finalize: releases the buffers. */
void pithi_second_end(void);

/* ---- requests (piggyback_request.c) ------------------------------------------------------------------------------ */

/* A new entry, not yet in the table. NULL: no memory, and the reserve of entries is used up. */
struct pithi_piggyback_entry *pithi_piggyback_entry_new(struct pithi_handle *comm);
/* Enters it in the table (handles/request.h) under `key`. */
void pithi_piggyback_entry_enter(struct pithi_piggyback_entry *entry, uint64_t key);
/* The entry of an open request; NULL: none. claim: until the entry is closed or pithi_request_unclaim, no other call
 * gets it. */
struct pithi_piggyback_entry *pithi_piggyback_entry_find(uint64_t key);
struct pithi_piggyback_entry *pithi_piggyback_entry_claim(uint64_t key);
struct pithi_piggyback_entry *pithi_piggyback_entry_of(struct pithi_request *request);
/* Keeps the shadow as long as the entry exists. */
void pithi_piggyback_entry_keep_comm(struct pithi_piggyback_entry *entry);
/* Removes the entry from the table and releases all that it holds. */
void pithi_piggyback_entry_close(struct pithi_piggyback_entry *entry);

/* Registers compensation in the table of requests, before the first request. */
void pithi_piggyback_entry_begin(void);
extern int pithi_piggyback_entry_client __attribute__((visibility("hidden")));
void pithi_piggyback_completion_begins(struct pithi_completion *completion);
void pithi_piggyback_completed(struct pithi_completion *completion);

/* With second messages: adds an active receive to the list. Headers are received in the order of this list. */
void pithi_piggyback_entry_list(struct pithi_piggyback_entry *entry);
/* Receives the header of a message from `from` with `tag`, for the request `entry` or for a blocking call (NULL).
 * Earlier matching receives in the list already got their messages, so their headers are received first. 0: it
 * failed. */
int pithi_piggyback_receive_header(struct pithi_handle *comm, struct pithi_piggyback_entry *entry, int from, int tag,
                                   struct pithi_header *header);

/* For MPI_Request_free of an active request: keeps the request until it is complete. Returns another handle for MPI to
 * free; MPI_REQUEST_NULL: no memory, so MPI must free the request itself. */
MPI_Request pithi_piggyback_entry_keep(struct pithi_piggyback_entry *entry, MPI_Request handle);
/* Tests one of the kept requests; `all`: tests all of them, in MPI_Finalize. */
void pithi_piggyback_entry_look(int all);

/* Call it before MPI_Start and MPI_Startall. */
void pithi_piggyback_start(int count, const MPI_Request *requests);
/* Call it if MPI_Start or MPI_Startall failed. */
void pithi_piggyback_not_started(int count, const MPI_Request *requests);
/* Each start of this request counts for the reason `why`. */
void pithi_piggyback_start_local_only(int result, const MPI_Request *request, enum pithi_piggyback_local_only why);
/* Call it before MPI_Cancel. */
void pithi_piggyback_cancel(const MPI_Request *request);

/* After MPI_Request_get_status. */
void pithi_piggyback_peeked(MPI_Request request, int result, int flag, MPI_Status *status);

/* Stand around MPI_Request_free. begin returns the request to pass to the call; end then sets the program's handle. */
struct pithi_piggyback_freed {
    MPI_Request instead, *user;             /* instead: the request that the call frees; user: the program's handle */
    struct pithi_piggyback_entry *inactive; /* an entry to close after the call; NULL: none */
};
MPI_Request *pithi_piggyback_free_begin(struct pithi_piggyback_freed *freed, MPI_Request *request);
void pithi_piggyback_free_end(struct pithi_piggyback_freed *freed, int result);

/* Call these after a call that makes a communicator (shadow.h), or a window on the communicator `on` (NULL: it has no
 * shadow). Their time is an own cost. */
void pithi_piggyback_made(int result, const MPI_Comm *made);
void pithi_piggyback_window_made(int result, const struct pithi_handle *on, const MPI_Win *window);

/* ---- collectives (piggyback_coll.c): open; come right before the library's call; end after the state ------------- */

enum pithi_piggyback_shape { PITHI_PIGGYBACK_ALL, PITHI_PIGGYBACK_FROM, PITHI_PIGGYBACK_TO, PITHI_PIGGYBACK_LOWER };
/* The shape of a function from its classes in roles.table (with_all, from_root, i_to ...); a constant. */
#define PITHI_PIGGYBACK_SHAPE(classes)                                                                                 \
    (strstr(classes, "_all")                                 ? PITHI_PIGGYBACK_ALL                                     \
     : strstr(classes, "_lower")                             ? PITHI_PIGGYBACK_LOWER                                   \
     : strstr(classes, "_to") || strstr(classes, ",to_root") ? PITHI_PIGGYBACK_TO                                      \
                                                             : PITHI_PIGGYBACK_FROM)

/* A process's arrival at a collective: its time, its time without recording, the negated delay, and the negated end of
 * its call. A shadow collective finds the maximum of each over all processes; a negated number gives the minimum.
 * Without a shared clock, times count from the end of each process's call, as if all calls had ended together; a
 * process that does not wait (all but the root of a gather) counts as arriving at that end. */
struct pithi_arrival {
    int64_t at_ns, before_ns, minus_delay_ns, minus_end_ns; /* ns; the maximum of each over all members */
};
enum { PITHI_ARRIVAL_NUMBERS = sizeof(struct pithi_arrival) / sizeof(int64_t) };

/* 1: a process with this root waits for others in a collective of that shape. */
int pithi_piggyback_waits(const struct pithi_handle *comm, enum pithi_piggyback_shape shape, int root);
/* Adds to `wait` the wait for other processes with these arrivals. */
void pithi_piggyback_came(struct pithi_wait *wait, const struct pithi_arrival *all, uint64_t size_bytes);

struct pithi_piggyback_coll {
    int64_t begin_ns;                   /* when the library's call began */
    int may_wait;                       /* 1: a window or communicator is made; perhaps no process waits for another */
    struct pithi_handle *comm;          /* NULL: no delays are sent */
    struct pithi_piggyback_coll *outer; /* the collective around this one, if a callback makes this one */
    struct pithi_least *least;          /* of a collective from a root: shortest times of the function */
    uint64_t got_bytes;                 /* of a collective from a root: bytes that this process received */
};
void pithi_piggyback_coll_open(struct pithi_piggyback_coll *piggyback);
/* `least`: PITHI_LEAST; `may_wait`: as above. */
void pithi_piggyback_coll_come(MPI_Comm comm, struct pithi_least *least, int may_wait);
/* Right after a collective from a root. */
void pithi_piggyback_coll_got(int result, int root, MPI_Count count, MPI_Datatype type);
/* Like come, for a window. `gone`: 1: the call frees it; then piggyback->comm is held, and pithi_piggyback_window_gone
 * must release it. */
void pithi_piggyback_window_come(MPI_Win window, int gone);
void pithi_piggyback_window_gone(struct pithi_handle *window);
void pithi_piggyback_coll_end(struct pithi_piggyback_coll *piggyback, enum pithi_piggyback_shape shape, int root);

/* ---- nonblocking collectives (piggyback_icoll.c): around the call that starts one -------------------------------- */

struct pithi_piggyback_icoll {
    struct pithi_icoll *ours; /* the shadow collective; NULL: no delays are sent */
    struct pithi_handle *comm;
};
void pithi_piggyback_icoll_begin(struct pithi_piggyback_icoll *icoll, MPI_Comm comm, enum pithi_piggyback_shape shape,
                                 int root);
void pithi_piggyback_icoll_pending(struct pithi_piggyback_icoll *icoll, int result, const MPI_Request *request);
/* The program's collective is complete: adds to `wait` the processes for which the completing call waited. Releases
 * `ours`. */
void pithi_icoll_complete(struct pithi_icoll *ours, struct pithi_wait *wait);
/* In MPI_Finalize: completes the shadow collectives that are still active. */
void pithi_icoll_end(void);
/* The arrival of this process now; the recorder's part of the call began at from_ns. */
struct pithi_arrival pithi_icoll_arrival(int64_t from_ns);
/* Tests by is_over_now(ours) for about a millisecond. 1: it is complete. */
int pithi_icoll_soon(int (*is_over_now)(void *), void *ours);
/* Like pithi_piggyback_came, for a nonblocking or persistent collective of this shape. */
void pithi_icoll_came(struct pithi_wait *wait, const struct pithi_arrival *all, enum pithi_piggyback_shape shape);

/* ---- persistent collectives (piggyback_pcoll.c): around the call that makes one ---------------------------------- */

struct pithi_piggyback_pcoll {
    struct pithi_pcoll *ours;            /* the shadow collectives; NULL: no delays are sent */
    int is_local_only;                   /* 1: each start is counted, for the reason `why` */
    enum pithi_piggyback_local_only why; /* used if is_local_only */
};
void pithi_piggyback_pcoll_begin(struct pithi_piggyback_pcoll *pcoll, MPI_Comm comm, enum pithi_piggyback_shape shape,
                                 int root);
void pithi_piggyback_pcoll_made(struct pithi_piggyback_pcoll *pcoll, int result, const MPI_Request *request);
/* Follow the program's collective. start: before its start. not_started: after a failed start. complete: on its
 * completion; adds to `wait` the processes for which the completing call waited. drop: when it is freed; releases
 * `ours` as soon as possible. */
void pithi_pcoll_start(struct pithi_pcoll *ours, int64_t from_ns);
void pithi_pcoll_not_started(struct pithi_pcoll *ours);
void pithi_pcoll_complete(struct pithi_pcoll *ours, struct pithi_wait *wait);
void pithi_pcoll_drop(struct pithi_pcoll *ours);
/* Complete shadow collectives that are still active: look from time to time, end in MPI_Finalize. */
void pithi_pcoll_look(void);
void pithi_pcoll_end(void);

#endif
