/* digest_file.h - a file with the messages and counter values of a log. To show a window, only a part of it is read.
 *
 * Messages. A picture of a long time can only show the longest messages, and these are few. So messages are collected
 * in slabs of 65536, in the order in which they are matched. The 4096 longest of a full slab move up to a slab of the
 * next level; the others are cut into *nodes* of about 1024. Full slabs of the next level are treated the same way. So
 * each message is in exactly one node. Nodes of level 0 hold short messages and span little time; nodes of higher
 * levels hold longer and longer messages. The *entry* of a node (80 bytes in memory) has its time span, its longest
 * message and its lanes. To find the n longest messages of a window, read the nodes that reach into it, longest message
 * first, until no remaining node can beat the n found. To count messages, add up the nodes inside the window and read
 * only those that cross its ends.
 *
 * Worked example: 16 million messages fill 244 slabs, these fill 15 slabs of level 1, and these nearly one of level 2:
 * some 15,600 nodes, and 2,200 of samples (see below), 1.4 MB of entries. Drawing the whole log with 2000 arrows reads
 * a dozen nodes. (Cf. the priority search tree, McCreight 1985.)
 *
 * In logs of many lanes, the messages of a slab are cut into nodes by lanes as well as by time, so that showing a few
 * lanes needs few nodes.
 *
 * If a window has too many messages to tell apart, a sample of them is shown. For this, further nodes hold copies of
 * randomly chosen messages: one in 8, one in 64, and so on. A query reads the largest sample that is small enough.
 *
 * Counters. Each counter on each lane has its values in time order, 512 to a node. A node's entry has its lowest and
 * highest value. A graph uses the entry of a node that lies within one pixel column, and reads only nodes that cross a
 * border between columns.
 *
 * The file: a head of 128 bytes; nodes; the entries (message nodes, then series, then value nodes). Everything is
 * checked by CRC: head and entries when the file is opened, nodes when they are read. No field is trusted unchecked.
 */
#ifndef PITHI_DIGEST_FILE_H
#define PITHI_DIGEST_FILE_H

#include "base/bytes.h"
#include "reader/read/cache.h"
#include "pithlog.h"

enum {
    PITHI_DIGEST_VERSION = 1, /* a file of another version is replaced by a new one */
    PITHI_SAMPLE_LEVELS = 8,  /* samples; level 0 is not one of them: it has all messages */
    PITHI_SAMPLE_BITS = 3,
    PITHI_DIGEST_HEAD = 128,    /* bytes */
    PITHI_MESSAGE_ENTRY = 80,   /* bytes of a message node's entry */
    PITHI_SERIES_ENTRY = 40,    /* bytes of a series' entry (one counter of one lane) */
    PITHI_VALUE_ENTRY = 56,     /* bytes of a value node's entry */
    PITHI_NODE_MESSAGES = 1024, /* about this many messages in a node; at most twice as many */
    PITHI_NODE_VALUES = 512
};

struct pithi_message_node {
    int64_t first_ns, first_to_ns;                     /* range of the earlier times of the node's messages */
    int64_t last_from_ns, last_ns;                     /* range of the later times of these messages */
    uint64_t longest_ns;                               /* length of the node's longest message */
    uint32_t send_low, send_high, recv_low, recv_high; /* lanes */
    uint64_t offset;                                   /* of the node in the file */
    uint32_t size, crc, count;                         /* bytes of the node; CRC-32 of them; messages in it */
    uint32_t sample;                                   /* 0: the messages themselves; n: copies of one message in 8^n */
};

struct pithi_series_entry {
    struct pithlog_series seen;      /* the result of pithlog_digest_series */
    uint32_t first_node, node_count; /* the series' nodes in `values`, in time order */
};

struct pithi_value_node {
    int64_t first_ns, last_ns; /* times of the node's first and last value */
    double low, high, last;    /* `last`: the newest value */
    uint32_t size, crc;        /* of the node in the file */
    uint64_t offset;
    uint32_t count; /* values in the node */
};

