/* datatype.h - sizes of datatypes. A call of the library for a size takes longer than a record, so each thread caches
 * recent
 * results. */
#ifndef PITHI_DATATYPE_H
#define PITHI_DATATYPE_H

#include "real.h"

#include <mpi.h>
#include <stdint.h>

/* The size of `count` elements in bytes; 0 for an invalid datatype. Has no effect but on its cache. */
uint64_t pithi_type_bytes(MPI_Count count, MPI_Datatype type) __attribute__((pure));
/* The element size of a named type without padding, whose data may be copied byte by byte; 0: any other type. */
uint64_t pithi_type_plain_bytes(MPI_Datatype type);
/* Call it after MPI_Type_free: MPI may reuse the handle for another type. */
void pithi_type_freed(void);

/* The bytes of the received message, whatever its type. Reads the fields of the status that mpi.h has, like the
 * library's MPI_Get_elements for MPI_BYTE; for other MPIs it calls MPI_Get_elements_x. */
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
