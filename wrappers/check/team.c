/* team.c - see team.h. */
#include "team.h"

#include "whereabouts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pithi_team *chains[CHAINS];

/* ---- the table --------------------------------------------------------------------------------------------------- */

static uint64_t bits_of(const struct pithi_team *team)
{
    switch (team->kind) {
    case PITHI_TEAM_FILE:
        return (uint64_t)(uintptr_t)team->file;
    case PITHI_TEAM_WINDOW:
        return (uint64_t)(uintptr_t)team->window;
    default:
        return (uint64_t)(uintptr_t)team->comm;
    }
}

static struct pithi_team **chain_of(const struct pithi_team *team)
{
    return &chains[(bits_of(team) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % CHAINS];
}

static struct pithi_team **place_of(const struct pithi_team *like)
{
    struct pithi_team **at = chain_of(like);

    while (*at && ((*at)->kind != like->kind || bits_of(*at) != bits_of(like)))
        at = &(*at)->next;
    return at;
}

static struct pithi_team *find(const struct pithi_team *like)
{
    pthread_mutex_lock(&lock);
    struct pithi_team *team = *place_of(like);
    pthread_mutex_unlock(&lock);
    return team;
}

static void put(struct pithi_team *team)
{
    pthread_mutex_lock(&lock);
    struct pithi_team **at = chain_of(team);
    team->next = *at;
    *at = team;
    pthread_mutex_unlock(&lock);
}

struct pithi_team *pithi_team_of_file(MPI_File file)
{
    return find(&(struct pithi_team){.kind = PITHI_TEAM_FILE, .file = file});
}

struct pithi_team *pithi_team_of_window(MPI_Win window)
{
    return find(&(struct pithi_team){.kind = PITHI_TEAM_WINDOW, .window = window});
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

/* By MPI_Comm_create, not MPI_Comm_dup, which would call the copy functions of the program's attributes. */
static MPI_Comm copy(MPI_Comm comm)
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

/* The name of a team: the world rank of its first process, and how many teams that has made. */
static uint64_t make_id(const struct pithi_team *team)
{
    static uint64_t made;
    uint64_t id = 0;

    if (team->rank == 0)
        id = (uint64_t)(uint32_t)(pithi_where_rank + 1) << 32 | __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    REAL(MPI_Bcast)(&id, sizeof id, MPI_BYTE, 0, team->shadow);
    return id;
}

static void keep(struct pithi_team *team, const char *origin)
{
    struct pithi_team *kept = malloc(sizeof *kept);

    team->origin = origin;
    if (team->shadow != MPI_COMM_NULL) {
        REAL(MPI_Comm_set_errhandler)(team->shadow, MPI_ERRORS_RETURN);
        REAL(MPI_Comm_rank)(team->shadow, &team->rank);
        REAL(MPI_Comm_size)(team->shadow, &team->size);
        team->id = make_id(team);
    }
    if (!team->is_inter) {
        team->local_rank = team->rank;
        team->local_size = team->size;
    }
    if (!kept)
        return;
    *kept = *team;
    put(kept);
}

/* Of an intercommunicator the two groups in one, whichever comes first. */
static void find_groups(struct pithi_team *team)
{
    int rank = 0;

    REAL(MPI_Comm_remote_size)(team->comm, &team->remote_size);
    REAL(MPI_Comm_rank)(team->comm, &team->local_rank);
    REAL(MPI_Comm_size)(team->comm, &team->local_size);
    if (REAL(MPI_Intercomm_merge)(team->comm, 0, &team->shadow) != MPI_SUCCESS)
        return;
    REAL(MPI_Comm_rank)(team->shadow, &rank);
    team->local_from = rank - team->local_rank;
    team->remote_from = team->local_from ? 0 : team->local_size;
}

void pithi_team_make_comm(MPI_Comm comm, const char *origin)
{
    struct pithi_team team = {.kind = PITHI_TEAM_COMM, .comm = comm, .shadow = MPI_COMM_NULL, .size = 1};
    int size = 1;

    if (REAL(MPI_Comm_test_inter)(comm, &team.is_inter) != MPI_SUCCESS)
        return;
    REAL(MPI_Comm_size)(comm, &size);
    if (team.is_inter)
        find_groups(&team);
    else if (size > 1)
        team.shadow = copy(comm);
    if (team.shadow != MPI_COMM_NULL || (size == 1 && !team.is_inter))
        keep(&team, origin);
}

static void make_of(struct pithi_team *team, const struct pithi_team *of, const char *origin)
{
    team->shadow = of->shadow == MPI_COMM_NULL ? MPI_COMM_NULL : copy(of->shadow);
    team->size = 1;
    if (of->shadow == MPI_COMM_NULL || team->shadow != MPI_COMM_NULL)
        keep(team, origin);
}

void pithi_team_make_file(MPI_File file, const struct pithi_team *of, const char *origin, const char *name)
{
    struct pithi_team team = {.kind = PITHI_TEAM_FILE, .file = file};
    const char *slash = strrchr(name, '/');

    snprintf(team.name, sizeof team.name, "%s", slash ? slash + 1 : name);
    make_of(&team, of, origin);
}

void pithi_team_make_window(MPI_Win window, const struct pithi_team *of, const char *origin)
{
    struct pithi_team team = {.kind = PITHI_TEAM_WINDOW, .window = window};

    make_of(&team, of, origin);
}

/* ---- communicators that were made out of our sight --------------------------------------------------------------- */

/* MPI_Comm_idup tells of its communicator too late: it is first seen in its first collective call, which all its
 * processes make. They must be of this job: others may run without this library, and would not answer. */
static int is_expecting; /* atomic: one was asked for; until then an unknown handle is a wrong one, and MPI's to name */

void pithi_team_expect(void) { __atomic_store_n(&is_expecting, 1, __ATOMIC_RELAXED); }

static int is_ours(MPI_Comm comm)
{
    MPI_Group group, world;
    int is_inter = 1, size = 0, all = 1, up = 0;

    REAL(MPI_Initialized)(&up);
    if (!up || !__atomic_load_n(&is_expecting, __ATOMIC_RELAXED) ||
        REAL(MPI_Comm_test_inter)(comm, &is_inter) != MPI_SUCCESS || is_inter)
        return 0;
    REAL(MPI_Comm_group)(comm, &group);
    REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world);
    REAL(MPI_Group_size)(group, &size);
    for (int i = 0; i < size && all; i++) {
        int found = MPI_UNDEFINED;
        REAL(MPI_Group_translate_ranks)(group, 1, &i, world, &found);
        all = found != MPI_UNDEFINED;
    }
    REAL(MPI_Group_free)(&group);
    REAL(MPI_Group_free)(&world);
    return all;
}

struct pithi_team *pithi_team_of_comm(MPI_Comm comm)
{
    struct pithi_team like = {.kind = PITHI_TEAM_COMM, .comm = comm}, *team;

