/* summary.h - the summary of a lane: for pictures and sums of logs that are too large to read record by record.
 *
 * A lane's records, counted from its first, are cut into pieces of 512; 4 of these make a piece of the next level, and
 * so on, up to a *sheet* of at most 4^5 * 512 = 524288 records. A piece has the three stacks of open states (paths.h)
 * with the most time, the share of each, and the number of events. Its time runs from its first record to the first
 * record after it, so pieces follow each other without a break. For every 32768 records there are exact sums of all
 * definitions.
 *
 * Worked example: 512 records at steps of 10 ns, 256 pairs of `work` (10 ns) with 10 ns outside of it, from 1000 ns on:
 * a piece that starts at 1000 and ends at 6120, path (0, work) with 2560 of 5120 ns, path 0 with the same; both have
 * the share 127 of 255.
 *
 * Cost: 16 bytes a piece, which is 0.04 bytes a record. A picture of W columns needs W to 4 W pieces a lane, of the
 * level whose pieces are not longer than a column.
 */
#ifndef PITHI_SUMMARY_H
#define PITHI_SUMMARY_H

#include <stdint.h>

#include "native/layout.h"
#include "native/paths.h"
#include "native/stack.h"

enum {
    PITHI_PIECE_LEVELS = 6, /* of 512, 2048, 8192, 32768, 131072 and 524288 records */
    PITHI_PIECE_COARSE = 1, /* levels from here on can be read without the finer ones */
    PITHI_PIECE_EXACT = 3,  /* the level whose pieces have exact sums */
    PITHI_PIECE_RECORDS = 512,
    PITHI_PIECE_FAN = 4, /* pieces of a level that make one of the next */
    PITHI_PIECE_BYTES = 16,
    PITHI_PIECE_TOP = PITHLOG_PIECE_PATHS,
    PITHI_SHEET_RECORDS = 524288, /* records that a sheet covers */
    PITHI_SHEET_HEAD = 64         /* bytes */
};

/* Returns the number of records in a piece of level `level`. */
static inline uint32_t pithi_piece_records(unsigned level) { return (uint32_t)PITHI_PIECE_RECORDS << 2 * level; }

/* A sheet is a head, then its pieces, level 5 first, then the exact sums of its pieces of level 3. A piece has, in
 * little-endian: 4 bytes start, 3 times 2 bytes path, 3 times 1 byte share, 1 byte number of events (255: or more), 2
 * bytes id of the first event (65535: this id or a higher one). The start of a piece is relative to the start of the
 * sheet, in the sheet's unit. */
struct pithi_piece {
    uint32_t start; /* from the start of the sheet, in its unit */
    uint16_t path[PITHI_PIECE_TOP];
    uint8_t share[PITHI_PIECE_TOP]; /* in 255ths of the time, largest first; 0: no such path */
    uint8_t events;
    uint16_t event;
};

/* ---- Making ------------------------------------------------------------------------------------------------------ */

/* Takes the payload of a finished sheet. Returns 0 or an enum pith_err. */
typedef int pithi_sheet_sink(void *context, const void *payload, size_t size);

/* The summary of one lane while it is made; `paths` belong to it alone. */
struct pithi_summary;
struct pithi_summary *pithi_summary_new(uint32_t thread, struct pithi_paths *paths); /* NULL: no memory */
void pithi_summary_free(struct pithi_summary *summary);
/* Limits sheets to `records`, a multiple of 32768 up to PITHI_SHEET_RECORDS; for callers with many lanes. */
void pithi_summary_limit(struct pithi_summary *summary, uint32_t records);

/* Returns the symbol of a change for pithi_summary_add. Changes are numbers of paths.h, with ids up to
 * PITHI_CHANGE_ID_MAX. Returns UINT32_MAX if there is no memory, or if there are more than 32768 different changes. */
uint32_t pithi_summary_symbol(struct pithi_summary *summary, uint32_t change);
/* The lane's next records: the change of each, and the time since the record before it (of the very first: since 0). */
struct pithi_changes {
    uint32_t count;             /* number of entries of these arrays */
    const uint64_t *steps_ns;   /* [count] */
    const uint16_t *symbols;    /* [count]; NULL: of_code[codes[i]] for record i */
    const uint16_t *of_code;    /* [256] */
    const unsigned char *codes; /* [count] */
    /* The frames of these records (stack.h) from the pithi_encoder, which has already paired the states. NULL:
     * unknown. */
    const struct pithi_frame *frames;
    const uint16_t *innermost; /* [count] */
    uint32_t frames_before;
    /* The holes that begin at these records: the time from such a LOST record to the next record belongs to no
     * state. */
    const struct pithi_block_hole *holes; /* [hole_count] in order */
    uint32_t hole_count;
};
/* Adds records. Full sheets go to `sink`. */
int pithi_summary_add(struct pithi_summary *summary, const struct pithi_changes *changes, pithi_sheet_sink *sink,
                      void *context);
