/* misc_process.c - MPE's calls that concern only this process: its share of the work, its name, its output and its call
 * stack; and the calls for debuggers, which only print a line. */
#include "base/launcher.h"
#include "base/say.h"
#include "mpe_callstack.h"
#include "mpe_internal.h"
#include "mpe_misc.h"
#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Divides the numbers 1 to n among `size` ranks as evenly as possible. Lower ranks get the larger shares:
 *
 *     n = 10 on 4 ranks     1-3, 4-6, 7-8, 9-10      each = 2, and 2 ranks have one more */
int MPE_Decomp1d(int n, int size, int rank, int *first, int *last)
{
    if (size < 1 || rank < 0 || rank >= size || n < 0) {
        *first = 1; /* an empty share, as *first > *last */
        *last = 0;
        return MPI_ERR_ARG;
    }
    int each = n / size, more = n % size;
    *first = rank * each + (rank < more ? rank : more) + 1;
    *last = *first + each - (rank < more ? 0 : 1);
    return MPI_SUCCESS;
}

int MPE_Comm_global_rank(MPI_Comm comm, int rank, int *global)
{
    MPI_Group own, world;

    *global = MPI_UNDEFINED;
    if (comm == MPI_COMM_NULL)
        return MPI_ERR_COMM;
    REAL(MPI_Comm_group)(comm, &own);
    REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world);
    int size = 0, result = MPI_ERR_RANK;
    REAL(MPI_Group_size)(own, &size);
    if (rank >= 0 && rank < size)
        result = REAL(MPI_Group_translate_ranks)(own, 1, &rank, world, global);
    REAL(MPI_Group_free)(&own);
    REAL(MPI_Group_free)(&world);
    return result;
}

/* Stores the host's name, cut if `size` is too small; "" if the system gives no name. */
int MPE_GetHostName(char *name, int size)
{
    if (!name || size < 1)
        return MPI_ERR_ARG;
    /* If gethostname cuts the name, there may be no final NUL. */
    if (gethostname(name, (size_t)size) != 0 && errno != ENAMETOOLONG)
        *name = 0;
    name[size - 1] = 0;
    return MPI_SUCCESS;
}

/* ---- Standard output --------------------------------------------------------------------------------------------- */

int pithi_mpe_rank(MPI_Comm comm, int *rank)
{
    int is_up = 0, is_over = 0;

    REAL(MPI_Initialized)(&is_up);
    REAL(MPI_Finalized)(&is_over);
    if (!is_up || is_over || comm == MPI_COMM_NULL)
        return 0;
    REAL(MPI_Comm_rank)(comm, rank);
    return 1;
}

/* Sends standard output to the file `name`, in which the first %d stands for the rank. The name is not used as a
 * format, because nothing else in it has a meaning. Before MPI_Init, the rank is taken from the launcher's environment
 * variables. */
int MPE_IO_Stdout_to_file(const char *name, int mode)
{
    const char *hole = name ? strstr(name, "%d") : NULL;
    char path[4096];
    int fd = -1, rank = pithi_launcher_rank(0);

    pithi_mpe_rank(MPI_COMM_WORLD, &rank);
    if (hole)
        snprintf(path, sizeof path, "%.*s%d%s", (int)(hole - name), name, rank, hole + 2);
    else
        snprintf(path, sizeof path, "%s", name ? name : "");
    fflush(stdout); /* what was printed so far must still go to the old standard output */
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode & 07777);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
        pithi_say("MPE_IO_Stdout_to_file: %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return 1;
    }
    if (fd != STDOUT_FILENO) /* they are equal if standard output was closed before */
        close(fd);
    return MPI_SUCCESS;
}

/* ---- Call stacks, by glibc's backtrace --------------------------------------------------------------------------- */

/* Stores only the return addresses. A name is looked up when the program asks for its line. */
void MPE_CallStack_init(MPE_CallStack_t *stack)
{
    enum { MOST = sizeof stack->frames / sizeof *stack->frames };

    stack->next = 0;
    stack->count = backtrace(stack->frames, MOST) - 1; /* without this function's own frame */
    memmove(stack->frames, stack->frames + 1, (size_t)stack->count * sizeof *stack->frames);
}

void MPE_CallStack_iteratorInit(MPE_CallStack_t *stack) { stack->next = 0; }

int MPE_CallStack_iteratorHasMore(MPE_CallStack_t *stack) { return stack->next < stack->count; }

/* Returns the text of the next line. dladdr finds only exported functions; for another function, the line has the
 * offset in the file, which addr2line understands. */
