/* paraver_write.h - what the files of the writer share. paraver_write.c writes the trace; paraver_beside.c writes the
 * files beside it and maps lanes to tasks and processors of Paraver. */
#ifndef PITHI_PARAVER_WRITE_H
#define PITHI_PARAVER_WRITE_H

#include "base/map.h"
#include "reader/read/format.h"

/* The lanes as threads of Paraver. Tasks and threads count from 1 without gaps. Each lane has a processor of its
 * own. */
struct pithi_prv_places {
    struct pithi_prv_place {
        uint32_t task, thread, cpu; /* from 1 */
    } * lanes;                      /* [lane_count] */
    uint32_t lane_count, task_count, node_count;
    uint32_t *first_lane;   /* [task_count + 1]: the first lane of each task; then lane_count */
    uint32_t *nodes;        /* [task_count]: the node of each task, from 1 */
    uint32_t *cpus;         /* [node_count]: number of processors of each node */
    const char **hosts;     /* [node_count]: the host that is the node */
    struct pithi_map tasks; /* rank -> task */
};
int pithi_prv_places_open(struct pithi_prv_places *places, const struct pithlog *log); /* 0: no memory */
void pithi_prv_places_close(struct pithi_prv_places *places);

/* Payloads and names of functions, as texts, in order of appearance. A value of events stands for each text. The values
 * are 2, 3 ... */
struct pithi_prv_payloads {
    struct pithi_prv_payload {
        uint32_t def, next; /* def: the event that has this payload, or `functions` or `callers` below; next: index + 1
                               of the next text with this hash */
        char *text;         /* malloc'ed */
    } * list;
    uint32_t functions, callers; /* numbers after all ids of definitions: `def` of a text that is the name of a sampled
                                    function, or of a call site */
    uint32_t depth;              /* number of functions of the deepest sample written */
    uint32_t count, room;
    struct pithi_map by_hash;
    size_t bytes; /* of all texts */
};
/* the most payloads, and the most bytes of their texts */
enum { PITHI_PRV_PAYLOADS = 65536, PITHI_PRV_PAYLOAD_BYTES = 16 << 20 };

/* Write the .pcf and the .row. Return PITH_OK or an error. */
int pithi_prv_write_labels(const struct pithlog *log, const struct pithi_prv_payloads *payloads, FILE *out);
int pithi_prv_write_rows(const struct pithlog *log, const struct pithi_prv_places *places, FILE *out);

#endif
