/* digest_file.c - encodes and decodes nodes, entries and head (digest_file.h). It does not find messages.
 *
 * A message is seven numbers, each in as few bytes as its value needs, so a message takes 7 to 50 bytes. To keep the
 * numbers small, a time is stored as the step from the message before, and a lane as its distance from the node's
 * lowest lane. The entry of a node has the ranges of times and lanes of its messages, so that a query reads only nodes
 * that can have wanted messages. An example of a message:
 *
 *     sent 1000, received 1400, lanes 2 -> 3, tag 0, communicator 0, 8 bytes;
 *     the message before is sent at 900, the lowest lanes of senders and of receivers are 2 and 2:
 *     stored as 100, 400, 0 << 1 | 0, 1, 0, 0, 8: 400 takes two bytes, the six others one each, 8 bytes in all */
#include "reader/index/digest_file.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/far.h"
#include "base/file_at.h"
#include "base/zip.h"
#include "native/log.h"

static const char magic[8] = {'P', 'i', 't', 'h', 'D', 'i', 'g', 'e'};

enum { LEAST_MESSAGE = 7, MOST_MESSAGE = 60, LEAST_VALUE = 9, MOST_VALUE = 18 }; /* encoded bytes */
#define MOST_ENTRIES (UINT64_C(1) << 30) /* bytes, for 13 million nodes; a larger number is damage */

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static unsigned char *put_double(unsigned char *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pithi_put64(p, bits);
    return p + 8;
}

static double get_double(const unsigned char *p)
{
    uint64_t bits = pithi_get64(p);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* For an infinity or a NaN, value - value is NaN, which differs from 0. */
static int is_finite(double value) { return value - value == 0; }

/* Extends a range so that it includes a value. With `first`, the range becomes this value. */
static void widen(int64_t *low, int64_t *high, int64_t time_ns, int first)
{
    *low = first || time_ns < *low ? time_ns : *low;
    *high = first || time_ns > *high ? time_ns : *high;
}

static void widen_lanes(uint32_t *low, uint32_t *high, uint32_t lane, int first)
{
    *low = first || lane < *low ? lane : *low;
    *high = first || lane > *high ? lane : *high;
}

/* ---- Nodes of messages ------------------------------------------------------------------------------------------- */

int pithi_message_node_put(const struct pithlog_message *messages, uint32_t count, struct pithi_buffer *out,
                           struct pithi_message_node *node)
{
    size_t start = out->size;
    /* Sets what the node's entry says of all its messages: the ranges of their times and lanes, and the length of the
     * longest message. */
    *node = (struct pithi_message_node){.count = count};
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_message *m = &messages[i];
        widen(&node->first_ns, &node->first_to_ns, pithi_message_first(m), i == 0);
        widen(&node->last_from_ns, &node->last_ns, pithi_message_last(m), i == 0);
        widen_lanes(&node->send_low, &node->send_high, m->send_lane, i == 0);
        widen_lanes(&node->recv_low, &node->recv_high, m->recv_lane, i == 0);
        if (pithi_message_length(m) > node->longest_ns)
            node->longest_ns = pithi_message_length(m);
    }
    /* reserves the largest size that the messages can take, so that the numbers are written without checks */
    if (!pithi_buffer_reserve(out, (size_t)count * MOST_MESSAGE))
        return 0;
    unsigned char *p = out->data + out->size;
    int64_t before = node->first_ns;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_message *m = &messages[i];
        /* A message that seems to arrive before it was sent (clocks differ) is kept with its earlier time first. */
        uint64_t backward = m->recv_ns < m->send_ns;
        /* Subtracts as unsigned, because a signed difference of two times could overflow. The difference is not
         * negative, because messages are sorted by their earlier time. */
        p = pithi_put_varint(p, (uint64_t)pithi_message_first(m) - (uint64_t)before);
        p = pithi_put_varint(p, pithi_message_length(m));
        /* `backward` is the lowest bit of the number of the send lane */
        p = pithi_put_varint(p, (uint64_t)(m->send_lane - node->send_low) << 1 | backward);
        p = pithi_put_varint(p, m->recv_lane - node->recv_low);
        p = pithi_put_varint(p, pithi_zigzag(m->tag));
        p = pithi_put_varint(p, m->comm);
        p = pithi_put_varint(p, m->bytes);
        before = pithi_message_first(m);
    }
    out->size = (size_t)(p - out->data);
    node->size = (uint32_t)(out->size - start);
    node->crc = pithi_crc(out->data + start, node->size);
    return 1;
}

