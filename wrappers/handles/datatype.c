/* datatype.c - gives each thread a small cache of datatypes' sizes, by hash of the handle. MPI_Type_free invalidates
 * the caches of all threads. */
#include "datatype.h"

#include "collective.h"
#include "real.h"

#include <string.h>

enum { CACHED = 8 }; /* types in a thread's cache */

static unsigned generation = 1; /* changes when the caches become invalid; atomic */
static __thread struct {
    unsigned generation;
    MPI_Datatype type[CACHED];
    uint64_t size[CACHED];  /* size of an element + 1; 0: the place is empty */
    uint64_t plain[CACHED]; /* result of pithi_type_plain_bytes + 1; 0: unknown */
} cache __attribute__((tls_model("initial-exec")));

void pithi_type_freed(void) { __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE); }

static inline unsigned place_of(MPI_Datatype type)
{
    return (unsigned)((uint64_t)(uintptr_t)type * UINT64_C(0x9e3779b97f4a7c15) >> 61);
}

/* Returns the size of one element. */
static inline uint64_t size_of(MPI_Datatype type)
{
    unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE), at = place_of(type);
    MPI_Count size = 0;

    if (cache.generation != now) {
        memset(&cache, 0, sizeof cache);
        cache.generation = now;
    }
    if (cache.size[at] && cache.type[at] == type)
        return cache.size[at] - 1;
    if (REAL(MPI_Type_size_x)(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    cache.type[at] = type;
    cache.size[at] = (uint64_t)size + 1;
    cache.plain[at] = 0;
    return (uint64_t)size;
}

uint64_t pithi_type_bytes(MPI_Count count, MPI_Datatype type)
{
    return count <= 0 || type == MPI_DATATYPE_NULL ? 0 : (uint64_t)count * size_of(type);
}

MPI_Count pithi_counts_sum(const void *counts, int is_wide, int members)
{
    MPI_Count sum = 0;

    for (int i = 0; i < members; i++)
        sum += is_wide ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
    return sum;
}

uint64_t pithi_types_sum(const void *counts, int is_wide, const MPI_Datatype *types, int members)
{
    uint64_t sum = 0;

    for (int i = 0; counts && i < members; i++)
        sum += pithi_type_bytes(is_wide ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i], types[i]);
    return sum;
}

/* Returns 1 if the type is predefined and there is no padding between its elements. */
static int is_plain(MPI_Datatype type, uint64_t size_bytes)
{
    int integers, addresses, types, combiner = 0;
    MPI_Aint low = 0, extent = 0;

    return REAL(MPI_Type_get_envelope)(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED && REAL(MPI_Type_get_extent)(type, &low, &extent) == MPI_SUCCESS &&
           low == 0 && (uint64_t)extent == size_bytes;
}

uint64_t pithi_type_plain_bytes(MPI_Datatype type)
{
    uint64_t size = size_of(type);
    unsigned at = place_of(type);

    if (!size)
        return 0;
    if (!cache.plain[at])
        cache.plain[at] = (is_plain(type, size) ? size : 0) + 1;
    return cache.plain[at] - 1;
}
