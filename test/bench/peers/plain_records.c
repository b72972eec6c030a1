/* plain_records.c LOG - the log's records on stdout as plain ones of 24 bytes: time, kind, id, size; what a general
 * compressor makes of those stands beside the size of the log. */
#include <stdint.h>
#include <stdio.h>

#include "pithlog.h"

struct plain {
    int64_t time_ns;
    uint32_t kind, id;
    uint64_t bytes;
};

int main(int argc, char **argv)
{
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_record record;

    if (argc < 2 || pithlog_open(argv[1], &log) != 0)
        return 1;
    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++) {
        struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
        if (pithlog_iter_open(log, &query, &iter) != 0)
            return 1;
        while (pithlog_iter_next(iter, &record) == 1) {
            struct plain plain = {record.time_ns, record.kind, record.id, record.bytes};
            if (fwrite(&plain, sizeof plain, 1, stdout) != 1)
                return 1;
        }
        pithlog_iter_close(iter);
    }
    pithlog_close(log);
    return 0;
}
