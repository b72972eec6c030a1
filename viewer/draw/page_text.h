/* page_text.h - the data of a page (page.c) as text.
 *
 * Cells are text. The first line is the number of levels, the deepest that a row needs. A line is a sequence of runs of columns: an optional ' (less than half is covered), a sign, and the
 * length of the run if it is more than 1. A sign stands for an entry of a list: a single character, or & and two
 * characters for later entries; a blank is no state. Where one sign follows itself, another instance begins. "A12'B
 * C300" are 12 columns of the first entry, one half covered by the second, an empty one, and 300 of the third. */
#ifndef PITHI_PAGE_TEXT_H
#define PITHI_PAGE_TEXT_H

#include "core/query.h"
#include "draw/text_buffer.h"

enum { PITHI_SIGNS = 70, PITHI_MOST_SIGNS = PITHI_SIGNS * PITHI_SIGNS };

/* Writes a run of a sign; `number` < 0: no state. */
void pithi_code_run(struct pithi_text *text, int number, int low, uint32_t length);
/* Writes a line of `width` cells; definitions with sign_of[def] < 0 are left out. */
void pithi_code_cells(struct pithi_text *text, const struct pithi_cell *cells, uint32_t width, const int *sign_of);
/* Writes a number in digits 0 to 9 and a to z, followed by a blank. */
void pithi_code_number(struct pithi_text *text, int64_t number);

#endif