/* Reads the seven numbers of a message. Returns the place after them; NULL if they are damaged. */
static const unsigned char *get_numbers(const unsigned char *p, const unsigned char *end, uint64_t number[7])
{
    for (int i = 0; i < 7 && p; i++)
        p = pithi_get_varint(p, end, &number[i]);
    return p;
}

static int get_messages(const unsigned char *p, const struct pithi_message_node *node, struct pithlog_message *messages)
{
    const unsigned char *end = p + node->size;
    uint64_t time = (uint64_t)node->first_ns, n[7];
    for (uint32_t i = 0; i < node->count; i++) {
        if (!(p = get_numbers(p, end, n)))
            return 0;
        time += n[0];
        /* Sums that overflow wrap around; the check below finds them. */
        int64_t first = (int64_t)time, last = (int64_t)(time + n[1]);
        /* A damaged node can have the right CRC by chance. It must not yield times or lanes outside its entry's ranges,
         * because callers use lanes as indexes. */
        if (first < node->first_ns || first > node->first_to_ns || last < first || last > node->last_ns ||
            n[2] >> 1 > node->send_high - node->send_low || n[3] > node->recv_high - node->recv_low)
            return 0;
        messages[i] = (struct pithlog_message){.send_lane = node->send_low + (uint32_t)(n[2] >> 1),
                                               .recv_lane = node->recv_low + (uint32_t)n[3],
                                               .send_ns = n[2] & 1 ? last : first,
                                               .recv_ns = n[2] & 1 ? first : last,
                                               .tag = (int32_t)pithi_unzigzag(n[4]),
                                               .comm = (uint32_t)n[5],
                                               .bytes = n[6]};
    }
    /* an intact node has no bytes after its last message */
    return p == end;
}

/* ---- Nodes of values ---------------------------------------------------------------------------------------------
 * A value takes 9 to 18 bytes: the step from the time of the value before, then the double in eight bytes. Doubles are
 * not compressed, because compression hardly makes them smaller. */

int pithi_value_node_put(const struct pithi_value *values, uint32_t count, struct pithi_buffer *out,
                         struct pithi_value_node *node)
{
    size_t start = out->size;
    *node = (struct pithi_value_node){.first_ns = values[0].time_ns,
                                      .last_ns = values[count - 1].time_ns,
                                      .low = values[0].value,
                                      .high = values[0].value,
                                      .last = values[count - 1].value,
                                      .count = count};
    if (!pithi_buffer_reserve(out, (size_t)count * MOST_VALUE))
        return 0;
    unsigned char *p = out->data + out->size;
    for (uint32_t i = 0; i < count; i++) {
        /* the first step is 0, because the node's entry has the first time */
        p = pithi_put_varint(p, (uint64_t)values[i].time_ns - (uint64_t)values[i ? i - 1 : 0].time_ns);
        p = put_double(p, values[i].value);
        node->low = values[i].value < node->low ? values[i].value : node->low;
        node->high = values[i].value > node->high ? values[i].value : node->high;
    }
    out->size = (size_t)(p - out->data);
    node->size = (uint32_t)(out->size - start);
    node->crc = pithi_crc(out->data + start, node->size);
    return 1;
}

static int get_values(const unsigned char *p, const struct pithi_value_node *node, struct pithi_value *values)
{
    const unsigned char *end = p + node->size;
    uint64_t time = (uint64_t)node->first_ns, step;
    for (uint32_t i = 0; i < node->count; i++) {
        if (!(p = pithi_get_varint(p, end, &step)) || end - p < 8)
            return 0;
        time += step;
        values[i].time_ns = (int64_t)time;
        values[i].value = get_double(p);
        p += 8;
        if (values[i].time_ns < node->first_ns || values[i].time_ns > node->last_ns || !is_finite(values[i].value) ||
            (i > 0 && values[i].time_ns < values[i - 1].time_ns))
            return 0;
    }
    return p == end;
}

/* ---- Reading nodes ----------------------------------------------------------------------------------------------- */

