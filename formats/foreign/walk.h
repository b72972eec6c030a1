/* walk.h - a log as writers of foreign formats want it: in time order, no time before the window, every end with its
 * start and every start with its end (states that are open at the window's edge begin and end there). */
#ifndef PITHI_WALK_H
#define PITHI_WALK_H

#include "foreign/losses.h"
#include "format.h"

struct pithi_walk {
    struct pithlog_iter *iter;
    int64_t from_ns, to_ns;      /* the window, inside the log's own times */
    struct pithi_losses *losses; /* to be set after opening: told of all records; NULL: nobody counts */
};

int pithi_walk_open(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how);
/* Some lanes only: `lanes` must stay until the walk is closed; NULL: all. The window is that of the whole log. */
int pithi_walk_open_lanes(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how,
                          const uint32_t *lanes, uint32_t count);
int pithi_walk_next(struct pithi_walk *walk, struct pithlog_record *record); /* 1, 0 at the end, -1 error */
void pithi_walk_close(struct pithi_walk *walk);

/* For writers that take records as they come, until *failed. */
struct pithi_each {
    void *context;
    void (*begin)(void *context, int64_t from_ns);                  /* first: when the window begins */
    int (*put)(void *context, const struct pithlog_record *record); /* 0: no memory */
    void (*message)(void *context, const struct pithlog_message *message, uint64_t number); /* from 1 */
    const int *failed;
    struct pithi_losses *losses; /* as of a walk */
};
int pithi_each_record(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each);
/* The matched messages of which both ends lie in the window, in no order. */
int pithi_each_message(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each);

#endif
