/* record.c - the recording calls that are not inline: payloads, counters, messages, communicators' use. */
#include <string.h>

#include "buffer.h"
#include "pith.h"
#include "pith_tool.h"
#include "record.h"
#include "session.h"

static uint64_t posted_count; /* atomic */

static int on(void) { return __atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) <= PITHI_RECORDING; }

/* For calls that need an id: 0 is what a failed definition gave. */
static int refuse(uint32_t id)
{
    if (id == PITH_LEFT_OUT_ || !on())
        return 1;
    if (PITH_ID_IN_(id))
        return 0;
    pithi_lost_add(1);
    return 1;
}

void pith_event_data(uint32_t id, const void *payload, size_t size_bytes)
{
    pith_comm_event(0, id, payload, size_bytes);
}

void pith_comm_event(uint32_t comm, uint32_t id, const void *payload, size_t size_bytes)
{
    uint64_t size = size_bytes <= UINT16_MAX ? size_bytes : UINT16_MAX, i, first, *word;
    const unsigned char *bytes = payload;

    if (refuse(id))
        return;
    if (payload == NULL)
        size = 0;
    word = pithi_buffer_claim(PITHI_W_EVENT_DATA, id, 2 + (size + 7) / 8, &first);
    if (word == NULL)
        return;
    __atomic_store_n(word + 1, size | (uint64_t)comm << 32, __ATOMIC_RELAXED);
    for (i = 0; i < size; i += 8) {
        uint64_t piece = 0;
        memcpy(&piece, bytes + i, size - i < 8 ? size - i : 8);
        __atomic_store_n(word + 2 + i / 8, piece, __ATOMIC_RELAXED);
    }
    pithi_buffer_store(word, first);
    if (size < size_bytes && payload != NULL) {
        uint64_t one = 1;
        pithi_lost_add(1);
        pithi_record(PITHI_W_LOST, 0, &one, 1);
    }
}

void pith_count(uint32_t id, double value)
{
    uint64_t bits;
    if (refuse(id))
        return;
    memcpy(&bits, &value, sizeof bits);
    pithi_record(PITHI_W_COUNTER, id, &bits, 1);
}

void pith_slow_words_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    if (on() && (kind == PITH_KIND_LEAVE_ || pith_messages()))
        pithi_record(kind, id, words, count);
}

_Static_assert(PITH_KIND_SEND_ == PITHI_W_SEND && PITH_KIND_RECV_ == PITHI_W_RECV && PITH_KIND_COLL_ == PITHI_W_COLL &&
                   PITH_KIND_CLAIMED_ == PITHI_W_CLAIMED,
               "pith_tool.h names the kinds that spill.h does");

uint64_t pith_recv_post_many(uint32_t count) { return __atomic_fetch_add(&posted_count, count, __ATOMIC_RELAXED); }

uint64_t pithi_recv_posted(void) { return __atomic_load_n(&posted_count, __ATOMIC_RELAXED); }

uint64_t pith_recv_post(void) { return pith_recv_post_many(1); }

void pith_send(int32_t peer, int32_t tag, uint64_t size_bytes) { pith_comm_send(0, peer, tag, size_bytes); }

void pith_recv(int32_t peer, int32_t tag, uint64_t size_bytes)
{
    pith_comm_recv(0, peer, tag, size_bytes, pith_recv_post());
}