static int damaged(const struct pithlog_digest *d, uint64_t offset)
{
    /* Removes the damaged digest, so that pithlog_digest_open makes a new one next time. */
    if (d->cached)
        pithi_cache_remove(&d->key, "digest");
    return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu of the digest made of it is damaged; open it again",
                      d->log->path, (unsigned long long)offset);
}

/* Reads bytes. Returns 1 if all were read and their CRC is right. */
static int is_sound(const struct pithlog_digest *d, unsigned char *bytes, uint64_t offset, size_t size, uint32_t crc)
{
    return pithi_read_at(d->fd, bytes, size, offset) == size && pithi_crc(bytes, size) == crc;
}

/* Returns the bytes of a node, from malloc; NULL if there is no memory, or if the bytes do not have the CRC of the
 * node's entry. */
static unsigned char *read_bytes(const struct pithlog_digest *d, uint64_t offset, uint32_t size, uint32_t crc)
{
    unsigned char *bytes = malloc(size + (size_t)1);
    if (bytes && is_sound(d, bytes, offset, size, crc))
        return bytes;
    free(bytes);
    return NULL;
}

/* Reads the messages of a node into messages[node->count]. */
int pithi_message_node_read(const struct pithlog_digest *d, const struct pithi_message_node *node,
                            struct pithlog_message *messages)
{
    unsigned char *bytes = read_bytes(d, node->offset, node->size, node->crc);
    int sound = bytes && get_messages(bytes, node, messages);
    free(bytes);
    return sound ? PITH_OK : damaged(d, node->offset);
}

int pithi_value_node_read(const struct pithlog_digest *d, const struct pithi_value_node *node,
                          struct pithi_value *values)
{
    unsigned char *bytes = read_bytes(d, node->offset, node->size, node->crc);
    int sound = bytes && get_values(bytes, node, values);
    free(bytes);
    return sound ? PITH_OK : damaged(d, node->offset);
}

/* ---- Entries ----------------------------------------------------------------------------------------------------- */

/* Returns 1 if the node lies between the head and `end`. */
static int lies_within(uint64_t offset, uint32_t size, uint64_t end)
{
    return offset >= PITHI_DIGEST_HEAD && offset <= end && size <= end - offset;
}

static int get_message_entry(const unsigned char *p, const struct pithlog_digest *d, uint64_t end,
                             struct pithi_message_node *node)
{
    *node = (struct pithi_message_node){
        .first_ns = (int64_t)pithi_get64(p),
        .first_to_ns = (int64_t)pithi_get64(p + 8),
        .last_from_ns = (int64_t)pithi_get64(p + 16),
        .last_ns = (int64_t)pithi_get64(p + 24),
        .longest_ns = pithi_get64(p + 32),
        .send_low = pithi_get32(p + 40),
        .send_high = pithi_get32(p + 44),
        .recv_low = pithi_get32(p + 48),
        .recv_high = pithi_get32(p + 52),
        .offset = pithi_get64(p + 56),
        .size = pithi_get32(p + 64),
        .crc = pithi_get32(p + 68),
        .count = pithi_get32(p + 72),
        .sample = pithi_get32(p + 76),
    };
    /* A wrong entry must be found here, because later code allocates memory and indexes lanes by these numbers. */
    return node->sample <= PITHI_SAMPLE_LEVELS && node->first_ns <= node->first_to_ns &&
           node->last_from_ns <= node->last_ns && node->first_to_ns <= node->last_ns &&
           node->send_low <= node->send_high && node->recv_low <= node->recv_high &&
           node->send_high < d->log->info.lanes && node->recv_high < d->log->info.lanes && node->count > 0 &&
           node->count <= 2 * PITHI_NODE_MESSAGES && node->size >= (uint64_t)node->count * LEAST_MESSAGE &&
           node->size <= (uint64_t)node->count * MOST_MESSAGE && lies_within(node->offset, node->size, end);
}

/* Reads the entry of a series. Returns 0 if it is damaged. The nodes of a series follow those of the series before, so
 * the first node is known in advance (`first_node`); an entry that states another one is damaged. */
