/* ends.h - where a file ends too early. */
#ifndef PITHI_ENDS_H
#define PITHI_ENDS_H

#include "format.h"
#include "native/incomplete.h"

/* Of a file of lines: its size without a last line that has no newline. Such a line may be the rest of a longer one. */
size_t pithi_whole_lines(const struct pithi_input *input);
static inline int pithi_ends_in_line(const struct pithi_input *input) { return pithi_whole_lines(input) < input->size; }

/* The log is incomplete: "byte N: the file ends here, WHERE", as "inside a line", "without its table". */
int pithi_ends_here(struct pithi_writer *writer, const struct pithi_input *input, const char *where);

#endif
