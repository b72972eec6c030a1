/* one_process.c - replaces MPI in libmpe_nompi: a job of one process, which can only send messages to itself.
 *
 * It is always this process's turn, so MPE_Seq_begin and MPE_Seq_end never wait. MPE_GetTags need not agree with other
 * processes on the tags that it reserves, because there are no others. */
#include "mpe_internal.h"
#include "mpe_misc.h"
#include "transport.h"

#include <limits.h>
#include <pthread.h>

const struct pith_transport *pithi_transport_open(void) { return pith_transport_alone(); }

void pithi_transport_close(void) {}

void pithi_mpe_comm_begin(void) {}

int pithi_mpe_peer(MPI_Comm comm, int rank, uint32_t *id, int32_t *world_rank)
{
    *id = 0;
    *world_rank = 0;
    return comm != MPI_COMM_NULL && rank == 0;
}

uint32_t pithi_mpe_comm(MPI_Comm comm, uint64_t *key) { return (void)comm, *key = 0, 0; }

void pithi_mpe_at_finalize(void (*finish)(void)) { (void)finish; } /* liblog writes the log when the process ends */

/* ---- Sequential sections and tags -------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lowest; /* the lowest tag given so far */

#define TAGGED ((MPI_Comm)3) /* the communicator that MPE_GetTags returns */

static int check_comm(MPI_Comm comm) { return comm == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_SUCCESS; }

int MPE_Seq_begin(MPI_Comm comm, int at_once) { return (void)at_once, check_comm(comm); }

int MPE_Seq_end(MPI_Comm comm, int at_once) { return (void)at_once, check_comm(comm); }

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