static int get_series_entry(const unsigned char *p, const struct pithlog_digest *d, uint32_t first_node,
                            struct pithi_series_entry *series)
{
    series->seen = (struct pithlog_series){pithi_get32(p), pithi_get32(p + 4), pithi_get64(p + 16), get_double(p + 24),
                                           get_double(p + 32)};
    series->first_node = pithi_get32(p + 8);
    series->node_count = pithi_get32(p + 12);
    const struct pithlog_def *def = pithlog_get_def(d->log, series->seen.counter);
    return series->seen.lane < d->log->info.lanes && def && def->kind == PITHLOG_COUNTER_TYPE &&
           series->node_count > 0 && series->first_node == first_node &&
           series->node_count <= d->value_node_count - first_node && is_finite(series->seen.low) &&
           is_finite(series->seen.high) && series->seen.low <= series->seen.high;
}

static int get_value_entry(const unsigned char *p, uint64_t end, struct pithi_value_node *node)
{
    *node = (struct pithi_value_node){
        .first_ns = (int64_t)pithi_get64(p),
        .last_ns = (int64_t)pithi_get64(p + 8),
        .low = get_double(p + 16),
        .high = get_double(p + 24),
        .last = get_double(p + 32),
        .offset = pithi_get64(p + 40),
        .crc = pithi_get32(p + 48),
        .size = pithi_get16(p + 52),
        .count = pithi_get16(p + 54),
    };
    return node->first_ns <= node->last_ns && is_finite(node->low) && is_finite(node->high) && is_finite(node->last) &&
           node->low <= node->high && node->count > 0 && node->count <= PITHI_NODE_VALUES &&
           node->size >= node->count * LEAST_VALUE && node->size <= node->count * MOST_VALUE &&
           lies_within(node->offset, node->size, end);
}

static uint64_t entries_size(const struct pithlog_digest *d)
{
    return (uint64_t)d->node_count * PITHI_MESSAGE_ENTRY + (uint64_t)d->info.series * PITHI_SERIES_ENTRY +
           (uint64_t)d->value_node_count * PITHI_VALUE_ENTRY;
}

static unsigned char *put_entries(const struct pithlog_digest *d, uint64_t size)
{
    unsigned char *bytes = calloc(size + 1, 1), *p = bytes;
    if (!bytes)
        return NULL;
    for (uint32_t i = 0; i < d->node_count; i++, p += PITHI_MESSAGE_ENTRY) {
        /* Writes the entry of a node, 80 bytes. From the entry, a query decides whether it must read the node. */
        const struct pithi_message_node *node = &d->nodes[i];
        pithi_put64(p, (uint64_t)node->first_ns);
        pithi_put64(p + 8, (uint64_t)node->first_to_ns);
        pithi_put64(p + 16, (uint64_t)node->last_from_ns);
        pithi_put64(p + 24, (uint64_t)node->last_ns);
        pithi_put64(p + 32, node->longest_ns);
        pithi_put32(p + 40, node->send_low);
        pithi_put32(p + 44, node->send_high);
        pithi_put32(p + 48, node->recv_low);
        pithi_put32(p + 52, node->recv_high);
        pithi_put64(p + 56, node->offset);
        pithi_put32(p + 64, node->size);
        pithi_put32(p + 68, node->crc);
        pithi_put32(p + 72, node->count);
        pithi_put32(p + 76, node->sample);
    }
    for (uint32_t i = 0; i < d->info.series; i++, p += PITHI_SERIES_ENTRY) {
        /* Writes the entry of a series, 40 bytes. A series is one counter of one lane. */
        const struct pithi_series_entry *series = &d->series[i];
        pithi_put32(p, series->seen.lane);
        pithi_put32(p + 4, series->seen.counter);
        pithi_put32(p + 8, series->first_node);
        pithi_put32(p + 12, series->node_count);
        pithi_put64(p + 16, series->seen.count);
        put_double(p + 24, series->seen.low);
        put_double(p + 32, series->seen.high);
    }
    for (uint32_t i = 0; i < d->value_node_count; i++, p += PITHI_VALUE_ENTRY) {
        const struct pithi_value_node *node = &d->values[i];
        pithi_put64(p, (uint64_t)node->first_ns);
        pithi_put64(p + 8, (uint64_t)node->last_ns);
        put_double(p + 16, node->low);
        put_double(p + 24, node->high);
        put_double(p + 32, node->last);
        pithi_put64(p + 40, node->offset);
        pithi_put32(p + 48, node->crc);
        pithi_put16(p + 52, (uint16_t)node->size);
        pithi_put16(p + 54, (uint16_t)node->count);
    }
    return bytes;
}

