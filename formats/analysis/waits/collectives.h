/* collectives.h - collective instances under way: which members have arrived, when they would have arrived without
 * recording, and which members each of them waits for.
 *
 * The n-th collective on a communicator is the same instance in all its ranks. The n-th start of a persistent
 * collective is also the same instance in all ranks. Members wait for all, for the root, or for lower ranks
 * (coll_rules.h); on an intercommunicator they wait for the other group, or for the root in it. Memory: 170 bytes for
 * each instance under way, 16 bytes for each member of a scan, 16 bytes for each rank and communicator.
 */
#ifndef PITHI_COLLECTIVES_H
#define PITHI_COLLECTIVES_H

#include "analysis/coll_rules.h"
#include "pithlog.h"

/* A moment in ns since the log's start: the measured time, which includes own costs, and the time that it would have
 * without recording. */
struct pithi_moment {
    double at_ns, before_ns; /* as measured; without recording */
};

/* One member's part in a collective instance. */
struct pithi_coll_part {
    uint32_t coll;   /* index among the instances under way; UINT32_MAX: unknown, and only `state` below is set */
    uint32_t serial; /* number of the instance in the log, from 0 on; if it has two groups, also the next number */
    uint32_t note;   /* a number that the caller chooses */
    struct pithi_coll_rule rule;
    uint32_t place; /* index of the member in the communicator; the second group follows the first */
    uint32_t state; /* the state of the call; for a persistent collective, of the call that made its request */
    uint64_t bytes; /* bytes that the member receives */
    int is_root, starts;
    /* is_inter: on an intercommunicator, between two groups; is_second: the member is in the second group. */
    int is_inter, is_second;
    int gets_of_all; /* PITHI_COLL_OF_ALL was recorded */
    int is_idle;     /* 1: intercommunicator: in the root's group, but not the root */
};

struct pithi_colls;
/* Prepares to find the instances of a log. With `of_neighbours`, neighbourhood collectives are instances, too;
 * pithi_colls_last finds no waiting in them, but see pithi_colls_sources. Without it, neighbourhood collectives are
 * unknown instances. */
int pithi_colls_open(struct pithlog *log, int of_neighbours, struct pithi_colls **colls);
void pithi_colls_close(struct pithi_colls *colls);

/* Notes that records of the lane's rank are missing from now on. New instances on the rank's communicators are unknown,
 * and so are instances under way that the rank has not entered. No member waits in unknown instances. */
void pithi_colls_missing(struct pithi_colls *colls, uint32_t lane);

/* Takes a COLL record of a lane, in a call of `state` (UINT32_MAX: in no call). Sets *part, with `note`. Returns 0 if
 * the instance is known, 1 if it is unknown, below 0 if there is no memory. */
int pithi_colls_enter(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state, uint32_t note,
                      struct pithi_coll_part *part);
/* These functions do the work of pithi_colls_enter in two steps, for records that do not come in the order of times.
 * First, pithi_colls_enter_early takes each record, in the order of each rank. Then pithi_colls_count, called in the
 * order of times over all ranks, counts the member as arrived, and numbers the instance; before this call, part->serial
 * is not set. Do not use these two if pithi_colls_need_order returns 1: in such a log, parts of members may be missing,
 * and times decide which instance a record belongs to. */
int pithi_colls_enter_early(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                            struct pithi_coll_part *part);
void pithi_colls_count(struct pithi_colls *colls, struct pithi_coll_part *part);
uint32_t pithi_colls_serial(const struct pithi_colls *colls, const struct pithi_coll_part *part);
int pithi_colls_need_order(const struct pithi_colls *colls);
/* Stores that the member arrives at *when. Call it again if a later time becomes known. */
void pithi_colls_arrive(struct pithi_colls *colls, const struct pithi_coll_part *part, const struct pithi_moment *when);
/* Returns 1 if *when is the latest arrival that the member waits for; 0 if it waits for no member; -1 if it waits for
 * members that have not arrived. */
int pithi_colls_last(struct pithi_colls *colls, const struct pithi_coll_part *part, struct pithi_moment *when);
/* Returns 1 if this is a blocking collective with only one group, in which all members or the root wait for all. */
int pithi_colls_together(const struct pithi_colls *colls, const struct pithi_coll_part *part);
/* Returns the kind of wait state in this collective, of enum pithlog_wait_kind. */
uint32_t pithi_colls_wait_kind(const struct pithi_colls *colls, const struct pithi_coll_part *part);
/* Stores that a member leaves at time_ns. With INT64_MAX no time is given, because the times of ranks cannot be
 * compared. When the last member leaves, the instance is freed. */
void pithi_colls_leave(struct pithi_colls *colls, const struct pithi_coll_part *part, int64_t time_ns);

/* Returns the places of the members from which the member at `place` of a communicator gets data in neighbourhood
 * collectives, and sets *count. The array is valid until the next pithi_colls_enter. Returns NULL if the members are
 * unknown. */
const uint32_t *pithi_colls_sources(const struct pithi_colls *colls, uint32_t comm, uint32_t place, uint32_t *count);

/* Returns 1 if the log has events to pass to pithi_colls_event. */
int pithi_colls_have_events(const struct pithi_colls *colls);
/* Returns 1 if the event completes a collective. */
int pithi_colls_completes(const struct pithi_colls *colls, const struct pithlog_record *record);
/* Takes an event of a lane in a call of `state`. Returns 1 if the event completes the collective of *part; 0 if not; -1
 * if there is no memory. */
int pithi_colls_event(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                      struct pithi_coll_part *part);

#endif
