/* segment.h - making a native log.
 *
 * A log is a header, definitions, one segment a rank, the rank table and a footer (spec: formats/native/SPEC.md).
 * A segment holds all of one rank: its description, its communicators, its lanes' blocks, its index. Segments are made
 * independently of each other, by the ranks themselves at MPI_Finalize (liblog/merge.c) or one process for all
 * (struct pithi_writer, below: readers of foreign formats, recover, merge).
 *
 * Nothing here uses threads, MPI or global state; a segment is used by one thread at a time.
 */
#ifndef PITHI_SEGMENT_H
#define PITHI_SEGMENT_H

#include "pithlog.h"

/* Where bytes go. Appends `size` bytes; *offset = where they stand in the final file (or relative to a base that is
 * known later, see pithi_segment_finish). Returns PITH_OK or an error. */
struct pithi_sink {
    int (*append)(void *context, const void *data, size_t size, uint64_t *offset);
    void *context;
};

/* ---- Definitions: one set for the log ---------------------------------------------------------------------------- */

/* A set of definitions and properties: what the DEFS chunk holds. Ids are given out from 0 in order of adding;
 * adding a (kind, name) that is there gives its id. */
struct pithi_defs;
int pithi_defs_new(struct pithi_defs **defs);
void pithi_defs_free(struct pithi_defs *defs);
/* Strings are copied; NULL is "". */
int pithi_defs_add(struct pithi_defs *defs, const struct pithlog_def *def, uint32_t *id);
uint32_t pithi_defs_count(const struct pithi_defs *defs);
const struct pithlog_def *pithi_defs_get(const struct pithi_defs *defs, uint32_t id);
int pithi_defs_property(struct pithi_defs *defs, const char *key, const char *value);
/* Besides, what a reader is to know of all ranks at once: a host (each rank adds its own); a communicator by its key,
 * and with its size, from the rank that tells its members (`teller`), its sizes; the world is there from the start. */
int pithi_defs_host(struct pithi_defs *defs, const char *host);
int pithi_defs_comm(struct pithi_defs *defs, const struct pithlog_comm *comm, int32_t teller);
/* The set as bytes (the payload of a DEFS chunk), malloc'ed; and back (adds what is new to `defs`, all lengths
 * checked; ids[i] = id in `defs` of the i-th definition of the bytes when `ids` is not NULL, malloc'ed). */
int pithi_defs_pack(const struct pithi_defs *defs, void **data, size_t *size);
int pithi_defs_unpack(struct pithi_defs *defs, const void *data, size_t size, uint32_t **ids);

/* ---- A segment --------------------------------------------------------------------------------------------------- */

struct pithi_segment;

struct pithi_rank {
    int32_t rank;
    const char *host;
    uint64_t pid;
    uint32_t clock; /* number of its machine's clock: 0, the log's own; UINT32_MAX: not known which (clocks.h) */
};

int pithi_segment_open(struct pithi_segment **segment, const struct pithi_rank *rank, const struct pithi_sink *sink);

/* Host and pid, when they become known later; the rank number stays. */
int pithi_segment_describe(struct pithi_segment *segment, const struct pithi_rank *rank);

/* Lane of a thread number, made at first use; `name` NULL keeps what it has. */
int pithi_segment_lane(struct pithi_segment *segment, uint32_t thread, const char *name, uint32_t *lane);

/* Local index of a communicator of this rank, by its key, made at first use. World is there from the start as 0 (key
 * 0). `members` may be given by one rank only: in the job the one that is rank 0 in it. */
int pithi_segment_comm(struct pithi_segment *segment, const struct pithlog_comm *comm, uint32_t *index);

/* One record: `lane` and `comm` are the segment's, `id` the log's. Times of a lane must not fall; one that does is
 * taken as the time before it. The made fields (depth, start_ns ...) are ignored. Writes a block to the sink when
 * one is full. */
int pithi_segment_add(struct pithi_segment *segment, const struct pithlog_record *record);

/* The same with lane and communicator beside the record, for a caller that numbers them otherwise. */
int pithi_segment_add_to(struct pithi_segment *segment, const struct pithlog_record *record, uint32_t lane,
                         uint32_t comm);

/* Packs with working memory that many segments share (0.5 MB); it must live as long as they. */
struct pithi_zip;
void pithi_segment_share_zip(struct pithi_segment *segment, struct pithi_zip *zip);

/* About how many lanes the whole log will have. Beyond 128 blocks are made smaller, because a reader in order of
 * time has one of each lane in memory at once. May be told again as more become known; never told: few. */
void pithi_segment_expect(struct pithi_segment *segment, uint64_t lanes);

/* Summaries of lanes (summary.h) in sheets of so many records at most, a multiple of 32768; 0: none, for who has so
 * many lanes at once that memory is short. It is for lanes that have no block yet. Not told: 524288. */
void pithi_segment_sheets(struct pithi_segment *segment, uint32_t records);

/* Lanes made by several threads at once, and the same bytes whatever their number. When all lanes and communicators
 * were made, `split` writes what describes them; then each lane is taken out as a segment of its own with a sink of its
 * own, its part, which knows nothing of the others; one thread at a time uses it, and adds to lane 0. `part_end` ends
 * the lane's last block; it may be left out, then the lane goes on after the join. `join`, by one thread, when
 * nothing is added to any part any more: puts the lane back, `base` is added to the offsets that the part's sink gave,
 * and the part is gone. A part must be joined even after an error. */
