/* real.h - access to the MPI library's own functions for a library that defines both MPI_X and PMPI_X.
 *
 *     REAL(MPI_Send)(buf, count, datatype, dest, tag, comm);
 *
 * calls the library's PMPI_Send. The first call looks it up: after this library in loading order, else in any MPI
 * library that is already loaded (a Python module opens it privately).
 *
 *     NEXT(MPI_Send)(buf, count, datatype, dest, tag, comm);
 *
 * is for the call that a wrapper wraps: it calls the MPI_Send of another tool that the program is linked with, if there
 * is one between this library and MPI, else the library's PMPI_Send. The tool calls PMPI_Send, which is a function of
 * this library too and goes on to the MPI library. wrappergen --preload writes its calls this way; such a library needs
 * only real.c besides.
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

/* For NEXT. `slot` stays NULL if there is another tool, so that each call comes to pithi_real_next. */
struct pithi_real_slot {
    /* what NEXT calls; the other tool's function; the MPI library's; each NULL: not looked up */
    void *slot, *tool, *real;
};
void *pithi_real_next(struct pithi_real_slot *next, const char *name);
/* The name of the function PMPI_X of this library that is being called in this thread. Its wrapper passes other tools
 * over, and clears this. */
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

/* Fills the slot. If no MPI library is loaded, loads the one for which this library was built. Without an MPI library
 * of the right kind, prints a message and ends the process, since there is no function to call. */
void *pithi_real_find(void **slot, const char *name);

/* The kind of the loaded MPI library, such as "Open MPI", if this library is for another kind; else NULL. */
const char *pithi_real_other_kind(void);

/* The address of a symbol in the MPI library; NULL: not defined, or no MPI library is loaded. */
void *pithi_real_symbol(const char *name);

/* The same for data. A NULL is not cached. */
void *pithi_real_data(void **slot, const char *name);

/* Open MPI's handles (MPI_COMM_WORLD ...) are addresses of its data. As undefined symbols they would keep this library
 * from loading into a program that opens MPI late, or into a shell. So they are looked up too, and are no constants: a
 * variable outside of functions cannot begin with such a value. */
#if defined(OMPI_PREDEFINED_GLOBAL) && !defined(PITHI_STATIC)
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                                                           \
    ((type) __extension__({                                                                                            \
        static void *data_slot_;                                                                                       \
        void *data_ = __atomic_load_n(&data_slot_, __ATOMIC_RELAXED);                                                  \
        __builtin_expect(data_ != 0, 1) ? data_ : pithi_real_data(&data_slot_, #global);                               \
    }))
#endif

/* 1: the address is in an MPI library of the kind that this library is for. */
int pithi_real_is_mpi(const void *address);

/* 1: the address is in the program or in one of its libraries. 0: it is in the MPI library, one of its plug-ins, or
 * another tool that NEXT found. The libraries of the Fortran and C++ bindings count as the program, as the user made
 * their calls. */
int pithi_real_is_user(const void *address);

/* 1: the address follows a call through a pointer in the MPI library, so the callee is a callback such as the user's
 * operation or error handler. 0: a direct call, or unknown. */
int pithi_real_is_callback(const void *address);

#ifdef __cplusplus
}
#endif

#endif
