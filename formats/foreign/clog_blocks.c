/* clog_blocks.c - the walk over blocks (clog_blocks.h). MPE 1 and MPE 2 write blocks by the same rules, so damage and
 * cuts are handled in the same way for both.
 *
 * A record contains its length, so behind a damaged record nothing in its block can be trusted. But all blocks have the
 * same size: if a record in block 3 is invalid, reading goes on at block 4, whose offset follows from the block size
 * alone. So each damage costs at most one block.
 */
#include "foreign/clog_blocks.h"

static void note_damage(struct pithi_clog_cursor *cursor)
{
    if (!cursor->damaged++)
        cursor->first_damage = cursor->at;
}

int pithi_clog_take(struct pithi_clog_cursor *cursor, size_t size, double time_s, int is_valid, int64_t *time_ns)
{
    time_s += cursor->shift_s;
    is_valid = is_valid && time_s > -4e9 && time_s < 4e9; /* this comparison also rejects NaN */
    if (is_valid)
        *time_ns = (int64_t)(time_s * 1e9 + (time_s < 0 ? -0.5 : 0.5));
    else
        note_damage(cursor);
    cursor->at += size;
    cursor->records += (uint64_t)is_valid;
    return is_valid;
}

void pithi_clog_next_block(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor)
{
    pithi_passed(blocks->input, &cursor->passed, cursor->block);
    cursor->block += blocks->size;
    cursor->at = cursor->block;
}

void pithi_clog_leave_block(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor, int is_cut)
{
    if (is_cut) {
        cursor->at = blocks->end;
        return;
    }
    note_damage(cursor);
    pithi_clog_next_block(blocks, cursor);
}

void pithi_clog_end(const struct pithi_clog_blocks *blocks, struct pithi_clog_cursor *cursor)
{
    cursor->ended = 1;
    cursor->block = cursor->at = blocks->end;
}
