/* collectives.h - collective instances under way: which members have arrived, when they would have arrived without
 * recording, and which members each of them waits for.
 *
 * The n-th collective on a communicator is the same instance in all its ranks; for a persistent collective, so is the
 * n-th start. Members wait for all, for the root, or for lower ranks (coll_rules.h); on an intercommunicator they wait
 * for the other group, or for the root in it. Memory: 170 bytes for each instance under way, 16 bytes for each member
 * of a scan, 16 bytes for each rank and communicator.
 */
#ifndef PITHI_COLLECTIVES_H
#define PITHI_COLLECTIVES_H

#include "analysis/coll_rules.h"
#include "pithlog.h"

/* A moment in ns: as measured, including own costs up to then; and as it would have been without them. */
struct pithi_moment {
    double at_ns, before_ns; /* ns */
};

/* One member's part in a collective instance. */
struct pithi_coll_part {
    uint32_t coll;   /* the instance; UINT32_MAX: unknown, and only `state` below is set */
    uint32_t serial; /* of the instance, from 0; between two groups it has this number and the next */
    uint32_t note;   /* the caller's own */
    struct pithi_coll_rule rule;
    uint32_t place; /* among the members; the second group follows the first */
    uint32_t state; /* names the operation; of a persistent one, the call that made its request */
    uint64_t bytes; /* received by the member */
    int is_root, starts;
    int is_inter, is_second; /* between two groups; member of the second group */
    int gets_of_all;         /* PITHI_COLL_OF_ALL was recorded */
    int is_idle;             /* in the root's group, but not the root */
};

struct pithi_colls;
/* `of_neighbours`: 1: neighbourhood collectives are instances, too, in which no member is known to wait for others
 * (pithi_colls_sources); 0: they are unknown. */
int pithi_colls_open(struct pithlog *log, int of_neighbours, struct pithi_colls **colls);
void pithi_colls_close(struct pithi_colls *colls);

/* Records of the lane's rank are missing from now on. Later collectives of its communicators are unknown; so are those
 * under way that the rank has not entered (nobody waits in them). */
void pithi_colls_missing(struct pithi_colls *colls, uint32_t lane);

/* Takes a COLL record of a lane, in a call of `state` (UINT32_MAX: none). Sets *part, with `note`. Returns 0; 1: the
 * instance is unknown; < 0: no memory. */
int pithi_colls_enter(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state, uint32_t note,
                      struct pithi_coll_part *part);
/* The same in two steps, for records that do not come in the order of their times: the first takes the record, in the
 * order of its rank; the second numbers the instance and counts the member, in the order of times. Until then
 * part->serial has no meaning. Not for a log that needs its order: in which the parts of members may be missing. */
int pithi_colls_enter_early(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                            struct pithi_coll_part *part);
void pithi_colls_count(struct pithi_colls *colls, struct pithi_coll_part *part);
uint32_t pithi_colls_serial(const struct pithi_colls *colls, const struct pithi_coll_part *part);
int pithi_colls_need_order(const struct pithi_colls *colls);
/* The member arrives, so others need not wait for it any longer. Call it again if a later time becomes known. */
void pithi_colls_arrive(struct pithi_colls *colls, const struct pithi_coll_part *part, const struct pithi_moment *when);
/* 1: *when is the latest arrival that the member waits for. 0: it waits for none; -1: some have not arrived. */
int pithi_colls_last(struct pithi_colls *colls, const struct pithi_coll_part *part, struct pithi_moment *when);
/* 1: the member waits for all, including itself, in one blocking call. */
int pithi_colls_together(const struct pithi_colls *colls, const struct pithi_coll_part *part);
/* The kind of the wait states of its members, enum pithlog_wait_kind. */
uint32_t pithi_colls_wait_kind(const struct pithi_colls *colls, const struct pithi_coll_part *part);
/* A member leaves, at time_ns; INT64_MAX: the times of ranks cannot be compared. After the last one the instance is
 * freed. */
void pithi_colls_leave(struct pithi_colls *colls, const struct pithi_coll_part *part, int64_t time_ns);

/* The places of the members from which the member at `place` of a communicator gets data in neighbourhood collectives;
 * valid until the next pithi_colls_enter. NULL: unknown. */
const uint32_t *pithi_colls_sources(const struct pithi_colls *colls, uint32_t comm, uint32_t place, uint32_t *count);

/* 1: the log has events to pass to pithi_colls_event. */
int pithi_colls_have_events(const struct pithi_colls *colls);
/* 1: the event completes a collective. */
int pithi_colls_completes(const struct pithi_colls *colls, const struct pithlog_record *record);
/* Takes an event of a lane in a call of `state`. 1: it completes the collective of *part; 0; -1: no memory. */
int pithi_colls_event(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                      struct pithi_coll_part *part);

#endif