static int get_nodes(struct pithlog_digest *d, const unsigned char *p, uint64_t end)
{
    uint64_t messages = 0;
    d->nodes = malloc((d->node_count + (size_t)1) * sizeof *d->nodes);
    if (!d->nodes)
        return 0;
    for (uint32_t i = 0; i < d->node_count; i++, p += PITHI_MESSAGE_ENTRY) {
        if (!get_message_entry(p, d, end, &d->nodes[i]))
            return 0;
        /* samples are copies of messages of other nodes, and are not counted */
        messages += d->nodes[i].sample ? 0 : d->nodes[i].count;
    }
    /* the head must have the same count */
    return messages == d->info.messages;
}

static int get_all_series(struct pithlog_digest *d, const unsigned char *p, uint64_t end)
{
    d->series = malloc((d->info.series + (size_t)1) * sizeof *d->series);
    d->values = malloc((d->value_node_count + (size_t)1) * sizeof *d->values);
    if (!d->series || !d->values)
        return 0;
    const unsigned char *values = p + (uint64_t)d->info.series * PITHI_SERIES_ENTRY;
    uint32_t node = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->info.series; i++) {
        struct pithi_series_entry *s = &d->series[i];
        uint64_t count = 0;
        if (!get_series_entry(p + (uint64_t)i * PITHI_SERIES_ENTRY, d, node, s))
            return 0;
        for (uint32_t first = node; node < first + s->node_count; node++) {
            /* The nodes of a series are in time order. */
            if (!get_value_entry(values + (uint64_t)node * PITHI_VALUE_ENTRY, end, &d->values[node]) ||
                (node > first && d->values[node].first_ns < d->values[node - 1].last_ns))
                return 0;
            count += d->values[node].count;
        }
        if (count != s->seen.count || (i > 0 && pithi_series_compare(&s[-1].seen, &s->seen) >= 0))
            return 0;
        sum += count;
    }
    return node == d->value_node_count && sum == d->info.values;
}

/* ---- The head ---------------------------------------------------------------------------------------------------- */

int pithi_digest_put(const struct pithlog_digest *d, const void *data, uint64_t size, uint64_t offset)
{
    if (pithi_write_at(d->fd, data, size, offset) == size)
        return PITH_OK;
    return pithi_fail(PITH_ERR_IO, "%s: the file for its messages cannot be written: %s; set TMPDIR", d->log->path,
                      strerror(errno));
}

int pithi_digest_write(const struct pithlog_digest *d, uint64_t offset)
{
    uint64_t size = entries_size(d);
    unsigned char head[PITHI_DIGEST_HEAD], *bytes = put_entries(d, size);
    /* Writes the entries first and the head last, so that a file whose writing was interrupted has no valid head. */
    if (!bytes)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its messages", d->log->path);
    /*  0 magic   8 version   16 key   32 offset, size of the entries   48 their CRC, message nodes, series, value nodes
     * 64 messages, sends and receives without a partner, values   96 lanes, definitions of the log   124 CRC */
    memset(head, 0, PITHI_DIGEST_HEAD);
    memcpy(head, magic, sizeof magic);
    pithi_put32(head + 8, PITHI_DIGEST_VERSION);
    pithi_put64(head + 16, d->key.hash[0]);
    pithi_put64(head + 24, d->key.hash[1]);
    pithi_put64(head + 32, offset);
    pithi_put64(head + 40, size);
    pithi_put32(head + 48, pithi_crc(bytes, size));
    pithi_put32(head + 52, d->node_count);
    pithi_put32(head + 56, d->info.series);
    pithi_put32(head + 60, d->value_node_count);
    pithi_put64(head + 64, d->info.messages);
    pithi_put64(head + 72, d->info.sends_left);
    pithi_put64(head + 80, d->info.recvs_left);
    pithi_put64(head + 88, d->info.values);
    pithi_put32(head + 96, d->log->info.lanes);
    pithi_put32(head + 100, d->log->info.defs);
    pithi_put32(head + 124, pithi_crc(head, 124));
    int err = pithi_digest_put(d, bytes, size, offset);
    free(bytes);
    return err == PITH_OK ? pithi_digest_put(d, head, sizeof head, 0) : err;
}

/* Returns 1 if the head fits this version, log and key. Sets the digest's counts, and the offset and size of the
 * entries. */
