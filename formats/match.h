/* match.h - the concept of matching (match.c) without a log around it: records of sends and receives go in, in order
 * of time, messages come out. Used by pithlog_matcher (a whole log) and by pithlog_follow (a running program). */
#ifndef PITHI_MATCH_H
#define PITHI_MATCH_H

#include "pithlog.h"

struct pithi_match;

/* NULL: no memory. */
struct pithi_match *pithi_match_new(void);
void pithi_match_free(struct pithi_match *match);

/* 1: the log says that it does not hold everything. */
int pithi_match_incomplete(const struct pithlog *log);
/* Before the first record: messages may be missing. */
void pithi_match_cut(struct pithi_match *match);

/* A SEND or RECV record of the world rank `rank`, which the caller numbers `index` (dense, from 0). 1 and *message
 * when that completes one; 0; -1: no memory. After 0 or 1 pithi_match_ready() may have more. */
int pithi_match_take(struct pithi_match *match, uint32_t index, int32_t rank, const struct pithlog_record *record,
                     struct pithlog_message *message);
/* Receives of a rank whose turn has come, until one meets its send: 1; 0: no more; -1. `all`: also those before which
 * others are missing. */
int pithi_match_ready(struct pithi_match *match, uint32_t index, int32_t rank, int all,
                      struct pithlog_message *message);

/* What waits for a partner. */
void pithi_match_waiting(const struct pithi_match *match, uint64_t *sends, uint64_t *recvs);

#endif
