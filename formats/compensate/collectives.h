/* collectives.h - collective operations under way: who has come to one, when it would have come, and for whom a member
 * had to wait.
 *
 * The n-th collective of a communicator in one rank is the n-th in all of its ranks; of persistent ones the n-th start
 * of the same request. Members wait for all, for the root, for those of lower rank (coll_rules.h); between two groups
 * (of an intercommunicator) for the other group, or the root in it. Memory: 170 bytes for each that is under way, 16
 * bytes for each member of a scan, 16 bytes for each rank and communicator.
 */
#ifndef PITHI_COLLECTIVES_H
#define PITHI_COLLECTIVES_H

#include "coll_rules.h"
#include "pithlog.h"

/* A moment in ns: as measured, the own cost up to then included; and as it would have been without any. */
struct pithi_moment {
    double at_ns, before_ns;
};

/* What one member has to do with one. */
struct pithi_part {
    uint32_t coll;  /* UINT32_MAX: it waits for nobody that the log knows of, and all below is nothing */
    uint32_t place; /* among the members, those of the second group behind those of the first */
    uint32_t state; /* the call that is told by its name: of persistent ones the one that made the request */
    uint64_t bytes; /* that the member gets */
    int is_root, starts;
    int is_idle; /* of the root's group, but not the root */
};

struct pithi_colls;
int pithi_colls_open(struct pithlog *log, struct pithi_colls **colls);
void pithi_colls_close(struct pithi_colls *colls);

/* A COLL record of a lane, in a call of `state` (UINT32_MAX: in none): the part that begins. 1: of a kind that nothing
 * is known of; 0; an error (< 0) only if there is no memory. */
int pithi_colls_enter(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                      struct pithi_part *part);
/* The member is there, where others may go on without it; the same again, if it was later than that. */
void pithi_colls_arrive(struct pithi_colls *colls, const struct pithi_part *part, const struct pithi_moment *when);
/* When those were there for whom the member had to wait: 1. Nobody: 0; not all of them have come: -1. */
int pithi_colls_last(struct pithi_colls *colls, const struct pithi_part *part, struct pithi_moment *when);
/* 1: all for all, itself among them, in one call: all end together. */
int pithi_colls_together(const struct pithi_colls *colls, const struct pithi_part *part);
/* A member has left it; when all have, it is gone. */
void pithi_colls_leave(struct pithi_colls *colls, const struct pithi_part *part);

/* 1: an event that says that a collective is complete. */
int pithi_colls_completes(const struct pithi_colls *colls, const struct pithlog_record *record);
/* An event of a lane in a call of `state`. 1: it says that the collective of *part is complete; 0; -1: no memory. */
int pithi_colls_event(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                      struct pithi_part *part);

#endif
