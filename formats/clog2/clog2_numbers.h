/* clog2_numbers.h - event numbers of a CLOG-2 file being written, and the definitions behind them, each written just
 * before its first use.
 *
 * Levels. Jumpshot pairs the starts and ends of a state on a line first in, first out: of a state that is open twice,
 * the outer start would go with the inner end. So a state that nests in itself is several states of one name and
 * colour, one for each level of its nesting: recursion of depth 3 of "f" is f(600,601) f(602,603) f(604,605), and no
 * pairing can go wrong. Known MPI states have their known numbers at the outermost level, and what a log says of its
 * program's numbers (event_numbers.h) holds for the levels that it has them for.
 *
 * Payloads of states. A state that a program gave a payload has an event "NAME info" beside it in the log, at the same
 * time: behind its begin or before its end. In the file they are one record again.
 */
#ifndef PITHI_CLOG2_NUMBERS_H
#define PITHI_CLOG2_NUMBERS_H

#include "clog2/clog2_payload.h"
#include "clog2/clog2_stream.h"
#include "foreign/given_numbers.h"
#include "foreign/losses.h"
#include "foreign/lookup.h"
#include "format.h"

enum { PITHI_CLOG2_LEVELS = 256 }; /* deeper ones share the last */

struct pithi_clog2_number; /* of a definition */

struct pithi_clog2_numbers {
    struct pithlog *log;
    struct pithi_clog2_stream *stream;
    struct pithi_clog2_number *numbers; /* by definition */
    uint32_t count;
    struct pithi_given given; /* what the program used, and all that is taken */
    int32_t next_pair, next_solo;
    struct pithi_lookup open;                     /* (lane, state) -> open ones */
    struct pithi_lookup used_states, used_events; /* names */
    int32_t user_states, user_solos, first_user_solo, last_user_state;
    uint64_t cut_names, cut_formats, shared_levels;
};

int pithi_clog2_numbers_open(struct pithi_clog2_numbers *numbers, struct pithlog *log,
                             struct pithi_clog2_stream *stream);
void pithi_clog2_numbers_free(struct pithi_clog2_numbers *numbers);

/* The event numbers of the state that an ENTER or LEAVE is of, defined now if they are new. */
int pithi_clog2_state_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record,
                             struct pithi_number_pair *pair);
/* How an event's payloads are packed. */
int pithi_clog2_shape_of(struct pithi_clog2_numbers *numbers, uint32_t event, const struct pithi_clog2_shape **shape);
/* The event that has the payloads of a state, and how they are packed; NULL: it has none. */
const struct pithi_clog2_shape *pithi_clog2_state_info(struct pithi_clog2_numbers *numbers, uint32_t state,
                                                       uint32_t *info);
/* The state whose payloads an event has: 1; 0: it stands for itself. */
int pithi_clog2_info_state(struct pithi_clog2_numbers *numbers, uint32_t info, uint32_t *state);
/* The same for an EVENT; *shape: how its payloads are packed. */
int pithi_clog2_solo_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record, int32_t *event,
                            const struct pithi_clog2_shape **shape);

/* Tells what the colours of all definitions in the file have become. */
void pithi_clog2_numbers_colours(const struct pithi_clog2_numbers *numbers, struct pithi_losses *losses);

#endif
