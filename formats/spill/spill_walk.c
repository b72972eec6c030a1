/* spill_walk.c - reads the records of one lane: words to struct pithlog_record, or to the arrays of an encoder.
 *
 * This is the inner loop of every merge, so it is written for speed: one word, one multiplication, and a look-up in the
 * map of ids. Words are read atomically because their thread may still be storing them.
 *
 * The word of an ENTER of state 7, when the low 40 bits of the counter are 1000 (0x3e8):
 *
 *     0x00000003e8 00007 1             ticks, id, kind: one word of 64 bits, stored at once
 *
 * The low 40 bits of a 2.6 GHz counter repeat after 423 s. Of all times with these bits, the one nearest to the time of
 * the record before is taken. This is right if the two records are less than 2^39 ticks apart. After a longer time
 * without records the program stores a word with the full time (PITHI_W_TIME).
 *
 *     time before 2^40 - 6, the word has 10: 10 - (2^40 - 6) is 16 in 40 bits with sign, so the time is 2^40 + 10
 *
 * The file may have been cut or overwritten at any word. A record is only taken if all its words lie in the chunk. The
 * rest of a chunk that cannot be read is counted and skipped; the next chunk begins with a full time of its own. */
#include "spill/spill_walk.h"

#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "native/block.h"
#include "spill/spill_numbers.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

/* The number of words of a record of each kind, without its payload. */
static const unsigned char kind_words[16] = {
    [PITHI_W_ENTER] = 1, [PITHI_W_LEAVE] = 1,  [PITHI_W_EVENT] = 1, [PITHI_W_EVENT_DATA] = 2,  [PITHI_W_COUNTER] = 2,
    [PITHI_W_SEND] = 3,  [PITHI_W_RECV] = 4,   [PITHI_W_COLL] = 4,  [PITHI_W_COMM_CREATE] = 1, [PITHI_W_COMM_FREE] = 1,
    [PITHI_W_PAUSE] = 1, [PITHI_W_RESUME] = 1, [PITHI_W_LOST] = 2,  [PITHI_W_TIME] = 2,
};

uint64_t pithi_spill_record_words(const uint64_t *word, uint64_t room)
{
    uint64_t first = room > 0 ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : 0;
    uint64_t words = kind_words[first & 15];
    if (words > room)
        return 0;
    if ((first & 15) == PITHI_W_CLAIMED)
        words = first >> 4 & PITHI_WORD_ID_MASK;
    if ((first & 15) == PITHI_W_EVENT_DATA) {
        uint64_t payload = load(word + 1) & UINT32_MAX;
        if (payload > UINT16_MAX)
            return 0;
        words += (payload + 7) / 8;
    }
    return words > room ? 0 : words;
}

/* A thread may store a record while this looks: its first word was still 0, but a later word of it is not. The first
 * word is stored before the others, so another look finds it; the search is repeated until it finds the same place. */
const uint64_t *pithi_spill_behind_hole(const uint64_t *word, const uint64_t *end)
{
    for (const uint64_t *at, *found = end;; found = at) {
        for (at = word; at < found && __atomic_load_n(at, __ATOMIC_ACQUIRE) == 0; at++)
            ;
        if (at == found)
            return found;
    }
}

/* Goes to the lane's next chunk. Returns 0 if there is none. If `seq` does not follow that of the last chunk, records
 * before the next chunk are missing, and the walk has a cut. */
