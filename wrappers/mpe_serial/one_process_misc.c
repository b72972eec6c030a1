/* one_process_misc.c - MPE_Seq_begin, MPE_Seq_end and tags in libmpe_nompi: one process is always next, and nobody else
 * takes a tag. */
#include "mpe_misc.h"

#include <limits.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lowest; /* tag given so far */

#define TAGGED ((MPI_Comm)3) /* the communicator that tags are given in */

static int alone(MPI_Comm comm) { return comm == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_SUCCESS; }

int MPE_Seq_begin(MPI_Comm comm, int at_once) { return (void)at_once, alone(comm); }

int MPE_Seq_end(MPI_Comm comm, int at_once) { return (void)at_once, alone(comm); }

int MPE_GetTags(MPI_Comm comm_in, int count, MPI_Comm *comm_out, int *first)
{
    if (comm_in == MPI_COMM_NULL || count < 0)
        return comm_in == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_ERR_ARG;
    pthread_mutex_lock(&lock);
    if (comm_in != TAGGED || lowest < count)
        lowest = INT_MAX;
    *comm_out = TAGGED;
    *first = lowest -= count;
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

int MPE_ReturnTags(MPI_Comm comm, int first, int count)
{
    pthread_mutex_lock(&lock);
    if (comm == TAGGED && lowest == first && count > 0)
        lowest += count;
    pthread_mutex_unlock(&lock);
    return comm == TAGGED ? MPI_SUCCESS : MPI_ERR_COMM;
}

int MPE_TagsEnd(void) { return MPI_SUCCESS; }

int MPE_DelTag(MPI_Comm comm, int keyval, void *value, void *extra)
{
    return (void)comm, (void)keyval, (void)value, (void)extra, MPI_SUCCESS;
}
