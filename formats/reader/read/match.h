/* match.h - matches sends with receives (match.c), independent of a log: takes SEND and RECV records in time order and
 * returns messages. Used by pithlog_matcher (a whole log) and by pithlog_follow (a running program). */
#ifndef PITHI_MATCH_H
#define PITHI_MATCH_H

#include "pithlog.h"

struct pithi_match;

/* NULL: no memory. */
struct pithi_match *pithi_match_new(void);
void pithi_match_free(struct pithi_match *match);

/* The property of a log that is a part of another one, by time, lanes or a query. Its messages lack no partner. */
#define PITHI_PART_KEY "part"
/* Of a part by time: "from=2500000 to=8000000", in ns. Its records may begin later and end earlier, as a lane that
 * computes makes none. */
#define PITHI_PART_NS_KEY "part_ns"
/* Moves *from_ns and *to_ns out to these times; leaves them as they are if the log does not have the property. */
void pithi_part_ns(const struct pithlog *log, int64_t *from_ns, int64_t *to_ns);

/* 1: records may be missing: lost, cut off, outside of the recorded window, or damaged. */
int pithi_match_incomplete(const struct pithlog *log);
/* Call before the first record if messages may be missing. */
void pithi_match_cut(struct pithi_match *match);
/* Records of a rank are missing from now on, of any of its lanes: messages that it sends or receives later are not
 * matched, as their partners are not known. */
void pithi_match_missing(struct pithi_match *match, uint32_t index, int32_t rank);

/* When the receive of the last match had its turn: with a record of this time, it and all those posted before were
 * seen. Receives that have their turns with the same record are numbered in order. */
struct pithi_turn {
    int64_t time_ns; /* of the record */
    uint64_t number; /* among the turns with one time */
};
struct pithi_turn pithi_match_turn(const struct pithi_match *match);

/* Takes a SEND or RECV record of world rank `rank`, whose number is `index` (dense, from 0). In the message, this end
 * has the lane `lane`: the lane of the record, or another number that the caller chooses. 1: it completes *message; 0:
 * it completes none; -1: no memory. After 0 or 1, pithi_match_ready() may return more. */
int pithi_match_take(struct pithi_match *match, uint32_t index, int32_t rank, const struct pithlog_record *record,
                     uint32_t lane, struct pithlog_message *message);
/* Releases receives of a rank in posting order until one is matched: 1; 0: there are no more; -1: no memory. `all`:
 * also releases receives that wait for missing earlier ones. */
int pithi_match_ready(struct pithi_match *match, uint32_t index, int32_t rank, int all,
                      struct pithlog_message *message);

/* The numbers of unmatched ends. */
void pithi_match_waiting(const struct pithi_match *match, uint64_t *sends, uint64_t *recvs);

#endif
