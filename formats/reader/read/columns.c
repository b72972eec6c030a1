/* columns.c - delivers records as columns (pithlog_iter_next_columns), for callers that keep a few fields of many
 * records (data frames, databases) and need no struct for each record. */
#include "pithlog.h"

enum { BATCH = 256 }; /* records decoded at once; they take 30 KB and so stay in the first-level cache */

/* Copies one field of `count` records to a column, which may be NULL. */
#define COPY(field)                                                                                                    \
    if (columns->field)                                                                                                \
        for (int i = 0; i < count; i++)                                                                                \
    columns->field[at + (size_t)i] = records[i].field

static void copy(const struct pithlog_columns *columns, size_t at, const struct pithlog_record *records, int count)
{
    COPY(time_ns);
    COPY(lane);
    COPY(kind);
    COPY(id);
    COPY(comm);
    COPY(peer);
    COPY(tag);
    COPY(bytes);
    COPY(got_bytes);
    COPY(value);
    COPY(depth);
    COPY(start_ns);
    COPY(nested_ns);
}

int64_t pithlog_iter_next_columns(struct pithlog_iter *iter, const struct pithlog_columns *columns, size_t room)
{
    struct pithlog_record records[BATCH];
    size_t filled = 0;

    while (filled < room) {
        size_t left = room - filled;
        int count = pithlog_iter_next_many(iter, records, left < BATCH ? (int)left : BATCH);

        if (count < 0)
            return -1 - (int64_t)filled;
        if (count == 0)
            break;
        if (columns->ids) {
            /* keeps only records of wanted definitions, and records without a definition */
            int kept = 0;

            for (int i = 0; i < count; i++)
                if (records[i].kind > PITHLOG_COUNTER || columns->ids[records[i].id])
                    records[kept++] = records[i];
            count = kept;
        }
        copy(columns, filled, records, count);
        filled += (size_t)count;
    }
    return (int64_t)filled;
}