static int next_chunk(struct pithi_spill_walk *walk)
{
    const struct pithi_spill_chunk *chunk = &walk->spill->chunks[walk->lane->first + walk->chunk];
    const unsigned char *data = walk->spill->data;
    if (walk->chunk > 0)
        pithi_spill_let_go(walk->spill, chunk - 1);
    do {
        if (walk->chunk >= walk->lane->count)
            return 0;
        chunk = &walk->spill->chunks[walk->lane->first + walk->chunk];
        if (walk->chunk == 0) /* a ring has overwritten the records before its oldest chunk */
            walk->lost += walk->lane->overwritten;
        walk->chunk++;
    } while (pithi_spill_used_again(walk->spill, chunk) || !pithi_spill_keep(walk->spill, chunk));
    if (chunk->seq != walk->seq) {
        /* Records before this chunk are missing. The states open at its start follow its header, if it is of a ring. */
        const struct pithi_spill_open *open =
            (const void *)(walk->spill->data + chunk->offset + sizeof(struct pithi_chunk));
        walk->cut = 1;
        walk->cut_ticks = chunk->base_ticks;
        walk->open = NULL;
        if (chunk->open_bytes != 0 && __atomic_load_n(&open->known, __ATOMIC_ACQUIRE) == 1 &&
            open->count <= PITHI_OPEN_ROOM)
            walk->open = open;
    }
    walk->seq = chunk->seq + 1;
    if (walk->spill->mapped) /* maps all pages of the chunk at once; kernels before 5.14 cannot, which does no harm */
        madvise((void *)(uintptr_t)(data + chunk->offset), chunk->size, MADV_POPULATE_READ);
    walk->word =
        (const uint64_t *)(const void *)(data + chunk->offset + sizeof(struct pithi_chunk) + chunk->open_bytes);
    walk->end = (const uint64_t *)(const void *)(data + chunk->offset + chunk->size);
    walk->ticks = chunk->base_ticks;
    return 1;
}

void pithi_spill_walk(struct pithi_spill_walk *walk, const struct pithi_spill *spill, uint32_t lane_index)
{
    memset(walk, 0, sizeof *walk);
    walk->spill = spill;
    walk->lane = &spill->lanes[lane_index];
    walk->span = spill->time.spans;
    walk->last_ns = INT64_MIN;
    next_chunk(walk);
}

int64_t pithi_spill_walk_ns(const struct pithi_spill_walk *walk, uint64_t ticks)
{
    return (int64_t)((uint64_t)pithi_time_ns(&walk->spill->time, ticks) + (uint64_t)walk->shift_ns);
}

/* Takes the earliest begin of any lane. A lane begins where its oldest chunk begins, because a chunk is made for its
 * first record. */
int64_t pithi_spill_begin_ns(const struct pithi_spill *spill)
{
    int64_t first = INT64_MAX;
    uint32_t i;
    if (spill->page.zero_ns != 0)
        return pithi_sync_ns(spill->syncs, spill->sync_count, spill->page.zero_ns);
    for (i = 0; i < spill->lane_count; i++) {
        int64_t begin = pithi_time_ns(&spill->time, spill->chunks[spill->lanes[i].first].base_ticks);
        if (begin < first)
            first = begin;
    }
    return first;
}

/* Converts ticks to log time. Records are almost in order, so the span is nearly always the same as for the record
 * before. The time of a record may be lower than that of the record before: that happens if a signal handler interrupts
 * the recording of a record after the clock was read and before its words are claimed, and records itself. The order of
 * the words is right, so the lower time is raised to the time of the record before. */
static inline __attribute__((always_inline)) int64_t time_of(struct pithi_spill_walk *walk, uint64_t ticks)
{
    int64_t ns;
    while (ticks >= walk->span[1].ticks && walk->span + 1 < walk->spill->time.spans + walk->spill->time.count)
        walk->span++;
    while (ticks < walk->span->ticks && walk->span > walk->spill->time.spans)
        walk->span--;
    ns = (int64_t)((uint64_t)pithi_span_ns(walk->span, ticks) + (uint64_t)walk->shift_ns);
    if (ns < walk->last_ns)
        return walk->last_ns;
    return walk->last_ns = ns;
}

/* Sets the record's id to the log's id of a definition. Returns -1 if the definition is missing or of another kind. */
static int map_id(struct pithi_spill_walk *walk, uint32_t id, enum pithlog_def_kind kind, struct pithlog_record *record)
{
    if (id >= walk->id_count || walk->ids[id] == UINT32_MAX || walk->spill->defs[id].kind != kind)
        return -1;
    record->id = walk->ids[id];
    return 0;
}

