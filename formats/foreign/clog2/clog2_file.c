/* clog2_file.c - reads and writes the preamble and the blocks of CLOG-2 files.
 *
 * The preamble is 1024 bytes of words, alternating titles and values, with the counts of states, events and so on. The
 * writer knows these counts last, so it writes the preamble last, over the 1024 zeros with which the file begins. The
 * preamble also has the offset of the table of communicators, at which the blocks end. It is stored as three numbers,
 * high * unit + low, because some programs have only 32-bit integers:
 *
 *     2 * 65536 + 1024 = 132096: two blocks behind the preamble, then the table
 *
 * If the offset is not valid, as in a file that was never finished, blocks are read up to the end of the file. Then
 * only the last block may be cut; in any other block, a record that does not fit is damage.
 */
#include "foreign/clog2/clog2_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#include "base/error.h"

/* ---- Preamble: NUL-terminated words, alternating titles and values, found by position; titles only help people -- */

enum { WORDS = 33 }; /* words in the preamble */
enum word { W_VERSION = 0, W_BIG = 2, W_FINALIZED = 4, W_BLOCK = 6, W_KNOWN_EVENTS = 14 };
/* indexes of the words that give the offset of the table */
enum { W_TABLE_HIGH = 30, W_TABLE_UNIT = 31, W_TABLE_LOW = 32 };

static int is_true(const char *word) { return strncasecmp(word, "TRUE", 4) == 0 || strncasecmp(word, "YES", 3) == 0; }

