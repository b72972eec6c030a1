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

/* A moment in ns since the log's start, as a fraction: as measured, that is, with own costs; and as it would have been
 * without recording. */
struct pithi_moment {
    double at_ns, before_ns; /* as measured; without recording */
};

/* One member's part in a collective instance. */
struct pithi_coll_part {
    uint32_t coll;   /* index of the instance; UINT32_MAX: unknown, and only `state` below is set */
    uint32_t serial; /* number of the instance, from 0; with two groups, it has this number and the next */
    uint32_t note;   /* any number of the caller */
    struct pithi_coll_rule rule;
    uint32_t place; /* index of the member in the communicator; the second group follows the first */
    uint32_t state; /* the state of the call; for a persistent collective, of the call that made its request */
    uint64_t bytes; /* received by the member */
    int is_root, starts;
    /* is_inter: on an intercommunicator, between two groups; is_second: the member is in the second group. */
    int is_inter, is_second;
    int gets_of_all; /* PITHI_COLL_OF_ALL was recorded */
    int is_idle;     /* in the root's group, but not the root */
};

struct pithi_colls;
/* `of_neighbours`: 1: neighbourhood collectives are instances, too; pithi_colls_last finds no waiting in them, see
 * pithi_colls_sources. 0: they are unknown instances. */
int pithi_colls_open(struct pithlog *log, int of_neighbours, struct pithi_colls **colls);
void pithi_colls_close(struct pithi_colls *colls);

/* Records of the lane's rank are missing from now on. Later instances on its communicators are unknown. So are
 * instances under way that the rank has not entered: no member waits in them. */
void pithi_colls_missing(struct pithi_colls *colls, uint32_t lane);

/* Takes a COLL record of a lane, in a call of `state` (UINT32_MAX: in no call). Sets *part, with `note`. Returns 0; 1:
 * the instance is unknown; < 0: no memory. */
int pithi_colls_enter(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state, uint32_t note,
                      struct pithi_coll_part *part);
/* pithi_colls_enter in two steps, for records that do not come in the order of times. pithi_colls_enter_early takes a
 * record; each rank's records come in their order. pithi_colls_count numbers the instance and counts the member as
 * arrived; it is called in the order of times. Before, part->serial has no meaning. Not for logs for which
 * pithi_colls_need_order returns 1: there, parts of members may be missing, and times decide which instance a record
 * belongs to. */
int pithi_colls_enter_early(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                            struct pithi_coll_part *part);
void pithi_colls_count(struct pithi_colls *colls, struct pithi_coll_part *part);
uint32_t pithi_colls_serial(const struct pithi_colls *colls, const struct pithi_coll_part *part);
int pithi_colls_need_order(const struct pithi_colls *colls);
/* The member arrives at *when. Call it again if a later time becomes known. */
void pithi_colls_arrive(struct pithi_colls *colls, const struct pithi_coll_part *part, const struct pithi_moment *when);
/* 1: *when is the latest arrival that the member waits for. 0: it waits for no member; -1: it waits for members that
 * have not arrived. */
int pithi_colls_last(struct pithi_colls *colls, const struct pithi_coll_part *part, struct pithi_moment *when);
/* 1: in this blocking collective, all members or the root wait for all, and there is only one group. */
int pithi_colls_together(const struct pithi_colls *colls, const struct pithi_coll_part *part);
/* The kind of wait state in this collective: enum pithlog_wait_kind. */
uint32_t pithi_colls_wait_kind(const struct pithi_colls *colls, const struct pithi_coll_part *part);
/* A member leaves, at time_ns (INT64_MAX: the times of ranks cannot be compared). When the last member leaves, the
 * instance is freed. */
void pithi_colls_leave(struct pithi_colls *colls, const struct pithi_coll_part *part, int64_t time_ns);

/* The places of the members from which the member at `place` of a communicator gets data in neighbourhood collectives;
 * valid until the next pithi_colls_enter. NULL: unknown. */
const uint32_t *pithi_colls_sources(const struct pithi_colls *colls, uint32_t comm, uint32_t place, uint32_t *count);

/* 1: the log has events to pass to pithi_colls_event. */
int pithi_colls_have_events(const struct pithi_colls *colls);
/* 1: the event completes a collective. */
int pithi_colls_completes(const struct pithi_colls *colls, const struct pithlog_record *record);
/* Takes an event of a lane in a call of `state`. 1: it completes the collective of *part; 0: it does not; -1: no
 * memory. */
int pithi_colls_event(struct pithi_colls *colls, const struct pithlog_record *record, uint32_t state,
                      struct pithi_coll_part *part);

#endif
