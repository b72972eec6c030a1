/* spill_missing.c - compares the data found with the counts in the file (see spill_missing.h for the idea). It only
 * reports losses; the remaining records can be read as before.
 *
 * Three comparisons show that something is missing, from the most to the least exact:
 *
 *     a chunk and its seal         the seal has the number and the check value of the words: a chunk is cut or damaged
 *     a chunk and the next one     a step in `seq` or too few words: which chunks are missing, and from when to when
 *     the file and its page        the last chunks of lanes, which leave no step in `seq`: only how many are missing
 *
 * Losses found by the first two are subtracted before the third (lost_chunks, lost_words), so that no loss counts
 * twice. */
#include "spill/spill_missing.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "spill/spill_chunk.h"

enum { SAID_MOST = 20 }; /* lines reported for a file */

struct search {
    const struct pithi_spill *spill;
    struct pithi_spill_missing *missing; /* gets the result */
    unsigned flags;                      /* of enum pithi_spill_missing_flag */
    uint64_t said;                       /* number of lines so far, including those beyond SAID_MOST */
    uint64_t lost_chunks, lost_words;    /* chunks and words missing between existing chunks */
    uint64_t found_words;                /* number of words found in the chunks of lanes */
};

__attribute__((format(printf, 3, 4))) static void say(struct search *s, uint64_t records, const char *format, ...)
{
    char text[512];
    va_list arguments;
    int length;
    s->missing->places++;
    s->missing->records += records;
    if (s->missing->say == NULL || s->said++ >= SAID_MOST)
        return;
    length = snprintf(text, sizeof text, "%s: rank %d: ", s->spill->path, (int)s->missing->rank);
    va_start(arguments, format);
    if (length > 0 && (size_t)length < sizeof text)
        vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    s->missing->say(s->missing->context, text);
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

static const uint64_t *begin_of(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    return (const void *)(spill->data + chunk->offset + sizeof(struct pithi_chunk) + chunk->open_bytes);
}

static uint64_t room_of(const struct pithi_spill_chunk *chunk, uint64_t size)
{
    return (size - sizeof(struct pithi_chunk) - chunk->open_bytes) / sizeof(uint64_t);
}

/* Returns the ticks of the last readable record of a chunk. */
static uint64_t last_ticks(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    const uint64_t *word = begin_of(spill, chunk), *end = word + room_of(chunk, chunk->size);
    uint64_t ticks = chunk->base_ticks, words;
    while (word < end) {
        words = pithi_spill_record_words(word, (uint64_t)(end - word));
        if (words == 0 && *word != 0)
            break;
        if (words != 0 && (*word & 15) == PITHI_W_TIME)
            ticks = word[1];
        else if (words != 0 && (*word & 15) != PITHI_W_CLAIMED)
            ticks += pithi_spill_step(*word, ticks);
        word = words != 0 ? word + words : pithi_spill_behind_hole(word, end);
    }
    return ticks;
}

/* Converts ticks to log time in seconds. A time before the begin of the log becomes 0. */
static double seconds(const struct search *s, uint64_t ticks)
{
    int64_t time_ns = pithi_ns_sum(pithi_time_ns(&s->spill->time, ticks), s->missing->shift_ns);
    return time_ns > 0 ? (double)time_ns / 1e9 : 0;
}

/* Returns a - b, or 0 if b is larger, which may happen because both come from a file. */
static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* Reports chunks missing between `before` and `chunk`. If `before` is NULL, `chunk` is the first of the lane. */
static void look_before(struct search *s, const struct pithi_spill_chunk *before, uint64_t before_words,
                        const struct pithi_spill_chunk *chunk)
{
    uint32_t expected = before != NULL ? before->seq + 1 : chunk->open_bytes == 0 ? 0 : chunk->seq;
    uint64_t words = less(chunk->words_before, before != NULL ? before->words_before + before_words : 0);
    if (chunk->seq == expected)
        return;
    s->lost_chunks += chunk->seq - expected;
    s->lost_words += words;
    say(s, words, "thread %u: %u chunk%s missing, at most %" PRIu64 " records between %.9f and %.9f s", chunk->lane,
        chunk->seq - expected, chunk->seq - expected == 1 ? " is" : "s are", words,
        seconds(s, before != NULL ? last_ticks(s->spill, before) : s->spill->page.first.ticks),
        seconds(s, chunk->base_ticks));
}

/* Reports words missing in `chunk`, by its seal or else by the next chunk of the lane, `next` (NULL: `chunk` is the
 * last one). Returns the number of words found. */
static uint64_t look_into(struct search *s, const struct pithi_spill_chunk *chunk, const struct pithi_spill_chunk *next,
                          int may_change)
{
    const uint64_t *begin = begin_of(s->spill, chunk);
    uint64_t found = pithi_spill_stored(begin, begin + room_of(chunk, chunk->size)), expected = 0;
    int sealed = chunk->words != 0 && !may_change && chunk->words <= room_of(chunk, chunk->whole);
    struct pithi_chunk header = {.lane = chunk->lane, .seq = chunk->seq, .base_ticks = chunk->base_ticks};
    int wrong = sealed && chunk->words <= found && (s->flags & PITHI_MISSING_SUMS) &&
                pithi_spill_chunk_check(&header, begin, chunk->words) != chunk->check;
    if (sealed)
        expected = chunk->words;
    else if (next != NULL && next->seq == chunk->seq + 1)
        expected = less(next->words_before, chunk->words_before);
    else if (chunk->whole > s->spill->size - chunk->offset)
        expected = room_of(chunk, chunk->whole);
    if ((s->flags & PITHI_MISSING_LIVE) && pithi_spill_used_again(s->spill, chunk))
        return found;
    if (wrong)
        say(s, chunk->words, "thread %u: a chunk is damaged: at most %" PRIu64 " records between %.9f and %.9f s",
            chunk->lane, chunk->words, seconds(s, chunk->base_ticks),
            seconds(s, next != NULL ? next->base_ticks : last_ticks(s->spill, chunk)));
    else if (expected > found && next != NULL)
        say(s, expected - found, "thread %u: a chunk is cut: at most %" PRIu64 " records between %.9f and %.9f s",
            chunk->lane, expected - found, seconds(s, last_ticks(s->spill, chunk)), seconds(s, next->base_ticks));
    else if (expected > found)
        say(s, expected - found, "thread %u: a chunk is cut: at most %" PRIu64 " records after %.9f s", chunk->lane,
            expected - found, seconds(s, last_ticks(s->spill, chunk)));
    return found;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

/* Returns the present size of the file, which a running process may have extended since it was mapped. */
static uint64_t size_now(const struct pithi_spill *spill)
{
    struct stat info;
    return spill->still && fstat(spill->fd, &info) == 0 ? (uint64_t)info.st_size : spill->size;
}

/* Reports missing chunks that leave no step in a lane's `seq`, because they were the last ones of their lanes. */
static void look_for_chunks(struct search *s)
{
    const struct pithi_spill_page *page = &s->spill->page;
    uint64_t there = s->spill->chunk_count + s->lost_chunks, gone = less(page->chunks, there);
    uint64_t words = less(page->most_words, s->found_words + s->lost_words), first = UINT64_MAX;
    if (gone == 0)
        return;
    /* It is unknown to which lanes the missing chunks belong. So the missing records may begin where the remaining
     * records of any lane end; `first` becomes the earliest of these times. */
    for (uint32_t i = 0; i < s->spill->lane_count; i++) {
        const struct pithi_spill_lane *lane = &s->spill->lanes[i];
        uint64_t end = last_ticks(s->spill, &s->spill->chunks[lane->first + lane->count - 1]);
        first = end < first ? end : first;
    }
    say(s, words, "%" PRIu64 " chunk%s missing, at most %" PRIu64 " records after %.9f s", gone,
        gone == 1 ? " is" : "s are", words, seconds(s, first != UINT64_MAX ? first : page->first.ticks));
}

void pithi_spill_missing(const struct pithi_spill *spill, unsigned flags, struct pithi_spill_missing *missing)
{
    struct search s = {.spill = spill, .missing = missing, .flags = flags};
    const struct pithi_spill_page *page = &spill->page;
    uint32_t i;
    if (page->end_bytes == 0 || (spill->still && !spill->settled))
        return;
    if (spill->size < page->end_bytes && size_now(spill) < page->end_bytes)
        say(&s, 0, "the file is cut: %" PRIu64 " of %" PRIu64 " bytes are there", (uint64_t)spill->size,
            page->end_bytes);
    for (i = 0; i < spill->lane_count; i++) {
        const struct pithi_spill_chunk *chunks = &spill->chunks[spill->lanes[i].first];
        uint32_t count = spill->lanes[i].count;
        uint64_t words = 0;
        for (uint32_t k = 0; k < count; k++) {
            int may_change = (flags & PITHI_MISSING_LIVE) && k + 2 >= count;
            look_before(&s, k > 0 ? &chunks[k - 1] : NULL, words, &chunks[k]);
            words = look_into(&s, &chunks[k], k + 1 < count ? &chunks[k + 1] : NULL, may_change);
            s.found_words += words;
            pithi_spill_let_go(spill, &chunks[k]);
        }
    }
    if ((flags & PITHI_MISSING_LIVE) == 0) {
        look_for_chunks(&s);
        uint64_t gone = less(s.spill->page.definitions, s.spill->definitions), wrong = s.spill->definitions_wrong;
        if (gone > 0)
            say(&s, 0, "%" PRIu64 " of %" PRIu64 " definitions are missing, and all records under them", gone,
                s.spill->page.definitions);
        if (wrong > 0)
            say(&s, 0, "%" PRIu64 " definition%s damaged", wrong, wrong == 1 ? " is" : "s are");
    }
    char text[512];
    if (s.said <= SAID_MOST)
        return;
    snprintf(text, sizeof text, "%s: rank %d: %" PRIu64 " more losses", s.spill->path, (int)s.missing->rank,
             s.said - SAID_MOST);
    s.missing->say(s.missing->context, text);
}