static int map_comm(struct pithi_spill_walk *walk, uint32_t id, struct pithlog_record *record)
{
    if (id >= walk->comm_count || walk->comms[id] == UINT32_MAX)
        return -1;
    record->comm = walk->comms[id];
    return 0;
}

/* Reads a record that is not an ENTER, LEAVE or EVENT without payload. Returns -1 if the record must be dropped. */
static int long_record(struct pithi_spill_walk *walk, const uint64_t *word, uint32_t kind, uint32_t id,
                       struct pithlog_record *record)
{
    uint64_t bits;
    switch (kind) {
    case PITHI_W_EVENT_DATA:
        record->kind = PITHLOG_EVENT;
        bits = load(word + 1);
        record->payload_bytes = (uint32_t)bits;
        record->payload = record->payload_bytes ? word + 2 : NULL;
        map_comm(walk, (uint32_t)(bits >> 32), record); /* an event of an unknown communicator is kept */
        return map_id(walk, id, PITHLOG_EVENT_TYPE, record);
    case PITHI_W_COUNTER:
        record->kind = PITHLOG_COUNTER;
        bits = load(word + 1);
        memcpy(&record->value, &bits, sizeof bits);
        return map_id(walk, id, PITHLOG_COUNTER_TYPE, record);
    case PITHI_W_SEND:
    case PITHI_W_RECV:
        record->kind = kind == PITHI_W_SEND ? PITHLOG_SEND : PITHLOG_RECV;
        bits = load(word + 1);
        record->peer = (int32_t)(uint32_t)bits;
        record->tag = (int32_t)(uint32_t)(bits >> 32);
        record->bytes = load(word + 2);
        /* a receive that was posted during an earlier log of the process gets order number 0 */
        bits = kind == PITHI_W_RECV ? load(word + 3) : 0;
        record->posted = bits > walk->spill->page.first_posted ? bits - walk->spill->page.first_posted : 0;
        return map_comm(walk, id, record);
    case PITHI_W_COLL:
        record->kind = PITHLOG_COLL;
        record->peer = (int32_t)(uint32_t)load(word + 1);
        record->bytes = load(word + 2);
        record->got_bytes = load(word + 3);
        return map_comm(walk, id, record);
    case PITHI_W_COMM_CREATE:
    case PITHI_W_COMM_FREE:
        record->kind = kind == PITHI_W_COMM_CREATE ? PITHLOG_COMM_CREATE : PITHLOG_COMM_FREE;
        return map_comm(walk, id, record);
    case PITHI_W_LOST:
        record->kind = PITHLOG_LOST;
        record->bytes = load(word + 1);
        return record->bytes == 0 ? -1 : 0;
    default:
        record->kind = kind == PITHI_W_PAUSE ? PITHLOG_PAUSE : PITHLOG_RESUME;
        return 0;
    }
}

static void reset(struct pithlog_record *record)
{
    record->payload = NULL;
    record->payload_bytes = 0;
    record->comm = record->id = 0;
    record->peer = -1;
    record->tag = 0;
    record->bytes = record->got_bytes = record->posted = 0;
    record->value = 0;
}

/* Goes to the next chunk at the end of a chunk. Returns 1 if *record is now a LOST record for the caller; 0 at the end
 * of the lane; -1 if the caller must read on. */
static int chunk_end(struct pithi_spill_walk *walk, struct pithlog_record *record)
{
    uint64_t lost = walk->spill->chunks[walk->lane->first + walk->chunk - 1].lost;
    walk->lost += lost;
    if (walk->lost != 0) {
        reset(record);
        record->kind = PITHLOG_LOST;
        record->bytes = walk->lost;
        record->time_ns = walk->last_ns != INT64_MIN ? walk->last_ns : time_of(walk, walk->ticks);
        walk->lost = 0;
        if (!next_chunk(walk))
            walk->word = walk->end = NULL;
        return 1;
    }
    if (next_chunk(walk))
        return -1;
    walk->word = walk->end = NULL;
    return 0;
}

