/* stat_sites.c - `pith stat --by callsite`: prints the time of MPI calls and OpenMP states by their place in the
 * program.
 *
 * The recorder stores the place of a call as an event inside the call's state. While the log is read, each lane has a
 * list of the places seen. When a state ends, the last place is taken from the list and is that of the state, if it was
 * recorded after the state's begin. States inside the state have ended before, and have taken their own places:
 *
 *     MPI_File_write_all  |---------------------|     at 0: place A      the list of the lane: A
 *     MPI_Allreduce           |-----|                 at 2: place B                            A B
 *                         0   2     5          10     at 5: MPI_Allreduce takes B, recorded at 2 or later
 *                                                     at 10: MPI_File_write_all takes A
 *
 * A call has no place if the list is empty, or if its last place is from before the call's begin; such a call is shown
 * as [unknown]. Calls that the table does not show must take their places from the list, too; otherwise an outer call
 * would get such a place.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "base/map.h"
#include "base/pair_map.h"
#include "symbols/sample_names.h"
#include "tools/stat_pass.h"

struct site {
    uint32_t state;
    struct pithi_place place;
    uint64_t count;
    int64_t total_ns, longest_ns; /* ns */
};

/* The list of places of a lane's calls that are still open. */
struct lane {
    struct open_site {
        int64_t time_ns;
        struct pithi_place place;
    } * open;
    uint32_t count, room;
};

struct sites {
    struct pithlog *log;
    const struct pithi_stat_query *query;
    struct pithi_sample_names *names;
    struct lane *lanes;
    struct pithi_pair_map map; /* from (state and function, line) to an index into `sites` */
    struct site *sites;
    uint32_t room;
};

static const struct pithi_place unknown = {.function = UINT32_MAX};

static int take_record(void *context, const struct pithlog_record *r)
{
    struct sites *s = context;
    struct lane *lane = &s->lanes[r->lane];
    const struct pithi_place *place;
    uint64_t address;

    if (!pithi_site_read(s->names, r, &address))
        return PITH_OK;
    if (!pithi_grow(&lane->open, lane->count, &lane->room, sizeof *lane->open))
        return pithi_no_memory();
    CHECK(pithi_sample_place(s->names, r, address, 1, &place));
    lane->open[lane->count].time_ns = r->time_ns;
    lane->open[lane->count++].place = *place;
    return PITH_OK;
}

static int take_instance(void *context, const struct pithi_stat_instance *instance)
{
    struct sites *s = context;
    struct lane *lane = &s->lanes[instance->lane];
    const struct pithlog_def *def = pithlog_get_def(s->log, instance->id);
    struct pithi_place place = unknown;

    if (!def || !(pithi_mpi_call_traits(def) || (def->group && !strncmp(def->group, "OpenMP", 6))))
        return PITH_OK;
    if (lane->count > 0 && lane->open[lane->count - 1].time_ns >= instance->begin_ns)
        place = lane->open[--lane->count].place;
    if (!pithi_stat_shows(s->query, def))
        return PITH_OK;
    uint32_t before = s->map.count, number = 0;
    struct site *site;
    CHECK(pithi_pair_number(&s->map, pithi_map_pair(instance->id, place.function), (uint64_t)place.line, &number));
    if (s->map.count > before) {
        if (!pithi_grow(&s->sites, number, &s->room, sizeof *s->sites))
            return pithi_no_memory();
        s->sites[number] = (struct site){.state = instance->id, .place = place};
    }
    site = &s->sites[number];
    site->count++;
    site->total_ns += instance->length_ns;
    if (instance->length_ns > site->longest_ns)
        site->longest_ns = instance->length_ns;
    return PITH_OK;
}

static int compare(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    return (x->place.function > y->place.function) - (x->place.function < y->place.function);
}

static const struct pithi_table_column columns[] = {
    {"name", PITHI_CELL_TEXT, 0},     {"count", PITHI_CELL_COUNT, 0}, {"total", PITHI_CELL_TIME, 0},
    {"mean", PITHI_CELL_TIME, 0},     {"max", PITHI_CELL_TIME, 0},    {"place", PITHI_CELL_TEXT, 0},
    {"function", PITHI_CELL_TEXT, 0}, {"module", PITHI_CELL_TEXT, 1},
};

int pithi_stat_sites(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct pithi_stat_query all = *query; /* the pass must report also calls that --state hides, so that these take
                                             their places from the list */
    struct sites s = {.log = log, .query = query};
    struct pithi_stat_pass pass = {.log = log,
                                   .query = &all,
                                   .instance = take_instance,
                                   .record = take_record,
                                   .context = &s,
                                   .kinds = 1u << PITHLOG_EVENT};
    uint32_t lanes = pithlog_get_info(log)->lanes;
    int err;

    all.state_glob = NULL;
    TRY(pithi_table_new(table, columns, sizeof columns / sizeof *columns));
    TRY(pithi_sample_names_open(log, PITHI_NEED_SITES, &s.names));
    if (!(s.lanes = calloc(lanes + (size_t)1, sizeof *s.lanes))) {
        err = pithi_no_memory();
        goto out;
    }
    TRY(pithi_stat_run(&pass));
    if (s.map.count)
        qsort(s.sites, s.map.count, sizeof *s.sites, compare);
    for (uint32_t i = 0; i < s.map.count; i++) {
        const struct site *site = &s.sites[i];
        const struct pithi_function *f =
            site->place.function != unknown.function ? pithi_function_get(s.names, site->place.function) : NULL;
        const char *path = site->place.source ? site->place.source : f ? f->module : "";
        const char *slash = strrchr(path, '/');
        char text[300];
        snprintf(text, sizeof text, site->place.source ? "%.250s:%d" : "%.250s", slash ? slash + 1 : path,
                 site->place.line);
        pithi_table_row(*table);
        pithi_table_text(*table, pithlog_get_def(s.log, site->state)->name);
        pithi_table_number(*table, (int64_t)site->count);
        pithi_table_number(*table, site->total_ns);
        pithi_table_number(*table, site->total_ns / (int64_t)site->count);
        pithi_table_number(*table, site->longest_ns);
        pithi_table_text(*table, text);
        pithi_table_text(*table, f ? f->name : "[unknown]");
        pithi_table_text(*table, f ? f->module : "");
    }
out:
    for (uint32_t i = 0; s.lanes && i < lanes; i++)
        free(s.lanes[i].open);
    free(s.lanes);
    free(s.map.slots);
    free(s.sites);
    pithi_sample_names_close(s.names);
    return err;
}
