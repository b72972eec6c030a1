/* played_eager.c - in place of wrappers/mpi/eager_limit.c: the limit that played.c plays (PLAYED_EAGER). */
#include "eager_limit.h"

#include <stdlib.h>

void pithi_eager_find(struct pithi_eager_limits *limits)
{
    const char *value = getenv("PLAYED_EAGER");
    limits->same_host = limits->network = value ? (size_t)atol(value) : 0;
}