/* Returns the number of payload bytes that are used. It is 0 if the program described no format and the payload is an
 * empty string, because MPE programs often pass "" if they have no payload. */
static uint32_t cargo_size(const char *format, const unsigned char *cargo)
{
    if (format == NULL)
        return pithi_cargo_size("", cargo);
    return *format == '\0' && *cargo == '\0' ? 0 : pithi_cargo_size(format, cargo);
}

/* Converts an event that was recorded by its number to the record that the number means. The payload of a state becomes
 * an event inside the state. Returns 0 if the user excluded the state or event from recording. */
static int number_record(struct pithi_spill_walk *walk, struct pithlog_record *record)
{
    const struct pithi_spill_number *number = &walk->numbers[record->id - PITHI_NUMBER_ID];
    const void *payload = record->payload;
    uint32_t comm = record->comm;

    if (number->kind == 0) {
        reset(record);
        return 0;
    }
    record->time_ns = time_of(walk, walk->ticks);
    record->kind = PITHLOG_EVENT;
    record->id = number->id;
    if (payload) {
        /* Copies the payload: it may belong to the record that is returned by the next call, and until then the process
         * may reuse the words. A payload without a format becomes a string, so its length is put before it. */
        if (record->payload_bytes == PITHI_CARGO) {
            walk->text[0] = 0;
            memcpy(walk->text + 2, record->payload, PITHI_CARGO);
            record->payload = walk->text + 2;
            record->payload_bytes = cargo_size(number->format, record->payload);
            walk->text[1] = (unsigned char)record->payload_bytes;
            if (number->is_text && record->payload_bytes > 0) {
                record->payload = walk->text;
                record->payload_bytes += 2;
            }
        }
    }
    if (number->kind == PITHLOG_EVENT)
        return 1;
    walk->second = *record;
    reset(record);
    record->kind = number->kind;
    record->id = number->id;
    record->comm = comm;
    walk->by_number = 1;
    walk->second.id = number->info;
    if (!payload || walk->second.payload_bytes == 0)
        walk->second.kind = 0;
    if (walk->second.kind && number->kind == PITHLOG_LEAVE) {
        struct pithlog_record leave = *record;
        *record = walk->second;
        walk->second = leave;
    }
    return 1;
}

/* Works on local copies of the fields, because otherwise the compiler must assume that each store into the arrays
 * changes *walk and *states. */
void pithi_spill_next_states(struct pithi_spill_walk *walk, struct pithi_states *states)
{
    const uint64_t *word = walk->word, *end = walk->end;
    const struct pithi_span span = *walk->span;
    const uint32_t *known = walk->states, id_count = walk->id_count;
    uint32_t *said = states->said;
    uint64_t *steps = states->steps, ticks = walk->ticks, span_end = walk->span[1].ticks;
    uint64_t shifted_ns = (uint64_t)span.ns + (uint64_t)walk->shift_ns;
    int64_t last_ns = states->last_ns > walk->last_ns ? states->last_ns : walk->last_ns;
    size_t room = (size_t)(end - word) < states->room ? (size_t)(end - word) : states->room, count = 0;

    if (walk->second.kind != 0 || walk->lost != 0)
        return;
    for (; count < room; count++) {
        uint64_t first = __atomic_load_n(&word[count], __ATOMIC_ACQUIRE), now = ticks + pithi_spill_step(first, ticks);
        uint32_t kind = (uint32_t)first & 15, id = (uint32_t)(first >> 4) & PITHI_WORD_ID_MASK;
        if (kind - PITHI_W_ENTER > PITHI_W_LEAVE - PITHI_W_ENTER || id >= id_count || known[id] == UINT32_MAX ||
            now < span.ticks || now >= span_end)
            break;
        int64_t ns = (int64_t)(shifted_ns + pithi_span_after(&span, now));
        ns = ns > last_ns ? ns : last_ns;
        said[count] = known[id] | pithi_said(kind, 0);
        steps[count] = (uint64_t)ns - (uint64_t)last_ns;
        last_ns = ns;
        ticks = now;
    }
    if (count == 0)
        return;
    walk->word = word + count;
    walk->ticks = ticks;
    walk->last_ns = states->last_ns = last_ns;
    states->count = (uint32_t)count;
    walk->state_records += count;
}

