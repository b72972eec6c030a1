/* clog2_stream.c - see clog2_stream.h. */
#include "clog2/clog2_stream.h"

#include <inttypes.h>
#include <stdlib.h>

#include "error.h"

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
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
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

    /* Readers want room for the block's end behind the record, and a byte more. */
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

static size_t put_number(unsigned char *bytes, size_t at, const char *title, int64_t value)
{
    char word[24];

    if (title)
        at = put_word(bytes, at, title);
    snprintf(word, sizeof word, "%" PRId64, value);
    return put_word(bytes, at, word);
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
    at = put_word(bytes, at, "is_finalzed="); /* so it is spelt in the format */
    at = put_word(bytes, at, "TRUE ");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        at = put_number(bytes, at, numbers[i].title, numbers[i].value);
}
