/* real.h - access to the MPI library's own functions for a library that defines both MPI_X and PMPI_X.
 *
 *     REAL(MPI_Send)(buf, count, datatype, dest, tag, comm);
 *
 * calls the library's PMPI_Send. The first call looks up the function, in the libraries loaded after this one, or else
 * in any MPI library that is already loaded (a Python module may have opened it privately).
 *
 *     NEXT(MPI_Send)(buf, count, datatype, dest, tag, comm);
 *
 * is for the call that a wrapper wraps. If another tool between this library and MPI defines MPI_Send, NEXT calls the
 * tool's MPI_Send; otherwise it calls the MPI library's PMPI_Send. The tool calls PMPI_Send, which this library
 * defines, too, and which goes on to the MPI library. wrappergen --preload writes its calls with NEXT; a library made
 * from its output needs only real.c besides.
 */
#ifndef PITHI_REAL_H
#define PITHI_REAL_H

#include <mpi.h>

#ifdef OPEN_MPI
#define PITHI_MPI_KIND "Open MPI"
#elif defined(MPI_H_ABI)
#define PITHI_MPI_KIND "the standard ABI of MPI 5 (libmpi_abi)"
#else
#define PITHI_MPI_KIND "MPICH"
#endif

#ifdef PITHI_STATIC /* the archive defines MPI_X only and calls PMPI_X by name */
#define REAL(function) P##function
#else
#define NEXT(function)                                                                                                 \
    ((__typeof__(&P##function))__extension__({                                                                         \
        static struct pithi_real_slot next_;                                                                           \
        void *real_ = __atomic_load_n(&next_.slot, __ATOMIC_RELAXED);                                                  \
        __builtin_expect(real_ != 0, 1) ? real_ : pithi_real_next(&next_, "P" #function);                              \
    }))
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

/* The functions that NEXT looks up; each is NULL until then. If there is another tool, `slot` stays NULL, so that each
 * call comes to pithi_real_next. */
struct pithi_real_slot {
    /* slot: the function that NEXT calls; tool: the other tool's function; real: the MPI library's */
    void *slot, *tool, *real;
};
void *pithi_real_next(struct pithi_real_slot *next, const char *name);
/* This library's PMPI_X stores its own name here, such as "PMPI_Send", before it jumps to the wrapper MPI_X. A tool has
 * called PMPI_X, so the wrapper's NEXT calls the MPI library and not the tool again, and clears the name. */
#ifndef __cplusplus
extern __thread const char *pithi_real_pmpi __attribute__((tls_model("initial-exec"), visibility("hidden")));
#endif
/* PMPI_X jumps to MPI_X, so that the wrapper sees the return address of the caller. */
#define PITHI_PMPI __attribute__((visibility("default")))
#define PITHI_JUMP return
#ifdef __clang__
#if __has_attribute(musttail)
#undef PITHI_JUMP
#define PITHI_JUMP __attribute__((musttail)) return
#endif
#else
#undef PITHI_PMPI
#define PITHI_PMPI __attribute__((visibility("default"), optimize("O2")))
#endif

/* Looks up the function and fills the slot. If no MPI library is loaded, loads the MPI library for which this library
 * was built. If the MPI library is of another kind or lacks the function, prints a message and ends the process, since
 * there is no function to call. */
void *pithi_real_find(void **slot, const char *name);

/* Returns the kind of the loaded MPI library, such as "Open MPI", if it is not the kind for which this library was
 * built; else NULL. */
const char *pithi_real_other_kind(void);

/* Returns the address of a symbol in the MPI library; NULL if it is not defined or no MPI library is loaded. */
void *pithi_real_symbol(const char *name);

/* Like pithi_real_find, for data. It may return NULL, which is not cached. */
void *pithi_real_data(void **slot, const char *name);

/* Open MPI's handles (MPI_COMM_WORLD ...) are addresses of its data. As undefined symbols, the handles would prevent
 * loading this library into a shell, or into a program that opens MPI late. So handles, too, are looked up at run time.
 * They are then no constants, so a variable outside of functions cannot be initialized with a handle. */
#if defined(OMPI_PREDEFINED_GLOBAL) && !defined(PITHI_STATIC)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                                                           \
    ((type) __extension__({                                                                                            \
        static void *data_slot_;                                                                                       \
        void *data_ = __atomic_load_n(&data_slot_, __ATOMIC_RELAXED);                                                  \
        __builtin_expect(data_ != 0, 1) ? data_ : pithi_real_data(&data_slot_, #global);                               \
    }))
#endif

/* Returns 1 if the address is in an MPI library of the kind for which this library was built. */
int pithi_real_is_mpi(const void *address);

/* Returns 1 if the address is in the program or in one of its libraries; 0 if it is in the MPI library, in one of the
 * MPI library's plug-ins, or in another tool that NEXT found. The libraries of the Fortran and C++ bindings count as
 * the program, because the user made the calls that come through them. */
int pithi_real_is_user(const void *address);

/* Returns 1 if the address is the return address of a call through a pointer in the MPI library, so that the called
 * function is a callback, such as the user's operation or error handler. Returns 0 for a direct call, or if the kind of
 * call is unknown. */
int pithi_real_is_callback(const void *address);

#ifdef __cplusplus
}
#endif

#endif
