/* paraver_write.h - what the parts of the writer share: the trace (paraver_write.c), the files beside it
 * (paraver_beside.c), and where lanes are in Paraver's tree of tasks and processors (paraver_places.c). */
#ifndef PITHI_PARAVER_WRITE_H
#define PITHI_PARAVER_WRITE_H

#include "foreign/lookup.h"
#include "format.h"

/* Lanes as threads: task and thread from 1, both without gaps; its processor, each lane has one. */
struct pithi_prv_places {
    struct pithi_prv_place {
        uint32_t task, thread, cpu;
    } * lanes; /* [lane_count] */
    uint32_t lane_count, task_count, node_count;
    uint32_t *first_lane;      /* [task_count + 1] */
    uint32_t *nodes;           /* [task_count], from 1 */
    uint32_t *cpus;            /* [node_count]: how many */
    const char **hosts;        /* [node_count] */
    struct pithi_lookup tasks; /* rank -> its task */
};
int pithi_prv_places_open(struct pithi_prv_places *places, const struct pithlog *log); /* 0: no memory */
void pithi_prv_places_close(struct pithi_prv_places *places);

/* Payloads that became values of events, in the order in which they came; their values are 2, 3 ... */
struct pithi_prv_payloads {
    struct pithi_prv_payload {
        uint32_t def, next; /* next: place + 1 of another of the same hash */
        char *text;
    } * list;
    uint32_t count, room;
    struct pithi_lookup by_hash;
    size_t bytes;
};
enum { PITHI_PRV_PAYLOADS = 65536, PITHI_PRV_PAYLOAD_BYTES = 16 << 20 }; /* at most */

/* Names and colours; names of threads and nodes. PITH_OK or an error. */
int pithi_prv_write_labels(const struct pithlog *log, const struct pithi_prv_payloads *payloads, FILE *out);
int pithi_prv_write_rows(const struct pithlog *log, const struct pithi_prv_places *places, FILE *out);

#endif
