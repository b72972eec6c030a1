/* make_big_log.c - a log as large as asked for, as the ranks of a job write it: one segment after another, in memory
 * that does not grow with it. The same arguments give the same bytes.
 *
 *     make_big_log LOG RANKS LANES RECORDS [mpi]
 *
 * LANES time lanes over all (a multiple of RANKS), with RECORDS records each: nested states, and in every 32nd place a
 * message to the next rank or from the one before. With "mpi": rounds of a state, MPI_Send to the next rank, and
 * MPI_Recv from the one before, which waits more or less. 64 ranks share a host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "base/error.h"
#include "native/segment.h"

enum { STATES = 20 };

struct out {
    FILE *file;
    uint64_t at, base; /* base: of the segment under way */
};

static int append(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct out *out = context;
    if (fwrite(data, 1, size, out->file) != size)
        return pithi_fail(PITH_ERR_IO, "cannot write the log");
    *offset = out->at - out->base;
    out->at += size;
    return PITH_OK;
}

static void host_of(uint32_t rank, char name[16]) { snprintf(name, 16, "node%u", rank / 64); }

static int define(struct pithi_defs *defs, uint32_t ranks, int is_mpi)
{
    char name[16];
    uint32_t id;
    int err = PITH_OK;
    for (uint32_t i = 0; err == PITH_OK && i < STATES; i++) {
        snprintf(name, sizeof name, "state %u", i);
        err = pithi_defs_add(defs, &(struct pithlog_def){.kind = PITHLOG_STATE, .name = name, .group = "user"}, &id);
    }
    for (uint32_t i = 0; err == PITH_OK && i < 2; i++) {
        struct pithlog_def call = {.kind = PITHLOG_STATE, .name = i ? "MPI_Recv" : "MPI_Send", .group = "MPI"};
        err = is_mpi ? pithi_defs_add(defs, &call, &id) : PITH_OK;
    }
    for (uint32_t rank = 0; err == PITH_OK && rank < ranks; rank += 64) {
        host_of(rank, name);
        err = pithi_defs_host(defs, name);
    }
    return err;
}

/* Steps between 20 ns and some us, most of them short; a new random number every time. */
static int64_t step(uint64_t *seed)
{
    random_next(seed);
    return 20 + (int64_t)((*seed >> 40) >> (*seed >> 8 & 15));
}

static int add_lane(struct pithi_segment *segment, uint32_t lane, int32_t rank, int32_t ranks, uint64_t records)
{
    uint64_t seed = UINT64_C(88172645463325252) ^ ((uint64_t)(uint32_t)rank << 20 | lane), posted = 0;
    uint32_t open[3], depth = 0;
    int64_t time_ns = 0;
    int err = PITH_OK;
    for (uint64_t i = 0; err == PITH_OK && i < records; i++) {
        struct pithlog_record r = {.time_ns = time_ns += step(&seed), .lane = lane, .peer = -1};
        if (i % 32 == 15) {
            r.kind = i % 64 == 15 ? PITHLOG_SEND : PITHLOG_RECV;
            r.peer = (rank + (i % 64 == 15 ? 1 : ranks - 1)) % ranks;
            r.tag = (int32_t)lane;
            r.bytes = 8;
            r.posted = i % 64 == 15 ? 0 : posted++;
        } else if (depth == 0 || (depth < 3 && seed >> 20 & 1)) {
            r.kind = PITHLOG_ENTER;
            r.id = open[depth++] = (uint32_t)(seed >> 24) % STATES;
        } else {
            r.kind = PITHLOG_LEAVE;
            r.id = open[--depth];
        }
        err = pithi_segment_add(segment, &r);
    }
    return err;
}

/* A round takes 20 us and has 8 records: computing for 1 to 9 us, sending, receiving until the round ends. */
static int add_mpi_lane(struct pithi_segment *segment, uint32_t lane, int32_t rank, int32_t ranks, uint64_t records)
{
    static const struct {
        uint32_t kind, id, at_ns; /* at: after computing; from 20000 on: after the round began */
    } round[8] = {{PITHLOG_ENTER, 0, 20000},   {PITHLOG_LEAVE, 0, 0},
                  {PITHLOG_ENTER, STATES, 50}, {PITHLOG_SEND, 0, 60},
                  {PITHLOG_LEAVE, STATES, 80}, {PITHLOG_ENTER, STATES + 1, 100},
                  {PITHLOG_RECV, 0, 39500},    {PITHLOG_LEAVE, STATES + 1, 39800}};
    uint64_t seed = UINT64_C(88172645463325252) ^ ((uint64_t)(uint32_t)rank << 20 | lane);
    int err = PITH_OK;
    for (uint64_t i = 0; err == PITH_OK && i < records; i++) {
        int64_t begin_ns = (int64_t)(i / 8) * 20000;
        if (i % 8 == 0)
            step(&seed);
        int64_t computed_ns = begin_ns + 1000 + (int64_t)(seed >> 40) % 8000;
        struct pithlog_record r = {.lane = lane, .kind = round[i % 8].kind, .id = round[i % 8].id, .peer = -1};
        r.time_ns =
            round[i % 8].at_ns >= 20000 ? begin_ns + round[i % 8].at_ns - 20000 : computed_ns + round[i % 8].at_ns;
        if (r.kind == PITHLOG_SEND || r.kind == PITHLOG_RECV) {
            r.peer = (rank + (r.kind == PITHLOG_SEND ? 1 : ranks - 1)) % ranks;
            r.tag = (int32_t)lane;
            r.bytes = 8;
            r.posted = r.kind == PITHLOG_RECV ? i / 8 : 0;
        }
        err = pithi_segment_add(segment, &r);
    }
    return err;
}

