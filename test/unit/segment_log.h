/* segment_log.h - logs written as the ranks of a job do it, segment by segment, in one file or several. */
#ifndef PITH_SEGMENT_LOG_H
#define PITH_SEGMENT_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "native/segment.h"

struct segment_log {
    const char *path;
    uint32_t ranks, threads, volumes; /* threads: lanes a rank */
    uint64_t records, id;             /* of a lane; of the log */
    /* while it is written */
    FILE *files[8];
    uint64_t ends[8], base;
    uint32_t file;
    struct pithi_defs *defs;
    struct pithi_totals sum;
};

enum { SEGMENT_RANKS_A_HOST = 50 };

static inline int segment_append(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct segment_log *log = context;
    *offset = log->ends[log->file] - log->base;
    log->ends[log->file] += size;
    return fwrite(data, 1, size, log->files[log->file]) == size ? PITH_OK : PITH_ERR_IO;
}

/* Record i of a lane; lane r is rank r / threads, and all lanes go through the same times. */
static inline struct pithlog_record segment_record(uint32_t rank, uint32_t thread, uint64_t i)
{
    struct pithlog_record r = {.time_ns = (int64_t)(i * 100 + thread), .peer = -1};
    r.kind = i % 10 == 9 ? PITHLOG_SEND : i % 10 % 2 ? PITHLOG_LEAVE : PITHLOG_ENTER;
    if (r.kind == PITHLOG_SEND) {
        r.comm = 1;
        r.peer = (int32_t)rank;
        r.bytes = i * 7 + rank;
    }
    return r;
}

/* Numbers of communicators differ from rank to rank, as in a job: 1 is that of all, of key 500. */
static inline int segment_add_rank(struct segment_log *log, uint32_t rank, unsigned char *entry)
{
    struct pithi_segment *s = NULL;
    struct pithi_sink sink = {segment_append, log};
    struct pithi_totals t;
    char host[32], name[32];
    int32_t members[] = {0, 1};
    uint32_t lane, comm;
    int err;
    log->file = log->volumes ? 1 + rank % log->volumes : 0;
    log->base = log->ends[log->file];
    uint64_t base = (uint64_t)log->file << PITHI_VOLUME_SHIFT | log->base;
    snprintf(host, sizeof host, "host%u", rank / SEGMENT_RANKS_A_HOST);
    TRY(pithi_segment_open(&s, &(struct pithi_rank){.rank = (int32_t)rank, .host = host, .pid = 4000 + rank}, &sink));
    TRY(pithi_segment_comm(
        s, &(struct pithlog_comm){.key = 500, .name = "all", .size = rank ? 0 : 2, .world_ranks = members}, &comm));
    for (uint32_t thread = 0; thread < log->threads; thread++) {
        snprintf(name, sizeof name, "worker %u.%u", rank, thread);
        TRY(pithi_segment_lane(s, thread, thread ? name : "", &lane));
        for (uint64_t i = 0; i < log->records; i++) {
            struct pithlog_record r = segment_record(rank, thread, i);
            r.lane = lane;
            TRY(pithi_segment_add(s, &r));
        }
    }
    TRY(pithi_segment_finish(s));
    TRY(pithi_segment_index(s, base, log->defs));
    pithi_rank_entry(s, base, log->defs, entry);
    pithi_segment_totals(s, &t);
    log->sum.records += t.records;
    log->sum.states += t.states;
    log->sum.lanes += t.lanes;
    log->sum.start_ns = t.start_ns < log->sum.start_ns ? t.start_ns : log->sum.start_ns;
    log->sum.end_ns = t.end_ns > log->sum.end_ns ? t.end_ns : log->sum.end_ns;
out:
    pithi_segment_free(s);
    return err;
}

static inline int segment_begin(struct segment_log *log)
{
    unsigned char header[PITHI_HEADER_SIZE];
    char host[32];
    uint32_t id;
    int err;
    for (uint32_t i = 0; i <= log->volumes; i++) {
        char name[300];
        snprintf(name, sizeof name, i ? "%s.%u" : "%s", log->path, i);
        pithi_file_header(header, &(struct pithi_volume){i, log->volumes, log->id});
        if (!(log->files[i] = fopen(name, "wb")) || fwrite(header, 1, sizeof header, log->files[i]) != sizeof header)
            return PITH_ERR_IO;
        log->ends[i] = sizeof header;
    }
    TRY(pithi_defs_new(&log->defs));
    TRY(pithi_defs_add(log->defs, &(struct pithlog_def){.name = "work"}, &id));
    TRY(pithi_defs_comm(log->defs, &(struct pithlog_comm){.key = 500, .name = "all", .size = 2}, 0));
    for (uint32_t i = 0; i < log->ranks; i += SEGMENT_RANKS_A_HOST) {
        snprintf(host, sizeof host, "host%u", i / SEGMENT_RANKS_A_HOST);
        TRY(pithi_defs_host(log->defs, host));
    }
out:
    return err;
}

static inline int segment_end(struct segment_log *log, unsigned char *table)
{
    unsigned char footer[PITHI_FOOTER_SIZE];
    uint64_t defs_at, table_at, at;
    void *chunk = NULL;
    size_t size;
    int err;
    log->file = 0;
    log->base = 0;
    TRY(pithi_defs_chunk(log->defs, &chunk, &size));
    TRY(segment_append(log, chunk, size, &defs_at));
    TRY(segment_append(log, table, (size_t)pithi_rank_table_size(log->ranks), &table_at));
    pithi_file_footer(defs_at, table_at, log->ranks, &log->sum, footer);
    TRY(segment_append(log, footer, sizeof footer, &at));
out:
    free(chunk);
    return err;
}

/* Writes the log that path, ranks ... records, id say. */
static inline int segment_log_write(struct segment_log *log)
{
    unsigned char *table = calloc(1, (size_t)pithi_rank_table_size(log->ranks));
    size_t head;
    int err;
    log->sum = (struct pithi_totals){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    pithi_rank_table_head(log->ranks, table, &head);
    err = segment_begin(log);
    for (uint32_t rank = 0; err == PITH_OK && rank < log->ranks; rank++)
        err = segment_add_rank(log, rank, table + pithi_rank_entry_offset(rank));
    if (err == PITH_OK)
        err = segment_end(log, table);
    for (uint32_t i = 0; i <= log->volumes; i++)
        if (log->files[i])
            fclose(log->files[i]);
    pithi_defs_free(log->defs);
    free(table);
    return err;
}

#endif
