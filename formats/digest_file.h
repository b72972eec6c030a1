/* digest_file.h - the messages and counter values of a log as a file, so that a window of it needs only a part of them.
 *
 * Messages. The idea: those that take longest are what a picture of much time can show, and there are few of them. So
 * messages are taken in slabs of 65536 in the order in which they are matched; the 4096 longest of a slab go up to the
 * slab of the next level, the rest is cut into *nodes* of about 1024. When a slab of the next level is full, the same
 * happens there. So each message is in one node; nodes of level 0 have short ones and span little time, nodes of higher
 * levels ever longer ones. Who knows of each node the time it spans, its longest message and its lanes (its *entry*,
 * 80 bytes in memory) finds the n longest of any window by reading, of the nodes that reach into it, those with the
 * longest first, until n were found that no node left can beat; and how many there are in all by counting whole nodes,
 * and reading those that lie across the window's ends.
 *
 * Worked example: 16 million messages make 244 slabs, these give 15 slabs of level 1, and one of level 2: some 16,600
 * nodes, 1.3 MB of entries. A picture of all of it with 2000 arrows reads a dozen nodes. (Cf. the priority search tree,
 * McCreight 1985.)
 *
 * Slabs of logs of many lanes are cut by lanes, too, so that a few rows out of many need few nodes.
 *
 * A crowd, more than can be told apart, is shown by an even choice. There are further nodes with copies of messages
 * taken by chance: one of 8, one of 64, and so on; of a window those are read that are not too many.
 *
 * Counters. Of each counter on each lane the values in order of time, 512 to a node; a node's entry has their least and
 * greatest. A graph takes whole nodes from their entries, and reads those that lie across borders between columns.
 *
 * The file: a head of 128 bytes; nodes; the entries (message nodes, then series, then value nodes). All of it is
 * checked by CRC, head and entries when it is opened, nodes when they are read; nothing in it is believed.
 */
#ifndef PITHI_DIGEST_FILE_H
#define PITHI_DIGEST_FILE_H

#include "cache.h"
#include "native/bytes.h"
#include "pithlog.h"

enum {
    PITHI_DIGEST_VERSION = 1,
    PITHI_SAMPLE_LEVELS = 8, /* and 0, all */
    PITHI_SAMPLE_BITS = 3,
    PITHI_DIGEST_HEAD = 128,
    PITHI_MESSAGE_ENTRY = 80,
    PITHI_SERIES_ENTRY = 40,
    PITHI_VALUE_ENTRY = 56,
    PITHI_NODE_MESSAGES = 1024, /* at most 2 * this are in one */
    PITHI_NODE_VALUES = 512
};

struct pithi_message_node {
    int64_t first_ns, first_to_ns; /* the earlier times of its messages: least, greatest */
    int64_t last_from_ns, last_ns; /* the later times: least, greatest */
    uint64_t longest_ns;
    uint32_t send_low, send_high, recv_low, recv_high; /* lanes */
    uint64_t offset;
    uint32_t size, crc, count;
    uint32_t sample; /* 0; n: these are copies, one of 8^n of all */
};

struct pithi_series_entry {
    struct pithlog_series seen; /* what pithlog_digest_series gives */
    uint32_t first_node, node_count;
};

struct pithi_value_node {
    int64_t first_ns, last_ns;
    double low, high, last;
    uint32_t size, crc;
    uint64_t offset;
    uint32_t count;
};

struct pithlog_digest {
    struct pithlog *log;
    int fd;
    int cached; /* 1: the file is in the cache under `key` */
    struct pithi_cache_key key;
    struct pithlog_digest_info info;
    struct pithi_message_node *nodes;
    struct pithi_series_entry *series; /* by lane, then counter */
    struct pithi_value_node *values;
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

/* By lane, then counter. */
static inline int pithi_series_compare(const struct pithlog_series *a, const struct pithlog_series *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->counter > b->counter) - (a->counter < b->counter);
}

/* ---- Nodes (digest_file.c) --------------------------------------------------------------------------------------- */

/* Messages, in order of their earlier time, behind what is in `out`; fills the node but for its offset. 0: no memory.
 * */
int pithi_message_node_put(const struct pithlog_message *messages, uint32_t count, struct pithi_buffer *out,
                           struct pithi_message_node *node);
/* Values, in order of time. */
struct pithi_value {
    int64_t time_ns;
    double value;
};
int pithi_value_node_put(const struct pithi_value *values, uint32_t count, struct pithi_buffer *out,
                         struct pithi_value_node *node);

/* Reads a node into messages[2 * PITHI_NODE_MESSAGES], values[PITHI_NODE_VALUES]: 0 or PITH_ERR_DAMAGED (or IO), with
 * pithlog_error(); the file is then no longer in the cache. */
int pithi_message_node_read(const struct pithlog_digest *digest, const struct pithi_message_node *node,
                            struct pithlog_message *messages);
int pithi_value_node_read(const struct pithlog_digest *digest, const struct pithi_value_node *node,
                          struct pithi_value *values);

/* ---- The whole --------------------------------------------------------------------------------------------------- */

/* Bytes at `offset` of digest->fd. */
int pithi_digest_put(const struct pithlog_digest *digest, const void *data, uint64_t size, uint64_t offset);
/* Head and entries at `offset` of the file. */
int pithi_digest_write(const struct pithlog_digest *digest, uint64_t offset);
/* 1: digest->fd holds a sound one of this log and key, whose entries are now in memory; 0. */
int pithi_digest_take(struct pithlog_digest *digest);
/* Reads the log into digest->fd, an empty file (digest_make.c). PITH_ERR_DAMAGED: some records could not be read. */
int pithi_digest_make(struct pithlog_digest *digest, int (*progress)(void *context, double part), void *context);

#endif
