/* misc_collective.c - MPE's sequential sections and ranges of tags, which need MPI's attributes and messages.
 *
 * Between MPE_Seq_begin and MPE_Seq_end, groups of `at_once` ranks run one after another. For example, 5 ranks with 2
 * at a time form the groups 0 1, 2 3 and 4. In MPE_Seq_end, each rank of a group sends a message to the first rank of
 * the next group. When this first rank has a message from every rank of the group before, it lets the other ranks of
 * its own group begin. The ranks of the last group send to rank 0, which waits for these messages in MPE_Seq_end. So no
 * rank begins a second round before all ranks have ended the first round.
 */
#include "mpe_internal.h"
#include "mpe_misc.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>

enum { TAG_ENDED = 1, TAG_BEGIN = 2 };

/* ---- A private communicator for each of the program's ------------------------------------------------------------ */

static int order_key = MPI_KEYVAL_INVALID; /* key of the attribute that has the private communicator */

/* The delete function of the attribute, called when the program frees a communicator. Frees the private communicator of
 * that communicator. The private communicator of MPI_COMM_WORLD is not freed, because MPI may already be finalized. */
static int free_private(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval, (void)extra;
    if (comm != MPI_COMM_WORLD)
        REAL(MPI_Comm_free)(value);
    free(value);
    return MPI_SUCCESS;
}

static void make_order_key(void)
{
    REAL(MPI_Comm_create_keyval)(pithi_mpe_copy_nothing, free_private, &order_key, NULL);
}

/* Makes the private communicator, which has the same members; NULL on an error. Does not call MPI_Comm_dup, because
 * that would call the copy functions of the program's attributes. */
static MPI_Comm *make_private(MPI_Comm comm)
{
    MPI_Comm *own = malloc(sizeof *own);
    MPI_Group group;
    int good = own && REAL(MPI_Comm_group)(comm, &group) == MPI_SUCCESS;

    if (good) {
        good = REAL(MPI_Comm_create)(comm, group, own) == MPI_SUCCESS;
        REAL(MPI_Group_free)(&group);
    }
    if (good && REAL(MPI_Comm_set_attr)(comm, order_key, own) == MPI_SUCCESS)
        return own;
    free(own);
    return NULL;
}

/* Returns the private communicator of `comm`, and makes it if necessary; MPI_COMM_NULL on an error or if `comm` is an
 * intercommunicator. */
static MPI_Comm private_of(MPI_Comm comm)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    MPI_Comm *own = NULL;
    int is_there = 0, is_inter = 0;

    if (comm == MPI_COMM_NULL)
        return comm;
    pthread_once(&once, make_order_key);
    REAL(MPI_Comm_test_inter)(comm, &is_inter);
    if (!is_inter && (REAL(MPI_Comm_get_attr)(comm, order_key, &own, &is_there) != MPI_SUCCESS || !is_there))
        own = make_private(comm);
    return own ? *own : MPI_COMM_NULL;
}

/* ---- Sequential sections ----------------------------------------------------------------------------------------- */

struct sequence {
    MPI_Comm comm;        /* the private communicator, so that messages here do not match the program's messages */
    int rank, size, step; /* step: the number of ranks in a group */
    int first, next;      /* first: the first rank of this rank's group; next: the first rank of the next group */
};

/* Fills *order for this rank. Returns 0 if there is no private communicator. */
static int find_order(MPI_Comm comm, int at_once, struct sequence *order)
{
    order->comm = private_of(comm);
    if (order->comm == MPI_COMM_NULL)
        return 0;
    REAL(MPI_Comm_rank)(order->comm, &order->rank);
    REAL(MPI_Comm_size)(order->comm, &order->size);
    order->step = at_once < 1 ? 1 : at_once < order->size ? at_once : order->size;
    order->first = order->rank - order->rank % order->step;
    order->next = order->first + order->step;
    return 1;
}

static void notify(const struct sequence *order, int to, int tag)
{
    REAL(MPI_Send)(NULL, 0, MPI_BYTE, to, tag, order->comm);
}

static void await(const struct sequence *order, int from, int tag)
{
    REAL(MPI_Recv)(NULL, 0, MPI_BYTE, from, tag, order->comm, MPI_STATUS_IGNORE);
}

