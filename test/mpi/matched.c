/* matched.c - checks the messages of a log whose program gave each message a size of its own: what the matcher joins
 * must have the same size at both ends. Prints "messages N wrong N unsized N unmatched SENDS RECVS nobody N"; unsized:
 * the receiver was not told a size. */
#include "pithlog.h"

#include <stdio.h>
#include <stdlib.h>

struct end {
    uint32_t lane;
    int64_t time_ns;
    uint64_t bytes;
    int taken;
};
struct ends {
    struct end *at;
    size_t count;
};

static void add(struct ends *ends, const struct pithlog_record *record)
{
    ends->at = realloc(ends->at, (ends->count + 1) * sizeof *ends->at);
    if (!ends->at)
        exit(2);
    ends->at[ends->count++] = (struct end){record->lane, record->time_ns, record->bytes, 0};
}

/* Ends of one lane may have one time: that with these bytes, else one without. */
static struct end *take(struct ends *ends, uint32_t lane, int64_t time_ns, uint64_t bytes)
{
    struct end *found = NULL;
    size_t first = 0, after = ends->count;

    while (first < after) { /* they are in the order of time */
        size_t middle = first + (after - first) / 2;
        if (ends->at[middle].time_ns < time_ns)
            first = middle + 1;
        else
            after = middle;
    }
    for (size_t i = first; i < ends->count && ends->at[i].time_ns == time_ns; i++) {
        struct end *end = &ends->at[i];
        if (end->lane != lane || end->taken || (end->bytes && bytes && end->bytes != bytes))
            continue;
        if (!found || end->bytes == bytes)
            found = end;
    }
    if (found)
        found->taken = 1;
    return found;
}

int main(int argc, char **argv)
{
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_matcher *matcher;
    struct pithlog_record record;
    struct pithlog_message message;
    struct ends sends = {0}, recvs = {0};
    unsigned long messages = 0, wrong = 0, unsized = 0, nobody = 0;
    uint64_t left_sends = 0, left_recvs = 0;

    if (argc != 2 || pithlog_open(argv[1], &log) || pithlog_iter_open(log, NULL, &iter)) {
        fprintf(stderr, "%s\n", pithlog_error());
        return 1;
    }
    while (pithlog_iter_next(iter, &record) == 1) {
        if (record.kind == PITHLOG_SEND)
            add(&sends, &record);
        else if (record.kind == PITHLOG_RECV && record.peer >= 0)
            add(&recvs, &record);
        nobody += record.kind == PITHLOG_RECV && record.peer < 0;
    }
    pithlog_iter_close(iter);
    if (pithlog_matcher_open(log, &matcher)) {
        fprintf(stderr, "%s\n", pithlog_error());
        return 1;
    }
    while (pithlog_matcher_next(matcher, &message) == 1) {
        messages++;
        struct end *send = take(&sends, message.send_lane, message.send_ns, message.bytes);
        struct end *recv = send ? take(&recvs, message.recv_lane, message.recv_ns, send->bytes) : NULL;
        if (!send || !recv)
            wrong++;
        else
            unsized += send->bytes != recv->bytes;
    }
    pithlog_matcher_unmatched(matcher, &left_sends, &left_recvs);
    printf("messages %lu wrong %lu unsized %lu unmatched %llu %llu nobody %lu\n", messages, wrong, unsized,
           (unsigned long long)left_sends, (unsigned long long)left_recvs, nobody);
    pithlog_matcher_close(matcher);
    pithlog_close(log);
    return 0;
}
