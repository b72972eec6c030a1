/* selection.h - which ranks are recorded: a list as in PITH_RANKS. "0-3,8,16-31:2" is 0 to 3, 8, and every second rank
 * from 16 to 31. Names and groups, PITH_ONLY and PITH_SKIP, are pith_selected in pith_tool.h. */
#ifndef PITHI_SELECTION_H
#define PITHI_SELECTION_H

#include <stddef.h>

/* The patterns of PITH_ONLY or PITH_SKIP, from 0: copies one; 0: there is none. matched: it has matched a name or a
 * group in this process; known of the first PITHI_PATTERNS. */
enum { PITHI_PATTERNS = 32 };
int pithi_pattern(int is_skip, int index, char *pattern, size_t room);
int pithi_pattern_matched(int is_skip, int index);

/* 1 when the text is such a list. The other calls accept only such lists, and NULL: all ranks. */
int pithi_ranks_good(const char *list);
int pithi_ranks_has(const char *list, int rank);
/* The number of ranks from 0 to size - 1 in the list. */
int pithi_ranks_count(const char *list, int size);

#endif
