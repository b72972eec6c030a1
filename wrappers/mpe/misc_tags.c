/* misc_tags.c - ranges of tags that nobody else uses, counted down from the highest tag there is. */
#include "mpe_misc.h"
#include "real.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int key = MPI_KEYVAL_INVALID; /* of communicators that we made: the lowest tag given so far */

static int not_copied(MPI_Comm comm, int keyval, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)value, (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}

int MPE_DelTag(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

/* NULL: the communicator is not one of ours. */
static int *lowest_of(MPI_Comm comm)
{
    int *lowest = NULL, is_there = 0;

    if (comm == MPI_COMM_NULL || key == MPI_KEYVAL_INVALID)
        return NULL;
    return REAL(MPI_Comm_get_attr)(comm, key, &lowest, &is_there) == MPI_SUCCESS && is_there ? lowest : NULL;
}

static int highest(void)
{
    int *limit = NULL, is_there = 0;

    REAL(MPI_Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &is_there);
    return is_there ? *limit : 32767;
}

static int *make(MPI_Comm comm, MPI_Comm *made)
{
    int *lowest = malloc(sizeof *lowest);

    if (key == MPI_KEYVAL_INVALID)
        REAL(MPI_Comm_create_keyval)(not_copied, MPE_DelTag, &key, NULL);
    if (!lowest || REAL(MPI_Comm_dup)(comm, made) != MPI_SUCCESS) {
        free(lowest);
        return NULL;
    }
    *lowest = highest();
    REAL(MPI_Comm_set_attr)(*made, key, lowest);
    return lowest;
}

int MPE_GetTags(MPI_Comm comm_in, int count, MPI_Comm *comm_out, int *first)
{
    if (comm_in == MPI_COMM_NULL || count < 0 || count > highest())
        return comm_in == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_ERR_ARG;
    pthread_mutex_lock(&lock);
    int *lowest = lowest_of(comm_in);
    if (lowest && *lowest >= count)
        *comm_out = comm_in;
    else
        lowest = make(comm_in, comm_out);
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

/* MPI keeps what the key is in use for until the communicators are freed. */
int MPE_TagsEnd(void)
{
    pthread_mutex_lock(&lock);
    if (key != MPI_KEYVAL_INVALID)
        REAL(MPI_Comm_free_keyval)(&key);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}
