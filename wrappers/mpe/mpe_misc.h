/* mpe_misc.h - MPE's calls that have nothing to do with logs, kept by Pith (mpe(3)).
 *
 * Calls return MPI_SUCCESS (0) unless it is said otherwise. All may be called with or without a log under way; those
 * with a communicator between MPI_Init and MPI_Finalize.
 */
#ifndef MPE_MISC_H
#define MPE_MISC_H

#include "mpe_log.h"

#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What lies between the two is run by the ranks of `comm` in order, `at_once` of them (1 at least) at a time: the next
 * ones begin when all of these have ended. Collective; rank 0 leaves MPE_Seq_end last. */
MPE_API_ int MPE_Seq_begin(MPI_Comm comm, int at_once);
MPE_API_ int MPE_Seq_end(MPI_Comm comm, int at_once);

/* The part of 1..n that `rank` of `size` has when all have as many, but for one more on the first n % size: *first to
 * *last, which is *first - 1 when it has none. */
MPE_API_ int MPE_Decomp1d(int n, int size, int rank, int *first, int *last);

/* The rank in MPI_COMM_WORLD of a rank in `comm`; MPI_UNDEFINED when it has none. */
MPE_API_ int MPE_Comm_global_rank(MPI_Comm comm, int rank, int *global);

/* `count` tags, *first and the following ones, that no other such call has given, to be used in *comm_out. That is
 * comm_in when it came from such a call and has as many left; else it is made of comm_in, and is the caller's to free.
 * Collective over comm_in. */
MPE_API_ int MPE_GetTags(MPI_Comm comm_in, int count, MPI_Comm *comm_out, int *first);
/* Gives tags back; those that were given last can be given again. MPI_ERR_COMM: `comm` is not from MPE_GetTags. */
MPE_API_ int MPE_ReturnTags(MPI_Comm comm, int first, int count);
/* The delete function of the attribute that holds a communicator's tags. */
MPE_API_ int MPE_DelTag(MPI_Comm comm, int keyval, void *value, void *extra);
/* No tags will be asked for any more. */
MPE_API_ int MPE_TagsEnd(void);

/* Standard output goes to a file of this process; a %d in the name stands for its rank. `mode`: that of the new file,
 * as in chmod(2). 1: the file could not be made (a line on standard error says so), output goes on as before. */
MPE_API_ int MPE_IO_Stdout_to_file(const char *name, int mode);

/* The machine's name, at most size - 1 characters of it. */
MPE_API_ int MPE_GetHostName(char *name, int size);

/* Once these started debuggers. A line on standard error says that Pith does not; they return 1, and the program goes
 * on. */
MPE_API_ int MPE_Start_debugger(void);
MPE_API_ int MPE_Errors_call_debugger(const char *program, const char *debugger, char **arguments);
MPE_API_ int MPE_Errors_call_xdbx(const char *program, const char *display);
MPE_API_ int MPE_Errors_call_dbx_in_xterm(const char *program, const char *display);
MPE_API_ int MPE_Errors_call_gdb_in_xterm(char *program, char *display);
MPE_API_ int MPE_Signals_call_debugger(void);
/* An MPI error handler: prints the error's code and the calls that led to it, and lets the program go on. */
MPE_API_ void MPE_Errors_to_dbx(MPI_Comm *comm, int *code, ...);
/* Once these showed what one MPI did with a datatype; the same. */
MPE_API_ int MPE_Print_datatype_pack_action(FILE *file, int count, MPI_Datatype type, int in_size, int out_size);
MPE_API_ int MPE_Print_datatype_unpack_action(FILE *file, int count, MPI_Datatype type, int in_size, int out_size);

#if defined(__cplusplus)
}
#endif
#endif
