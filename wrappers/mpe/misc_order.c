/* misc_order.c - MPE_Seq_begin and MPE_Seq_end: ranks one after the other, in groups of some.
 *
 * With 2 at a time, of 5 ranks the groups are 0 1, 2 3 and 4. A member that has ended tells the first of the next
 * group; when that has heard of all, it tells the others of its own. The last group tells rank 0, so that rank 0 leaves
 * last, and nobody begins a second round before all have ended the first.
 */
#include "mpe_misc.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>

enum { TAG_ENDED = 1, TAG_BEGIN = 2 };

/* ---- a communicator of our own for each of the program's --------------------------------------------------------- */

static int key = MPI_KEYVAL_INVALID;

static int not_copied(MPI_Comm comm, int keyval, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)value, (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}

/* That of MPI_COMM_WORLD is left: MPI may not take calls any more. */
static int forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval, (void)extra;
    if (comm != MPI_COMM_WORLD)
        REAL(MPI_Comm_free)(value);
    free(value);
    return MPI_SUCCESS;
}

static void make_key(void) { REAL(MPI_Comm_create_keyval)(not_copied, forget, &key, NULL); }

/* By MPI_Comm_create: MPI_Comm_dup would call the copy functions of the program's attributes. */
static MPI_Comm *make_own(MPI_Comm comm)
{
    MPI_Comm *own = malloc(sizeof *own);
    MPI_Group group;
    int good = own && REAL(MPI_Comm_group)(comm, &group) == MPI_SUCCESS;

    if (good) {
        good = REAL(MPI_Comm_create)(comm, group, own) == MPI_SUCCESS;
        REAL(MPI_Group_free)(&group);
    }
    if (good && REAL(MPI_Comm_set_attr)(comm, key, own) == MPI_SUCCESS)
        return own;
    free(own);
    return NULL;
}

static MPI_Comm own_of(MPI_Comm comm)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    MPI_Comm *own = NULL;
    int is_there = 0, is_inter = 0;

    if (comm == MPI_COMM_NULL)
        return comm;
    pthread_once(&once, make_key);
    REAL(MPI_Comm_test_inter)(comm, &is_inter);
    if (!is_inter && (REAL(MPI_Comm_get_attr)(comm, key, &own, &is_there) != MPI_SUCCESS || !is_there))
        own = make_own(comm);
    return own ? *own : MPI_COMM_NULL;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

struct order {
    MPI_Comm comm;
    int rank, size, step; /* step: how many at a time */
    int first, next;      /* members of this one's group, and of the one after it */
};

static int find_order(MPI_Comm comm, int at_once, struct order *order)
{
    order->comm = own_of(comm);
    if (order->comm == MPI_COMM_NULL)
        return 0;
    REAL(MPI_Comm_rank)(order->comm, &order->rank);
    REAL(MPI_Comm_size)(order->comm, &order->size);
    order->step = at_once < 1 ? 1 : at_once < order->size ? at_once : order->size;
    order->first = order->rank - order->rank % order->step;
    order->next = order->first + order->step;
    return 1;
}

static void tell(const struct order *order, int to, int tag)
{
    REAL(MPI_Send)(NULL, 0, MPI_BYTE, to, tag, order->comm);
}

static void hear(const struct order *order, int from, int tag)
{
    REAL(MPI_Recv)(NULL, 0, MPI_BYTE, from, tag, order->comm, MPI_STATUS_IGNORE);
}

int MPE_Seq_begin(MPI_Comm comm, int at_once)
{
    struct order order;

    if (!find_order(comm, at_once, &order))
        return MPI_ERR_COMM;
    if (order.rank > order.first) {
        hear(&order, order.first, TAG_BEGIN);
        return MPI_SUCCESS;
    }
    for (int rank = order.first ? order.first - order.step : 0; rank < order.first; rank++)
        hear(&order, rank, TAG_ENDED);
    for (int rank = order.first + 1; rank < order.next && rank < order.size; rank++)
        tell(&order, rank, TAG_BEGIN);
    return MPI_SUCCESS;
}

int MPE_Seq_end(MPI_Comm comm, int at_once)
{
    struct order order;

    if (!find_order(comm, at_once, &order))
        return MPI_ERR_COMM;
    if (order.next < order.size)
        tell(&order, order.next, TAG_ENDED);
    else if (order.rank > 0)
        tell(&order, 0, TAG_ENDED);
    if (order.rank == 0) {
        int last = (order.size - 1) / order.step * order.step;
        for (int rank = last ? last : 1; rank < order.size; rank++)
            hear(&order, rank, TAG_ENDED);
    }
    return MPI_SUCCESS;
}
