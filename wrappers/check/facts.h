/* facts.h - the description of a collective call: facts and parts. Facts must be equal in all processes, in the same
 * order. Parts are data that go from one process of the team to another.
 *
 * For all of this a process contributes one number: the sum of the hashes of (from, to, signature) of the parts that it
 * gives, minus the same sum over the parts that it expects. The sum over all processes is 0 if every part has both
 * ends. Example: rank 0 gives 3 MPI_INT to rank 1, and rank 1 expects 3 MPI_INT from rank 0: h(0, 1, 3 MPI_INT) - h(0,
 * 1, 3 MPI_INT) = 0. The facts enter the same sum: each process gives the hash of its facts to the next rank, and
 * expects its own hash from the previous rank. So a sum of one word checks an all-to-all of any size.
 */
#ifndef PITHI_FACTS_H
#define PITHI_FACTS_H

#include "check.h"
#include "signature.h"
#include "team.h"

enum pithi_fact_kind { PITHI_FACT_NUMBER, PITHI_FACT_TEXT, PITHI_FACT_DATA };
struct pithi_fact {
    const char *argument;      /* as in the function's declaration: "count" */
    int index;                 /* place in a list; -1: no list */
    enum pithi_fact_kind kind; /* how `value` is shown */
    uint64_t value;            /* this is compared; DATA, TEXT: a hash */
    int64_t elements;          /* DATA: number of elements */
    const char *text;          /* TEXT: the text; DATA: the element's name */
};
/* One end of data that go between two processes. Data to or from processes outside the shadow are left out. */
struct pithi_fact_part {
    int peer, is_got; /* peer: the other end's rank in the shadow; is_got: 1: the data are expected, 0: given */
    uint64_t hash;    /* of the signature */
    int64_t elements;
    const char *element;
};
struct pithi_check {
    struct pithi_check *next;      /* in the list of pending checks without a request */
    struct pithi_team *team;       /* the processes that make the call */
    const char *name;              /* of the MPI function; not owned */
    const void *caller;            /* the address of the call in the program */
    struct pithi_fact *facts;      /* [fact_count] in the order in which they were stated */
    struct pithi_fact_part *parts; /* [part_count] */
    int fact_count, fact_room, part_count, part_room;
    int may_have_only;      /* 1: in this kind of call, only some processes state a value (pithi_check_number_if) */
    int has_only;           /* 1: this process states it */
    struct pithi_fact only; /* the value, if has_only */
    int is_later;           /* 1: the call must not wait */
    int is_wait_ours;       /* 1: MPI need not wait for all in this call; only the check does */
    const char *problem;    /* an error that this process has found alone; NULL: none */
    uint64_t call;          /* number of the call in its team; of a call with members: an identifier */
    uint64_t key;           /* of a call with members: its tag, or the tag's hash */
    /* the processes that make the call, as increasing ranks in the shadow; NULL: all. subgroup.c */
    int *members;
    int member_count;
    uint64_t sent, got;   /* sent: this process's number; got: the sum (agree.c) */
    MPI_Request exchange; /* the request of the sum; MPI_REQUEST_NULL: none */
};

/* The description of this thread's present call; team NULL: the call is not checked. */
struct pithi_check *pithi_check_now(void);

/* Data that all processes must describe alike. */
void pithi_fact_data(const char *argument, struct pithi_signature data);
/* Data that this process gives to, or expects from, rank `peer` of the shadow; negative: outside, no effect. */
void pithi_part_give(int peer, struct pithi_signature data);
void pithi_part_get(int peer, struct pithi_signature data);
/* Notes an error that this process has found alone; the first one counts. */
void pithi_fact_problem(const char *what);

/* The hash of a function's name. MPI_X_c counts as MPI_X. */
uint64_t pithi_fact_hash_name(const char *name);
uint64_t pithi_fact_hash_text(const char *text);
/* The hash of all facts; and the number that this process contributes to the sum. */
uint64_t pithi_fact_hash(const struct pithi_check *check);
uint64_t pithi_fact_sum(const struct pithi_check *check);

#endif
