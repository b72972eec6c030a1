/* team.c - makes, finds and frees teams, each with a shadow communicator (team.h).
 *
 * Making a shadow is collective, so all its processes must go through the same steps, whatever happens. A process that
 * has no memory takes part in making the shadow, too, but keeps no team. The processes agree on the team's id by a
 * reduction, in which a process also says whether it has MOST teams already. The first process of the team chooses the
 * id. Its upper 32 bits are this process's world rank plus 1, and the lower 32 bits count the ids that this process has
 * chosen. For example, the second id that rank 3 chooses is 4 << 32 | 2. */
#include "team.h"

#include "ranks.h"
#include "whereabouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the team of a handle. A pointer to it is in this library's slot of the handle. */
static struct pithi_team *team_in(const struct pithi_handle *handle)
{
    return *(struct pithi_team **)pithi_handle_slot(handle, PITHI_CLIENT_LIBRARY);
}

static struct pithi_team *find(uint64_t key)
{
    const struct pithi_handle *handle = pithi_handle_find(key, PITHI_CLIENT_LIBRARY);

    return handle ? team_in(handle) : NULL;
}

struct pithi_team *pithi_team_of_comm(MPI_Comm comm) { return find(pithi_comm_key(comm)); }
struct pithi_team *pithi_team_of_file(MPI_File file) { return find(pithi_file_key(file)); }
struct pithi_team *pithi_team_of_window(MPI_Win window) { return find(pithi_window_key(window)); }

/* ---- making a team ----------------------------------------------------------------------------------------------- */

/* The largest number of teams with a shadow in a process. MPICH can make only 2048 communicators, and most of them must
 * be left for the program. */
enum { MOST = 512 };
static int count; /* number of teams with a shadow; atomic */

/* Agrees on an id for the team (see above). Returns 0 if a process has MOST teams already. */
static uint64_t agree_on_id(MPI_Comm comm)
{
    static uint32_t named;
    int rank;
    /* One MPI_MAX finds two things: agreed[0] is 1 if a process has MOST teams already; agreed[1] is the id, which rank
     * 0 chooses, while all other processes state 0. */
    uint64_t agreed[2] = {__atomic_load_n(&count, __ATOMIC_RELAXED) >= MOST, 0};

    REAL(MPI_Comm_rank)(comm, &rank);
    if (rank == 0)
        agreed[1] = (uint64_t)(uint32_t)(pithi_where_rank + 1) << 32 | __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED);
    if (REAL(MPI_Allreduce)(MPI_IN_PLACE, agreed, 2, MPI_UINT64_T, MPI_MAX, comm) != MPI_SUCCESS)
        return 0;
    return agreed[0] ? 0 : agreed[1];
}

/* Makes a communicator with the same processes. Calls MPI_Comm_create, because MPI_Comm_dup would call the copy
 * functions of the program's attributes. */
