/* ranks.h - a list of ranks as PITH_RANKS has it: "0-3,8,16-31:2" is 0 to 3, 8, and every second one from 16 to 31. */
#ifndef PITHI_RANKS_H
#define PITHI_RANKS_H

/* 1 when the text is such a list. The other calls take only those, and NULL: all ranks. */
int pithi_ranks_good(const char *list);
int pithi_ranks_has(const char *list, int rank);
/* How many of the ranks 0 to size - 1 are in the list. */
int pithi_ranks_count(const char *list, int size);

#endif
