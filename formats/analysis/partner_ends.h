/* partner_ends.h - finds the send of each receive when the replay reaches the receive.
 *
 * Receives are matched with sends in the order of posting (match.c), but complete in another order: after Irecv A,
 * Irecv B, Wait B, Wait A the partner of B is known only when A is read. So a second iterator reads sends and receives
 * as far ahead of the replay as needed. Memory: 64 bytes for each message under way or between the iterator and the
 * replay. */
#ifndef PITHI_PARTNER_ENDS_H
#define PITHI_PARTNER_ENDS_H

#include "pithlog.h"

struct pithi_partners;

/* What the replay knows about a send. */
struct pithi_sent {
    int done; /* 0: the replay has not reached it */
    int held; /* 1: it leaves when its lane waits (used by the replay only) */
    uint32_t lane;
    double time_ns;   /* when the message left, after the own cost of its record */
    double before_ns; /* when it would have left without recording */
};

int pithi_partners_open(struct pithlog *log, struct pithi_partners **partners);
void pithi_partners_close(struct pithi_partners *partners);

/* The replay reaches the next SEND of a lane that has a peer. Returns its number; UINT32_MAX: the log cannot be read,
 * or no memory (see pithlog_error). */
uint32_t pithi_partners_send(struct pithi_partners *partners, uint32_t lane);
/* The entry of a send; valid until the next call of the functions above and below. After its receive has asked for it,
 * its number may be reused for another message of any lane. */
struct pithi_sent *pithi_partners_sent(struct pithi_partners *partners, uint32_t number);
/* The replay reaches the next RECV of a lane that has a peer. 1: *sent is its send; 0: it has no partner, or one that
 * is too far ahead; -1: as UINT32_MAX above. */
int pithi_partners_recv(struct pithi_partners *partners, uint32_t lane, struct pithi_sent *sent);

#endif
