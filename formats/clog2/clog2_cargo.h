/* clog2_cargo.h - states and their payloads on the way into a CLOG-2 file: two records of the log that are one in the
 * file (clog2_numbers.h).
 *
 * The begin of a state that may have a payload is kept back until it is known whether the next record of its lane, at
 * the same time, is that; a payload until it is known whether its state's end follows so. Time does not go on with a
 * record kept back, so those of other lanes may be written meanwhile, and the file stays in order.
 */
#ifndef PITHI_CLOG2_CARGO_H
#define PITHI_CLOG2_CARGO_H

#include "clog2/clog2_lines.h"
#include "clog2/clog2_numbers.h"

struct pithi_clog2_cargo {
    struct pithi_clog2_numbers *numbers;
    struct pithi_clog2_lines *lines;
    struct pithi_clog2_kept {
        struct pithlog_record record; /* without its payload */
        uint32_t state;               /* of a payload: its state */
        int has_cargo;
        unsigned char cargo[PITHI_CLOG2_CARGO];
    } * kept;
    uint32_t count, room;
    uint64_t cut;
};

/* An ENTER, LEAVE or EVENT: written now or later. */
int pithi_clog2_cargo_add(struct pithi_clog2_cargo *cargo, const struct pithlog_record *record);
/* Before any other record of the time `time_ns` in `lane`, and at the end (INT64_MAX, 0): writes what must stand before
 * it. */
int pithi_clog2_cargo_flush(struct pithi_clog2_cargo *cargo, int64_t time_ns, uint32_t lane);
void pithi_clog2_cargo_free(struct pithi_clog2_cargo *cargo);

#endif
