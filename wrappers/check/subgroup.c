/* subgroup.c - checks calls that only some of a communicator's processes make (the members), and calls in which the
 * leaders of two groups must agree. The other processes do not take part, so collectives on the communicator's shadow
 * are not possible. Instead, each member sends the hash of its facts in a message to the first member, which answers
 * whether all hashes are equal. If members name groups with different first members, they wait for messages that never
 * come, and the long wait is reported.
 */
#include "agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of messages. Tags below FIRST belong to verdict.c and left.c. */
enum { HASH, ANSWER, LEADERS, KINDS, FIRST = PITHI_SUBGROUP_TAGS };

/* How many tags the messages of each kind use. Several threads may call MPI_Comm_create_group on one communicator at
 * the same time. Then their messages need different tags, which are made from the tags of the calls. Without threads
 * one tag is enough, because messages arrive in the order of the calls. If any process has threads, all processes use
 * several tags. */
static int tag_count;

void pithi_subgroup_begin(MPI_Comm world)
{
    int level = MPI_THREAD_SINGLE, is_there = 0, *most;

    REAL(MPI_Query_thread)(&level);
    REAL(MPI_Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &most, &is_there);
    tag_count = level == MPI_THREAD_MULTIPLE && is_there ? (*most - FIRST) / KINDS : 1;
    REAL(MPI_Allreduce)(MPI_IN_PLACE, &tag_count, 1, MPI_INT, MPI_MAX, world);
}

static int tag_for(int kind, uint64_t tag)
{
    return FIRST + kind + KINDS * (int)(tag_count ? tag % (uint64_t)tag_count : 0);
}

/* ---- the members ------------------------------------------------------------------------------------------------- */

static int rises(const void *one, const void *two) { return *(const int *)one - *(const int *)two; }

/* Returns the group's processes as ranks in the communicator; NULL if the group is empty or one of its processes is not
 * in the communicator. */
static int *find_members(MPI_Comm comm, MPI_Group group, int *count)
{
    int *ranks = group == MPI_GROUP_NULL ? NULL : pithi_team_places(group, comm, count), good = ranks && *count;

    for (int i = 0; ranks && i < *count; i++)
        good &= ranks[i] >= 0;
    if (good)
        return ranks;
    free(ranks);
    return NULL;
}

/* States the group of the call, and keeps the members in the call's description. If the group is not valid, the call is
 * not checked. */
static void describe(MPI_Comm comm, MPI_Group group, const char *argument)
{
    struct pithi_check *check = pithi_check_now();
    int count, *ranks;

    check->members = NULL;
    if (!check->team)
        return;
    if (!(ranks = find_members(comm, group, &count))) {
        check->team = NULL;
        return;
    }
    pithi_check_number("the size of group", count);
    pithi_check_numbers(argument, count, ranks);
    /* Keeps those members that are in the shadow, by their ranks in the shadow, increasing. */
    int own = 0, found = 0;

    for (int i = 0; i < count; i++) {
        int place = pithi_team_local(check->team, ranks[i]);
        own |= place == check->team->rank;
        if (place >= 0)
            ranks[found++] = place;
    }
    if (!own) { /* this process is not in the group, which is an error that MPI itself reports */
        free(ranks);
        check->team = NULL;
        return;
    }
    qsort(ranks, (size_t)found, sizeof *ranks, rises);
    check->members = ranks;
    check->member_count = found;
}

void pithi_check_members(MPI_Comm comm, MPI_Group group, int tag)
{
    pithi_check_later(); /* the other processes of comm do not make this call */
    pithi_check_comm(comm);
    pithi_check_number("tag", tag);
    pithi_check_now()->key = (uint64_t)(int64_t)tag;
    describe(comm, group, "group");
}

void pithi_check_members_named(MPI_Group group, const char *tag)
{
    pithi_check_later();
    pithi_check_comm(MPI_COMM_WORLD);
    pithi_check_text("stringtag", tag);
    pithi_check_now()->key = pithi_fact_hash_text(tag);
    describe(MPI_COMM_WORLD, group, "group");
}

/* ---- whether they agree ------------------------------------------------------------------------------------------ */

/* Called in the first member. Compares the hashes of all members with its own hash, and answers them. Returns 1 if all
 * hashes are equal. */
static int compare_hashes(struct pithi_check *check, uint64_t hash)
{
    MPI_Comm shadow = check->team->shadow;
    int good = !check->problem;

    for (int i = 1; i < check->member_count; i++) {
        uint64_t received = 0;
        MPI_Request request;
        REAL(MPI_Irecv)(&received, 1, MPI_UINT64_T, check->members[i], tag_for(HASH, check->key), shadow, &request);
        pithi_await(&request, check, NULL);
        good &= received == hash;
    }
    for (int i = 1; i < check->member_count; i++)
        REAL(MPI_Send)(&good, 1, MPI_INT, check->members[i], tag_for(ANSWER, check->key), shadow);
    return good;
}

