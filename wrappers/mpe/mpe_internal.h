/* mpe_internal.h - declarations that the sources of libmpe share. It is not installed. */
#ifndef PITHI_MPE_INTERNAL_H
#define PITHI_MPE_INTERNAL_H

#include "mpe_log.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* ---- State of the log (mpe_session.c) ---------------------------------------------------------------------------- */

enum { PITHI_MPE_NONE, PITHI_MPE_RUNNING, PITHI_MPE_FINISHED }; /* the results of MPE_Initialized_logging */

extern int pithi_mpe_state; /* read atomically */

static inline int pithi_mpe_running(void)
{
    return __atomic_load_n(&pithi_mpe_state, __ATOMIC_RELAXED) == PITHI_MPE_RUNNING;
}

/* The number of logs begun so far. Definitions made in an older log are not in the current one. */
extern unsigned pithi_mpe_number;

/* The number of ranks in the job. */
extern int pithi_mpe_ranks;

/* Forgets all event numbers and their descriptions when another log begins (mpe_record.c). */
void pithi_mpe_numbers_begin(void);

/* ---- The static library beside the shared libraries (mpe_session.c) ------------------------------------------------
 * A program linked with the static libmpe contains its own recorder. When `pith run` loads libpith-mpi.so, a second,
 * shared recorder comes with it, but there must be one log. So the static library then loads libpith-mpe.so and
 * forwards every call to it. */
#if defined(PITHI_STATIC) && !defined(NOMPI)

extern void *pithi_mpe_shared; /* the shared library; NULL: not loaded, calls are not forwarded */
void *pithi_mpe_shared_find(void **slot, const char *name);

/* First statement of every API function, except those that only call another API function. Returns the
 * shared library's result. */
#define PITHI_MPE_FORWARD(function, arguments)                                                                         \
    do {                                                                                                               \
        if (__builtin_expect(pithi_mpe_shared != 0, 0)) {                                                              \
            static void *slot_;                                                                                        \
            __typeof__(&function) other_ = (__typeof__(&function))pithi_mpe_shared_find(&slot_, #function);            \
            if (other_)                                                                                                \
                return other_ arguments;                                                                               \
        }                                                                                                              \
    } while (0)

#else
#define PITHI_MPE_FORWARD(function, arguments) (void)0
#endif

/* ---- Communicators (mpe_comm.c) ---------------------------------------------------------------------------------- */

/* Call this when a log begins. From then on, a duplicate of a communicator gets the same key in all its members. */
void pithi_mpe_comm_begin(void);

/* Gives the recorder's id of a communicator, and the world rank of its rank `rank` (of an intercommunicator: of the
 * remote group). Returns 0 when there is no such rank. */
int pithi_mpe_peer(MPI_Comm handle, int rank, uint32_t *id, int32_t *world_rank);

/* Returns the recorder's id of a communicator and puts its key into *key. 0: MPI_COMM_WORLD, or an unknown one. */
uint32_t pithi_mpe_comm(MPI_Comm handle, uint64_t *key);

/* Calls finish() at the beginning of MPI_Finalize, while MPI still works. Only the first call has an effect. */
void pithi_mpe_at_finalize(void (*finish)(void));

/* A copy function for attributes that duplicates of a communicator must not inherit. MPI_COMM_NULL_COPY_FN would be an
 * undefined symbol, and the library could not be loaded before MPI. */
static inline int pithi_mpe_copy_nothing(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

/* Puts this process's rank in `comm` into *rank and returns 1. 0: MPI is not running, or `comm` is MPI_COMM_NULL
 * (misc_process.c). */
int pithi_mpe_rank(MPI_Comm comm, int *rank);

/* ---- MPE's environment variables (old_settings.c) ------------------------------------------------------------------
 * Variables that mean something to Pith are translated into Pith's before recording begins. Where both are set, Pith's
 * takes effect. mpe(3) lists them. */

/* On rank 0, warns once about variables that no longer have a meaning or have a bad value. Call this when a log begins.
 */
void pithi_old_settings_note(void);

/* MPE_LOGFILE_PREFIX; NULL: not set. */
const char *pithi_old_prefix(void);

/* 1: the log becomes CLOG-2. */
int pithi_old_is_clog2(void);

/* A variable whose value is yes or no; `otherwise`: the result when it is not set or has another value. */
int pithi_old_flag(const char *name, int otherwise);

/* ---- Fortran ----------------------------------------------------------------------------------------------------- */

/* Begins the definition of a function under the four names that Fortran compilers use. */
#define FORTRAN(type, lower, UPPER, arguments)                                                                         \
    MPE_API_ type lower##_ arguments;                                                                                  \
    MPE_API_ type lower arguments __attribute__((alias(#lower "_")));                                                  \
    MPE_API_ type lower##__ arguments __attribute__((alias(#lower "_")));                                              \
    MPE_API_ type UPPER arguments __attribute__((alias(#lower "_")));                                                  \
    type lower##_ arguments

/* A Fortran string without its trailing blanks, as a C string that the caller frees. NULL: it is blank. */
char *pithi_fortran_string(const char *text, size_t length);

/* The communicator of a Fortran handle. */
MPI_Comm pithi_fortran_comm(MPI_Fint comm);

#endif
