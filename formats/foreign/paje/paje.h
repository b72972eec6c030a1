/* paje.h - Paje's trace format, which ViTE, PajeNG and R scripts on pj_dump read. A file begins with the definitions of
 * its events and their fields; one line per event follows, in order of time. README.md has the types. */
#ifndef PITHI_PAJE_H
#define PITHI_PAJE_H

#include "base/out.h"
#include "foreign/formats.h"

/* ---- Shared by paje_write.c and paje_types.c --------------------------------------------------------------------- */

/* The numbers of events in the file. */
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

/* Writes " \"text\"". Paje has no escapes, so control characters are spelled as in `pith print` and double quotes
 * become single ones. Its readers do not accept empty strings, which become "(none)". */
void pithi_paje_string(struct pithi_out *out, enum pithi_quote quote, const char *text);
/* Writes the number of an event and its time; the caller ends the line. */
void pithi_paje_begin(struct pithi_out *out, enum pithi_paje_event event, int64_t time_ns);
/* Writes an alias: " a7". */
void pithi_paje_alias(struct pithi_out *out, char kind, uint64_t number);

/* Write the part before the first record: the definitions of events, types and values; then the containers, which all
 * exist from time 0. */
void pithi_paje_types(struct pithi_out *out, struct pithlog *log);
void pithi_paje_create(struct pithi_out *out, struct pithlog *log);
/* Writes the part after the last record: the end of the containers. */
void pithi_paje_destroy(struct pithi_out *out, struct pithlog *log, int64_t end_ns);

#endif