const char *MPE_CallStack_iteratorFetchNext(MPE_CallStack_t *stack)
{
    Dl_info is;

    if (stack->next >= stack->count)
        return NULL;
    char *address = stack->frames[stack->next++];
    if (!dladdr(address, &is) || !is.dli_fname)
        snprintf(stack->line, sizeof stack->line, "%p", (void *)address);
    else if (is.dli_sname)
        snprintf(stack->line, sizeof stack->line, "%s+0x%tx (%s)", is.dli_sname, address - (char *)is.dli_saddr,
                 is.dli_fname);
    else
        snprintf(stack->line, sizeof stack->line, "+0x%tx (%s)", address - (char *)is.dli_fbase, is.dli_fname);
    return stack->line;
}

void MPE_CallStack_fancyprint(MPE_CallStack_t *stack, int fd, const char *line_prefix, int to_print_stack_index,
                              int max_printed_frames)
{
    const char *prefix = line_prefix ? line_prefix : "";

    MPE_CallStack_iteratorInit(stack);
    for (int i = 0; i < max_printed_frames && MPE_CallStack_iteratorHasMore(stack); i++) {
        const char *line = MPE_CallStack_iteratorFetchNext(stack);
        if (to_print_stack_index)
            dprintf(fd, "%s[%d] %s\n", prefix, i, line);
        else
            dprintf(fd, "%s%s\n", prefix, line);
    }
}

void MPE_CallStack_print(MPE_CallStack_t *stack, int fd) { MPE_CallStack_fancyprint(stack, fd, "", 0, stack->count); }

/* ---- Calls that are no longer supported -------------------------------------------------------------------------- */

/* Reports that a call does nothing. This must not end the program, because in MPE the call only started a debugger in
 * an xterm. */
static int refuse(const char *call)
{
    pithi_say("%s: not supported; the program continues", call);
    return 1;
}

int MPE_Start_debugger(void) { return refuse(__func__); }

int MPE_Errors_call_debugger(const char *program, const char *debugger, char **arguments)
{
    (void)program, (void)debugger, (void)arguments;
    return refuse(__func__);
}

int MPE_Errors_call_xdbx(const char *program, const char *display)
{
    (void)program, (void)display;
    return refuse(__func__);
}

int MPE_Errors_call_dbx_in_xterm(const char *program, const char *display)
{
    (void)program, (void)display;
    return refuse(__func__);
}

int MPE_Errors_call_gdb_in_xterm(char *program, char *display)
{
    (void)program, (void)display;
    return refuse(__func__);
}

/* An error handler for MPI. After it has returned, the MPI call in which the error occurred returns its error code. */
void MPE_Errors_to_dbx(MPI_Comm *comm, int *code, ...)
{
    MPE_CallStack_t stack;

    (void)comm;
    pithi_say("MPE_Errors_to_dbx: MPI error %d; no debugger is started. The call stack:", code ? *code : 0);
    MPE_CallStack_init(&stack);
    MPE_CallStack_fancyprint(&stack, STDERR_FILENO, "pith:   ", 1, 20);
}

int MPE_Signals_call_debugger(void) { return refuse(__func__); }

int MPE_Print_datatype_pack_action(FILE *file, int count, MPI_Datatype type, int in_size, int out_size)
{
    (void)file, (void)count, (void)type, (void)in_size, (void)out_size;
    return refuse(__func__);
}

int MPE_Print_datatype_unpack_action(FILE *file, int count, MPI_Datatype type, int in_size, int out_size)
{
    (void)file, (void)count, (void)type, (void)in_size, (void)out_size;
    return refuse(__func__);
}

/* ---- Fortran: subroutines ---------------------------------------------------------------------------------------- */

/* Returns the C handle of a Fortran communicator. MPI_Comm_f2c may be a function of the library or a macro. */
MPI_Comm pithi_fortran_comm(MPI_Fint comm)
{
#ifdef MPI_Comm_f2c /* a macro in MPICH */
    return MPI_Comm_f2c(comm);
#else
    return REAL(MPI_Comm_f2c)(comm);
#endif
}

FORTRAN(void, mpe_decomp1d, MPE_DECOMP1D, (const int *n, const int *size, const int *rank, int *first, int *last))
{
    MPE_Decomp1d(*n, *size, *rank, first, last);
}

FORTRAN(void, mpe_seq_begin, MPE_SEQ_BEGIN, (const MPI_Fint *comm, const int *at_once))
{
    MPE_Seq_begin(pithi_fortran_comm(*comm), *at_once);
}

FORTRAN(void, mpe_seq_end, MPE_SEQ_END, (const MPI_Fint *comm, const int *at_once))
{
    MPE_Seq_end(pithi_fortran_comm(*comm), *at_once);
}

FORTRAN(void, mpe_comm_global_rank, MPE_COMM_GLOBAL_RANK, (const MPI_Fint *comm, const int *rank, int *global))
{
    MPE_Comm_global_rank(pithi_fortran_comm(*comm), *rank, global);
}
