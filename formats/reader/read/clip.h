/* clip.h - PITHLOG_CLIP: the steps of a walk as records. Each open state gets an ENTER where the window begins or a
 * hole ends, and a LEAVE where the window ends or a hole begins. */
#ifndef PITHI_CLIP_H
#define PITHI_CLIP_H

#include "reader/read/iter.h"

/* Makes a walk call holes.tell when it meets a damaged or missing block, or if its window begins in a hole. */
void pithi_walk_tell_holes(struct pithlog_walk *walk, struct pithi_holes holes);
/* Returns 1 if the next step can be delivered without reading from the file. */
int pithi_walk_is_ready(const struct pithlog_walk *walk);

/* Like pithlog_iter_open, _next_many and _close; the query has no filter and is copied. */
struct pithi_clipped;
int pithi_clipped_new(struct pithlog *log, const struct pithlog_query *query, struct pithi_clipped **clipped);
int pithi_clipped_next(struct pithi_clipped *clipped, struct pithlog_record *records, uint32_t count);
enum pithi_iter_part pithi_clipped_part(const struct pithi_clipped *clipped); /* where the last records come from */
void pithi_clipped_tell_holes(struct pithi_clipped *clipped, struct pithi_holes holes);
void pithi_clipped_free(struct pithi_clipped *clipped);

#endif
