/* datatype.h - sizes of datatypes. Asking the MPI library for a size takes longer than a record, so each thread caches
 * recent results. */
#ifndef PITHI_DATATYPE_H
#define PITHI_DATATYPE_H

#include "real.h"

#include <mpi.h>
#include <stdint.h>

/* Returns the size of `count` elements in bytes; 0 for an invalid datatype. Has no effect except on its cache. */
uint64_t pithi_type_bytes(MPI_Count count, MPI_Datatype type) __attribute__((pure));
/* Returns the element size of a predefined type that has no padding, so that its data may be copied byte by byte; 0 for
 * any other type. */
uint64_t pithi_type_plain_bytes(MPI_Datatype type);
/* Call it after MPI_Type_free, because MPI may reuse the handle for another type. */
void pithi_type_freed(void);

/* Returns the size of the received message in bytes, whatever its type. Reads this from the fields of the status, as
 * the library's MPI_Get_elements does for MPI_BYTE. If this function does not know the library's fields, it calls
 * MPI_Get_elements_x. */
static inline uint64_t pithi_status_bytes(const MPI_Status *status)
{
#if defined(OPEN_MPI)
    return status->_ucount;
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 30000000
    return (uint64_t)(uint32_t)status->count_lo | (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
#else
    MPI_Count bytes = 0;
    return REAL(MPI_Get_elements_x)(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? (uint64_t)bytes : 0;
#endif
}

#endif