static int32_t number(const char *word)
{
    long long n = strtoll(word, NULL, 10);

    return n < INT32_MIN ? INT32_MIN : n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

int pithi_clog2_file_open(struct pithi_clog2_file *file, const struct pithi_input *input)
{
    char text[PITHI_CLOG2_PREAMBLE + 1];
    const char *words[WORDS];
    int32_t *const numbers[] = {&file->known_events,     &file->user_events,    &file->known_solos,
                                &file->user_solos,       &file->known_states,   &file->user_states,
                                &file->known_solo_count, &file->user_solo_count};

    *file = (struct pithi_clog2_file){.blocks = {.input = input, .begin = PITHI_CLOG2_PREAMBLE}};
    if (input->size < PITHI_CLOG2_PREAMBLE)
        return pithi_fail(PITH_ERR_DAMAGED,
                          "%s: byte %zu: the file ends inside its first 1024 bytes; nothing can be read", input->path,
                          input->size);
    /* `words` point into `text`, a copy of the preamble; missing words are "". */
    int count = 0;
    memcpy(text, input->data, PITHI_CLOG2_PREAMBLE);
    text[PITHI_CLOG2_PREAMBLE] = 0;
    for (size_t at = 0; at < PITHI_CLOG2_PREAMBLE && count < WORDS; at += strlen(text + at) + 1)
        if (text[at])
            words[count++] = text + at;
    while (count < WORDS)
        words[count++] = "";
    if (strcmp(words[W_VERSION], PITHI_CLOG2_VERSION) != 0)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: byte 0: version %.20s; only %s can be read", input->path,
                          words[W_VERSION], PITHI_CLOG2_VERSION);
    file->big = is_true(words[W_BIG]);
    file->finalized = is_true(words[W_FINALIZED]);
    file->blocks.size = strtoull(words[W_BLOCK], NULL, 10);
    if (file->blocks.size < 2 * PITHI_CLOG2_HEADER || file->blocks.size > (UINT64_C(1) << 31))
        return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %td: block size %.20s is out of range; the preamble is damaged",
                          input->path, words[W_BLOCK] - text, words[W_BLOCK]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = number(words[W_KNOWN_EVENTS + 2 * i]);

    /* Finds the end of the blocks. They end where the table begins if the preamble has a valid offset of the table.
     * Otherwise they end at the end of the file. */
    uint64_t high = strtoull(words[W_TABLE_HIGH], NULL, 10), unit = strtoull(words[W_TABLE_UNIT], NULL, 10);
    uint64_t low = strtoull(words[W_TABLE_LOW], NULL, 10), size = input->size, table;
    file->blocks.end = input->size;
    file->table_cut = 1;
    if (!__builtin_mul_overflow(high, unit, &table) && !__builtin_add_overflow(table, low, &table) && size >= 4 &&
        table >= PITHI_CLOG2_PREAMBLE && (table - PITHI_CLOG2_PREAMBLE) % file->blocks.size == 0 && table <= size - 4) {
        file->blocks.end = (size_t)table;
        uint64_t entries = pithi_clog2_u32(input->data + table, file->big);
        file->table_cut = entries * PITHI_CLOG2_TABLE_ENTRY > size - table - 4;
    }
    return PITH_OK;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */

static int is_last_block(const struct pithi_clog2_file *file, const struct pithi_clog_cursor *cursor)
{
    return pithi_clog_rest(&file->blocks, cursor) <= file->blocks.size;
}

int pithi_clog2_next(const struct pithi_clog2_file *file, struct pithi_clog_cursor *cursor,
                     struct pithi_clog2_record *record)
{
    const unsigned char *p;
    size_t left;

    while (pithi_clog_at(&file->blocks, cursor, &p, &left)) {
        uint32_t type = left < PITHI_CLOG2_HEADER ? PITHI_CLOG2_TYPES : pithi_clog2_u32(p + 20, file->big);
        uint32_t size = pithi_clog2_size(type);

        if (!size || size > left) {
            pithi_clog_leave_block(&file->blocks, cursor,
                                   is_last_block(file, cursor) && (left < PITHI_CLOG2_HEADER || size > left));
            continue;
        }
        if (type == PITHI_CLOG2_ENDBLOCK) {
            pithi_clog_next_block(&file->blocks, cursor);
            continue;
        }
        double time_s = pithi_clog2_f64(p, file->big);
        if (type == PITHI_CLOG2_ENDLOG) {
            /* A record of type 0 is either an ENDLOG, whose time is 1e8 s, or memory that was never written and so has
             * zeros. So a record of type 0 with another time ends the log only in the last block. */
            if (time_s == 1e8 || is_last_block(file, cursor))
                pithi_clog_end(&file->blocks, cursor);
            else if (file->finalized)
                pithi_clog_leave_block(&file->blocks, cursor, 0);
            else
                pithi_clog_next_block(&file->blocks, cursor);
            continue;
        }
        record->comm = pithi_clog2_i32(p + 8, file->big);
        record->rank = pithi_clog2_i32(p + 12, file->big);
        record->thread = pithi_clog2_i32(p + 16, file->big);
        record->type = type;
        record->body = p + PITHI_CLOG2_HEADER;
        if (type == PITHI_CLOG2_TIMESHIFT && !file->finalized) {
            /* In a file that is not finalized, times are not yet corrected. A TIMESHIFT record gives the correction for
             * itself and all later records. */
            double shift_s = pithi_clog2_f64(record->body, file->big);
            if (shift_s > -4e9 && shift_s < 4e9)
                cursor->shift_s = shift_s;
        }
        if (pithi_clog_take(cursor, size, time_s, 1, &record->time_ns))
            return 1;
    }
    return 0;
}

static int write_all(struct pithi_clog2_stream *stream, const void *data, size_t size)
{
    if (fwrite(data, 1, size, stream->out) != size)
        return pithi_fail(PITH_ERR_IO, "the CLOG-2 file cannot be written");
    return PITH_OK;
}

int pithi_clog2_stream_open(struct pithi_clog2_stream *stream, FILE *out)
{
    *stream = (struct pithi_clog2_stream){.out = out, .block = calloc(1, PITHI_CLOG2_BLOCK)};
    if (!stream->block)
        return pithi_no_memory();
    return write_all(stream, stream->block, PITHI_CLOG2_PREAMBLE);
}

static void put_header(unsigned char *p, double time_s, int32_t comm, int32_t rank, int32_t thread, int32_t type)
{
    pithi_clog2_put64f(p, time_s);
    pithi_clog2_put32(p + 8, comm);
    pithi_clog2_put32(p + 12, rank);
    pithi_clog2_put32(p + 16, thread);
    pithi_clog2_put32(p + 20, type);
}

static int end_block(struct pithi_clog2_stream *stream)
{
    int err = write_all(stream, stream->block, PITHI_CLOG2_BLOCK);

    memset(stream->block, 0, PITHI_CLOG2_BLOCK);
    stream->at = 0;
    stream->blocks++;
    return err;
}

unsigned char *pithi_clog2_put(struct pithi_clog2_stream *stream, enum pithi_clog2_type type, int64_t time_ns,
                               int32_t comm, int32_t rank, int32_t thread)
{
    uint32_t size = pithi_clog2_size(type);
    double time_s = (double)time_ns / 1e9;
    unsigned char *p;

    /* Ends the block if the record would fill it: readers require that after each record the block has room for the end
     * record and one more byte. */
    if (stream->at + size + PITHI_CLOG2_HEADER >= PITHI_CLOG2_BLOCK) {
        put_header(stream->block + stream->at, stream->time_s, 0, 0, 0, PITHI_CLOG2_ENDBLOCK);
        if (end_block(stream) != PITH_OK)
            return NULL;
    }
    stream->time_s = time_s > stream->time_s || stream->blocks + stream->at == 0 ? time_s : stream->time_s;
    p = stream->block + stream->at;
    put_header(p, stream->time_s, comm, rank, thread, type);
    stream->at += size;
    return p + PITHI_CLOG2_HEADER;
}

int pithi_clog2_stream_end(struct pithi_clog2_stream *stream, uint64_t *table)
{
    int err;

    put_header(stream->block + stream->at, 1e8, 0, 0, 0, PITHI_CLOG2_ENDLOG);
    err = end_block(stream);
    *table = PITHI_CLOG2_PREAMBLE + stream->blocks * PITHI_CLOG2_BLOCK;
    return err;
}

void pithi_clog2_stream_free(struct pithi_clog2_stream *stream)
{
    free(stream->block);
    stream->block = NULL;
}

/* ---- Preamble -------------------------------------------------------------------------------------------------- */

static size_t put_word(unsigned char *bytes, size_t at, const char *word)
{
    size_t size = strlen(word) + 1;

    memcpy(bytes + at, word, size);
    return at + size;
}

void pithi_clog2_preamble(const struct pithi_clog2_preamble *values, unsigned char bytes[PITHI_CLOG2_PREAMBLE])
{
    const struct {
        const char *title;
        int64_t value;
    } numbers[] = {
        {"block_size=", PITHI_CLOG2_BLOCK},
        {"num_buffered_blocks=", 128},
        {"max_comm_world_size=", values->ranks},
        {"max_thread_count=", values->threads},
        {"known_eventID_start=", 0},
        {"user_eventID_start=", PITHI_CLOG2_USER_EVENTS},
        {"known_solo_eventID_start=", -10},
        {"user_solo_eventID_start=", values->first_user_solo},
        {"known_stateID_count=", 300},
        {"user_stateID_count=", values->user_states},
        {"known_solo_eventID_count=", 2},
        {"user_solo_eventID_count=", values->user_solos},
        {"commtable_fptr=", (int64_t)(values->table >> 30)},
        {NULL, INT64_C(1) << 30},
        {NULL, (int64_t)(values->table & ((UINT64_C(1) << 30) - 1))},
    };
    size_t at = 0;

    memset(bytes, 0, PITHI_CLOG2_PREAMBLE);
    at = put_word(bytes, at, PITHI_CLOG2_VERSION);
    at = put_word(bytes, at, "is_big_endian=");
    at = put_word(bytes, at, "TRUE ");
    at = put_word(bytes, at, "is_finalzed="); /* the format has this spelling */
    at = put_word(bytes, at, "TRUE ");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char word[24];
        if (numbers[i].title)
            at = put_word(bytes, at, numbers[i].title);
        snprintf(word, sizeof word, "%" PRId64, numbers[i].value);
        at = put_word(bytes, at, word);
    }
}
