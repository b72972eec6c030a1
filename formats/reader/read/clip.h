/* clip.h - PITHLOG_CLIP: the steps of a walk as records, with an ENTER and a LEAVE for each state where the window or a
 * hole begins and ends. */
#ifndef PITHI_CLIP_H
#define PITHI_CLIP_H

#include "reader/read/iter.h"

/* A walk calls `tell` when it meets a damaged or missing block, and for a hole in which its window begins. */
void pithi_walk_tell_holes(struct pithlog_walk *walk, struct pithi_holes holes);
/* 1: the next step needs no reading. */
int pithi_walk_is_ready(const struct pithlog_walk *walk);

/* Like pithlog_iter_open, _next_many and _close; the query has no filter and is copied. */
struct pithi_clipped;
int pithi_clipped_new(struct pithlog *log, const struct pithlog_query *query, struct pithi_clipped **clipped);
int pithi_clipped_next(struct pithi_clipped *clipped, struct pithlog_record *records, uint32_t count);
enum pithi_iter_part pithi_clipped_part(const struct pithi_clipped *clipped); /* of the records delivered last */
void pithi_clipped_tell_holes(struct pithi_clipped *clipped, struct pithi_holes holes);
void pithi_clipped_free(struct pithi_clipped *clipped);

#endif
