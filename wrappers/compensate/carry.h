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

#include "delay.h"
#include "nested.h"
#include "shadow.h"

#include <mpi.h>
#include <string.h>

/* 1: delays are carried, from the end of MPI_Init to the beginning of MPI_Finalize. Own costs alone need no wrapper. */
extern int pithi_carry_on __attribute__((visibility("hidden")));
#define PITHI_CARRYING (__builtin_expect(pithi_carry_on, 0) && pithi_self.recorded)

/* After MPI_Init, and in MPI_Finalize before anything else: collective over MPI_COMM_WORLD. */
void pithi_carry_begin(void);
void pithi_carry_end(void);

/* Why a call takes part with its own costs only, which is counted. */
enum pithi_carry_alone {
    PITHI_ALONE_COLL, /* nonblocking, persistent, neighbourhood collectives, MPI_Scan */
    PITHI_ALONE_COMM, /* a communicator that carries nothing, or between two groups */
    PITHI_ALONE_PARTITIONED,
    PITHI_ALONE_RMA,
    PITHI_ALONE_UNSEEN, /* a receive freed under way, a send cancelled: with `message` the next one gets its header */
    PITHI_ALONE_KINDS
};
void pithi_carry_alone(enum pithi_carry_alone why);

/* ---- blocking messages ------------------------------------------------------------------------------------------- */

/* The buffer of a message as the library gets it; and as the program gave it, to be put back. */
struct pithi_part {
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    void *user_buf;
    MPI_Count user_count;
    MPI_Datatype user_type;
    int has_header; /* in the message */
    char *copied;   /* where; NULL: it is not */
    uint64_t room;  /* bytes of that behind the header */
    struct pithi_header *header;
};

struct pithi_carry {
    int64_t begin_ns;          /* the library's own call */
    struct pithi_shadow *comm; /* NULL: nothing is carried */
    struct pithi_part out, in;
    struct pithi_header out_header, in_header;
    int from, tag; /* of what is received */
    MPI_Status own_status, *user_status;
};

void pithi_carry_send(struct pithi_carry *carry, const void *buf, MPI_Count count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm);
void pithi_carry_sent(struct pithi_carry *carry);
void pithi_carry_recv(struct pithi_carry *carry, void *buf, MPI_Count count, MPI_Datatype type, int from, int tag,
                      MPI_Comm comm);
/* What to call with: the program's status, or an own one where it wants none. */
MPI_Status *pithi_carry_status(struct pithi_carry *carry, MPI_Status *status);
void pithi_carry_received(struct pithi_carry *carry, int result, MPI_Status *status);

/* ---- collectives: after the library's call ----------------------------------------------------------------------- */

enum pithi_carry_shape { PITHI_CARRY_ALL, PITHI_CARRY_FROM, PITHI_CARRY_TO };
struct pithi_carry_coll {
    int64_t begin_ns;
    struct pithi_shadow *comm;
};
void pithi_carry_coll_begin(struct pithi_carry_coll *carry, MPI_Comm comm);
void pithi_carry_coll_end(struct pithi_carry_coll *carry, enum pithi_carry_shape shape, int root);

#endif
