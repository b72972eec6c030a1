/* match.h - matches sends with receives (match.c). The caller gives SEND and RECV records in time order and gets
 * messages. pithlog_matcher uses this for a whole log, pithlog_follow for a running program. */
#ifndef PITHI_MATCH_H
#define PITHI_MATCH_H

#include "pithlog.h"

struct pithi_match;

/* Returns NULL if there is no memory. */
struct pithi_match *pithi_match_new(void);
void pithi_match_free(struct pithi_match *match);

/* The property of a log that is a part of another log, selected by time, lanes or a query. In such a log, sends and
 * receives whose partner is outside have no peer, so no partner is missing. */
#define PITHI_PART_KEY "part"
/* The property with the interval of a part by time: "from=2500000 to=8000000", in ns. The records of the part may begin
 * later and end earlier, because a lane that computes makes no records. */
#define PITHI_PART_NS_KEY "part_ns"
/* Widens [*from_ns, *to_ns] so that it includes this interval. Does nothing if the log does not have the property. */
void pithi_part_ns(const struct pithlog *log, int64_t *from_ns, int64_t *to_ns);

/* Returns 1 if records of the log may be missing because they were lost, cut off or damaged, or because only an
 * interval was recorded. */
int pithi_match_incomplete(const struct pithlog *log);
/* Call it before the first record if records may be missing. */
void pithi_match_cut(struct pithi_match *match);
/* Says that the next records of a rank, on any of its lanes, are missing. Messages that it sends or receives later are
 * not matched, because their partners are not known. */
void pithi_match_missing(struct pithi_match *match, uint32_t index, int32_t rank);

/* A receive has its turn when it and all receives posted before it were seen. pithi_match_turn returns when the receive
 * of the last match had its turn. If several receives have their turns with the same record, they are numbered in
 * order. */
struct pithi_turn {
    int64_t time_ns; /* of the record that was taken when the receive had its turn */
    uint64_t number; /* ascending, so that it orders turns of the same time */
};
struct pithi_turn pithi_match_turn(const struct pithi_match *match);

/* Takes a SEND or RECV record of world rank `rank`, for which the caller uses the index `index` (0, 1, 2 ...). `lane`
 * is put into the message as the lane of this end; it may be the record's lane or any other number. Returns 1 if the
 * record completes a message, after setting *message; 0 if it does not; -1 if there is no memory. After 0 or 1, call
 * pithi_match_ready for further messages. */
int pithi_match_take(struct pithi_match *match, uint32_t index, int32_t rank, const struct pithlog_record *record,
                     uint32_t lane, struct pithlog_message *message);
/* Releases held receives of a rank in posting order until one is matched. Returns 1 after setting *message; 0 if there
 * are no more; -1 if there is no memory. With `all`, also releases receives that wait for a missing earlier one. */
int pithi_match_ready(struct pithi_match *match, uint32_t index, int32_t rank, int all,
                      struct pithlog_message *message);

/* Sets the numbers of unmatched sends and receives. */
void pithi_match_waiting(const struct pithi_match *match, uint64_t *sends, uint64_t *recvs);

#endif