static int get_head(struct pithlog_digest *d, const unsigned char *head, uint64_t *offset, uint64_t *size)
{
    *offset = pithi_get64(head + 32);
    *size = pithi_get64(head + 40);
    d->node_count = pithi_get32(head + 52);
    d->info.series = pithi_get32(head + 56);
    d->value_node_count = pithi_get32(head + 60);
    d->info.messages = pithi_get64(head + 64);
    d->info.sends_left = pithi_get64(head + 72);
    d->info.recvs_left = pithi_get64(head + 80);
    d->info.values = pithi_get64(head + 88);
    return memcmp(head, magic, sizeof magic) == 0 && pithi_get32(head + 8) == PITHI_DIGEST_VERSION &&
           pithi_get64(head + 16) == d->key.hash[0] && pithi_get64(head + 24) == d->key.hash[1] &&
           pithi_get32(head + 96) == d->log->info.lanes && pithi_get32(head + 100) == d->log->info.defs &&
           /* the size of the entries must follow from the counts */
           pithi_get32(head + 124) == pithi_crc(head, 124) && *size == entries_size(d) && *size <= MOST_ENTRIES &&
           *offset >= PITHI_DIGEST_HEAD && *offset <= INT64_MAX - *size;
}

/* Checks all nodes, to find damage before anything is shown. This takes 0.03 s for 95 MB (1e7 messages). The nodes of a
 * far file, on another machine (base/far.h), are checked only when they are read. */
static int check_nodes(const struct pithlog_digest *d)
{
    unsigned char *bytes = malloc((size_t)2 * PITHI_NODE_MESSAGES * MOST_MESSAGE);
    int sound = bytes != NULL;
    for (uint32_t i = 0; i < d->node_count && sound; i++)
        sound = is_sound(d, bytes, d->nodes[i].offset, d->nodes[i].size, d->nodes[i].crc);
    for (uint32_t i = 0; i < d->value_node_count && sound; i++)
        sound = is_sound(d, bytes, d->values[i].offset, d->values[i].size, d->values[i].crc);
    free(bytes);
    return sound;
}

/* For a far file, the entries of message nodes (11 MB for 1e8 messages) are not read here, but when they are needed
 * (pithi_digest_nodes). */
int pithi_digest_take(struct pithlog_digest *d)
{
    unsigned char head[PITHI_DIGEST_HEAD], *bytes = NULL;
    uint64_t offset, size;
    off_t end = lseek(d->fd, 0, SEEK_END);
    /* The entries are the end of the file. */
    int sound = pithi_read_at(d->fd, head, sizeof head, 0) == sizeof head && get_head(d, head, &offset, &size) &&
                end >= 0 && (uint64_t)end == offset + size && (bytes = malloc(size + 1)) != NULL;
    if (sound) {
        uint64_t nodes = (uint64_t)d->node_count * PITHI_MESSAGE_ENTRY, skipped = pithi_far() ? nodes : 0;
        sound = pithi_far() ? pithi_read_at(d->fd, bytes + skipped, size - skipped, offset + skipped) == size - skipped
                            : is_sound(d, bytes, offset, size, pithi_get32(head + 48)) && get_nodes(d, bytes, offset);
        sound = sound && get_all_series(d, bytes + nodes, offset) && (pithi_far() || check_nodes(d));
    }
    free(bytes);
    return sound;
}

int pithi_digest_nodes(const struct pithlog_digest *digest)
{
    /* Callers have a const digest, because nothing that they can see changes. */
    struct pithlog_digest *d = (struct pithlog_digest *)digest;
    unsigned char head[PITHI_DIGEST_HEAD], *bytes = NULL;
    uint64_t offset = 0, size = 0;
    if (d->nodes || d->node_count == 0)
        return PITH_OK;
    int sound = pithi_read_at(d->fd, head, sizeof head, 0) == sizeof head && get_head(d, head, &offset, &size) &&
                (bytes = malloc(size + 1)) != NULL;
    if (sound)
        pithi_far_soon(d->fd, offset, size);
    sound = sound && is_sound(d, bytes, offset, size, pithi_get32(head + 48)) && get_nodes(d, bytes, offset);
    free(bytes);
    if (!sound) {
        free(d->nodes);
        d->nodes = NULL;
    }
    return sound ? PITH_OK : damaged(d, offset);
}
