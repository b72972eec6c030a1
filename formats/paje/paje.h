/* paje.h - Paje's trace format, that ViTE, PajeNG and R scripts on pj_dump read: text that begins with the events it
 * uses and their fields, then a line an event, in order of time. README.md has the types. */
#ifndef PITHI_PAJE_H
#define PITHI_PAJE_H

#include "format.h"
#include "text/out.h"

int pithi_paje_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* ---- Between paje_write.c and paje_types.c ----------------------------------------------------------------------- */

/* Events by their number in the file. */
enum pithi_paje_event {
    PITHI_PAJE_CONTAINER_TYPE,
    PITHI_PAJE_STATE_TYPE,
    PITHI_PAJE_EVENT_TYPE,
    PITHI_PAJE_VARIABLE_TYPE,
    PITHI_PAJE_LINK_TYPE,
    PITHI_PAJE_VALUE,
    PITHI_PAJE_CREATE,
    PITHI_PAJE_DESTROY,
    PITHI_PAJE_SET_VARIABLE,
    PITHI_PAJE_PUSH,
    PITHI_PAJE_POP,
    PITHI_PAJE_NEW_EVENT,
    PITHI_PAJE_START_LINK,
    PITHI_PAJE_END_LINK
};

/* " \"text\"": Paje knows no escapes, so control characters are spelled as `pith print` does it, and quotes made
 * single; nor do its readers know empty strings, which become "(none)". */
void pithi_paje_string(struct pithi_out *out, enum pithi_quote quote, const char *text);
/* The number of an event and its time, without the end of the line. */
void pithi_paje_begin(struct pithi_out *out, enum pithi_paje_event event, int64_t time_ns);
/* " a7" */
void pithi_paje_alias(struct pithi_out *out, char kind, uint64_t number);

/* What stands before the first record: the events' fields, types and values; containers, all there from time 0 on. */
void pithi_paje_types(struct pithi_out *out, struct pithlog *log);
void pithi_paje_create(struct pithi_out *out, struct pithlog *log);
/* And behind the last. */
void pithi_paje_destroy(struct pithi_out *out, struct pithlog *log, int64_t end_ns);

#endif
