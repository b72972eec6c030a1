/* page_text.h - the data of a page (page.c) as text.
 *
 * A sign stands for an entry of the list of names: a single character, or & and two characters for later entries; a
 * blank is no state.
 *
 * Cells. The first line is the number of levels. A line is a sequence of runs of columns: marks, a sign, and the length
 * of the run if it is more than 1. Marks: ' less than half is covered; ^ no instance begins here; ~ there may be
 * several instances in it. Without ~, all columns of a run but the first and the last are covered by one instance.
 * "A12'B C300" are 12 columns of the first entry, one half covered by the second, an empty one, and 300 of the third.
 *
 * Exact times. Each row has a line of events, a line of the parts of calls that wait, a line for each level, and an
 * empty line. An event is a sign and the time since the event before. A part of an instance is ^ or nothing, a sign,
 * the time since the begin of the part before, and the length; the parts that wait have the same form. A counter has
 * three empty lines. Numbers end with a blank.
 *
 * Messages: see pithi_page_messages.
 *
 * Bands. A row with `band` belongs to an unfolded lane. It has only this level of the lane, counted from 1, as its
 * first level. With exact times, band PITHI_LEVELS also has all deeper levels. The rows of a lane follow each other. */
#ifndef PITHI_PAGE_TEXT_H
#define PITHI_PAGE_TEXT_H

#include "core/cells/query.h"
#include "draw/text_buffer.h"

struct pithi_draw;

enum { PITHI_SIGNS = 70, PITHI_MOST_SIGNS = PITHI_SIGNS * PITHI_SIGNS }; /* letters of a page; of two letters */

/* Times in the data count from this time, because numbers of the script are exact only up to 2^53. It is a multiple of
 * 1,000,000 s, so that round times are round in the data. */
int64_t pithi_page_base(const struct pithi_draw *draw);

/* Writes a run of a sign; `number` < 0: no state. */
void pithi_code_run(struct pithi_text *text, int number, int low, uint32_t length);
/* Writes a line of cells; definitions with sign_of[def] < 0 are left out. `group`: of a row of lanes. */
void pithi_code_cells(struct pithi_text *text, const struct pithi_cell *cells, uint32_t width, const int *sign_of,
                      int group);
/* Writes a line of numbers, one a column; < 0: none. */
void pithi_code_numbers(struct pithi_text *text, const int *numbers, uint32_t columns);
void pithi_code_empty(struct pithi_text *text, uint32_t lines);
/* Writes a number in digits 0 to 9 and a to z, followed by a blank. */
void pithi_code_number(struct pithi_text *text, int64_t number);
/* Writes the number of a row's lanes; with one lane, also its pauses and losses (core/cells/gaps.h): begin, end,
 * records lost. */
void pithi_code_lane(struct pithi_text *text, const struct pithi_draw *draw, uint32_t lane, uint32_t lanes);
/* Writes the colour and the range of values of a counter's row. */
void pithi_code_counter(struct pithi_text *text, const struct pithi_draw *draw, const struct pithi_row *row);
/* Writes a string of the script. Everything that could end the string or the script is escaped. */
void pithi_code_string(struct pithi_text *text, const char *string);

/* Writes exact times of all rows (page_exact.c). 0: they need more than `most` bytes, or rows are groups, or the log is
 * damaged. */
int pithi_page_exact(const struct pithi_draw *draw, const int *sign_of, uint32_t most, struct pithi_text *text);

/* Writes the call sites (core/scene/flames.h) of rows with exact times: a list of their names, and a line for each row
 * with its call sites, each the time since the one before and the number of its name. */
void pithi_page_sites(const struct pithi_draw *draw, struct pithi_text *text);

/* Writes the name of the time outside all states, "computing" or without MPI "no state", and that time of all rows in
 * the window; `cells` are those of the window. */
void pithi_page_computing(const struct pithi_draw *draw, const struct pithi_cells *cells, struct pithi_text *text);

/* Writes sums of equal parts of the window over all rows, a string for each part: the time outside all states; sign,
 * count, inclusive and exclusive time of each name that occurs in it. Returns an exit status. */
int pithi_page_sums(const struct pithi_draw *draw, const int *sign_of, struct pithi_text *text);

/* Writes the messages: bundles, a string for each window, first the whole, then its halves, quarters
 * and so on; then the arrows. The string of a window is empty if all of its messages are drawn as arrows. Else it has:
 * how many of its messages are, the longest ones; how much of the rows all of them cover, in thousandths; 1 if counts
 * are estimates. Then for each bundle: begin and end in places of the window, from row, to row,
 * count, width in pixels, darkness in hundredths. */
void pithi_page_messages(const struct pithi_draw *draw, int row_height, struct pithi_text *text);

/* Writes the critical path: lengths and rows (-1: none) in turn. Lengths are nanoseconds; if the path has
 * too many steps for that, they are columns, and pathColumns is the number of all. */
void pithi_page_path(const struct pithi_draw *draw, struct pithi_text *text);

#endif