/* Called in the other members. Sends the hash to the first member, and returns its answer. */
static int send_hash(struct pithi_check *check, uint64_t hash)
{
    MPI_Comm shadow = check->team->shadow;
    MPI_Request requests[2];
    int good = 0, first = check->members[0];

    REAL(MPI_Irecv)(&good, 1, MPI_INT, first, tag_for(ANSWER, check->key), shadow, &requests[0]);
    REAL(MPI_Isend)(&hash, 1, MPI_UINT64_T, first, tag_for(HASH, check->key), shadow, &requests[1]);
    pithi_await(&requests[0], check, NULL);
    REAL(MPI_Wait)(&requests[1], MPI_STATUS_IGNORE);
    return good;
}

int pithi_subgroup_agrees(struct pithi_check *check)
{
    uint64_t hash = pithi_fact_hash(check);

    check->call = hash | UINT64_C(1) << 63;
    if (check->problem)
        hash = ~hash;
    return check->members[0] == check->team->rank ? compare_hashes(check, hash) : send_hash(check, hash);
}

/* ---- the leaders of two groups that form an intercommunicator ---------------------------------------------------- */

struct leader {
    int rank;     /* the leader's rank, for the report */
    uint64_t key; /* the tag or its hash, which must be equal in both leaders */
    char tag[64]; /* the tag as text, for the report */
};

/* Exchanges the keys of both leaders, on the shadow of the team `between`. Returns NULL if the keys are equal, else a
 * text that describes the problem. */
static const char *compare(struct pithi_check *check, const struct pithi_team *between, int other, const char *tag)
{
    static __thread char problem[PITHI_VERDICT_TEXT];
    struct leader mine = {pithi_where_rank, check->key, ""}, theirs = {.rank = -1};
    char whom[64];
    MPI_Request requests[2];

    snprintf(mine.tag, sizeof mine.tag, "%s", tag);
    snprintf(whom, sizeof whom, "the other leader, rank %d of peer_comm", other);
    REAL(MPI_Irecv)
    (&theirs, sizeof theirs, MPI_BYTE, other, tag_for(LEADERS, check->key), between->shadow, &requests[0]);
    REAL(MPI_Isend)(&mine, sizeof mine, MPI_BYTE, other, tag_for(LEADERS, check->key), between->shadow, &requests[1]);
    pithi_await(&requests[0], check, whom);
    REAL(MPI_Wait)(&requests[1], MPI_STATUS_IGNORE);
    if (theirs.key == check->key)
        return NULL;
    snprintf(problem, sizeof problem, "tag is %.40s, but %.40s at the other leader, rank %d", mine.tag, theirs.tag,
             theirs.rank);
    return problem;
}

/* In the leader, compares the two leaders' tags. Then makes a check within the group, so that all members of the group
 * refuse the call if their leader has found a problem. Returns what pithi_check_agree returns. */
static int agree_beside(struct pithi_check *check, const struct pithi_team *between, int other, const char *tag,
                        int *result)
{
    check->fact_count = 0;
    if (between && between->shadow != MPI_COMM_NULL && other >= 0 && other < between->size && other != between->rank)
        check->problem = compare(check, between, other, tag);
    return pithi_check_agree(result);
}

int pithi_check_leaders(MPI_Comm local, int leader, MPI_Comm peers, int remote_leader, int tag, int *result)
{
    struct pithi_check *check = pithi_check_now();
    const struct pithi_team *between = NULL;
    char text[16];

    pithi_check_comm(local);
    if (!check->team)
        return 1;
    snprintf(text, sizeof text, "%d", tag);
    check->key = (uint64_t)(int64_t)tag;
    if (check->team->entry->rank == leader) /* these arguments are significant only at the leader */
        between = pithi_team_of_comm(peers);
    return agree_beside(check, between, between ? pithi_team_peer(between, remote_leader) : -1, text, result);
}

int pithi_check_leaders_named(MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char *tag,
                              int *result)
{
    struct pithi_check *check = pithi_check_now();
    int rank = -1, count, other = -1, *ranks;

    pithi_check_members_named(local, tag);
    if (!check->team)
        return 1;
    REAL(MPI_Group_rank)(local, &rank);
    if (rank == leader && (ranks = find_members(MPI_COMM_WORLD, remote, &count))) {
        if (remote_leader >= 0 && remote_leader < count)
            other = ranks[remote_leader];
        free(ranks);
    }
    return agree_beside(check, check->team, other, tag, result);
}