int pithi_spill_next(struct pithi_spill_walk *walk, struct pithlog_record *record)
{
    if (walk->second.kind != 0) {
        *record = walk->second;
        walk->second.kind = 0;
        return 1;
    }
    record->lane = walk->lane_id;
    if (record->kind > PITHLOG_EVENT || record->payload != NULL || record->comm != 0)
        reset(record);
    for (;;) {
        const uint64_t *word = walk->word;
        uint64_t first = word < walk->end ? __atomic_load_n(word, __ATOMIC_ACQUIRE) : 0;
        uint32_t kind = (uint32_t)first & 15, id = (uint32_t)(first >> 4) & PITHI_WORD_ID_MASK;
        uint64_t words;

        if (walk->lost != 0 && first != 0) { /* gives a LOST record before the first record of a ring's oldest chunk */
            reset(record);
            record->kind = PITHLOG_LOST;
            record->bytes = walk->lost;
            record->time_ns = time_of(walk, walk->ticks);
            walk->lost = 0;
            return 1;
        }
        if (first != 0 && kind - PITHI_W_ENTER <= PITHI_W_EVENT - PITHI_W_ENTER) {
            walk->word = word + 1;
            walk->ticks += pithi_spill_step(first, walk->ticks);
            if (map_id(walk, id, kind == PITHI_W_EVENT ? PITHLOG_EVENT_TYPE : PITHLOG_STATE, record)) {
                walk->dropped++;
                continue;
            }
            if (__builtin_expect(record->id >= PITHI_NUMBER_ID, 0)) {
                if (number_record(walk, record))
                    return 1;
                continue;
            }
            record->kind = kind; /* ENTER, LEAVE and EVENT have the same numbers in both enums */
            record->time_ns = time_of(walk, walk->ticks);
            return 1;
        }
        words = first != 0 ? pithi_spill_record_words(word, (uint64_t)(walk->end - word)) : 0;
        if (words == 0) {
            int more;
            if (walk->word == NULL || (walk->live && first == 0 && word < walk->end))
                return 0;
            if (first == 0 && !walk->zero_ends && (word = pithi_spill_behind_hole(word, walk->end)) < walk->end) {
                walk->word = word;
                walk->dropped++;
                continue;
            }
            walk->damaged += first != 0;
            walk->word = walk->end;
            more = chunk_end(walk, record);
            if (more >= 0)
                return more;
            continue;
        }
        /* A record is claimed but not stored. A running program may still store it, so the walk stays here for the next
         * call. */
        if (kind == PITHI_W_CLAIMED && walk->live)
            return 0;
        walk->word = word + words;
        if (kind == PITHI_W_CLAIMED) { /* not counted as dropped if it is the last one: its thread was killed then */
            walk->dropped += pithi_spill_behind_hole(walk->word, walk->end) < walk->end;
            continue;
        }
        walk->ticks += pithi_spill_step(first, walk->ticks);
        if (kind == PITHI_W_TIME) {
            walk->ticks = load(word + 1);
            continue;
        }
        reset(record);
        if (long_record(walk, word, kind, id, record)) {
            walk->dropped += kind != PITHI_W_LOST;
            reset(record);
            continue;
        }
        if (record->id >= PITHI_NUMBER_ID) {
            if (number_record(walk, record))
                return 1;
            continue;
        }
        record->time_ns = time_of(walk, walk->ticks);
        return 1;
    }
}

_Static_assert((int)PITHI_W_ENTER == (int)PITHLOG_ENTER && (int)PITHI_W_LEAVE == (int)PITHLOG_LEAVE &&
                   (int)PITHI_W_EVENT == (int)PITHLOG_EVENT,
               "the short records keep their numbers");
