/* facts.h - what a collective call says, as it is compared: facts, which all processes must state alike, in the same
 * order, and parts, data that go from one process of the team to another.
 *
 * Of all this a process sends one number: the sum of the hashes of (from, to, signature) over what it gives, less the
 * same over what it expects. Over all processes the sum is 0 when each part has both its ends. Example: rank 0 gives 3
 * MPI_INT to rank 1, which expects 3 MPI_INT of rank 0: h(0, 1, 3 MPI_INT) - h(0, 1, 3 MPI_INT) = 0. The facts go
 * through the same sum: each process gives the hash of its own to the next rank, and expects it of the one before. So a
 * sum of one word checks an all-to-all of any size.
 */
#ifndef PITHI_FACTS_H
#define PITHI_FACTS_H

#include "check.h"
#include "signature.h"
#include "team.h"

enum pithi_fact_kind { PITHI_FACT_NUMBER, PITHI_FACT_TEXT, PITHI_FACT_DATA };
struct pithi_fact {
    const char *argument;
    int index; /* of a list; -1: not of one */
    enum pithi_fact_kind kind;
    uint64_t value;   /* what is compared */
    int64_t elements; /* DATA */
    const char *text; /* TEXT; DATA: the element's name */
};
/* Peers are ranks of the shadow. Those outside of it are left out. */
struct pithi_part {
    int peer, is_got;
    uint64_t hash;
    int64_t elements;
    const char *element;
};
struct pithi_check {
    struct pithi_check *next; /* of those under way */
    struct pithi_team *team;
    const char *name;
    const void *caller;
    struct pithi_fact *facts;
    struct pithi_part *parts;
    int fact_count, fact_room, part_count, part_room;
    int may_have_only;      /* this kind of call has what only some state */
    int has_only;           /* this process states it: */
    struct pithi_fact only; /* pithi_check_number_if */
    int is_later;           /* the call must not wait */
    int is_wait_ours;       /* MPI need not wait for all in it */
    const char *problem;    /* found without the others */
    uint64_t call;          /* the team's how many-th; a name for it when there are members */
    uint64_t key;           /* of a call with members: its tag */
    int *members;           /* who of the team makes the call, in the order of their ranks; NULL: all. subgroup.c */
    int member_count;
    uint64_t sent, got; /* agree.c */
    MPI_Request exchange;
    MPI_Request request; /* the program's, that the check belongs to; MPI_REQUEST_NULL: it has none */
};

/* The description of this thread's call under way; team NULL: there is none, nothing is to be said. */
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
