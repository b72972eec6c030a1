/* clog2_layout.h - the bytes of a CLOG-2 file: numbers, record types, offsets.
 *
 *     [preamble 1024][block] ... [block][communicator table]
 *
 * A block has block_size bytes: adjacent records, then ENDBLOCK (in the last block: ENDLOG), then unused bytes. A
 * record has a header of 24 bytes and a body. The type of the record determines the size of its body. Times are seconds
 * in doubles. */
#ifndef PITHI_CLOG2_LAYOUT_H
#define PITHI_CLOG2_LAYOUT_H

#include <stdint.h>
#include <string.h>

#define PITHI_CLOG2_VERSION "CLOG-02.44"

enum {
    PITHI_CLOG2_PREAMBLE = 1024,
    PITHI_CLOG2_BLOCK = 65536, /* block size of written files, the default of MPE */
    PITHI_CLOG2_HEADER = 24,
    PITHI_CLOG2_CARGO = 32, /* bytes of payload */
    PITHI_CLOG2_UUID = 32,
    PITHI_CLOG2_UUID_TIME = 4, /* offsets of the time and the name in a uuid; a random number precedes them */
    PITHI_CLOG2_UUID_NAME = 12,
    PITHI_CLOG2_COLOUR = 24, /* string fields, including the NUL */
    PITHI_CLOG2_NAME = 32,
    PITHI_CLOG2_FORMAT = 40, /* bytes of a format */
    PITHI_CLOG2_TABLE_ENTRY = 40,
    PITHI_CLOG2_USER_EVENTS = 600, /* USER_EVENTS, USER_SOLO: the first event numbers of the program's states, of its
                                      solo events; USER_STATES: the number of the program's first state */
    PITHI_CLOG2_USER_SOLO = 5000,
    PITHI_CLOG2_USER_STATES = 300,
    PITHI_CLOG2_NO_RANK = -1 /* used where a COMMEVT has no rank: it frees a communicator, or it names a group to which
                                its process does not belong */
};

enum pithi_clog2_type {
    PITHI_CLOG2_ENDLOG,   /* the last record of a file */
    PITHI_CLOG2_ENDBLOCK, /* the last record of a block */
    PITHI_CLOG2_STATEDEF, /* number, two events, colour, name and format of a state */
    PITHI_CLOG2_EVENTDEF, /* number, colour, name and format of an event */
    PITHI_CLOG2_CONSTDEF,
    PITHI_CLOG2_BAREEVT,  /* an event: its number */
    PITHI_CLOG2_CARGOEVT, /* an event with 32 bytes of data */
    PITHI_CLOG2_MSGEVT,
    PITHI_CLOG2_COLLEVT,
    PITHI_CLOG2_COMMEVT,   /* a communicator as one process sees it */
    PITHI_CLOG2_SRCLOC,    /* a place in the program */
    PITHI_CLOG2_TIMESHIFT, /* by how much the clock of a process was corrected */
    PITHI_CLOG2_TYPES
};

enum { PITHI_CLOG2_SEND = -101, PITHI_CLOG2_RECV = -102 };

enum pithi_clog2_comm_event {
    PITHI_CLOG2_WORLD = 0,   /* MPI_COMM_WORLD */
    PITHI_CLOG2_SELF = 1,    /* MPI_COMM_SELF */
    PITHI_CLOG2_FREE = 10,   /* a communicator is freed */
    PITHI_CLOG2_INTRA = 100, /* a communicator of one group */
    /* One group of an intercommunicator, as a communicator. LOCAL is the group of the process that wrote the record;
     * REMOTE is the other group */
    PITHI_CLOG2_LOCAL = 101,
    PITHI_CLOG2_REMOTE = 102,
    PITHI_CLOG2_INTER = 1000 /* between two groups */
};

/* Kinds in the communicator table, as rank 0 sees them. For communicators without rank 0, MPE writes "unknown". */
enum {
    PITHI_CLOG2_KIND_UNKNOWN = -1,
    PITHI_CLOG2_KIND_INTER,
    PITHI_CLOG2_KIND_INTRA,
    PITHI_CLOG2_KIND_LOCAL,
    PITHI_CLOG2_KIND_REMOTE
};

/* Returns the bytes of a record including its header, or 0 for an unknown type. */
static inline uint32_t pithi_clog2_size(uint32_t type)
{
    static const uint8_t sizes[PITHI_CLOG2_TYPES] = {24, 24, 136, 128, 64, 32, 64, 48, 40, 72, 72, 32};

    return type < PITHI_CLOG2_TYPES ? sizes[type] : 0;
}

/* The Pith writer puts these marks into the 20 bytes for the name in a uuid. Like MPE, it begins each rank with a
 * COMMEVT of the world and one of MPI_COMM_SELF, even if the log has no such records. WORLD marks the first one; HOST,
 * followed by the name of the host, marks the second one. The reader leaves marked records out. The number in the uuid
 * of the world has a bit for each kind of other records that the writer added (clog2_made.h). KEY means that the two
 * numbers before the name are the key of the communicator, which the log had. */
#define PITHI_CLOG2_MARK_WORLD "pith-world"
#define PITHI_CLOG2_MARK_HOST "pith="
#define PITHI_CLOG2_MARK_KEY "pith:"

/* TIMESHIFT records become this counter. */
#define PITHI_CLOG2_SHIFT "clock shift"

/* Returns 1 if the name in a uuid begins with `mark`. */
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
/* Stores a number for a written file, which is always big-endian. */
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
