/* incomplete.h - that something of a log is missing, and why: its property "incomplete". This is the one way to tell it
 * for all formats: a reader says it of its file (the end was cut, a part is damaged), a native log that had to be made
 * again from its blocks says it of itself. As a property it stays with the log wherever that is kept, copied or
 * converted to; pithlog_get_info() tells it. */
#ifndef PITHI_INCOMPLETE_H
#define PITHI_INCOMPLETE_H

#include "native/defs.h"

#define PITHI_INCOMPLETE "incomplete"

/* Adds a reason, without the name of the file: "byte 9130: the file ends here". Reasons add up, with "; " between. */
int pithi_incomplete(struct pithi_defs *defs, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All reasons; NULL: the log is complete. */
const char *pithi_incomplete_reason(const struct pithi_defs *defs);

#endif
