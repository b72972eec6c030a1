/* mpi_calls.h - the traits of MPI functions, found by the names of their states; and the eager limit. */
#ifndef PITHI_MPI_CALLS_H
#define PITHI_MPI_CALLS_H

#include "pithlog.h"

enum {
    PITHI_CALL = 1,           /* the state of an MPI call */
    PITHI_RECEIVES = 2,       /* posts a receive and completes it: MPI_Recv */
    PITHI_POSTS = 4,          /* posts a receive */
    PITHI_MAY_POST = 8,       /* MPI_Start: posts a receive unless its request is a send */
    PITHI_POSTS_MANY = 16,    /* MPI_Startall: any number of receives */
    PITHI_SENDS_LATER = 32,   /* a later call completes its send */
    PITHI_SYNCHRONOUS = 64,   /* its send is not complete before the receive is posted */
    PITHI_BUFFERED = 128,     /* its send never waits for the receive */
    PITHI_COMPLETES = 256,    /* MPI_Wait*: may complete the send of another call */
    PITHI_FIRST = 512,        /* waits for the first message that it can complete, not for all */
    PITHI_ONE = 1024,         /* completes one request */
    PITHI_LEAVES_NONE = 2048, /* MPI_Waitall: normally no request stays active */
    PITHI_MOVES = 4096,       /* progresses messages posted earlier: waits, tests, or is a blocking collective */
    PITHI_TESTS = 16384,      /* returns at once, whether something came or not: MPI_Test, MPI_Iprobe */
    PITHI_SENDS = 32768,      /* sends a message before it returns: MPI_Send */
    PITHI_ACCESSES = 8192     /* accesses a window, or waits for the lock or the end of such accesses */
};

/* Returns the traits of a definition, or 0 if it is no MPI call. */
unsigned pithi_mpi_call_traits(const struct pithlog_def *def);
/* Returns 1 if the log defines states of MPI calls. Without such states, no call is known to wait. */
int pithi_has_mpi_calls(const struct pithlog *log);

/* Eager limits: larger messages are not sent before their receive is posted. The limits are in the property eager_bytes
 * of the log (native/SPEC.md). */
struct pithi_eager {
    uint64_t same_host, network; /* bytes; UINT64_MAX: unknown */
};
void pithi_eager_of_log(const struct pithlog *log, struct pithi_eager *eager);
/* Returns the eager limit between the rank of a lane and the rank `peer`. Returns UINT64_MAX if the limit is unknown,
 * or the log lacks that rank. */
uint64_t pithi_eager_limit(const struct pithi_eager *eager, const struct pithlog *log, uint32_t lane, int32_t peer);
/* For a SEND record in a call with these traits, returns 1 if the send has to wait for its receive; 0 if MPI buffers
 * the message; -1 if the eager limit is unknown. */
int pithi_send_waits(const struct pithi_eager *eager, const struct pithlog *log, const struct pithlog_record *send,
                     unsigned traits);

#endif
