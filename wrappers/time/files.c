/* files.c - writes the report as CSV or JSON. Calls, messages and bytes are integers; times are seconds with 9
 * decimals.
 *
 *     kind,rank,function,communicator,peer,calls,total_s,...   the columns of each line
 *     run,0,,,,1200,0.812...      the sums of rank 0
 *     calls,0,MPI_Send,...        a function that rank 0 called
 *     messages,0,,,3,...          the messages of rank 0 to rank 3
 *
 * All lines have the same columns; columns that a kind of line does not use are empty. */
#include "job_time.h"

#include <string.h>

static double mean_of(const struct pithi_time_row *row) { return row->total_s / (double)row->calls; }

/* ---- CSV: the first column gives the kind of the line ------------------------------------------------------------ */

static void csv_begin(FILE *out, int ranks)
{
    (void)ranks;
    fprintf(out, "kind,rank,function,communicator,peer,calls,total_s,mean_s,min_s,max_s,messages,bytes,run_s%s\n",
            pithi_time_delays ? ",compensated_s,delay_s" : "");
}

static void csv_text(FILE *out, const char *text)
{
    /* A text with a comma, a quote or a line end is quoted, and its quotes are doubled (RFC 4180). */
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', out);
}

static void csv_rank(FILE *out, int rank, const struct pithi_time_block *block)
{
    const struct pithi_time_rank *sum = &block->rank;

    fprintf(out, "run,%d,,,,%llu,%.9f,,,,%llu,%llu,%.9f", rank, (unsigned long long)sum->calls, sum->mpi_s,
            (unsigned long long)sum->messages, (unsigned long long)sum->bytes, sum->run_s);
    if (pithi_time_delays)
        fprintf(out, ",%.9f,%.9f", sum->compensated_s, sum->delay_s);
    putc('\n', out);
    for (uint32_t i = 0; i < sum->row_count; i++) {
        const struct pithi_time_row *row = &block->rows[i];
        fprintf(out, "calls,%d,%s,", rank, pithi_time_names[row->function]);
        csv_text(out, row->comm);
        fprintf(out, ",,%llu,%.9f,%.9f,%.9f,%.9f,%llu,%llu,", (unsigned long long)row->calls, row->total_s,
                mean_of(row), row->least_s, row->most_s, (unsigned long long)row->messages,
                (unsigned long long)row->bytes);
        if (pithi_time_delays)
            fprintf(out, ",%.9f,", row->compensated_s);
        putc('\n', out);
    }
    for (uint32_t i = 0; i < sum->pair_count; i++)
        fprintf(out, "messages,%d,,,%d,,,,,,%llu,%llu,%s\n", rank, block->pairs[i].peer,
                (unsigned long long)block->pairs[i].messages, (unsigned long long)block->pairs[i].bytes,
                pithi_time_delays ? ",," : "");
}

static void csv_end(FILE *out) { (void)out; }

/* ---- JSON: an object for each rank ------------------------------------------------------------------------------- */

static void json_begin(FILE *out, int ranks) { fprintf(out, "{\"ranks\":%d,\n\"processes\":[", ranks); }

/* Writes a text. Bytes that are not UTF-8 become '?': a truncated name may end inside a character. */
static void json_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    putc('"', out);
    while (*at) {
        /* The length of the character, by its first byte; 0: no character begins with this byte. */
        int size = *at < 0x80 ? 1 : *at >= 0xf0 && *at < 0xf5 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0, i = 1;
        while (i < size && (at[i] & 0xc0) == 0x80)
            i++;
        if (*at < 0x20) {
            fprintf(out, "\\u%04x", *at);
            size = 1;
        } else if (!size || i < size || *at >= 0xf5) {
            putc('?', out);
            size = 1;
        } else {
            if (*at == '"' || *at == '\\')
                putc('\\', out);
            fwrite(at, 1, (size_t)size, out);
        }
        at += size;
    }
    putc('"', out);
}

static void json_rank(FILE *out, int rank, const struct pithi_time_block *block)
{
    const struct pithi_time_rank *sum = &block->rank;

    fprintf(out, "%s\n{\"rank\":%d,\"run_s\":%.9f,\"mpi_s\":%.9f,\"calls\":%llu,\"messages\":%llu,\"bytes\":%llu,\n",
            rank ? "," : "", rank, sum->run_s, sum->mpi_s, (unsigned long long)sum->calls,
            (unsigned long long)sum->messages, (unsigned long long)sum->bytes);
    if (pithi_time_delays)
        fprintf(out, " \"compensated_s\":%.9f,\"delay_s\":%.9f,\n", sum->compensated_s, sum->delay_s);
    fprintf(out, " \"functions\":[");
    for (uint32_t i = 0; i < sum->row_count; i++) {
        const struct pithi_time_row *row = &block->rows[i];
        fprintf(out, "%s\n  {\"function\":\"%s\",\"communicator\":", i ? "," : "", pithi_time_names[row->function]);
        json_text(out, row->comm);
        fprintf(out, ",\"calls\":%llu,\"total_s\":%.9f,\"mean_s\":%.9f,\"min_s\":%.9f,\"max_s\":%.9f,",
                (unsigned long long)row->calls, row->total_s, mean_of(row), row->least_s, row->most_s);
        if (pithi_time_delays)
            fprintf(out, "\"compensated_s\":%.9f,", row->compensated_s);
        fprintf(out, "\"messages\":%llu,\"bytes\":%llu}", (unsigned long long)row->messages,
                (unsigned long long)row->bytes);
    }
    fprintf(out, "],\n \"partners\":[");
    for (uint32_t i = 0; i < sum->pair_count; i++)
        fprintf(out, "%s\n  {\"rank\":%d,\"messages\":%llu,\"bytes\":%llu}", i ? "," : "", block->pairs[i].peer,
                (unsigned long long)block->pairs[i].messages, (unsigned long long)block->pairs[i].bytes);
    fprintf(out, "]}");
}

static void json_end(FILE *out) { fprintf(out, "]}\n"); }

static const struct pithi_time_writer writers[] = {
    {".csv", csv_begin, csv_rank, csv_end},
    {".json", json_begin, json_rank, json_end},
};

const struct pithi_time_writer *pithi_time_writer_find(const char *name)
{
    size_t size = strlen(name);

    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        size_t part = strlen(writers[i].suffix);
        if (size > part && !strcmp(name + size - part, writers[i].suffix))
            return &writers[i];
    }
    return NULL;
}
