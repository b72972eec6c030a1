/* paraver_comms.h - the communicators of a trace by the numbers that its lines and events give them. */
#ifndef PITHI_PARAVER_COMMS_H
#define PITHI_PARAVER_COMMS_H

#include "native/segment.h"
#include "paraver/paraver_labels.h"
#include "paraver/paraver_line.h"

/* The trace's own parts, and what was found; pithi_lookup_free(&known) ends it. */
struct pithi_prv_comms {
    struct pithi_writer *writer;
    const struct pithi_prv_labels *labels;
    const struct pithi_prv_header *header;
    const int32_t *ranks; /* [tasks] */
    int own;
    struct pithi_lookup known; /* application, number -> communicator of the log + 1 */
};

/* A line "c:application:number:tasks:task:task...", from behind the "c:". What makes no sense is passed over. */
int pithi_prv_comms_line(struct pithi_prv_comms *comms, const char *at, const char *end);
/* The communicator of a number; one that no line tells of has unknown members. */
int pithi_prv_comms_find(struct pithi_prv_comms *comms, uint32_t app, int64_t number, uint32_t *comm);

#endif
