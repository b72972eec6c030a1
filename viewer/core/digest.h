/* digest.h - the rows of a log, as far as its digest (pithlog.h) is known. */
#ifndef PITHI_DIGEST_H
#define PITHI_DIGEST_H

#include <pithlog.h>

#include "core/row.h"

/* All rows of a log in order: each lane, below it its counters. [*count], to be freed. `digest` NULL: no counters. */
struct pithi_row *pithi_rows_make(const struct pithlog *log, const struct pithlog_digest *digest, uint32_t *count);

#endif