/* Ends the last sheet, if it has records. */
int pithi_summary_end(struct pithi_summary *summary, pithi_sheet_sink *sink, void *context);
/* Returns the change that a record of this kind and definition makes to the open states. */
static inline uint32_t pithi_change_of(uint32_t kind, uint32_t id)
{
    if (kind == PITHI_LEAVE_INNERMOST)
        return PITHI_CHANGE_INNERMOST;
    return kind <= PITHLOG_EVENT && id <= PITHI_CHANGE_ID_MAX ? id << 2 | kind : PITHI_CHANGE_NONE;
}

/* ---- A sheet ----------------------------------------------------------------------------------------------------- */

/* The head of a payload. */
struct pithi_sheet {
    uint32_t thread, records; /* thread of the lane; records of the sheet */
    uint64_t before;          /* records of the lane in sheets before */
    int64_t start_ns, end_ns; /* times of the sheet's first and last record */
    uint64_t unit;            /* of the pieces' starts, in ns */
    uint32_t exact_bytes;     /* of the exact sums, which follow the pieces */
};

/* Writes the head of a payload, without its CRC, and a piece. */
void pithi_sheet_put(unsigned char *p, const struct pithi_sheet *sheet);
void pithi_piece_put(unsigned char *p, const struct pithi_piece *piece);

/* Return the number of pieces of a level in a sheet of `records` records, and their offset in its payload. */
static inline uint32_t pithi_sheet_pieces(uint32_t records, unsigned level)
{
    return (records + pithi_piece_records(level) - 1) / pithi_piece_records(level);
}
static inline uint32_t pithi_sheet_level(uint32_t records, unsigned level)
{
    uint32_t at = PITHI_SHEET_HEAD;
    for (unsigned above = PITHI_PIECE_LEVELS - 1; above > level; above--)
        at += pithi_sheet_pieces(records, above) * PITHI_PIECE_BYTES;
    return at;
}
/* Returns the size of everything before the pieces of level 0. These bytes have a CRC of their own. */
static inline uint32_t pithi_sheet_coarse(uint32_t records)
{
    return pithi_sheet_level(records, PITHI_PIECE_COARSE - 1);
}

/* Reads the head of a payload of `size` bytes, of which the first `here` are in memory: at least pithi_sheet_coarse().
 * Returns 0 if the head contradicts itself or the CRC differs. */
int pithi_sheet_get(const unsigned char *p, uint64_t here, uint64_t size, struct pithi_sheet *sheet);
/* Reads the piece at `p`. */
static inline void pithi_piece_get(const unsigned char *p, struct pithi_piece *piece)
{
    piece->start = pithi_get32(p);
    for (int i = 0; i < PITHI_PIECE_TOP; i++)
        piece->path[i] = pithi_get16(p + 4 + 2 * i);
    memcpy(piece->share, p + 10, PITHI_PIECE_TOP);
    piece->events = p[13];
    piece->event = pithi_get16(p + 14);
}

/* The exact sums of one definition. */
struct pithi_exact {
    uint32_t id;
    uint64_t count;  /* times the state was entered, or events */
    uint64_t own_ns; /* a state's time as the innermost one */
    uint64_t all_ns; /* the time it was open; counted once if it is open inside itself */
};
struct pithi_exact_head {
    uint64_t length_ns; /* exact length of the piece */
    uint64_t ties;      /* enters, leaves and events exactly at the end of the piece */
    int inexact;        /* 1: there were more paths than numbers, so the sums are too small */
};
/* Reads the sums of a piece of level 3 at `p`; calls `tell` (may be NULL) for each definition. Returns the byte after
 * them, or NULL if they are damaged. */
const unsigned char *pithi_exact_get(const unsigned char *p, const unsigned char *end, uint32_t def_count,
                                     struct pithi_exact_head *head,
                                     void (*tell)(void *context, const struct pithi_exact *exact), void *context);

#endif
