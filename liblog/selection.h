/* selection.h - which ranks are recorded: a list as in PITH_RANKS. "0-3,8,16-31:2" is 0 to 3, 8, and every second rank
 * from 16 to 31. For names and groups (PITH_ONLY, PITH_SKIP), see pith_selected in pith_tool.h. */
#ifndef PITHI_SELECTION_H
#define PITHI_SELECTION_H

#include <stddef.h>

/* pithi_pattern copies the pattern number `index`, from 0, of PITH_SKIP (is_skip) or PITH_ONLY. It returns 0 if there
 * is none. pithi_pattern_matched returns 1 if that pattern has matched a name or a group in this process. Only the
 * first PITHI_PATTERNS patterns of a list are tracked; `index` must be smaller. */
enum { PITHI_PATTERNS = 32 };
int pithi_pattern(int is_skip, int index, char *pattern, size_t room);
int pithi_pattern_matched(int is_skip, int index);

/* Returns 1 if the text is a valid list of ranks. The other calls accept only valid lists, or NULL for all ranks. */
int pithi_ranks_good(const char *list);
int pithi_ranks_has(const char *list, int rank);
/* Returns the number of ranks from 0 to size - 1 in the list. */
int pithi_ranks_count(const char *list, int size);

#endif
