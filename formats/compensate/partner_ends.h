/* partner_ends.h - which send a receive is of, known at the moment when the replay comes to the receive.
 *
 * Receives are put together with sends in the order in which they were posted (match.c), and they end in another: with
 * Irecv A, Irecv B, Wait B, Wait A the partner of B is known when A was seen. So sends and receives are read a second
 * time, by an iterator that runs ahead of the replay as far as it must. Memory: 64 bytes a message under way, and for
 * those that lie between the two. */
#ifndef PITHI_PARTNER_ENDS_H
#define PITHI_PARTNER_ENDS_H

#include "pithlog.h"

struct pithi_partners;

/* A send as the replay has left it. */
struct pithi_sent {
    int done; /* 0: the replay has not come to it */
    int held; /* 1: it stays until its lane waits (the replay's own matter) */
    uint32_t lane;
    double time_ns;   /* when the message left, own cost of recording it included */
    double before_ns; /* when it would have left without any */
};

int pithi_partners_open(struct pithlog *log, struct pithi_partners **partners);
void pithi_partners_close(struct pithi_partners *partners);

/* The replay comes to the next SEND of a lane that has a peer: its number; UINT32_MAX: the log cannot be read, or no
 * memory (pithi_fail said so). */
uint32_t pithi_partners_send(struct pithi_partners *partners, uint32_t lane);
/* Where to note it; valid until the next call of those above and below. When the receive has asked for it, another
 * message of any lane may have its number. */
struct pithi_sent *pithi_partners_sent(struct pithi_partners *partners, uint32_t number);
/* The replay comes to the next RECV of a lane that has a peer: 1 and *sent; 0: it has no partner, or one that is too
 * far ahead; -1: as UINT32_MAX above. */
int pithi_partners_recv(struct pithi_partners *partners, uint32_t lane, struct pithi_sent *sent);

#endif
