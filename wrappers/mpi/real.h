/* real.h - reach the MPI library's own functions from a library that defines both MPI_X and PMPI_X.
 *
 *     REAL(MPI_Send)(buf, count, datatype, dest, tag, comm);
 *
 * calls the library's PMPI_Send. It is looked up at its first call: behind this library in the order of loading, else
 * in the MPI library that is loaded already, wherever (a Python module opens it for itself alone). wrappergen --preload
 * writes its calls this way; real.c is all that such a library needs besides.
 */
#ifndef PITHI_REAL_H
#define PITHI_REAL_H

#include <mpi.h>

#ifdef OPEN_MPI
#define PITHI_MPI_KIND "Open MPI"
#else
#define PITHI_MPI_KIND "MPICH"
#endif

#ifdef PITHI_STATIC /* the archive defines MPI_X only, and names PMPI_X */
#define REAL(function) P##function
#else
#define REAL(function)                                                                                                 \
    ((__typeof__(&P##function))__extension__({                                                                         \
        static void *real_slot_;                                                                                       \
        void *real_ = __atomic_load_n(&real_slot_, __ATOMIC_RELAXED);                                                  \
        __builtin_expect(real_ != 0, 1) ? real_ : pithi_real_find(&real_slot_, "P" #function);                         \
    }))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the slot. Without an MPI library of the kind that this one was built for, says so on stderr and ends the
 * process: there is nothing that could be called. */
void *pithi_real_find(void **slot, const char *name);

/* The address of a name in the MPI library; NULL: it has none, or no MPI library is loaded. */
void *pithi_real_symbol(const char *name);

/* The same for data; NULL stays NULL and is looked up again. */
void *pithi_real_data(void **slot, const char *name);

/* Open MPI's handles (MPI_COMM_WORLD ...) are addresses of its data. Named plainly they would be undefined symbols, and
 * this library could not be loaded into a program that opens MPI late, or into a shell. So they are looked up too. */
#if defined(OMPI_PREDEFINED_GLOBAL) && !defined(PITHI_STATIC)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                                                           \
    ((type) __extension__({                                                                                            \
        static void *data_slot_;                                                                                       \
        void *data_ = __atomic_load_n(&data_slot_, __ATOMIC_RELAXED);                                                  \
        __builtin_expect(data_ != 0, 1) ? data_ : pithi_real_data(&data_slot_, #global);                               \
    }))
#endif

/* 1 when the address lies in the program or a library of its own, 0 when in the MPI library or one of its plug-ins. The
 * libraries of the Fortran and C++ bindings count as the program: what they call is what the user called. */
int pithi_real_is_user(const void *address);

/* 1 when the instruction before the address, in the MPI library, calls by a pointer: not a function of its own, then,
 * but one that was given to it, such as the user's operation or error handler. 0: a plain call, or it cannot be told.
 */
int pithi_real_is_callback(const void *address);

#ifdef __cplusplus
}
#endif

#endif
