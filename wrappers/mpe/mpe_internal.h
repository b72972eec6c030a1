/* mpe_internal.h - what the sources of libmpe share. It is not installed. */
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

/* How many logs have begun so far. What was defined when this number was smaller is not defined in the present log. */
extern unsigned pithi_mpe_number;

/* The number of ranks in the job. */
extern int pithi_mpe_ranks;

/* Forgets all event numbers and their descriptions. Call it when another log begins (mpe_record.c). */
void pithi_mpe_numbers_begin(void);

/* ---- The static library beside the shared libraries (mpe_session.c) ------------------------------------------------
 * A program that is linked with the static libmpe contains the recorder. If `pith run` loads libpith-mpi.so into the
 * program, that library brings a second, shared recorder. Only one recorder may write the log, so the static libmpe
 * then loads libpith-mpe.so and passes every call on to it. */
#if defined(PITHI_STATIC) && !defined(NOMPI)

extern void *pithi_mpe_shared; /* the handle of libpith-mpe.so; NULL: not loaded; calls are not passed on */
/* Returns the function `name` of libpith-mpe.so, and keeps it in *slot; NULL if the library has no such function. */
void *pithi_mpe_shared_find(void **slot, const char *name);

/* Must be the first statement of every function of the API, except functions that only call another one. If the shared
 * library is loaded, returns the result of that library's function. */
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

/* Call it when a log begins. From then on, a duplicate of a communicator has the same key in all its members. */
void pithi_mpe_comm_begin(void);

/* Gets the recorder's id of a communicator, and the rank in MPI_COMM_WORLD of its member `rank`. In an
 * intercommunicator, `rank` belongs to the remote group. Returns 0 if there is no such member. */
int pithi_mpe_peer(MPI_Comm handle, int rank, uint32_t *id, int32_t *world_rank);

/* Returns the recorder's id of a communicator and sets *key to its key. The id is 0 for MPI_COMM_WORLD and for an
 * unknown communicator. */
uint32_t pithi_mpe_comm(MPI_Comm handle, uint64_t *key);

/* Lets MPI_Finalize call finish() at its begin, while MPI still works. Only the first call has an effect. */
void pithi_mpe_at_finalize(void (*finish)(void));

/* A copy function for attributes that duplicates of a communicator do not inherit. It is used in place of
 * MPI_COMM_NULL_COPY_FN. That function of MPI would be an undefined symbol in libmpe, and libmpe could then not be
 * loaded before the MPI library. */
static inline int pithi_mpe_copy_nothing(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

/* Sets *rank to this process's rank in `comm` and returns 1. Returns 0 and leaves *rank as it is if MPI is not running
 * or `comm` is MPI_COMM_NULL. Defined in misc_process.c. */
int pithi_mpe_rank(MPI_Comm comm, int *rank);

/* ---- MPE's environment variables (old_settings.c) ------------------------------------------------------------------
 * When the program starts, MPE's variables that have a meaning in Pith are translated into Pith's variables. If Pith's
 * variable is also set, MPE's variable has no effect. mpe(3) lists MPE's variables. */

/* Warns about variables without a meaning or with a bad value, on rank 0 and only once. Call it when a log begins. */
void pithi_old_settings_note(void);

/* Returns the value of MPE_LOGFILE_PREFIX; NULL if it is not set. */
const char *pithi_old_prefix(void);

/* Returns 1 if the log will be written as CLOG-2. */
int pithi_old_is_clog2(void);

/* Returns 1 if the variable is "yes" or "true", 0 if it is "no" or "false", and `otherwise` if it is not set or has
 * another value. */
int pithi_old_flag(const char *name, int otherwise);

/* ---- Fortran ----------------------------------------------------------------------------------------------------- */

/* Begins the definition of a function under the four names that Fortran compilers use. */
#define FORTRAN(type, lower, UPPER, arguments)                                                                         \
    MPE_API_ type lower##_ arguments;                                                                                  \
    MPE_API_ type lower arguments __attribute__((alias(#lower "_")));                                                  \
    MPE_API_ type lower##__ arguments __attribute__((alias(#lower "_")));                                              \
    MPE_API_ type UPPER arguments __attribute__((alias(#lower "_")));                                                  \
    type lower##_ arguments

/* Returns a Fortran string without its trailing blanks, as a C string that the caller frees; NULL if it is blank. */
char *pithi_fortran_string(const char *text, size_t length);

/* Returns the C handle of a Fortran communicator. */
MPI_Comm pithi_fortran_comm(MPI_Fint comm);

#endif
