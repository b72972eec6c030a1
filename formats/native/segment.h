/* segment.h - writes a native log.
 *
 * A log is a header, definitions, a segment for each rank, the rank table and a footer (formats/native/SPEC.md).
 * A segment holds the data of one rank: its description, its communicators, its lanes' blocks, its index. Segments are
 * made independently of each other, by the ranks themselves at MPI_Finalize (liblog/merge.c) or by one process for all
 * (struct pithi_writer, below: readers of foreign formats, recover, merge).
 *
 * Nothing here uses threads, MPI or global state; a segment is used by one thread at a time.
 */
#ifndef PITHI_SEGMENT_H
#define PITHI_SEGMENT_H

#include "pithlog.h"

/* Receives the bytes of a segment. `append` appends `size` bytes, and sets *offset to their offset in the final file.
 * If it is not known yet where the segment begins there, the offset is from the segment's begin (see
 * pithi_segment_finish). `append` returns PITH_OK or an error. */
struct pithi_sink {
    int (*append)(void *context, const void *data, size_t size, uint64_t *offset);
    void *context; /* for `append` */
};

/* ---- Definitions: one set for the log ---------------------------------------------------------------------------- */

/* A set of definitions and properties: the contents of the DEFS chunk. Ids start at 0 in order of adding; adding an
 * existing (kind, name) returns its id. */
struct pithi_defs;
int pithi_defs_new(struct pithi_defs **defs);
void pithi_defs_free(struct pithi_defs *defs);
/* Strings are copied; NULL is "". */
int pithi_defs_add(struct pithi_defs *defs, const struct pithlog_def *def, uint32_t *id);
uint32_t pithi_defs_count(const struct pithi_defs *defs);
const struct pithlog_def *pithi_defs_get(const struct pithi_defs *defs, uint32_t id);
int pithi_defs_property(struct pithi_defs *defs, const char *key, const char *value);
/* The set also has the hosts and communicators of all ranks. Each rank adds its own host, and its communicators by key;
 * the rank that lists the members (`teller`) adds the sizes. The set has the world from the start. */
int pithi_defs_host(struct pithi_defs *defs, const char *host);
int pithi_defs_comm(struct pithi_defs *defs, const struct pithlog_comm *comm, int32_t teller);
/* pithi_defs_pack makes bytes of the set (the payload of a DEFS chunk), malloc'ed. pithi_defs_unpack checks all lengths
 * and adds the definitions in the bytes to `defs`; if `ids` is not NULL, ids[i] is the id in `defs` of the i-th
 * definition (malloc'ed). */
int pithi_defs_pack(const struct pithi_defs *defs, void **data, size_t *size);
int pithi_defs_unpack(struct pithi_defs *defs, const void *data, size_t size, uint32_t **ids);

/* ---- A segment --------------------------------------------------------------------------------------------------- */

struct pithi_segment;

struct pithi_rank {
    int32_t rank;
    const char *host;
    uint64_t pid;   /* of the process */
    uint32_t clock; /* number of its machine's clock: 0, the log's own; UINT32_MAX: not known which (clocks.h) */
};

int pithi_segment_open(struct pithi_segment **segment, const struct pithi_rank *rank, const struct pithi_sink *sink);

/* Sets host and pid if they become known later; the rank number stays. */
int pithi_segment_describe(struct pithi_segment *segment, const struct pithi_rank *rank);

/* Sets *lane to the segment's number of a thread's lane, which is added at its first use. If `name` is NULL, the lane
 * keeps its name. */
int pithi_segment_lane(struct pithi_segment *segment, uint32_t thread, const char *name, uint32_t *lane);

/* Sets *index to the segment's number of a communicator, which is found by its key and added at its first use. The
 * world is number 0, with key 0. Only one rank may give `members`: in a job, rank 0 of the communicator. */
int pithi_segment_comm(struct pithi_segment *segment, const struct pithlog_comm *comm, uint32_t *index);

