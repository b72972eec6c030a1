/* clog2_layout.h - the bytes of a CLOG-2 file: numbers, record types, offsets.
 *
 *     [preamble 1024][block] ... [block][communicator table]
 *
 * A block is block_size bytes: records back to back, then ENDBLOCK (the last one: ENDLOG), then bytes without meaning.
 * A record is a header of 24 bytes and a body, whose size goes with its type. Times are seconds in doubles.
 */
#ifndef PITHI_CLOG2_LAYOUT_H
#define PITHI_CLOG2_LAYOUT_H

#include <stdint.h>
#include <string.h>

#define PITHI_CLOG2_VERSION "CLOG-02.44"

enum {
    PITHI_CLOG2_PREAMBLE = 1024,
    PITHI_CLOG2_BLOCK = 65536, /* size of the blocks we write; MPE's default */
    PITHI_CLOG2_HEADER = 24,
    PITHI_CLOG2_CARGO = 32, /* bytes of payload */
    PITHI_CLOG2_UUID = 32,
    PITHI_CLOG2_UUID_TIME = 4, /* where its time and name are; before them a random number */
    PITHI_CLOG2_UUID_NAME = 12,
    PITHI_CLOG2_COLOUR = 24, /* fields of strings, with their NUL */
    PITHI_CLOG2_NAME = 32,
    PITHI_CLOG2_FORMAT = 40,
    PITHI_CLOG2_TABLE_ENTRY = 40,
    PITHI_CLOG2_USER_EVENTS = 600, /* first event numbers of the user's states and solo events, and state numbers */
    PITHI_CLOG2_USER_SOLO = 5000,
    PITHI_CLOG2_USER_STATES = 300
};

enum pithi_clog2_type {
    PITHI_CLOG2_ENDLOG,
    PITHI_CLOG2_ENDBLOCK,
    PITHI_CLOG2_STATEDEF,
    PITHI_CLOG2_EVENTDEF,
    PITHI_CLOG2_CONSTDEF,
    PITHI_CLOG2_BAREEVT,
    PITHI_CLOG2_CARGOEVT,
    PITHI_CLOG2_MSGEVT,
    PITHI_CLOG2_COLLEVT,
    PITHI_CLOG2_COMMEVT,
    PITHI_CLOG2_SRCLOC,
    PITHI_CLOG2_TIMESHIFT,
    PITHI_CLOG2_TYPES
};

enum { PITHI_CLOG2_SEND = -101, PITHI_CLOG2_RECV = -102 };

enum pithi_clog2_comm_event {
    PITHI_CLOG2_WORLD = 0,
    PITHI_CLOG2_SELF = 1,
    PITHI_CLOG2_FREE = 10,
    PITHI_CLOG2_INTRA = 100,
    PITHI_CLOG2_LOCAL = 101, /* an intercommunicator's own group, as a communicator */
    PITHI_CLOG2_REMOTE = 102,
    PITHI_CLOG2_INTER = 1000
};

/* kinds in the communicator table */
enum { PITHI_CLOG2_KIND_INTER, PITHI_CLOG2_KIND_INTRA, PITHI_CLOG2_KIND_LOCAL, PITHI_CLOG2_KIND_REMOTE };

/* Bytes of a record with its header; 0: no such type. */
static inline uint32_t pithi_clog2_size(uint32_t type)
{
    static const uint8_t sizes[PITHI_CLOG2_TYPES] = {24, 24, 136, 128, 64, 32, 64, 48, 40, 72, 72, 32};

    return type < PITHI_CLOG2_TYPES ? sizes[type] : 0;
}

/* Marks that the writer here leaves in the 20 bytes of a uuid's name. WORLD, HOST: the world and, with the name of
 * the host behind the mark, the MPI_COMM_SELF that every process has in a file of MPE, though the log had no such
 * record; the reader leaves them out again. The world's number says what else was added (clog2_made.h). KEY: the two
 * numbers before are the communicator's key. */
#define PITHI_CLOG2_MARK_WORLD "pith-world"
#define PITHI_CLOG2_MARK_HOST "pith="
#define PITHI_CLOG2_MARK_KEY "pith:"

/* The counter that TIMESHIFT records become. */
#define PITHI_CLOG2_SHIFT "clock shift"

/* Whether the name in a uuid begins with a mark. */
static inline int pithi_clog2_is_marked(const unsigned char uuid[PITHI_CLOG2_UUID], const char *mark)
{
    return memcmp(uuid + PITHI_CLOG2_UUID_NAME, mark, strlen(mark)) == 0;
}

static inline uint32_t pithi_clog2_u32(const unsigned char *p, int big)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}
static inline int32_t pithi_clog2_i32(const unsigned char *p, int big) { return (int32_t)pithi_clog2_u32(p, big); }
static inline double pithi_clog2_f64(const unsigned char *p, int big)
{
    uint64_t v;
    double d;

    memcpy(&v, p, 8);
    v = big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
    memcpy(&d, &v, 8);
    return d;
}
/* Written files are big-endian. */
static inline void pithi_clog2_put32(unsigned char *p, int32_t value)
{
    uint32_t v = (uint32_t)value;

    v = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap32(v);
    memcpy(p, &v, 4);
}
static inline void pithi_clog2_put64f(unsigned char *p, double value)
{
    uint64_t v;

    memcpy(&v, &value, 8);
    v = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap64(v);
    memcpy(p, &v, 8);
}

#endif
