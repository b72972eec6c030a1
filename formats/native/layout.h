/* layout.h - the constants of native format 1: magics, chunk types, column types, limits. SPEC.md describes them. */
#ifndef PITHI_LAYOUT_H
#define PITHI_LAYOUT_H

#include <stdint.h>

#define PITHI_VERSION 1u
#define PITHI_FILE_MAGIC "\x89Pith\r\n\x1a"       /* 8 bytes; text transfer or a cleared top bit breaks it */
#define PITHI_FOOTER_MAGIC "PithFoot"             /* 8 bytes */
#define PITHI_CHUNK_MAGIC_LE UINT32_C(0x4b684350) /* "PChK" */

enum {
    PITHI_CHUNK_HEAD = 32, /* bytes */
    PITHI_EVENTS_HEAD = 96,
    PITHI_COLUMN_ENTRY = 16, /* bytes of each entry */
    PITHI_INDEX_HEAD = 32,   /* bytes */
    PITHI_INDEX_LANE = 72,   /* bytes of each lane */
    PITHI_INDEX_BLOCK = 40,  /* bytes of each block */
    PITHI_INDEX_SHEET = 40,  /* bytes of each sheet */
    PITHI_TABLE_HEAD = 64    /* bytes */
};

enum pithi_chunk_type {
    PITHI_C_DEFS = 1, /* states, events and counters */
    PITHI_C_META,
    PITHI_C_EVENTS, /* a block of records of a lane */
    PITHI_C_INDEX,  /* where the blocks of a segment are */
    PITHI_C_TABLE,
    PITHI_C_SHEET, /* of a lane's summary */
    PITHI_C_ARROWS /* reserved: matched messages by time */
};
#define PITHI_CHUNK_OWN_CRC 1u /* flag: parts of the payload have CRCs of their own; the chunk's is 0 */

enum pithi_meta_type { PITHI_M_RANK = 1, PITHI_M_LANE, PITHI_M_COMM };

enum pithi_column {
    PITHI_COL_OPEN = 1, /* states open at the block's start */
    PITHI_COL_DICT,     /* kind and number of each code */
    PITHI_COL_WHAT,     /* a code per record */
    PITHI_COL_ESCAPE,   /* kind and number of each record of code 255 */
    PITHI_COL_TIME,     /* the size class of each record's time step */
    PITHI_COL_BITS,     /* the bits of the time steps below their classes */
    PITHI_COL_PEER,
    PITHI_COL_TAG,    /* tags of messages */
    PITHI_COL_BYTES,  /* sizes of messages; bytes sent by collectives */
    PITHI_COL_GOT,    /* bytes received by collectives */
    PITHI_COL_POSTED, /* order in which receives were posted */
    PITHI_COL_VALUE,  /* values of counters */
    PITHI_COL_SIZE,   /* sizes of payloads */
    PITHI_COL_PAYLOAD,
    PITHI_COL_COMM,  /* communicators of states and events, except the world */
    PITHI_COL_GONE,  /* for each LOST: the number of states that ended in its hole */
    PITHI_COL_STILL, /* the states of OPEN that have not ended in a hole */
    PITHI_COL_COUNT
};
enum pithi_coding { PITHI_STORED, PITHI_DEFLATED, PITHI_HUFFMAN };

/* The writer ends a block at PITHI_BLOCK_RECORDS records. In a log of more than PITHI_BLOCK_LANES lanes, its blocks
 * have fewer records, but at least PITHI_BLOCK_RECORDS_MIN. */
#define PITHI_BLOCK_RECORDS 16384u
#define PITHI_BLOCK_LANES 128u
#define PITHI_BLOCK_RECORDS_MIN 1024u
#define PITHI_BLOCK_PAYLOAD (256u << 10)   /* the writer also ends a block whose payloads have this size */
#define PITHI_BLOCK_RECORDS_MAX (1u << 20) /* limits of the format */
#define PITHI_PAYLOAD_MAX (1u << 24)       /* most bytes of an event's payload */
#define PITHI_COLUMN_MAX (UINT64_C(1) << 28)
/* Limits of the unpacked size of columns, so that a small file cannot demand much memory (SPEC.md). A block may unpack
 * to PITHI_BLOCK_UNPACKED bytes plus PITHI_UNPACKED_FACTOR times its own size. All blocks that are read at once may
 * unpack to PITHI_BLOCKS_UNPACKED bytes plus PITHI_UNPACKED_FACTOR times the size of the log. */
#define PITHI_BLOCK_UNPACKED (UINT64_C(32) << 20)
#define PITHI_BLOCKS_UNPACKED (UINT64_C(240) << 20)
#define PITHI_UNPACKED_FACTOR 16u
#define PITHI_CODE_ESCAPE 255u     /* a record whose code is not in the dictionary */
#define PITHI_LEAVE_INNERMOST 13u  /* a kind of code: LEAVE of the innermost state */
#define PITHI_OPEN_MAX 4096u       /* open states kept per lane; the next ENTER discards some */
#define PITHI_OPEN_FORGOTTEN 2048u /* number of states that this ENTER discards */
#define PITHI_OPEN_OUTER 64u       /* outermost states that this ENTER keeps */

#endif
