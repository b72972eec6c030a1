/* work.c - where MPI_Init ends and MPI_Finalize begins; see work.h. */
#include "core/work.h"

#include <string.h>

#include "core/words.h"

static int has_name(const struct pithlog_def *def, const char *const *names)
{
    for (; def && def->kind == PITHLOG_STATE && *names; names++)
        if (strcmp(def->name, *names) == 0)
            return 1;
    return 0;
}

int pithi_is_init(const struct pithlog_def *def)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", NULL};
    return has_name(def, names);
}

int pithi_is_finalize(const struct pithlog_def *def)
{
    static const char *const names[] = {"MPI_Finalize", "MPI_Session_finalize", NULL};
    return has_name(def, names);
}

/* The first record of `kind` in [from, to] of a lane under a definition that is(): its time, or INT64_MIN. */
static int64_t find(struct pithlog *log, uint32_t lane, uint32_t kind, int64_t from_ns,
                    int (*is)(const struct pithlog_def *def), uint32_t flags)
{
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1, .kinds = 1u << kind, .flags = flags};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int64_t found = INT64_MIN;

    if (pithlog_iter_open(log, &query, &iter))
        return found;
    while (found == INT64_MIN && pithlog_iter_next(iter, &record) == 1)
        if (is(pithlog_get_def(log, record.id)))
            found = record.time_ns;
    pithlog_iter_close(iter);
    return found;
}

/* From the end backwards, by longer and longer stretches: it is near the end, if it is there. */
static int64_t find_finalize(struct pithlog *log, uint32_t index, const struct pithlog_lane *lane)
{
    int64_t back = 1000000, found = INT64_MIN;

    for (; found == INT64_MIN; back = back > INT64_MAX / 16 ? INT64_MAX : back * 8) {
        int64_t from = lane->last_ns - lane->first_ns > back ? lane->last_ns - back : lane->first_ns;
        found = find(log, index, PITHLOG_ENTER, from, pithi_is_finalize, PITHLOG_CLIP);
        if (from == lane->first_ns)
            break;
    }
    return found;
}

static int has_def(const struct pithlog *log, int (*is)(const struct pithlog_def *def))
{
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (is(def))
            return 1;
    return 0;
}

void pithi_work_window(struct pithlog *log, int64_t *from_ns, int64_t *to_ns)
{
    const struct pithlog_lane *lane;
    int init = has_def(log, pithi_is_init), finalize = has_def(log, pithi_is_finalize);

    *from_ns = *to_ns = INT64_MIN;
    for (uint32_t i = 0; (lane = pithlog_get_lane(log, i)); i++) {
        int64_t time;
        if (lane->thread != 0 || lane->first_ns > lane->last_ns)
            continue;
        time = init ? find(log, i, PITHLOG_LEAVE, INT64_MIN, pithi_is_init, 0) : INT64_MIN;
        if (time > *from_ns)
            *from_ns = time;
        time = finalize ? find_finalize(log, i, lane) : INT64_MIN;
        if (time != INT64_MIN && (*to_ns == INT64_MIN || time < *to_ns))
            *to_ns = time;
    }
}

void pithi_work_in_log(struct pithlog *log, int64_t *t0_ns, int64_t *t1_ns)
{
    int64_t from, to, first, last;

    pithi_whole_window(log, &first, &last);
    pithi_work_window(log, &from, &to);
    *t0_ns = from == INT64_MIN ? first : from;
    *t1_ns = to == INT64_MIN ? last : to;
    if (*t0_ns >= *t1_ns) {
        *t0_ns = first;
        *t1_ns = last;
    }
}
