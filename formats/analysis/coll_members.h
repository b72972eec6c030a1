/* coll_members.h - the members of communicators: how many of them are in the log, where a rank is among them, and if
 * records of one of them are missing. */
#ifndef PITHI_COLL_MEMBERS_H
#define PITHI_COLL_MEMBERS_H

#include "base/map.h"
#include "pithlog.h"

struct pithi_coll_team {
    int is_known;         /* 0: not asked for yet */
    int is_missing;       /* records of a member are missing from now on */
    uint32_t expected[2]; /* members that are in the log, by group */
};

struct pithi_coll_members {
    struct pithlog *log;
    struct pithi_coll_team *teams; /* [communicators] */
    struct pithi_map places;       /* rank and communicator: place of the rank */
    unsigned char *missing;        /* [ranks]: 1: its records are missing from now on */
};

/* 0: no memory. Call pithi_members_free in any case. */
int pithi_members_open(struct pithi_coll_members *members, struct pithlog *log);
void pithi_members_free(struct pithi_coll_members *members);

/* The number of members, of both groups. */
uint32_t pithi_members_count(const struct pithlog *log, const struct pithlog_comm *comm);
/* 1: the log has the member at this place. */
int pithi_members_has(const struct pithlog *log, const struct pithlog_comm *comm, uint32_t place);
/* NULL: the members are unknown. */
const struct pithi_coll_team *pithi_members_team(struct pithi_coll_members *members, uint32_t comm);
/* Finds the place of a rank (index in the log) in a communicator whose members are known; the second group follows the
 * first. UINT32_MAX: it is no member. Returns 0: no memory. */
int pithi_members_place(struct pithi_coll_members *members, uint32_t rank, uint32_t comm, uint32_t *place);
/* Records of a rank are missing from now on. 0: no memory. */
int pithi_members_missing(struct pithi_coll_members *members, uint32_t rank);

#endif
