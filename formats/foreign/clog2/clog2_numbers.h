/* clog2_numbers.h - event numbers of a CLOG-2 file that is written, and their definitions.
 *
 * Definitions. MPE writes the definition of a number when the program describes that number. It writes the definitions
 * of known numbers at the end (clog2_made.h). If a log was recorded to become CLOG-2, it has an event
 * PITHI_CLOG2_DESCRIBE wherever the program described a number, and the definition is written there. Numbers that are
 * used without such an event are defined at the end. In other logs all numbers of the program are defined at the start.
 * All other definitions are written just before their first use.
 *
 * Levels. Jumpshot pairs the starts and ends of a state on a line first in, first out. If a state is open twice,
 * Jumpshot pairs the outer start with the inner end. Therefore a state that nests in itself becomes several states with
 * the same name and colour, one for each nesting level: recursion of depth 3 of "f" is f(600,601) f(602,603)
 * f(604,605). Known MPI states have their known numbers at the outermost level. Other levels have the numbers that the
 * program used, if the log contains these (native/event_numbers.h).
 *
 * Payloads of states. If a state has a payload, the log has an event "NAME info" at the same time, after its begin or
 * before its end. The file holds this event and the begin or end of the state in one record. */
#ifndef PITHI_CLOG2_NUMBERS_H
#define PITHI_CLOG2_NUMBERS_H

#include "base/map.h"
#include "foreign/clog2/clog2_file.h"
#include "foreign/clog2/clog2_layout.h"
#include "foreign/clog2/clog2_made.h"
#include "foreign/given_numbers.h"
#include "foreign/walk.h"
#include "reader/read/format.h"

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

/* Fits payloads into the 32 bytes of a CLOG-2 record, and formats into 39 characters.
 *
 * A token needs 2, 4 or 8 bytes; %s needs at least the 2 bytes of its length. A format keeps the tokens that fit into
 * the 32 bytes. Strings get the space that later tokens leave: "name=%s a=%l b=%E" leaves 32 - 2 - 16 = 14 bytes of
 * text. If the text of a format is longer than 39 characters, each token keeps an equal share of it. */

struct pithi_clog2_shape {
    char format[PITHI_CLOG2_FORMAT];        /* "n=%d s=%s" */
    char tokens[PITHI_CLOG2_CARGO / 2 + 1]; /* the tokens kept, as a string */
    int cut;                                /* 1: text was cut; 2: tokens were cut */
};

void pithi_clog2_shape_make(struct pithi_clog2_shape *shape, const char *format);

/* Packs a payload. Returns 1 if something was left out. */
int pithi_clog2_pack(const struct pithi_clog2_shape *shape, const unsigned char *payload, uint32_t size,
                     unsigned char cargo[PITHI_CLOG2_CARGO]);

enum { PITHI_CLOG2_LEVELS = 256 }; /* deeper instances share the last level */

/* libmpe records this event at each description if the log will become CLOG-2. The payload of the event is the first
 * number of the definition, its last number (-1 for an event), the length of the name in 2 bytes, and the name. */
#define PITHI_CLOG2_DESCRIBE "mpe:describe"

struct pithi_clog2_number; /* how one definition is written */

struct pithi_clog2_numbers {
    struct pithlog *log;
    struct pithi_clog2_stream *stream;
    struct pithi_clog2_made *made;
    struct pithi_losses *losses;
    struct pithi_clog2_number *numbers; /* by definition */
    uint32_t count;
    struct pithi_given given;                  /* the numbers that the program used, and all numbers that are in use */
    int is_described;                          /* the log has the event PITHI_CLOG2_DESCRIBE */
    int has_more_states;                       /* 1: states that the program did not describe have got state numbers */
    int32_t next_pair, next_solo;              /* the next free numbers */
    struct pithi_map open;                     /* (lane, state) -> number of open instances */
    struct pithi_map used_states, used_events; /* names in use */
    struct pithi_map described;                /* rank -> number of states that the rank has described */
    int32_t user_states, user_solos, first_user_solo, last_user_state; /* values for the preamble */
    uint64_t cut_names, cut_formats, shared_levels;                    /* Counts for the notes. shared_levels: instances
                                                                          of states that are nested too deeply for a
                                                                          level of their own */
};

/* Marks in `losses` the definitions that are in the file even if no record uses them. */
int pithi_clog2_numbers_open(struct pithi_clog2_numbers *numbers, struct pithlog *log,
                             struct pithi_clog2_stream *stream, struct pithi_clog2_made *made,
                             struct pithi_losses *losses);
void pithi_clog2_numbers_free(struct pithi_clog2_numbers *numbers);

/* Writes the definition that an event PITHI_CLOG2_DESCRIBE on `line` describes. `rank` is the rank of its lane. */
int pithi_clog2_describe(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record,
                         const struct pithi_clog2_line *line, int32_t rank);
/* Writes the missing definitions of the event numbers that the program used: first the states, then the events, each in
 * the order of their numbers. At the start (is_end 0), writes all of them, or none if the log has descriptions. At the
 * end, writes those of the numbers that are in use. */
int pithi_clog2_describe_rest(struct pithi_clog2_numbers *numbers, int64_t time_ns, int is_end);

/* Returns the event numbers of the state of an ENTER or LEAVE, and defines the state if it is new. */
int pithi_clog2_state_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record,
                             struct pithi_number_pair *pair);
/* Returns how the payloads of an event are packed. */
int pithi_clog2_shape_of(struct pithi_clog2_numbers *numbers, uint32_t event, const struct pithi_clog2_shape **shape);
/* Returns how the payloads of a state are packed, and the event that holds them. NULL: the state has no payloads. */
const struct pithi_clog2_shape *pithi_clog2_state_info(struct pithi_clog2_numbers *numbers, uint32_t state,
                                                       uint32_t *info);
/* Returns 1 if the event holds the payloads of *state, or 0 if it is an ordinary event. */
int pithi_clog2_info_state(struct pithi_clog2_numbers *numbers, uint32_t info, uint32_t *state);
/* Like pithi_clog2_state_number, but for an EVENT. *shape becomes the way in which its payloads are packed. */
int pithi_clog2_solo_number(struct pithi_clog2_numbers *numbers, const struct pithlog_record *record, int32_t *event,
                            const struct pithi_clog2_shape **shape);

/* Reports the colours of all definitions as they are in the file. */
void pithi_clog2_numbers_colours(const struct pithi_clog2_numbers *numbers, struct pithi_losses *losses);

#endif
