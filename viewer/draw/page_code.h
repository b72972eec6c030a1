/* page_code.h - cells in letters, for a page (page.js reads them).
 *
 * A line is a sequence of runs of columns: an optional ' (less than half of it is covered), a sign, and a number if the
 * run is longer than 1. Signs are those of a list, one letter for the first, & and two letters for those behind; a
 * blank is nothing. Two runs of one sign: something else of the same kind begins. "A12'B C300" are 12 columns of the
 * first, one half covered by the second, one empty, 300 of the third.
 */
#ifndef PITHI_PAGE_CODE_H
#define PITHI_PAGE_CODE_H

#include "core/query.h"
#include "draw/text_buffer.h"

enum { PITHI_SIGNS = 70, PITHI_MOST_SIGNS = PITHI_SIGNS * PITHI_SIGNS };

/* `number` < 0: nothing. */
void pithi_code_run(struct pithi_text *text, int number, int low, uint32_t length);
/* A line of `width` cells; sign_of[def] < 0: left out. */
void pithi_code_cells(struct pithi_text *text, const struct pithi_cell *cells, uint32_t width, const int *sign_of);
/* A number in the digits 0 to 9 and a to z, and a blank behind it. */
void pithi_code_number(struct pithi_text *text, int64_t number);

#endif
