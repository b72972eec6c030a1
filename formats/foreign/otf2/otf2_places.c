/* otf2_places.c - maps OTF2's processes to ranks, its locations to lanes, and its communicators to the log's.
 *
 * In OTF2, processes, locations and communicators are three lists with references of any value. The rank of a process
 * follows only from a group whose members are the locations of MPI's ranks 0, 1, 2 ... In the archive of a cut log
 * (`pith cut --lane 2,5`) this group has only two members; their ranks are taken from the names of the processes, "MPI
 * Rank 2" and "MPI Rank 5".
 *
 * In OTF2 a GPU is a separate process, but is no rank of MPI: its lanes belong to the rank that created it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "foreign/otf2/otf2_reader.h"

/* TREE_DEPTH_MAX: levels of the system tree that are searched; COMM_MEMBERS_MAX: members read for all communicators
 * together */
enum { TREE_DEPTH_MAX = 64, COMM_MEMBERS_MAX = 1 << 26 };

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

static struct otf2_process *process_of(const struct otf2_reader *r, uint64_t location)
{
    const struct otf2_location *found = pithi_otf2_table_get(&r->defs.locations, location);
    return found ? pithi_otf2_table_get(&r->defs.processes, found->process) : NULL;
}

/* Returns the N of a process named "MPI Rank N", as Score-P and Pith write it, or -1 for other names. */
static int32_t rank_in_name(const struct otf2_reader *r, const struct otf2_process *process)
{
    const char *name = process ? pithi_otf2_defs_string(&r->defs, process->name) : "";
    char *end;
    long long rank;

    if (strncmp(name, "MPI Rank ", 9) != 0 || name[9] < '0' || name[9] > '9')
        return -1;
    rank = strtoll(name + 9, &end, 10);
    return *end || rank > INT32_MAX / 2 ? -1 : (int32_t)rank;
}

/* Returns 1 if the names of the processes have ascending ranks. Then these ranks are used, so that a log with only some
 * ranks of a job keeps their numbers. */
static int names_have_ranks(const struct otf2_reader *r)
{
    int32_t last = -1;

    for (uint32_t i = 0; i < r->defs.ranks.count; i++) {
        int32_t rank = rank_in_name(r, process_of(r, r->defs.ranks.members[i]));
        if (rank <= last)
            return 0;
        last = rank;
    }
    return r->defs.ranks.count > 0;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b, void *rows)
{
    const struct otf2_location *locations = rows, *x = &locations[*(const uint32_t *)a];
    const struct otf2_location *y = &locations[*(const uint32_t *)b];
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Sets the thread numbers of `count` locations of a rank. Score-P and Pith encode thread and rank in the reference of a
 * location. If all references have this form, the thread numbers are taken from them. Otherwise threads are numbered in
 * the order of definition; the location of the MPI rank comes first. */
static void number_threads(struct otf2_location *locations, const uint32_t *order, uint32_t count)
{
    int numbered = 1, mains = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t ref = locations[order[i]].ref;
        numbered &= (uint32_t)ref == (uint32_t)locations[order[i]].rank && ref >> 32 < 1 << 24;
    }
    for (uint32_t i = 0; i < count; i++)
        mains |= locations[order[i]].is_main;
    for (uint32_t i = 0, next = (uint32_t)mains; i < count; i++) {
        struct otf2_location *l = &locations[order[i]];
        l->thread = numbered ? (uint32_t)(l->ref >> 32) : l->is_main ? 0 : next++;
    }
}

/* Returns the name of the location, or "" if the name only repeats the number of the thread. */
static const char *lane_name(const struct otf2_reader *r, const struct otf2_location *location)
{
    const char *name = pithi_otf2_defs_string(&r->defs, location->name);
    char generic[32];

    snprintf(generic, sizeof generic, "Thread %u", (unsigned)location->thread);
    return strcmp(name, "Master thread") == 0 || strcmp(name, generic) == 0 ? "" : name;
}

