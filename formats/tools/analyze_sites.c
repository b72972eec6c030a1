/* analyze_sites.c - finds where in the program the worst instance of a finding is. This is the call site of the MPI
 * call in which the instance lies. If it lies outside MPI, it is the call site of the rank's next MPI call.
 *
 *     recv [MPI_Recv, 10-90]      MPI_Recv in `exchange`, halo.c:42
 *     work [10-90] MPI_Send       up to MPI_Send in `exchange`, halo.c:51
 *
 * The log has a call site as an event inside the call's state. The event is at the state's begin, or at its end if
 * sites are recorded only for long calls. In OpenMP a parallel region has a call site, on the first thread of the
 * rank. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/error.h"
#include "pithlog.h"
#include "symbols/sample_names.h"
#include "tools/analyze.h"

/* Finds the first call site in [from_ns, to_ns] of a lane, in the state that begins at from_ns. Returns 1 if there is
 * one; 0 if there is none; the negative of an error. */
static int find_site(struct pithi_findings *f, struct pithi_sample_names *names, uint32_t lane, uint32_t state,
                     int64_t from_ns, int64_t to_ns, const struct pithi_place **place)
{
    struct pithlog_query query = {.from_ns = from_ns,
                                  .to_ns = to_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_EVENT};
    struct pithlog_record r;
    struct pithlog_iter *iter;
    uint64_t address;
    int err = pithlog_iter_open(f->log, &query, &iter), inside = 0, found = 0;

    if (err)
        return -err;
    while (!found && pithlog_iter_next(iter, &r) == 1 && !(inside && r.kind == PITHLOG_LEAVE && r.id == state)) {
        inside |= r.kind == PITHLOG_ENTER && r.id == state && r.time_ns == from_ns;
        found = inside && pithi_site_read(names, &r, &address);
    }
    if (found && (err = pithi_sample_place(names, &r, address, 1, place)) != PITH_OK)
        found = -err;
    pithlog_iter_close(iter);
    return found;
}

/* Returns the begin of the parallel region that is open on a lane at time_ns, and its state in *state. Returns
 * INT64_MIN if no parallel region is open. */
static int64_t region_begin(struct pithi_findings *f, uint32_t lane, int64_t time_ns, uint32_t *state)
{
    struct pithlog_query query = {.from_ns = time_ns,
                                  .to_ns = time_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER,
                                  .flags = PITHLOG_CLIP};
    struct pithlog_record r;
    struct pithlog_iter *iter;
    int64_t begin_ns = INT64_MIN;

    if (pithlog_iter_open(f->log, &query, &iter) != PITH_OK)
        return INT64_MIN;
    while (pithlog_iter_next(iter, &r) == 1)
        if (strcmp(pithlog_get_def(f->log, r.id)->name, "omp:parallel") == 0) {
            begin_ns = r.start_ns;
            *state = r.id;
        }
    pithlog_iter_close(iter);
    return begin_ns;
}

/* Finds the call site of the MPI call that contains the place `where` or, if there is none, of the next MPI call. */
static int find_call(struct pithi_findings *f, struct pithi_sample_names *names,
                     const struct pithlog_finding_place *where, uint32_t *state, const struct pithi_place **place)
{
    const struct pithi_graph *g = &f->analysis->graph;
    struct pithi_pieces p;

    for (pithi_pieces_from(&p, f->analysis, where->lane, pithi_graph_find(g, where->lane, where->from_ns));
         p.index < p.end && p.piece->begin_ns <= where->to_ns; pithi_pieces_next(&p))
        if (pithi_graph_is_call(g, p.piece->state)) {
            *state = p.piece->state;
            return find_site(f, names, where->lane, *state, p.piece->begin_ns, p.next->begin_ns, place);
        }
    return 0;
}

static char *site_of(struct pithi_findings *f, struct pithi_sample_names *names,
                     const struct pithlog_finding_place *where)
{
    const struct pithi_graph *g = &f->analysis->graph;
    const struct pithi_place *place;
    uint32_t state = PITHLOG_COMPUTING, lane = where->lane;
    int64_t begin_ns;
    int found = 0;

    if (lane >= pithlog_get_info(f->log)->lanes)
        return NULL;
    /* looks for a parallel region that is open on the first thread of the lane's rank */
    while (lane > 0 && pithlog_get_lane(f->log, lane - 1)->rank == pithlog_get_lane(f->log, lane)->rank)
        lane--;
    begin_ns = region_begin(f, lane, where->from_ns, &state);
    if (begin_ns != INT64_MIN)
        found = find_site(f, names, lane, state, begin_ns, begin_ns, &place);
    if (found == 0)
        found = find_call(f, names, where, &state, &place);
    if (found != 1)
        return NULL;
    uint32_t here = pithi_graph_piece(g, where->lane, pithi_graph_find(g, where->lane, where->from_ns))->state;
    const struct pithi_function *function =
        place->function == UINT32_MAX ? NULL : pithi_function_get(names, place->function);
    const char *name = function && *function->name != '[' ? function->name : NULL, *slash;
    char *text = NULL;
    size_t size;
    FILE *out;
    if ((!name && !place->source) || !(out = open_memstream(&text, &size)))
        return NULL;
    fprintf(out, "%s%s", here == state || !pithi_graph_is_call(g, state) ? "" : "up to ",
            pithi_graph_is_call(g, state) ? pithi_state_text(f->log, state) : "the parallel region");
    if (name)
        fprintf(out, " in `%.60s`", name);
    if (place->source) {
        slash = strrchr(place->source, '/');
        fprintf(out, "%s %.60s:%d", name ? "," : " at", slash ? slash + 1 : place->source, place->line);
    }
    return fclose(out) == 0 ? text : NULL;
}

int pithi_findings_find_sites(struct pithi_findings *f, int all)
{
    struct pithi_sample_names *names = NULL;

    if (!(f->sites = calloc(f->count + (size_t)1, sizeof *f->sites)))
        return pithi_no_memory();
    if (!(pithi_samples_in(f->log) & PITHI_HAS_SITES))
        return PITH_OK;
    if (pithi_sample_names_open(f->log, PITHI_NEED_SITES, &names) == PITH_OK) {
        if (f->answer && f->answer->ns > 0)
            f->answer_site = site_of(f, names, &f->answer->place);
        for (uint32_t i = 0; all && i < f->count; i++)
            f->sites[i] = site_of(f, names, &f->list[i].place);
    }
    pithi_sample_names_close(names);
    return PITH_OK;
}