int MPE_Seq_begin(MPI_Comm comm, int at_once)
{
    struct sequence order;

    if (!find_order(comm, at_once, &order))
        return MPI_ERR_COMM;
    if (order.rank > order.first) {
        await(&order, order.first, TAG_BEGIN);
        return MPI_SUCCESS;
    }
    for (int rank = order.first ? order.first - order.step : 0; rank < order.first; rank++)
        await(&order, rank, TAG_ENDED);
    for (int rank = order.first + 1; rank < order.next && rank < order.size; rank++)
        notify(&order, rank, TAG_BEGIN);
    return MPI_SUCCESS;
}

int MPE_Seq_end(MPI_Comm comm, int at_once)
{
    struct sequence order;

    if (!find_order(comm, at_once, &order))
        return MPI_ERR_COMM;
    if (order.next < order.size)
        notify(&order, order.next, TAG_ENDED);
    else if (order.rank > 0)
        notify(&order, 0, TAG_ENDED);
    if (order.rank == 0) {
        int last = (order.size - 1) / order.step * order.step;
        for (int rank = last ? last : 1; rank < order.size; rank++)
            await(&order, rank, TAG_ENDED);
    }
    return MPI_SUCCESS;
}

/* ---- Ranges of tags ---------------------------------------------------------------------------------------------- */

/* MPE_GetTags gives each caller a range of tags that no other caller gets, from the highest tag downwards. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Key of an attribute of communicators from MPE_GetTags. The attribute is the lowest tag given so far. */
static int tags_key = MPI_KEYVAL_INVALID;

int MPE_DelTag(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

/* Returns where the lowest tag given so far is stored; NULL if the communicator is not from MPE_GetTags. */
static int *lowest_of(MPI_Comm comm)
{
    int *lowest = NULL, is_there = 0;

    if (comm == MPI_COMM_NULL || tags_key == MPI_KEYVAL_INVALID)
        return NULL;
    return REAL(MPI_Comm_get_attr)(comm, tags_key, &lowest, &is_there) == MPI_SUCCESS && is_there ? lowest : NULL;
}

static int highest_tag(void)
{
    int *limit = NULL, is_there = 0;

    REAL(MPI_Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &is_there);
    return is_there ? *limit : 32767;
}

/* Duplicates a communicator for MPE_GetTags. Returns where the lowest tag given so far is stored. At first this is the
 * highest tag, which is never given, so MPE_GetTags gives the tags below it. Returns NULL on an error. */
static int *make_tag_comm(MPI_Comm comm, MPI_Comm *made)
{
    int *lowest = malloc(sizeof *lowest);

    if (tags_key == MPI_KEYVAL_INVALID)
        REAL(MPI_Comm_create_keyval)(pithi_mpe_copy_nothing, MPE_DelTag, &tags_key, NULL);
    if (!lowest || REAL(MPI_Comm_dup)(comm, made) != MPI_SUCCESS) {
        free(lowest);
        return NULL;
    }
    *lowest = highest_tag();
    REAL(MPI_Comm_set_attr)(*made, tags_key, lowest);
    return lowest;
}

int MPE_GetTags(MPI_Comm comm_in, int count, MPI_Comm *comm_out, int *first)
{
    if (comm_in == MPI_COMM_NULL || count < 0 || count > highest_tag())
        return comm_in == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_ERR_ARG;
    pthread_mutex_lock(&lock);
    int *lowest = lowest_of(comm_in);
    if (lowest && *lowest >= count)
        *comm_out = comm_in;
    else
        lowest = make_tag_comm(comm_in, comm_out);
    if (lowest)
        *first = *lowest -= count;
    pthread_mutex_unlock(&lock);
    return lowest ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int MPE_ReturnTags(MPI_Comm comm, int first, int count)
{
    pthread_mutex_lock(&lock);
    int *lowest = lowest_of(comm);
    if (lowest && *lowest == first && count > 0)
        *lowest += count;
    pthread_mutex_unlock(&lock);
    return lowest ? MPI_SUCCESS : MPI_ERR_COMM;
}

/* Frees the key. Communicators that have the attribute keep it until they are freed. */
int MPE_TagsEnd(void)
{
    pthread_mutex_lock(&lock);
    if (tags_key != MPI_KEYVAL_INVALID)
        REAL(MPI_Comm_free_keyval)(&tags_key);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}
