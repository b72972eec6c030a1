/* pairs.h - matches the sends and receives of a log, each of which the caller gives a number.
 *
 * For a whole log, the matcher of match.h does this. For a time window, the digest already has the matched messages, so
 * only the records of these messages need to be read. */
#ifndef PITHI_PAIRS_H
#define PITHI_PAIRS_H

#include "pithlog.h"
#include "reader/read/match.h"

struct pithi_pairs;

/* Opens a matcher for the whole log. Returns NULL if there is no memory. */
struct pithi_pairs *pithi_pairs_open(struct pithlog *log);
void pithi_pairs_close(struct pithi_pairs *pairs);

/* Prepares to find the messages under way in [from_ns, to_ns). *first_ns and *last_ns: the interval in which records
 * have to be read; if *first_ns > *last_ns, there are no messages. *pairs is NULL if there are more than a million
 * messages, or there is no memory. Returns PITH_OK, or an error of the digest. */
int pithi_pairs_open_window(struct pithlog *log, const struct pithlog_digest *digest, int64_t from_ns, int64_t to_ns,
                            int64_t *first_ns, int64_t *last_ns, struct pithi_pairs **pairs);
/* Returns 1 if the message is under way in [from_ns, to_ns). If clocks disagree, the message may be received before it
 * is sent. */
int pithi_message_reaches(const struct pithlog_message *message, int64_t from_ns, int64_t to_ns);

/* Call it where records of the lane's rank are missing from now on (pithi_match_missing). Has no effect after
 * pithi_pairs_open_window, because its messages come from the digest, in which all messages are matched. */
void pithi_pairs_missing(struct pithi_pairs *pairs, uint32_t lane);
/* Takes a LOST record: calls pithi_pairs_missing if the record is in the middle of its lane (pithi_is_hole). */
void pithi_pairs_lost(struct pithi_pairs *pairs, const struct pithlog_record *record);
/* Makes an iterator report its holes to `pairs`. For clients that read records in order by this iterator. */
void pithi_pairs_follow(struct pithi_pairs *pairs, struct pithlog_iter *iter);
/* Returns 1 if this SEND or RECV record must be passed to pithi_pairs_take; 0 if it belongs to no message of the
 * window. */
int pithi_pairs_want(struct pithi_pairs *pairs, const struct pithlog_record *record);
/* Takes a SEND or RECV record, in time order. Returns 1 if the record completes a message, whose send_lane and
 * recv_lane are the numbers of its ends; 0 if not; -1 if there is no memory. After a RECV, pithi_pairs_more() may
 * return more. */
int pithi_pairs_take(struct pithi_pairs *pairs, const struct pithlog_record *record, uint32_t number,
                     struct pithlog_message *message);
/* Returns 1 and the next message that the last record completed; 0 if there is none; -1 if there is no memory. */
int pithi_pairs_more(struct pithi_pairs *pairs, struct pithlog_message *message);
/* Returns the turn of the last message (pithi_match_turn). In a window, it is zero. */
struct pithi_turn pithi_pairs_turn(const struct pithi_pairs *pairs);
/* Call after the last record. Returns 1 and the next message whose receive still waits for missing earlier receives; 0
 * if there is none; -1 if there is no memory. */
int pithi_pairs_rest(struct pithi_pairs *pairs, struct pithlog_message *message);

/* ---- Ahead of a replay ------------------------------------------------------------------------------------------- */

/* Finds the send of each receive when the replay reaches the receive.
 *
 * Receives are matched with sends in the order of posting (match.c), but may complete in another order. In Irecv A,
 * Irecv B, Wait B, Wait A, the partner of B is known only after the receive of A, which is recorded at Wait A, has been
 * read. So a second iterator reads sends and receives as far ahead of the replay as needed. Memory: 64 bytes for each
 * message under way or between the iterator and the replay. */
struct pithi_partners;

/* Data of a send that the replay has set. */
struct pithi_sent {
    int done; /* 0: the replay has not reached the send */
    int held; /* 1: the message leaves only when its lane waits in a call (used by the replay only) */
    uint32_t lane;
    double time_ns;   /* when the message left, after the own cost of its record */
    double before_ns; /* when it would have left without recording */
};

int pithi_partners_open(struct pithlog *log, struct pithi_partners **partners);
void pithi_partners_close(struct pithi_partners *partners);

/* Call when the replay reaches the next SEND of a lane that has a peer. Returns the number of the send, or UINT32_MAX
 * if the log cannot be read, or there is no memory (see pithlog_error). */
uint32_t pithi_partners_send(struct pithi_partners *partners, uint32_t lane);
/* Returns the data of a send, which the replay fills. They are valid until the next call of pithi_partners_send or
 * pithi_partners_recv. After pithi_partners_recv has returned the send, the send's number may be reused for another
 * message of any lane. */
struct pithi_sent *pithi_partners_sent(struct pithi_partners *partners, uint32_t number);
/* Call when the replay reaches the next RECV of a lane that has a peer. Returns 1 if *sent is the send of this receive;
 * 0 if it has no partner, or the partner is too far ahead; -1 if the log cannot be read, or there is no memory. */
int pithi_partners_recv(struct pithi_partners *partners, uint32_t lane, struct pithi_sent *sent);

#endif
