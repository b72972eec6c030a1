/* paraver_comms.c - see paraver_comms.h. */
#include "paraver/paraver_comms.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "paraver/paraver.h"
#include "text/text_fields.h"

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

/* Pith tells names of communicators as those of the values of a type. */
static int make_comm(struct pithi_prv_comms *c, struct pithlog_comm comm, uint32_t *index)
{
    const struct pithi_prv_type *type = c->own ? pithi_prv_type(c->labels, PITHI_PRV_COLL_COMM) : NULL;
    const char *label = type ? pithi_prv_value(c->labels, type->group, (int64_t)(uint32_t)comm.key) : NULL;
    char *name = strdup(label ? label : "");
    if (!name)
        return no_memory();
    pithi_unescape(name);
    comm.name = name;
    int err = pithi_writer_comm(c->writer, &comm, index);
    free(name);
    return err;
}

int pithi_prv_comms_line(struct pithi_prv_comms *c, const char *at, const char *end)
{
    const struct pithi_prv_header *h = c->header;
    int64_t app, number, count, task;
    uint32_t index = 0;
    int32_t *members;
    int world = 1, err = PITH_OK;
    if (pithi_prv_number(&at, end, &app) != 1 || pithi_prv_number(&at, end, &number) != 1 ||
        pithi_prv_number(&at, end, &count) != 1 || app < 1 || app > h->app_count || number < 0 ||
        number >= UINT32_MAX || count < 1 || count > end - at)
        return PITH_OK; /* as some write them: without members */
    int64_t first = h->first_task[app - 1], tasks = h->first_task[app] - first;
    if (!(members = malloc((size_t)count * sizeof *members)))
        return no_memory();
    for (int64_t i = 0; i < count; i++) {
        if (pithi_prv_number(&at, end, &task) != 1 || task < 1 || task > tasks) {
            free(members);
            return PITH_OK;
        }
        members[i] = c->ranks[first + task - 1];
        world &= task == i + 1;
    }
    uint64_t *place = pithi_lookup_at(&c->known, pithi_lookup_pair((uint32_t)app, (uint32_t)number));
    if (c->own ? number != 1 : !world || app != 1 || tasks != h->task_count || count != tasks || c->known.used > 1)
        err = make_comm(c,
                        (struct pithlog_comm){.key = pithi_lookup_pair((uint32_t)app, (uint32_t)number),
                                              .size = (int32_t)count,
                                              .world_ranks = members},
                        &index);
    if (place)
        *place = index + (uint64_t)1;
    free(members);
    return place ? err : no_memory();
}

int pithi_prv_comms_find(struct pithi_prv_comms *c, uint32_t app, int64_t number, uint32_t *comm)
{
    uint64_t *place;
    int err = PITH_OK;
    *comm = 0;
    if (number < 1 || number >= UINT32_MAX || (c->own && number == 1))
        return PITH_OK;
    if (!(place = pithi_lookup_at(&c->known, pithi_lookup_pair(app, (uint32_t)number))))
        return no_memory();
    if (*place == 0) {
        err = make_comm(c, (struct pithlog_comm){.key = pithi_lookup_pair(app, (uint32_t)number)}, comm);
        *place = *comm + (uint64_t)1;
    }
    *comm = (uint32_t)(*place - 1);
    return err;
}