int pithi_segment_split(struct pithi_segment *segment);
int pithi_segment_part(struct pithi_segment **part, const struct pithi_segment *whole, uint32_t lane,
                       const struct pithi_sink *sink);
int pithi_segment_part_end(struct pithi_segment *part);
void pithi_segment_join(struct pithi_segment *whole, uint32_t lane, struct pithi_segment *part, uint64_t base);

/* Ends the last blocks early, and frees what lanes need while they are written: nothing may be added any more. */
int pithi_segment_rest(struct pithi_segment *segment);

/* Ends the last blocks. Then index_size is known; the index itself (with `base` added to every offset that the sink
 * gave) is appended by pithi_segment_index, so that processes can first agree on where their segments stand. `base` has
 * the number of the volume in its bits from PITHI_VOLUME_SHIFT on. `defs` is the log's set, complete: the segment's
 * communicators are numbered as there. */
int pithi_segment_finish(struct pithi_segment *segment);
uint64_t pithi_segment_index_size(const struct pithi_segment *segment);
int pithi_segment_index(struct pithi_segment *segment, uint64_t base, struct pithi_defs *defs);

/* What the rank table and the footer need of a segment. */
struct pithi_totals {
    uint64_t records, states, events, messages, lost, lanes;
    int64_t start_ns, end_ns; /* start > end: no record */
};
void pithi_segment_totals(const struct pithi_segment *segment, struct pithi_totals *totals);
void pithi_segment_free(struct pithi_segment *segment);

/* ---- The file around the segments -------------------------------------------------------------------------------- */

enum { PITHI_HEADER_SIZE = 64, PITHI_RANK_ENTRY_SIZE = 80, PITHI_FOOTER_SIZE = 128 };

/* A log may stand in several files, volumes: NAME.pith, which is number 0 and has definitions, rank table and footer,
 * and NAME.pith.1, .2 ... up to `count`, each with a header and whole segments behind it. */
enum { PITHI_VOLUME_SHIFT = 48, PITHI_VOLUMES_MAX = 32767 };
struct pithi_volume {
    uint32_t number, count; /* of this file; of volumes beside NAME.pith */
    uint64_t id;            /* the same in all files of a log, another in each log */
};

/* The file header; the DEFS chunk (malloc'ed); rank table: a fixed-size head, then an entry a rank, each with its own
 * CRC so that each rank may write its own; the footer, last in the file. Sizes as in the enum. */
void pithi_file_header(unsigned char header[PITHI_HEADER_SIZE], const struct pithi_volume *volume); /* NULL: one file */
int pithi_defs_chunk(const struct pithi_defs *defs, void **chunk, size_t *size);
uint64_t pithi_rank_table_size(uint32_t ranks);
void pithi_rank_table_head(uint32_t ranks, unsigned char *head, size_t *size); /* at most PITHI_RANK_ENTRY_SIZE bytes */
uint64_t pithi_rank_entry_offset(uint32_t index);                              /* from the start of the table */
/* After pithi_segment_index. `base`: where the segment begins, 0 if its chunks stand among others'. */
void pithi_rank_entry(const struct pithi_segment *segment, uint64_t base, struct pithi_defs *defs,
                      unsigned char entry[PITHI_RANK_ENTRY_SIZE]);
void pithi_file_footer(uint64_t defs_offset, uint64_t table_offset, uint32_t ranks, const struct pithi_totals *totals,
                       unsigned char footer[PITHI_FOOTER_SIZE]);

/* ---- One process writes all -------------------------------------------------------------------------------------- */

/* A log written by one process: definitions and lanes may come at any time, records of all lanes in any mixture as
 * long as each lane's own are in order. Writes to PATH.part and renames at finish; `fd` >= 0 instead writes to that
 * file. */
struct pithi_writer;
int pithi_writer_open(struct pithi_writer **writer, const char *path, int fd);
void pithi_writer_plain(struct pithi_writer *writer); /* before the first lane: no summaries of lanes (summary.h) */
struct pithi_defs *pithi_writer_defs(struct pithi_writer *writer); /* add definitions and properties here */
/* Optional; makes known host and pid. */
int pithi_writer_rank(struct pithi_writer *writer, const struct pithi_rank *rank);
/* The lane of (rank, thread) by a number for the whole log. */
int pithi_writer_lane(struct pithi_writer *writer, int32_t rank, uint32_t thread, const char *name, uint32_t *lane);
/* A communicator by a number for the whole log, by key; 0 = world. */
int pithi_writer_comm(struct pithi_writer *writer, const struct pithlog_comm *comm, uint32_t *index);
int pithi_writer_add(struct pithi_writer *writer, const struct pithlog_record *record);
/* Optional: no more records come for the ranks that there are so far; frees what their lanes need to be written. */
int pithi_writer_rest(struct pithi_writer *writer);
int pithi_writer_finish(struct pithi_writer *writer); /* writes the rest; the file appears under its name */
void pithi_writer_close(struct pithi_writer *writer); /* frees; without finish before, leaves no file */

#endif