static const char *host_of(const struct otf2_reader *r, const struct otf2_location *location)
{
    const struct otf2_process *process = pithi_otf2_table_get(&r->defs.processes, location->process);
    const struct otf2_node *node = process ? pithi_otf2_table_get(&r->defs.nodes, process->node) : NULL;

    for (int i = 0; node && i < TREE_DEPTH_MAX; i++) {
        if (strcmp(pithi_otf2_defs_string(&r->defs, node->class_name), "node") == 0)
            return pithi_otf2_defs_string(&r->defs, node->name);
        node = pithi_otf2_table_get(&r->defs.nodes, node->parent);
    }
    return "";
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* Returns the world rank of a member of a group, or -1 if it is unknown. */
static int32_t member_rank(const struct otf2_reader *r, const struct otf2_group *group, uint32_t member)
{
    uint64_t place = member < group->count ? group->members[member] : UINT64_MAX;
    return place < r->defs.ranks.count ? r->world[place] : -1;
}

static const struct otf2_group *group_of(const struct otf2_reader *r, OTF2_GroupRef ref)
{
    const struct otf2_group *group = ref == OTF2_UNDEFINED_GROUP ? NULL : pithi_otf2_table_get(&r->defs.groups, ref);
    return group && (group->type == OTF2_GROUP_TYPE_COMM_SELF || group->type == OTF2_GROUP_TYPE_COMM_GROUP) ? group
                                                                                                            : NULL;
}

/* Returns 1 if the group has all ranks, in order. */
static int is_whole(const struct otf2_reader *r, const struct otf2_group *group)
{
    if (!group || group->type == OTF2_GROUP_TYPE_COMM_SELF || group->count != r->defs.ranks.count)
        return 0;
    for (uint32_t i = 0; i < group->count; i++)
        if (group->members[i] != i)
            return 0;
    return 1;
}

static uint32_t put_members(const struct otf2_reader *r, const struct otf2_group *group, int32_t *ranks)
{
    uint32_t count = 0;

    for (uint32_t i = 0; group && i < group->count; i++) {
        int32_t rank = member_rank(r, group, i);
        if (rank < 0)
            return 0;
        ranks[count++] = rank;
    }
    return count;
}

int pithi_otf2_comm_index(struct otf2_reader *r, struct otf2_comm *comm, uint32_t *index)
{
    int err = PITH_OK;

    if (comm && !comm->index) {
        /* At its first use, adds the communicator with its members to the log. */
        const struct otf2_group *near = comm->near, *far = comm->far;
        uint64_t size = (near ? near->count : 0) + (uint64_t)(far ? far->count : 0);
        struct pithlog_comm def = {.key = comm->ref + 1, .name = pithi_otf2_defs_string(&r->defs, comm->name)};
        int32_t *ranks;

        r->comm_members += size;
        /* Limits the number of members, because many communicators of a small file can use the same large group.
         * Communicators beyond the limit have no members. */
        if (r->comm_members > COMM_MEMBERS_MAX)
            near = far = NULL, size = 0;
        if (!(ranks = malloc((size + 1) * sizeof *ranks)))
            return pithi_no_memory();
        def.size = (int32_t)put_members(r, near, ranks);
        def.remote_size = def.size ? (int32_t)put_members(r, far, ranks + def.size) : 0;
        if (far && def.remote_size == 0)
            def.size = 0;
        def.world_ranks = ranks;
        err = pithi_writer_comm(r->writer, &def, &comm->index);
        comm->index++;
        free(ranks);
    }
    *index = comm ? comm->index - 1 : 0;
    return err;
}

/* Returns the group of a rank's partners. In an intercommunicator it is the group that does not contain the rank. The
 * result for the last rank is kept, because events come rank by rank. */
static const struct otf2_group *partners(const struct otf2_reader *r, struct otf2_comm *comm, int32_t rank)
{
    if (!comm->far)
        return comm->near;
    if (comm->rank == rank)
        return comm->is_far ? comm->near : comm->far;
    comm->rank = rank;
    comm->is_far = 1;
    for (uint32_t i = 0; comm->is_far && comm->near && i < comm->near->count; i++)
        comm->is_far = member_rank(r, comm->near, i) != rank;
    return comm->is_far ? comm->near : comm->far;
}

int32_t pithi_otf2_comm_peer(const struct otf2_reader *r, struct otf2_comm *comm, uint32_t peer, int32_t rank)
{
    const struct otf2_group *group = comm ? partners(r, comm, rank) : NULL;

    if (group && group->type == OTF2_GROUP_TYPE_COMM_SELF)
        return rank;
    return group ? member_rank(r, group, peer) : -1;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_otf2_places_make(struct otf2_reader *r)
{
    struct otf2_location *locations = OTF2_ROWS(r->defs.locations, struct otf2_location);

    /* Gives each process a rank. Processes of MPI keep their ranks; other processes get the next free ranks. */
    const struct otf2_group *ranks = &r->defs.ranks;
    struct otf2_process *process = OTF2_ROWS(r->defs.processes, struct otf2_process), *creator;
    int in_names = names_have_ranks(r);
    int32_t next_rank = 0;
    if (!(r->world = malloc((ranks->count + (size_t)1) * sizeof *r->world)))
        return pithi_no_memory();
    for (uint32_t i = 0; i < ranks->count && i < INT32_MAX / 2; i++) {
        struct otf2_location *location = pithi_otf2_table_get(&r->defs.locations, ranks->members[i]);
        struct otf2_process *of = process_of(r, ranks->members[i]);
        r->world[i] = of && of->rank >= 0 ? of->rank : in_names ? rank_in_name(r, of) : (int32_t)i;
        if (of && of->rank < 0) {
            of->rank = r->world[i];
            location->is_main = 1;
        }
        next_rank = r->world[i] >= next_rank ? r->world[i] + 1 : next_rank;
    }
    for (uint32_t turn = 0; turn < 2; turn++) /* accelerators come last, because they take the rank of their creator */
        for (uint32_t i = 0; i < r->defs.processes.count; i++) {
            int part = process[i].type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
            if (process[i].rank >= 0 || part != (int)turn)
                continue;
            creator = part ? pithi_otf2_table_get(&r->defs.processes, process[i].creator) : NULL;
            process[i].rank = creator && creator->rank >= 0 ? creator->rank : next_rank++;
        }
    for (uint32_t i = 0; i < r->defs.locations.count; i++) {
        struct otf2_location *location = &OTF2_ROWS(r->defs.locations, struct otf2_location)[i];
        struct otf2_process *of = pithi_otf2_table_get(&r->defs.processes, location->process);
        location->rank = of ? of->rank : next_rank++;
        /* 0 or 1 for now, so that CPU threads are sorted first */
        location->thread = location->type != OTF2_LOCATION_TYPE_CPU_THREAD;
    }

    if (!(r->order = malloc((r->defs.locations.count + (size_t)1) * sizeof *r->order)))
        return pithi_no_memory();
    /* leaves out metric locations without events, which often have no process */
    for (uint32_t i = 0; i < r->defs.locations.count; i++)
        if (locations[i].type != OTF2_LOCATION_TYPE_METRIC || locations[i].events > 0)
            r->order[r->lanes++] = i;
    qsort_r(r->order, r->lanes, sizeof *r->order, by_place, locations);
    for (uint32_t i = 0, next; i < r->lanes; i = next) {
        for (next = i + 1; next < r->lanes && locations[r->order[next]].rank == locations[r->order[i]].rank;)
            next++;
        number_threads(locations, r->order + i, next - i);
    }
    qsort_r(r->order, r->lanes, sizeof *r->order, by_place, locations);
    int32_t rank = -1;
    for (uint32_t i = 0; i < r->lanes; i++) {
        struct otf2_location *l = &locations[r->order[i]];
        if (l->rank != rank)
            CHECK(pithi_writer_rank(r->writer, &(struct pithi_rank){.rank = l->rank, .host = host_of(r, l)}));
        rank = l->rank;
        CHECK(pithi_writer_lane(r->writer, l->rank, l->thread, lane_name(r, l), &l->lane));
    }
    struct otf2_comm *comms = OTF2_ROWS(r->defs.comms, struct otf2_comm), *found = NULL;
    for (uint32_t i = 0; i < r->defs.comms.count; i++) {
        comms[i].near = group_of(r, comms[i].group);
        comms[i].far = group_of(r, comms[i].remote);
        comms[i].rank = -1;
    }
    /* The world is the communicator named MPI_COMM_WORLD; if there is no such name, it is the first communicator with
     * all ranks. In archives that Pith wrote, the world has the reference 0. */
    for (uint32_t i = 0; i < r->defs.comms.count; i++) {
        int named = strcmp(pithi_otf2_defs_string(&r->defs, comms[i].name), "MPI_COMM_WORLD") == 0;
        if (comms[i].remote != OTF2_UNDEFINED_GROUP || !comms[i].near)
            continue;
        if (r->own ? comms[i].ref == 0 : named) {
            found = &comms[i];
            break;
        }
        if (!r->own && !found && is_whole(r, comms[i].near))
            found = &comms[i];
    }
    if (found)
        found->index = 1;
    return PITH_OK;
}