    if (comm == MPI_COMM_NULL)
        return NULL;
    team = find(&like);
    if (!team && is_ours(comm)) {
        pithi_team_make_comm(comm, "MPI_Comm_idup");
        team = find(&like);
    }
    return team;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void end(struct pithi_team *team)
{
    if (team->shadow != MPI_COMM_NULL)
        REAL(MPI_Comm_free)(&team->shadow);
    free(team);
}

void pithi_team_drop(struct pithi_team *team)
{
    pthread_mutex_lock(&lock);
    struct pithi_team **at = place_of(team);
    if (*at)
        *at = team->next;
    team->is_gone = 1;
    int is_free = !team->users;
    pthread_mutex_unlock(&lock);
    if (is_free)
        end(team);
}

void pithi_team_hold(struct pithi_team *team, int step)
{
    pthread_mutex_lock(&lock);
    team->users += step;
    int is_free = team->is_gone && !team->users;
    pthread_mutex_unlock(&lock);
    if (is_free)
        end(team);
}

void pithi_team_print(const struct pithi_team *team, char *text, size_t size)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;

    if (team->kind == PITHI_TEAM_FILE) {
        snprintf(text, size, "file %s", team->name);
        return;
    }
    if (team->kind == PITHI_TEAM_COMM && !team->is_gone)
        REAL(MPI_Comm_get_name)(team->comm, name, &length);
    if (*name && strncmp(name, "MPI COMM", 8) != 0 && strncmp(name, "MPI INTER", 9) != 0) /* Open MPI's own */
        snprintf(text, size, "communicator %.60s", name);
    else
        snprintf(text, size, "%s of %s", team->kind == PITHI_TEAM_WINDOW ? "window" : "communicator", team->origin);
}