static MPI_Comm create(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group group;

    if (REAL(MPI_Comm_group)(comm, &group) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (REAL(MPI_Comm_create)(comm, group, &made) != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    REAL(MPI_Group_free)(&group);
    return made;
}

/* Calls `make` so that its errors do not call the program's error handler. If MPI has no more communicators, this is
 * not an error of the program. */
static void quietly(void (*make)(struct pithi_team *team, MPI_Comm comm), struct pithi_team *team, MPI_Comm comm)
{
    MPI_Errhandler handler;

    if (REAL(MPI_Comm_get_errhandler)(comm, &handler) != MPI_SUCCESS)
        return;
    REAL(MPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
    make(team, comm);
    REAL(MPI_Comm_set_errhandler)(comm, handler);
    REAL(MPI_Errhandler_free)(&handler);
}

/* Makes the shadow of an intracommunicator. */
static void copy(struct pithi_team *team, MPI_Comm comm)
{
    if ((team->id = agree_on_id(comm)))
        team->shadow = create(comm);
}

/* Makes the shadow of an intercommunicator, by merging its two groups. */
static void merge(struct pithi_team *team, MPI_Comm comm)
{
    int rank = 0;

    /* Both groups pass the same `high`, so MPI chooses which group comes first. This process's rank in the merged
     * communicator shows which group that is. */
    if (REAL(MPI_Intercomm_merge)(comm, 0, &team->shadow) != MPI_SUCCESS) {
        team->shadow = MPI_COMM_NULL;
    } else if (!(team->id = agree_on_id(team->shadow))) {
        REAL(MPI_Comm_free)(&team->shadow);
    } else {
        REAL(MPI_Comm_rank)(team->shadow, &rank);
        team->local_from = rank - team->entry->rank;
        team->remote_from = team->local_from ? 0 : team->entry->size;
    }
}

/* Completes the team and stores it in the handle's slot. `handle` NULL: there was no memory for a handle, so no team is
 * stored. */
static void keep(struct pithi_team *team, struct pithi_handle *handle, const char *origin)
{
    struct pithi_team *kept = handle ? malloc(sizeof *kept) : NULL;

    team->origin = origin;
    team->handler = MPI_ERRHANDLER_NULL;
    team->size = 1;
    if (team->shadow != MPI_COMM_NULL) {
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
        /* Errors of the checks' own messages must not reach the program's error handler. */
        REAL(MPI_Comm_set_errhandler)(team->shadow, MPI_ERRORS_RETURN);
        REAL(MPI_Comm_rank)(team->shadow, &team->rank);
        REAL(MPI_Comm_size)(team->shadow, &team->size);
    }
    /* If there is no memory for the team, its shadow still exists, because the other processes need it. */
    if (!kept)
        return;
    *kept = *team;
    kept->entry = handle;
    *(struct pithi_team **)pithi_handle_slot(handle, PITHI_CLIENT_LIBRARY) = kept;
    pithi_handle_use(handle, PITHI_CLIENT_LIBRARY);
}

/* ---- processes of other jobs, and processes without this library ------------------------------------------------- */

/* Processes of other jobs take no part in checks, because they, too, may run without this library. If a communicator
 * has such processes, its shadow has only the processes of the local group that are in this job and have the
 * library. */
static MPI_Comm some; /* if is_mixed is 1: the job's processes that have this library */
static int is_mixed;  /* 1: some processes of the job run without this library */

static MPI_Comm job(void) { return is_mixed ? some : MPI_COMM_WORLD; }

static MPI_Group group_of(MPI_Comm comm, int (*ask)(MPI_Comm comm, MPI_Group *group))
{
    MPI_Group group = MPI_GROUP_EMPTY;

    ask(comm, &group);
    return group;
}

int *pithi_team_places(MPI_Group group, MPI_Comm comm, int *size)
{
    MPI_Group in = group_of(comm, REAL(MPI_Comm_group));
    int *found = pithi_ranks_in(group, in, size);

    REAL(MPI_Group_free)(&in);
    return found;
}

int pithi_team_local(const struct pithi_team *team, int rank)
{
    if (!team->places)
        return team->local_from + rank;
    return rank >= 0 && rank < team->entry->size ? team->places[rank] : -1;
}

int pithi_team_peer(const struct pithi_team *team, int rank)
{
    if (!team->entry->remote_size)
        return pithi_team_local(team, rank);
    return team->places ? -1 : team->remote_from + rank;
}

int pithi_team_rank(const struct pithi_team *team, int place)
{
    if (!team->places)
        return place - team->local_from;
    for (int i = 0; i < team->entry->size; i++)
        if (team->places[i] == place)
            return i;
    return -1;
}

/* ---- of communicators, files and windows ------------------------------------------------------------------------- */

/* See team.h. If some processes are not in this job, the shadow has only the other processes. A team of one process has
 * nothing to compare and gets no shadow. In all other cases, the shadow has all processes. */
void pithi_team_make_comm(MPI_Comm comm, const struct pithi_team *of, const char *origin)
{
    struct pithi_handle *handle = pithi_handle_of_comm(comm), only_sizes = {0};
    struct pithi_team team = {.kind = PITHI_TEAM_COMM, .comm = comm, .shadow = MPI_COMM_NULL, .entry = handle};

    if (pithi_handle_world.handle != MPI_COMM_WORLD) /* a program that uses only sessions is not checked */
        return;
    if (!handle) { /* there is no memory, but the other processes wait for this one */
        if (!pithi_comm_sizes(comm, &only_sizes))
            return;
        team.entry = &only_sizes;
    }
    int is_inter = team.entry->remote_size > 0, is_single = team.entry->size == 1 && !is_inter;
    if (of && !pithi_comm_is_ours(comm)) {
        if (of->shadow != MPI_COMM_NULL) {
            MPI_Group local = group_of(team.comm, REAL(MPI_Comm_group)),
                      all = group_of(of->shadow, REAL(MPI_Comm_group)), ours;
            int size;

            REAL(MPI_Group_intersection)(local, all, &ours);
            /* MPI_Comm_create_group is collective only over the processes of `ours`. */
            if (REAL(MPI_Comm_create_group)(of->shadow, ours, 0, &team.shadow) != MPI_SUCCESS)
                team.shadow = MPI_COMM_NULL;
            else if (!(team.id = agree_on_id(team.shadow)))
                REAL(MPI_Comm_free)(&team.shadow);
            else
                team.places = pithi_team_places(local, team.shadow, &size);
            REAL(MPI_Group_free)(&local);
            REAL(MPI_Group_free)(&all);
            REAL(MPI_Group_free)(&ours);
        } else {
            /* No other process of this job is in the team, so there is no shadow. */
            int *places = malloc((size_t)team.entry->size * sizeof *places);

            for (int i = 0; places && i < team.entry->size; i++)
                places[i] = -1;
            team.places = places;
        }
    } else if (!is_single) {
        quietly(is_inter ? merge : copy, &team, comm);
    }
    if (team.shadow != MPI_COMM_NULL || team.places || is_single)
        keep(&team, handle, origin);
}

/* Frees a team. Called when the team's handle was freed and no check of the team is pending. */
static void ended(struct pithi_handle *handle)
{
    struct pithi_team *team = team_in(handle);

    if (team->shadow != MPI_COMM_NULL) {
        REAL(MPI_Comm_free)(&team->shadow);
        __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
    }
    if (team->handler != MPI_ERRHANDLER_NULL)
        REAL(MPI_Errhandler_free)(&team->handler);
    free(team->places);
    free(team);
}

void pithi_team_make_world(MPI_Group members)
{
    static const struct pithi_handle_client checks = {.ended = ended};
    struct pithi_team team = {.kind = PITHI_TEAM_COMM, .comm = MPI_COMM_WORLD, .entry = &pithi_handle_world};
    MPI_Group all;
    int size;

    pithi_handle_register(PITHI_CLIENT_LIBRARY, &checks);
    pithi_handles_begin(MPI_COMM_WORLD, members);
    /* If some processes do not have this library, the shadow has only the other processes. */
    if (members == MPI_GROUP_NULL) {
        pithi_team_make_comm(MPI_COMM_WORLD, NULL, "MPI_Init");
        return;
    }
    is_mixed = 1;
    some = MPI_COMM_SELF;
    if ((team.shadow = pithi_own_comm(members)) == MPI_COMM_NULL)
        return;
    some = team.shadow;
    team.id = agree_on_id(team.shadow);
    all = group_of(MPI_COMM_WORLD, REAL(MPI_Comm_group));
    team.places = pithi_team_places(all, team.shadow, &size);
    REAL(MPI_Group_free)(&all);
    keep(&team, &pithi_handle_world, "MPI_Init");
}

MPI_Comm pithi_team_ours(void)
{
    const struct pithi_team *world = pithi_team_of_comm(MPI_COMM_WORLD);

    return world && world->shadow != MPI_COMM_NULL ? world->shadow : job();
}

static void make_of(struct pithi_team *team, uint64_t key, const struct pithi_team *of, const char *origin)
{
    team->shadow = MPI_COMM_NULL;
    /* A file or window has the processes of the communicator on which it was made, that is, of the team `of`. */
    if (of->shadow != MPI_COMM_NULL)
        copy(team, of->shadow);
    if (of->shadow == MPI_COMM_NULL || team->shadow != MPI_COMM_NULL)
        keep(team, pithi_handle_get(key), origin);
}

void pithi_team_make_file(MPI_File file, const struct pithi_team *of, const char *origin, const char *name)
{
    struct pithi_team team = {.kind = PITHI_TEAM_FILE, .file = file};
    const char *slash = strrchr(name, '/');

    snprintf(team.name, sizeof team.name, "%s", slash ? slash + 1 : name);
    make_of(&team, pithi_file_key(file), of, origin);
}

void pithi_team_make_window(MPI_Win window, const struct pithi_team *of, const char *origin)
{
    struct pithi_team team = {.kind = PITHI_TEAM_WINDOW, .window = window};

    make_of(&team, pithi_window_key(window), of, origin);
}

/* ---- communicators made without a visible call ------------------------------------------------------------------- */

/* MPI_Comm_idup sets its result later. So the team of the new communicator is made in the first collective call on it,
 * because all its processes make this call. It must be a call that may wait for the other processes. Making a shadow in
 * any other call could deadlock, because a process may first have to send a message to another process. */
static int is_expecting; /* 1: MPI_Comm_idup was called; atomic */

void pithi_team_expect(void) { __atomic_store_n(&is_expecting, 1, __ATOMIC_RELAXED); }

int pithi_team_is_missing(MPI_Comm comm)
{
    /* If the program has not called MPI_Comm_idup, a communicator without a team is an invalid handle, which MPI itself
     * reports. */
    int is_inter = 0, is_up = 0;

    if (!__atomic_load_n(&is_expecting, __ATOMIC_RELAXED) || comm == MPI_COMM_NULL || pithi_team_of_comm(comm))
        return 0;
    REAL(MPI_Initialized)(&is_up);
    return is_up && REAL(MPI_Comm_test_inter)(comm, &is_inter) == MPI_SUCCESS && pithi_comm_is_ours(comm);
}

struct pithi_team *pithi_team_make_missing(MPI_Comm comm)
{
    if (pithi_team_is_missing(comm))
        pithi_team_make_comm(comm, NULL, "MPI_Comm_idup");
    return pithi_team_of_comm(comm);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

void pithi_team_closing(struct pithi_team *team) { REAL(MPI_Comm_get_errhandler)(team->comm, &team->handler); }

void pithi_team_hold(struct pithi_team *team, int step)
{
    pithi_handle_hold(team->entry, PITHI_CLIENT_LIBRARY, step);
    if (step < 0)
        pithi_handles_sweep();
}

void pithi_team_print(const struct pithi_team *team, char *text, size_t size)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0, is_named = 0;

    if (team->kind == PITHI_TEAM_FILE) {
        snprintf(text, size, "file %s", team->name);
        return;
    }
    if (team->kind == PITHI_TEAM_COMM && !pithi_team_is_closing(team)) {
        REAL(MPI_Comm_get_name)(team->comm, name, &length);
        /* Open MPI itself gives such names to communicators; these names are not shown. */
        is_named = *name && strncmp(name, "MPI COMM", 8) != 0 && strncmp(name, "MPI INTER", 9) != 0;
    }
    if (is_named)
        snprintf(text, size, "communicator %.60s", name);
    else
        snprintf(text, size, "%s of %s", team->kind == PITHI_TEAM_WINDOW ? "window" : "communicator", team->origin);
}
