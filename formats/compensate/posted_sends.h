/* posted_sends.h - messages that stay where they are until their sender waits.
 *
 * A long message of MPI_Isend is moved by calls of the MPI library, in some by its sender's alone. Then it leaves not
 * when it was posted but when the sender first comes to a call that waits: what was spent until then is not its way.
 *
 *     sender     MPI_Isend at 10, spends 100 on records, MPI_Waitall at 130
 *     receiver   has it at 140: its way took 10, not 130
 *
 * The log tells which are long: the property eager_bytes (native/SPEC.md). Where it does not, none stays. */
#ifndef PITHI_POSTED_SENDS_H
#define PITHI_POSTED_SENDS_H

#include "pithlog.h"

/* The most bytes that go at once; UINT64_MAX: all do, or it is not known. */
struct pithi_eager {
    uint64_t same_host, network;
};
void pithi_eager_find(const struct pithlog *log, struct pithi_eager *eager);
/* 1: the message is longer. */
int pithi_is_long(const struct pithi_eager *eager, const struct pithlog *log, const struct pithlog_record *send);

/* 1: a call of that name posts a message and does not wait for it. */
int pithi_call_posts(const char *name);
/* 1: a call of that name, no collective, moves what was posted before. */
int pithi_call_waits(const char *name);

#endif