/* Adds a record: `lane` and `comm` are the segment's numbers, `id` is the log's. The times of a lane must not decrease;
 * a lower time is raised to that of the record before. Ignores the fields made by iterators (depth, start_ns ...).
 * Writes a full block to the sink. */
int pithi_segment_add(struct pithi_segment *segment, const struct pithlog_record *record);

/* Like pithi_segment_add, but takes lane and communicator from the arguments, for callers whose records have other
 * numbers. */
int pithi_segment_add_to(struct pithi_segment *segment, const struct pithlog_record *record, uint32_t lane,
                         uint32_t comm);

/* A faster way to add many records that only enter or leave states (block.h): `fill` puts them into the lane's block,
 * and is called only if the block has room. */
struct pithi_states;
typedef void pithi_states_filler(void *context, struct pithi_states *states);
void pithi_segment_fill(struct pithi_segment *segment, uint32_t lane, pithi_states_filler *fill, void *context);

/* Shares the working memory for packing (0.5 MB) between segments; `zip` must live as long as these segments. */
struct pithi_zip;
void pithi_segment_share_zip(struct pithi_segment *segment, struct pithi_zip *zip);

/* Sets the approximate number of lanes of the whole log; may be called again. With more than 128 lanes, blocks are
 * smaller, because a reader in order of time has a block of each lane in memory at once. Without a call, blocks are as
 * for at most 128 lanes. */
void pithi_segment_expect(struct pithi_segment *segment, uint64_t lanes);

/* Sets the largest number of records of a sheet (summary.h), a multiple of 32768. With 0, lanes get no summaries, which
 * saves memory if very many lanes are open at once. Applies to lanes that have not written a block yet. Default:
 * 524288. */
void pithi_segment_sheets(struct pithi_segment *segment, uint32_t records);

/* Lets several threads make lanes at once; the bytes of the log do not depend on the number of threads.
 *
 *     split     after all lanes and communicators were added: writes their descriptions
 *     part      takes a lane out as a segment with its own sink; it has no other lanes, and its lane is 0
 *     part_end  ends the last block of the lane; without it, the lane can continue after the join
 *     join      puts the lane back, adds `base` to the offsets from the part's sink, frees the part
 *
 * A part is used by one thread at a time. One thread joins all parts, when nothing is added to any part any more. Every
 * part must be joined, even after an error.
 */
int pithi_segment_split(struct pithi_segment *segment);
int pithi_segment_part(struct pithi_segment **part, const struct pithi_segment *whole, uint32_t lane,
                       const struct pithi_sink *sink);
int pithi_segment_part_end(struct pithi_segment *part);
void pithi_segment_join(struct pithi_segment *whole, uint32_t lane, struct pithi_segment *part, uint64_t base);

/* Optional: ends the last blocks before pithi_segment_finish does, and frees the memory of lanes. After it, no more
 * records may be added. */
int pithi_segment_rest(struct pithi_segment *segment);

/* finish: ends the last blocks; then index_size is known, and processes can agree on the places of their segments.
 * index: appends the index, with `base` added to every offset from the sink. Bits PITHI_VOLUME_SHIFT and higher of
 * `base` are the number of the volume. `defs` is the complete set of the log, which numbers the communicators. */
int pithi_segment_finish(struct pithi_segment *segment);
uint64_t pithi_segment_index_size(const struct pithi_segment *segment);
int pithi_segment_index(struct pithi_segment *segment, uint64_t base, struct pithi_defs *defs);

/* The sums of a segment for the rank table and the footer. */
struct pithi_totals {
    uint64_t records, states, events, messages, lost, lanes; /* of the segment */
    int64_t start_ns, end_ns;                                /* start > end: no record */
};
void pithi_segment_totals(const struct pithi_segment *segment, struct pithi_totals *totals);
void pithi_segment_free(struct pithi_segment *segment);