struct pithlog_digest {
    struct pithlog *log;
    int fd;     /* of the file: in the cache folder, or an unnamed one */
    int cached; /* 1: the file is in the cache under `key` */
    struct pithi_cache_key key;
    struct pithlog_digest_info info;   /* of the whole log */
    struct pithi_message_node *nodes;  /* [node_count]; NULL: not read yet, see pithi_digest_nodes */
    struct pithi_series_entry *series; /* by lane, then counter */
    struct pithi_value_node *values;   /* [value_node_count] */
    uint32_t node_count, value_node_count;
};

static inline int64_t pithi_message_first(const struct pithlog_message *m)
{
    return m->send_ns < m->recv_ns ? m->send_ns : m->recv_ns;
}
static inline int64_t pithi_message_last(const struct pithlog_message *m)
{
    return m->send_ns < m->recv_ns ? m->recv_ns : m->send_ns;
}
static inline uint64_t pithi_message_length(const struct pithlog_message *m)
{
    return (uint64_t)pithi_message_last(m) - (uint64_t)pithi_message_first(m);
}

/* Orders series by lane, then by counter, for qsort: returns -1, 0 or 1. */
static inline int pithi_series_compare(const struct pithlog_series *a, const struct pithlog_series *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->counter > b->counter) - (a->counter < b->counter);
}

/* ---- Nodes (digest_file.c) --------------------------------------------------------------------------------------- */

/* Appends messages, sorted by their earlier times, to `out`, and sets all fields of `node` except its offset. Returns 0
 * if there is no memory. */
int pithi_message_node_put(const struct pithlog_message *messages, uint32_t count, struct pithi_buffer *out,
                           struct pithi_message_node *node);
/* Like pithi_message_node_put, but for values in time order. */
struct pithi_value {
    int64_t time_ns;
    double value;
};
int pithi_value_node_put(const struct pithi_value *values, uint32_t count, struct pithi_buffer *out,
                         struct pithi_value_node *node);

/* Read a node into messages[2 * PITHI_NODE_MESSAGES] or values[PITHI_NODE_VALUES]. Return 0; or PITH_ERR_DAMAGED, after
 * removing the digest from the cache, with the reason in pithlog_error(). */
int pithi_message_node_read(const struct pithlog_digest *digest, const struct pithi_message_node *node,
                            struct pithlog_message *messages);
int pithi_value_node_read(const struct pithlog_digest *digest, const struct pithi_value_node *node,
                          struct pithi_value *values);

/* ---- Digests ----------------------------------------------------------------------------------------------------- */

/* Writes bytes at `offset` of digest->fd. */
int pithi_digest_put(const struct pithlog_digest *digest, const void *data, uint64_t size, uint64_t offset);
/* Writes the entries at `offset` of digest->fd, then the head at its beginning. */
int pithi_digest_write(const struct pithlog_digest *digest, uint64_t offset);
/* Reads the digest in digest->fd: its entries are then in memory. Returns 1 if it is intact and belongs to this log and
 * key; else 0. */
int pithi_digest_take(struct pithlog_digest *digest);
/* Reads the entries of message nodes if pithi_digest_take left them out, as it does for a far file. Returns
 * PITH_ERR_DAMAGED if they cannot be read. */
int pithi_digest_nodes(const struct pithlog_digest *digest);
/* Makes the digest in digest->fd, an empty file (digest_make.c). Returns PITH_ERR_DAMAGED if some records could not be
 * read; the digest then has those that could. */
int pithi_digest_make(struct pithlog_digest *digest, int (*progress)(void *context, double part), void *context);
/* Makes the digest from the messages of another digest: see pithlog_digest_select. */
struct pithi_selection {
    const struct pithlog_digest *from;                                   /* whose messages are copied */
    int (*wanted)(void *context, const struct pithlog_message *message); /* returns 1 to select the message */
    int (*progress)(void *context, double part);                         /* may be NULL; returns non-zero to stop */
    void *context;
};
int pithi_digest_copy(struct pithlog_digest *digest, const struct pithi_selection *selection);

#endif
