/* slog2_layout.h - the bytes of a SLOG-2 file, version 2.0.6. Numbers are big-endian. A string is its length (16 bits)
 * and its bytes. A place in the file is an offset (64 bits) and a size (32 bits). A node of the tree has a depth (16
 * bits, 0 for a leaf) and a number (32 bits) among the nodes of its depth. Times are seconds, as doubles. Below, a
 * number in brackets is a size in bits, but "times (2)" are two times.
 *
 *     header       version, children per node, bytes per leaf, depth of the root, bytes of the largest part of the
 *                  file; places of these parts: categories, methods, line maps, root, directory, annotations, postamble
 *     node         times (2), number, own place; drawables: events and arrows, then states and composites; previews,
 *                  one set per child
 *     drawable     kind (8); category (32), info (string), vertices (16) x (time, line (32))
 *                  composite: category, info, primitives (16), each as above without a kind
 *     directory    count (32) x (number, times, place)
 */
#ifndef PITHI_SLOG2_LAYOUT_H
#define PITHI_SLOG2_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

#define PITHI_SLOG2_VERSION "SLOG 2.0.6"

enum {
    PITHI_SLOG2_HEADER = 108,      /* bytes of the file's header */
    PITHI_SLOG2_NODE = 34,         /* bytes of the header of a node */
    PITHI_SLOG2_ENTRY = 34,        /* bytes of an entry of the directory */
    PITHI_SLOG2_CHILDREN = 2,      /* children of a node in files that Pith writes */
    PITHI_SLOG2_LEAF = 65536,      /* usual bytes of a leaf that Pith writes; more if there are many lines */
    PITHI_SLOG2_STRING_MAX = 32767 /* most bytes of a string */
};

enum pithi_slog2_topology { PITHI_SLOG2_EVENT, PITHI_SLOG2_STATE, PITHI_SLOG2_ARROW, PITHI_SLOG2_TOPOLOGIES };

/* Returns the number of the category that the previews of a topology have. No drawable has a negative category. */
static inline int32_t pithi_slog2_preview(enum pithi_slog2_topology topology)
{
    static const int32_t numbers[PITHI_SLOG2_TOPOLOGIES] = {-1, -3, -2};
    return numbers[topology];
}

struct pithi_slog2_place {
    uint64_t at;
    uint32_t size;
};

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Bytes that are being read. The first read past `end` sets `failed`. This read and all later ones return 0. */
struct pithi_slog2_bytes {
    const unsigned char *data;
    size_t at, end;
    int failed;
};

static inline const unsigned char *pithi_slog2_take(struct pithi_slog2_bytes *b, size_t size)
{
    static const unsigned char zeros[8];
    if (b->failed || size > b->end - b->at) {
        b->failed = 1;
        return zeros;
    }
    b->at += size;
    return b->data + b->at - size;
}

static inline uint64_t pithi_slog2_number(struct pithi_slog2_bytes *b, size_t size)
{
    return pithi_get_be(pithi_slog2_take(b, size), size);
}

static inline uint8_t pithi_slog2_u8(struct pithi_slog2_bytes *b) { return (uint8_t)pithi_slog2_number(b, 1); }
static inline uint16_t pithi_slog2_u16(struct pithi_slog2_bytes *b) { return (uint16_t)pithi_slog2_number(b, 2); }
static inline uint32_t pithi_slog2_u32(struct pithi_slog2_bytes *b) { return (uint32_t)pithi_slog2_number(b, 4); }
static inline int32_t pithi_slog2_i32(struct pithi_slog2_bytes *b) { return (int32_t)pithi_slog2_u32(b); }
static inline uint64_t pithi_slog2_u64(struct pithi_slog2_bytes *b) { return pithi_slog2_number(b, 8); }

static inline double pithi_slog2_f64(struct pithi_slog2_bytes *b)
{
    uint64_t v = pithi_slog2_u64(b);
    double d;
    memcpy(&d, &v, sizeof d);
    return d;
}

static inline struct pithi_slog2_place pithi_slog2_place(struct pithi_slog2_bytes *b)
{
    struct pithi_slog2_place place;
    place.at = pithi_slog2_u64(b);
    place.size = pithi_slog2_u32(b);
    return place;
}

/* Reads a string: returns its bytes, without a NUL at the end, and sets *size. */
static inline const char *pithi_slog2_string(struct pithi_slog2_bytes *b, size_t *size)
{
    *size = pithi_slog2_u16(b);
    const char *text = (const char *)pithi_slog2_take(b, *size);
    *size = b->failed ? 0 : *size;
    return text;
}

/* ---- Writing: each function returns the byte after what it wrote ------------------------------------------------ */

static inline unsigned char *pithi_slog2_put16(unsigned char *p, uint32_t v) { return pithi_put_be(p, v, 2); }
static inline unsigned char *pithi_slog2_put32(unsigned char *p, uint32_t v) { return pithi_put_be(p, v, 4); }
static inline unsigned char *pithi_slog2_put64(unsigned char *p, uint64_t v) { return pithi_put_be(p, v, 8); }

static inline unsigned char *pithi_slog2_put_float(unsigned char *p, double value)
{
    float f = (float)value;
    uint32_t v;
    memcpy(&v, &f, sizeof v);
    return pithi_slog2_put32(p, v);
}

static inline unsigned char *pithi_slog2_put_double(unsigned char *p, double value)
{
    uint64_t v;
    memcpy(&v, &value, sizeof v);
    return pithi_slog2_put64(p, v);
}

static inline unsigned char *pithi_slog2_put_time(unsigned char *p, int64_t time_ns)
{
    return pithi_slog2_put_double(p, (double)time_ns / 1e9);
}

static inline unsigned char *pithi_slog2_put_place(unsigned char *p, struct pithi_slog2_place place)
{
    return pithi_slog2_put32(pithi_slog2_put64(p, place.at), place.size);
}

#endif
