/* iter.h - what iterators over few and over very many lanes know of each other. */
#ifndef PITHI_ITER_H
#define PITHI_ITER_H

#include "pithlog.h"

/* So many lanes are read at once, each with a block unpacked, some 70 KB; more in groups (runs.c). */
enum { PITHI_ITER_LANES = 256 };

/* Where records belong: PITHLOG_CLIP's own before and after all others. */
enum pithi_iter_part { PITHI_PART_BEFORE, PITHI_PART_WITHIN, PITHI_PART_AFTER };
/* That of what was delivered last. */
enum pithi_iter_part pithi_iter_part(const struct pithlog_iter *iter);

/* The records of a query over more lanes, each once and in order; the query is copied. Else as pithlog_iter_open,
 * _next_many and _close. A temporary file holds the packed records of a slab of time with about `slab_records`. */
struct pithi_runs;
enum { PITHI_SLAB_RECORDS = 16 << 20 };
int pithi_runs_new(struct pithlog *log, const struct pithlog_query *query, uint64_t slab_records,
                   struct pithi_runs **runs);
int pithi_runs_next(struct pithi_runs *runs, struct pithlog_record *records, uint32_t count);
enum pithi_iter_part pithi_runs_part(const struct pithi_runs *runs); /* of the record delivered last */
void pithi_runs_free(struct pithi_runs *runs);

#endif
