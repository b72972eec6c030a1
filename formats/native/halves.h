/* halves.h - messages of which a part of a log holds one end only.
 *
 * On a path (communicator, sender, receiver, tag) the n-th send belongs to the n-th receive by order of posting
 * (match.c). A part that lacks the first receive would give its send to the second one:
 *
 *     | the part |  send 1   recv 0   send 2   recv 1      send 0 lies before the part: recv 0 must take no send of it
 *
 * So the whole log's messages are matched first. Of those with one end in the part that end is known here, and loses
 * its peer in the part. Numbers of posting are made dense again, as a gap would hold back all receives behind it.
 */
#ifndef PITHI_HALVES_H
#define PITHI_HALVES_H

#include "native/map.h"
#include "pithlog.h"

struct pithi_halves {
    struct pithi_map ends; /* by what tells records apart: how many such are halves */
    struct pithi_postings {
        struct pithi_posting_run {
            uint64_t first, last; /* numbers of receives in the part, without gap */
            uint64_t before;      /* how many there are before */
        } * runs;
        uint32_t count, room;
    } * ranks; /* by the log's number of the rank */
    uint32_t rank_count;
};

/* Of the records of `query` (a window, lanes or NULL). kept[lane]: not 0: it is among them. All zero before. */
int pithi_halves_find(struct pithi_halves *halves, struct pithlog *log, const struct pithlog_query *query,
                      const unsigned char *kept);
/* A SEND or RECV of the part, as the log has it, gets what it is to have in the part. `rank`: the log's number. Each
 * record once. */
void pithi_halves_mend(struct pithi_halves *halves, uint32_t rank, struct pithlog_record *record);
void pithi_halves_free(struct pithi_halves *halves);

#endif