/* ---- The file around the segments -------------------------------------------------------------------------------- */

enum { PITHI_HEADER_SIZE = 64, PITHI_RANK_ENTRY_SIZE = 80, PITHI_FOOTER_SIZE = 128 }; /* bytes */

/* A log may consist of several files, called volumes: NAME.pith, number 0, has definitions, rank table and footer;
 * NAME.pith.1, .2 ... up to `count` each have a header and whole segments. */
enum { PITHI_VOLUME_SHIFT = 48, PITHI_VOLUMES_MAX = 32767 };
struct pithi_volume {
    uint32_t number, count; /* number of this file; number of volumes besides NAME.pith */
    uint64_t id;            /* the same in all files of a log, and unique to it */
};

/* The parts of a file: its header; the DEFS chunk (malloc'ed); the rank table, which is a head of fixed size and an
 * entry per rank, with its own CRC so that each rank can write its entry; the footer at its end. */
void pithi_file_header(unsigned char header[PITHI_HEADER_SIZE], const struct pithi_volume *volume); /* NULL: one file */
int pithi_defs_chunk(const struct pithi_defs *defs, void **chunk, size_t *size);
uint64_t pithi_rank_table_size(uint32_t ranks);
void pithi_rank_table_head(uint32_t ranks, unsigned char *head, size_t *size); /* at most PITHI_RANK_ENTRY_SIZE bytes */
uint64_t pithi_rank_entry_offset(uint32_t index);                              /* from the start of the table */
/* Call it after pithi_segment_index. `base`: offset of the segment; 0 if chunks of other segments lie between its
 * own. */
void pithi_rank_entry(const struct pithi_segment *segment, uint64_t base, struct pithi_defs *defs,
                      unsigned char entry[PITHI_RANK_ENTRY_SIZE]);
void pithi_file_footer(uint64_t defs_offset, uint64_t table_offset, uint32_t ranks, const struct pithi_totals *totals,
                       unsigned char footer[PITHI_FOOTER_SIZE]);

/* ---- One process writes all -------------------------------------------------------------------------------------- */

/* A log written by one process. Definitions and lanes may be added at any time; records of all lanes may be mixed, but
 * the records of each lane must be in order. The log is written to PATH.part, which pithi_writer_finish renames. If
 * `fd` is not negative, the log is written to this descriptor instead. */
struct pithi_writer;
int pithi_writer_open(struct pithi_writer **writer, const char *path, int fd);
void pithi_writer_plain(struct pithi_writer *writer); /* before the first lane: no summaries of lanes (summary.h) */
struct pithi_defs *pithi_writer_defs(struct pithi_writer *writer); /* add definitions and properties here */
/* Optional: sets host and pid of a rank. */
int pithi_writer_rank(struct pithi_writer *writer, const struct pithi_rank *rank);
/* Sets *lane to the log's number of the lane (rank, thread), which is added at its first use. */
int pithi_writer_lane(struct pithi_writer *writer, int32_t rank, uint32_t thread, const char *name, uint32_t *lane);
/* Sets *index to the log's number of a communicator, which is found by its key and added at its first use; 0 is the
 * world. */
int pithi_writer_comm(struct pithi_writer *writer, const struct pithlog_comm *comm, uint32_t *index);
int pithi_writer_add(struct pithi_writer *writer, const struct pithlog_record *record);
/* Adds many records; faster than single ones if many records of one lane follow each other. */
int pithi_writer_add_many(struct pithi_writer *writer, const struct pithlog_record *records, uint32_t count);
/* Optional: declares that the present ranks get no more records, and frees the memory of their lanes. */
int pithi_writer_rest(struct pithi_writer *writer);
int pithi_writer_finish(struct pithi_writer *writer); /* writes the rest and gives the file its name */
void pithi_writer_close(struct pithi_writer *writer); /* frees; without finish, leaves no file */

#endif