static void add_totals(struct pithi_totals *sum, const struct pithi_totals *t)
{
    sum->records += t->records;
    sum->states += t->states;
    sum->messages += t->messages;
    sum->lanes += t->lanes;
    sum->start_ns = t->start_ns < sum->start_ns ? t->start_ns : sum->start_ns;
    sum->end_ns = t->end_ns > sum->end_ns ? t->end_ns : sum->end_ns;
}

struct job {
    struct out out;
    struct pithi_defs *defs;
    uint32_t ranks, lanes;
    uint64_t records;
    int is_mpi;
    struct pithi_totals sum;
};

static int add_rank(struct job *job, uint32_t rank, unsigned char *entry)
{
    struct pithi_segment *segment = NULL;
    struct pithi_sink sink = {append, &job->out};
    struct pithi_totals t;
    char host[16];
    uint32_t lane;
    int err;
    host_of(rank, host);
    job->out.base = job->out.at;
    TRY(pithi_segment_open(&segment, &(struct pithi_rank){.rank = (int32_t)rank, .host = host, .pid = 1000 + rank},
                           &sink));
    pithi_segment_expect(segment, job->lanes);
    for (uint32_t i = 0; i < job->lanes / job->ranks; i++) {
        TRY(pithi_segment_lane(segment, i, NULL, &lane));
        TRY((job->is_mpi ? add_mpi_lane : add_lane)(segment, lane, (int32_t)rank, (int32_t)job->ranks, job->records));
    }
    TRY(pithi_segment_finish(segment));
    TRY(pithi_segment_index(segment, job->out.base, job->defs));
    pithi_rank_entry(segment, job->out.base, job->defs, entry);
    pithi_segment_totals(segment, &t);
    add_totals(&job->sum, &t);
out:
    pithi_segment_free(segment);
    return err;
}

static int write_log(struct job *job, unsigned char *table)
{
    unsigned char header[PITHI_HEADER_SIZE], footer[PITHI_FOOTER_SIZE];
    uint64_t at;
    void *chunk = NULL;
    size_t size, head;
    int err;
    TRY(pithi_defs_new(&job->defs));
    TRY(define(job->defs, job->ranks, job->is_mpi));
    pithi_file_header(header, NULL);
    TRY(append(&job->out, header, sizeof header, &at));
    TRY(pithi_defs_chunk(job->defs, &chunk, &size));
    TRY(append(&job->out, chunk, size, &at));
    pithi_rank_table_head(job->ranks, table, &head);
    for (uint32_t rank = 0; rank < job->ranks; rank++)
        TRY(add_rank(job, rank, table + pithi_rank_entry_offset(rank)));
    uint64_t table_at = job->out.at;
    pithi_file_footer(sizeof header, table_at, job->ranks, &job->sum, footer);
    TRY(append(&job->out, table, (size_t)pithi_rank_table_size(job->ranks), &at));
    TRY(append(&job->out, footer, sizeof footer, &at));
out:
    free(chunk);
    pithi_defs_free(job->defs);
    return err;
}

int main(int argc, char **argv)
{
    struct job job = {.sum = {.start_ns = INT64_MAX, .end_ns = INT64_MIN}};
    if (argc != 5 && !(argc == 6 && strcmp(argv[5], "mpi") == 0))
        return 2;
    job.is_mpi = argc == 6;
    job.ranks = (uint32_t)strtoul(argv[2], NULL, 10);
    job.lanes = (uint32_t)strtoul(argv[3], NULL, 10);
    job.records = strtoull(argv[4], NULL, 10);
    unsigned char *table = calloc(1, (size_t)pithi_rank_table_size(job.ranks));
    if (job.ranks == 0 || job.lanes % job.ranks != 0 || !table || !(job.out.file = fopen(argv[1], "wb")))
        return 2;
    int err = write_log(&job, table);
    if (fclose(job.out.file) != 0 && err == PITH_OK)
        err = pithi_fail(PITH_ERR_IO, "%s: cannot be written", argv[1]);
    if (err != PITH_OK)
        fprintf(stderr, "make_big_log: %s\n", pithlog_error());
    free(table);
    return err != PITH_OK;
}
