/* facts.h - the description of a collective call. Facts must be equal in all processes, in the same order. Parts are
 * data that go from one process of the team to another.
 *
 * A process sends one number for all of this: the sum of the hashes of (from, to, signature) of the parts it gives,
 * minus the same sum over the parts it expects. The sum over all processes is 0 when every part has both ends. Example:
 * rank 0 gives 3 MPI_INT to rank 1, and rank 1 expects 3 MPI_INT from rank 0: h(0, 1, 3 MPI_INT) - h(0, 1, 3 MPI_INT) =
 * 0. The facts enter the same sum: each process gives the hash of its facts to the next rank, and expects the same from
 * the previous rank. A sum of one word thus checks an all-to-all of any size.
 */
#ifndef PITHI_FACTS_H
#define PITHI_FACTS_H

#include "check.h"
#include "signature.h"
#include "team.h"

enum pithi_fact_kind { PITHI_FACT_NUMBER, PITHI_FACT_TEXT, PITHI_FACT_DATA };
struct pithi_fact {
    const char *argument;      /* as in the function's declaration: "count" */
    int index;                 /* in a list; -1: no list */
    enum pithi_fact_kind kind; /* how `value` is shown */
    uint64_t value;            /* compared */
    int64_t elements;          /* DATA */
    const char *text;          /* TEXT; DATA: the element's name */
};
/* Peers are ranks of the shadow. Peers outside it are left out. */
struct pithi_fact_part { /* rank in the shadow; 1: expected, 0: given */
    int peer, is_got;
    uint64_t hash; /* of (from, to, signature) */
    int64_t elements;
    const char *element;
};
struct pithi_check {
    struct pithi_check *next;      /* in the list of pending checks without a request */
    struct pithi_team *team;       /* whose processes exchange it */
    const char *name;              /* of the MPI function; not owned */
    const void *caller;            /* the address in the program */
    struct pithi_fact *facts;      /* [fact_count] in the order in which they were stated */
    struct pithi_fact_part *parts; /* [part_count] */
    int fact_count, fact_room, part_count, part_room;
    int may_have_only;      /* only some processes state a value in this kind of call */
    int has_only;           /* this process states it: */
    struct pithi_fact only; /* pithi_check_number_if */
    int is_later;           /* the call must not wait */
    int is_wait_ours;       /* only the check waits for all, MPI need not */
    const char *problem;    /* found without the other processes */
    uint64_t call;          /* number of the call in its team; an identifier if it has members */
    uint64_t key;           /* of a call with members: its tag */
    int *members;           /* processes of the team that make the call, by rank; NULL: all. subgroup.c */
    int member_count;
    uint64_t sent, got;   /* agree.c */
    MPI_Request exchange; /* of the reduction; MPI_REQUEST_NULL: none */
};

/* The description of this thread's current call; team NULL: no call is described. */
struct pithi_check *pithi_check_now(void);

void pithi_fact_data(const char *argument, struct pithi_signature data);
void pithi_part_give(int peer, struct pithi_signature data);
void pithi_part_get(int peer, struct pithi_signature data);
void pithi_fact_problem(const char *what);

/* MPI_X_c is the same call as MPI_X. */
uint64_t pithi_fact_hash_name(const char *name);
uint64_t pithi_fact_hash_text(const char *text);
uint64_t pithi_fact_hash(const struct pithi_check *check);
uint64_t pithi_fact_sum(const struct pithi_check *check);

#endif
