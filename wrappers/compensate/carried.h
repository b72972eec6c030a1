/* carried.h - the requests under way whose message carries something: what must live as long as they do, by handle.
 *
 * Libraries give the same handle to several sends that are complete at once (MPICH to all, Open MPI to the empty
 * request), so several entries may have one; any of them will do for it, but each for one request only. */
#ifndef PITHI_CARRIED_H
#define PITHI_CARRIED_H

#include "delay.h"
#include "shadow.h"

#include <mpi.h>
#include <stdint.h>

struct pithi_carried {
    struct pithi_header out, in;
    struct pithi_shadow *comm;
    void *copied; /* the message that is sent, with its header; NULL: not copied */
    struct pithi_arriving {
        char *memory; /* that of the one that is received; NULL: it is received where it belongs */
        void *buf;    /* where it belongs: one element of `type` */
        MPI_Datatype type;
        uint64_t room; /* in bytes, without the header */
    } arriving;
    MPI_Datatype out_type, in_type; /* to be freed with it */
    int to, to_tag;                 /* of a persistent send */
    int held_to;                    /* likewise (held_sends.h) */
    int from, tag;                  /* of a receive, as posted */
    uint8_t sends, receives, has_header, is_persistent;
    uint8_t is_active;    /* persistent: started */
    uint8_t is_cancelled; /* asked for */
    uint8_t is_settled;   /* MPI_Request_get_status was there first: what came was dealt with */
    uint8_t has_letter;   /* its second message was received for it */
    uint8_t is_alone;     /* carries nothing, but each start counts: enum pithi_carry_alone + 1 */
    uint8_t is_claimed;   /* by a call that may complete it */
    uint8_t is_listed;    /* among the receives under way on its communicator */
    uint8_t keeps_comm;   /* will need its shadow at each start, freed or not */
    uint8_t is_starting;  /* a persistent collective: by the call now under way, or the last one */
    struct pithi_icoll *icoll; /* it is a nonblocking collective's, with that of ours */
    struct pithi_pcoll *pcoll; /* likewise of a persistent one; to be dropped with it */
    uint64_t key;
    struct pithi_carried *next;            /* of the same bucket; or free */
    struct pithi_carried *before, *behind; /* receives under way, in the order of posting */
};

/* An empty entry, not in the table; NULL: no memory, and more than those are under way for which there is a reserve. */
struct pithi_carried *pithi_carried_new(struct pithi_shadow *comm);
/* Into the table. Who had a handle before that is one's own is closed. */
void pithi_carried_enter(struct pithi_carried *entry, MPI_Request handle);
/* That of a live handle. `claim`: it is the caller's until it is closed or unclaimed. NULL: there is none. */
struct pithi_carried *pithi_carried_find(MPI_Request handle, int claim);
void pithi_carried_unclaim(struct pithi_carried *entry);
/* Its shadow stays as long as it is there. */
void pithi_carried_keep_comm(struct pithi_carried *entry);
/* Out of the table, and gone with all that it holds. */
void pithi_carried_close(struct pithi_carried *entry);
int pithi_carried_any(void);

/* With second messages: a receive is under way, one of those that are served in the order of posting. */
void pithi_carried_list(struct pithi_carried *entry);
/* The header of a message from `from` with `tag` that was received: by `entry`, or, NULL, by a blocking call. Receives
 * that were posted before for just such a message have had theirs before, so they get their headers first. 1; 0: it
 * failed. */
int pithi_carried_letter(struct pithi_shadow *comm, struct pithi_carried *entry, int from, int tag,
                         struct pithi_header *header);

/* MPI_Request_free of a request under way: the handle that the library is to free in its place; MPI_REQUEST_NULL: the
 * request itself. The other one is kept, with what it needs, until it is complete. */
MPI_Request pithi_carried_keep(struct pithi_carried *entry, MPI_Request handle);
/* Looks at one of those now and then. At the end: at all, for the last time. */
void pithi_carried_look(int all);

#endif
