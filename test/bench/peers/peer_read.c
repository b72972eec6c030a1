/* peer_read.c LOG - every record of a log by pithlog's iterator, in order of time; prints million records a second. */
#include "peer.h"
#include "pithlog.h"

static inline void peer_begin(uint32_t state) { (void)state; }
static inline void peer_end(uint32_t state) { (void)state; }

int main(int argc, char **argv)
{
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_record record;
    uint64_t sum = 0, count = 0;
    double begin;

    if (argc < 2 || pithlog_open(argv[1], &log) != 0 || pithlog_iter_open(log, NULL, &iter) != 0) {
        fprintf(stderr, "%s\n", pithlog_error());
        return 1;
    }
    begin = peer_cpu_ns();
    for (; pithlog_iter_next(iter, &record) == 1; count++)
        sum += (uint64_t)record.time_ns + record.id;
    printf("%.3f\n", sum == 0 ? 0.0 : (double)count * 1e3 / (peer_cpu_ns() - begin));
    pithlog_iter_close(iter);
    pithlog_close(log);
    return 0;
}
