/* facts.h - the description of a collective call: facts and parts. Facts must be equal in all processes, in the same
 * order. Parts are data that go from one process of the team to another.
 *
 * Each process contributes one number to a sum over all processes. A part has the hash h(from, to, signature). For each
 * part that it gives, the process adds the hash to its number; for each part that it expects, it subtracts the hash. If
 * each given part is also expected, the sum over all processes is 0. Example: rank 0 gives 3 MPI_INT to rank 1, and
 * rank 1 expects 3 MPI_INT from rank 0, so the sum is h(0, 1, 3 MPI_INT) - h(0, 1, 3 MPI_INT) = 0. The facts are
 * treated as parts, too: each process gives the hash of its facts to the next rank, and expects its own hash from the
 * previous rank. So a sum of one number checks an all-to-all of any size.
 */
#ifndef PITHI_FACTS_H
#define PITHI_FACTS_H

#include "check.h"
#include "signature.h"
#include "team.h"

enum pithi_fact_kind { PITHI_FACT_NUMBER, PITHI_FACT_TEXT, PITHI_FACT_DATA };
struct pithi_fact {
    const char *argument;      /* the argument's name in the declaration of the MPI function, such as "count" */
    int index;                 /* index in the argument's list; -1: the argument is no list */
    enum pithi_fact_kind kind; /* what `value` is: a number, or the hash of a text or of data */
    uint64_t value;            /* processes compare this value */
    int64_t elements;          /* DATA: number of elements */
    const char *text;          /* TEXT: the text; DATA: the element's name */
};
/* One end of data that go between two processes. Data to or from processes outside the shadow get no part. */
struct pithi_fact_part {
    int peer, is_got; /* peer: the other end's rank in the shadow; is_got: 1: the data are expected, 0: given */
    uint64_t hash;    /* this and the next two: as in struct pithi_signature */
    int64_t elements;
    const char *element;
};
struct pithi_check {
    struct pithi_check *next;      /* in the list of pending checks without a request */
    struct pithi_team *team;       /* the processes that make the call */
    const char *name;              /* the MPI function's name; not owned */
    const void *caller;            /* the address of the call in the program */
    struct pithi_fact *facts;      /* [fact_count] in the order in which they were stated */
    struct pithi_fact_part *parts; /* [part_count] */
    int fact_count, fact_room, part_count, part_room;
    int may_have_only;      /* 1: in this kind of call, only some processes state a value (pithi_check_number_if) */
    int has_only;           /* 1: this process states such a value */
    struct pithi_fact only; /* this value, if has_only is 1 */
    int is_later;           /* 1: the call must not wait */
    int is_wait_ours;       /* 1: MPI need not wait for all processes in this call; only the check does */
    const char *problem;    /* an error that this process has found alone; NULL: none */
    uint64_t call;          /* which call of its team this is, from 1; for a call with members, an identifier */
    uint64_t key;           /* for a call with members, its tag or the tag's hash */
    /* If only some processes make the call (subgroup.c), their ranks in the shadow, increasing; else NULL. */
    int *members;
    int member_count;
    uint64_t sent, got;   /* sent: the number that this process contributes; got: the sum (agree.c) */
    MPI_Request exchange; /* the request of the sum; MPI_REQUEST_NULL: none */
};

/* Returns the description of this thread's present call. If its `team` is NULL, the call is not checked. */
struct pithi_check *pithi_check_now(void);

/* States data that all processes must describe alike. */
void pithi_fact_data(const char *argument, struct pithi_signature data);
/* State data that this process gives to rank `peer` of the shadow, or expects from it. Do nothing if `peer` is
 * negative, that is, outside the shadow. */
void pithi_part_give(int peer, struct pithi_signature data);
void pithi_part_get(int peer, struct pithi_signature data);
/* Notes an error that this process has found alone; the first one counts. */
void pithi_fact_problem(const char *what);

/* Return the hash of a function's name, and of a text. The name MPI_X_c counts as MPI_X. */
uint64_t pithi_fact_hash_name(const char *name);
uint64_t pithi_fact_hash_text(const char *text);
/* pithi_fact_hash returns the hash of all facts, pithi_fact_sum the number that this process contributes to the sum. */
uint64_t pithi_fact_hash(const struct pithi_check *check);
uint64_t pithi_fact_sum(const struct pithi_check *check);

#endif
