/* mpe_misc.h - MPE's calls that do not concern logs, implemented by Pith (mpe(3)).
 *
 * Calls return MPI_SUCCESS (0) unless stated otherwise. They work with or without a log. Calls with a communicator must
 * be made between MPI_Init and MPI_Finalize.
 */
#ifndef MPE_MISC_H
#define MPE_MISC_H

#include "mpe_log.h"

#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The ranks of `comm` run the code between these calls in order, in groups of `at_once` ranks (at least 1). A group
 * begins when all ranks of the previous group have ended. Collective; rank 0 leaves MPE_Seq_end last. */
MPE_API_ int MPE_Seq_begin(MPI_Comm comm, int at_once);
MPE_API_ int MPE_Seq_end(MPI_Comm comm, int at_once);

/* Divides 1..n evenly among `size` ranks; the first n % size ranks get one element more. `rank` gets the elements
 * *first to *last; if it gets none, *last is *first - 1. */
MPE_API_ int MPE_Decomp1d(int n, int size, int rank, int *first, int *last);

/* Translates a rank of `comm` to its rank in MPI_COMM_WORLD; MPI_UNDEFINED if it has none. */
MPE_API_ int MPE_Comm_global_rank(MPI_Comm comm, int rank, int *global);

/* Reserves `count` successive tags from *first on, for use in *comm_out. No other call returns these tags. *comm_out is
 * comm_in if comm_in comes from MPE_GetTags and has enough tags left; otherwise *comm_out is a duplicate of comm_in,
 * which the caller frees. Collective over comm_in. */
MPE_API_ int MPE_GetTags(MPI_Comm comm_in, int count, MPI_Comm *comm_out, int *first);
/* Gives tags back. Only the tags that were reserved last become available again. Returns MPI_ERR_COMM if `comm` is not
 * from MPE_GetTags. */
MPE_API_ int MPE_ReturnTags(MPI_Comm comm, int first, int count);
/* The delete function of the attribute that stores a communicator's tags. */
MPE_API_ int MPE_DelTag(MPI_Comm comm, int keyval, void *value, void *extra);
/* Call this when no more tags are needed. */
MPE_API_ int MPE_TagsEnd(void);

/* Redirects standard output to a file of this process; %d in the name is replaced by the rank. `mode`: the new file's
 * mode, as in chmod(2). If the file cannot be created, prints a line on standard error, leaves standard output as it is
 * and returns 1. */
MPE_API_ int MPE_IO_Stdout_to_file(const char *name, int mode);

/* Gets the host's name, at most size - 1 characters of it. */
MPE_API_ int MPE_GetHostName(char *name, int size);

/* In MPE these started debuggers. Here they print a line on standard error and return 1; the program continues. */
MPE_API_ int MPE_Start_debugger(void);
MPE_API_ int MPE_Errors_call_debugger(const char *program, const char *debugger, char **arguments);
MPE_API_ int MPE_Errors_call_xdbx(const char *program, const char *display);
MPE_API_ int MPE_Errors_call_dbx_in_xterm(const char *program, const char *display);
MPE_API_ int MPE_Errors_call_gdb_in_xterm(char *program, char *display);
MPE_API_ int MPE_Signals_call_debugger(void);
/* An MPI error handler: prints the error's code and the call stack; the program continues. */
MPE_API_ void MPE_Errors_to_dbx(MPI_Comm *comm, int *code, ...);
/* In MPE these showed how an old MPI packed a datatype. Here they print a line and return 1. */
MPE_API_ int MPE_Print_datatype_pack_action(FILE *file, int count, MPI_Datatype type, int in_size, int out_size);
MPE_API_ int MPE_Print_datatype_unpack_action(FILE *file, int count, MPI_Datatype type, int in_size, int out_size);

#if defined(__cplusplus)
}
#endif
#endif
