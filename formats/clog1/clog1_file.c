/* clog1_file.c - see clog1_file.h. */
#include "clog1/clog1_file.h"

#include "clog2/clog2_layout.h"
#include "foreign/passed.h"

enum { SMALL_BLOCK = 1024, BLOCK = 65536, PROBED = 4 };

/* Bytes of the body of each type, from RAW on. */
static const uint8_t bodies[PITHI_CLOG1_TYPES] = {0, 32, 24, 24, 16, 24, 56, 48, 8};

struct head {
    double time_s;
    int32_t type, process;
    size_t size; /* as it says; 0: it can be none */
};

/* The header at `p`, of which `left` bytes are there. */
static struct head head_at(const unsigned char *p, size_t left, int big)
{
    struct head h = {.type = PITHI_CLOG1_TYPES};
    if (left < PITHI_CLOG1_HEADER)
        return h;
    h.time_s = pithi_clog2_f64(p, big);
    h.type = pithi_clog2_i32(p + 8, big);
    h.process = pithi_clog2_i32(p + 16, big);
    uint32_t units = pithi_clog2_u32(p + 12, big);
    if (h.type < PITHI_CLOG1_ENDLOG || h.type >= PITHI_CLOG1_TYPES || units > BLOCK / 8)
        return h;
    if (8 * units >= PITHI_CLOG1_HEADER + (uint32_t)(h.type > 0 ? bodies[h.type] : 0))
        h.size = 8 * (size_t)units;
    return h;
}

/* ---- Byte order and block size --------------------------------------------------------------------------------- */

static int is_plausible(const struct head *h)
{
    if (h->type == PITHI_CLOG1_ENDLOG)
        return h->size > 0;
    return h->size > 0 && h->type != PITHI_CLOG1_UNDEFINED && h->time_s > -1e6 && h->time_s < 1e6 &&
           (h->type == PITHI_CLOG1_ENDBLOCK || (h->process >= 0 && h->process < PITHI_CLOG1_RANKS_MAX));
}

/* Whether the file begins with records in this byte order. */
static int begins(const struct pithi_input *input, int big)
{
    size_t at = 0;
    for (int i = 0; i < PROBED; i++) {
        struct head h = head_at(input->data + at, input->size - at, big);
        if (at > 0 && input->size - at < PITHI_CLOG1_HEADER)
            return 1;
        if (!is_plausible(&h))
            return 0;
        if (h.type < 0)
            return h.type == PITHI_CLOG1_ENDLOG || at > 0;
        if (h.size > input->size - at)
            return at > 0;
        at += h.size;
    }
    return 1;
}

/* By where the first block ends: in a small one at most the largest record is missing at the end of 1024 bytes. */
static size_t find_block_size(const struct pithi_input *input, int big)
{
    for (size_t at = 0; at < SMALL_BLOCK && at < input->size;) {
        struct head h = head_at(input->data + at, input->size - at, big);
        if (!h.size)
            break;
        if (h.type == PITHI_CLOG1_ENDBLOCK)
            return SMALL_BLOCK;
        if (h.type == PITHI_CLOG1_ENDLOG)
            return input->size % BLOCK ? SMALL_BLOCK : BLOCK;
        at += h.size;
    }
    return BLOCK;
}

int pithi_clog1_file_open(struct pithi_clog1_file *file, const struct pithi_input *input)
{
    *file = (struct pithi_clog1_file){.input = input, .big = 1};
    if (!input->data || input->size < PITHI_CLOG1_HEADER)
        return 0;
    if (!begins(input, 1)) {
        file->big = 0;
        if (!begins(input, 0))
            return 0;
    }
    file->block_size = find_block_size(input, file->big);
    return 1;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

static void note_damage(struct pithi_clog1_cursor *cursor)
{
    if (!cursor->damaged++)
        cursor->first_damage = cursor->at;
}

static void next_block(struct pithi_clog1_cursor *cursor)
{
    pithi_passed(cursor->file->input, &cursor->passed, cursor->block);
    cursor->block += cursor->file->block_size;
    cursor->at = cursor->block;
}

static void end_log(struct pithi_clog1_cursor *cursor)
{
    cursor->ended = 1;
    cursor->block = cursor->at = cursor->file->input->size;
}

/* There is no whole record here: the file was cut, or the block is damaged and the next one is tried. */
static void leave_block(struct pithi_clog1_cursor *cursor, size_t left, size_t size)
{
    int is_cut = cursor->file->input->size - cursor->block < cursor->file->block_size;
    if (!is_cut || (left >= PITHI_CLOG1_HEADER && size <= left))
        note_damage(cursor);
    next_block(cursor);
}

static int take_record(struct pithi_clog1_cursor *cursor, const struct head *h, const unsigned char *p,
                       struct pithi_clog1_record *record)
{
    int good = h->time_s > -4e9 && h->time_s < 4e9 && h->process >= 0 && h->process < PITHI_CLOG1_RANKS_MAX;
    if (!good)
        note_damage(cursor);
    else
        *record = (struct pithi_clog1_record){(int64_t)(h->time_s * 1e9 + (h->time_s < 0 ? -0.5 : 0.5)), h->type,
                                              h->process, p + PITHI_CLOG1_HEADER};
    cursor->at += h->size;
    cursor->records += (uint64_t)good;
    return good;
}

int pithi_clog1_next(struct pithi_clog1_cursor *cursor, struct pithi_clog1_record *record)
{
    const struct pithi_input *input = cursor->file->input;

    while (cursor->at < input->size && pithi_input_at(input, cursor->at)) {
        const unsigned char *p = input->data + cursor->at;
        size_t block_left = cursor->block + cursor->file->block_size - cursor->at, left = input->size - cursor->at;
        left = left < block_left ? left : block_left;
        struct head h = head_at(p, left, cursor->file->big);
        if (!h.size || h.size > left)
            leave_block(cursor, left, h.size);
        else if (h.type == PITHI_CLOG1_ENDBLOCK)
            next_block(cursor);
        else if (h.type == PITHI_CLOG1_ENDLOG)
            end_log(cursor);
        else if (h.type == PITHI_CLOG1_UNDEFINED)
            cursor->at += h.size;
        else if (take_record(cursor, &h, p, record))
            return 1;
    }
    return 0;
}
