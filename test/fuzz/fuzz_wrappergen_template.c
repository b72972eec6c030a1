/* fuzz_wrappergen_template.c - templates of both dialects. The first byte of the input chooses dialect and options; the
 * rest is the template. */
#include "fuzz/fuzz.h"
#include "wrappergen/wrappergen.h"

#include <stdint.h>
#include <stdio.h>

static const char header[] =
    "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);\n"
    "int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status "
    "*status);\n"
    "int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);\n"
    "int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status);\n"
    "int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name); int MPI_Pcontrol(const int level, ...);\n"
    "int MPI_Op_create(void (*user_fn)(void *, int), int commute, MPI_Op *op); double MPI_Wtime(void); void "
    "MPI_No(int);\n"
    "#define MPI_Wtime() 1.0\nMPI_Fint MPI_Comm_c2f(MPI_Comm comm); int MPI_T_finalize(void);";
static const char table[] = "MPI_Send send peer=dest colour:blue\nMPI_Recv recv peer=source\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int choices[] = {0,
                                  EMIT_PRELOAD,
                                  EMIT_GUARD,
                                  EMIT_FORTRAN,
                                  EMIT_KEEP_UNKNOWN,
                                  EMIT_GUARD | EMIT_FORTRAN | EMIT_C_ONLY,
                                  EMIT_FORTRAN | EMIT_FORTRAN_ONLY,
                                  EMIT_WRAP | EMIT_ALL | EMIT_QUIET,
                                  EMIT_WRAP | EMIT_FORTRAN | EMIT_PRELOAD};

    if (!fault_file)
        fault_file = fopen("/dev/null", "w");
    if (!size)
        return 0;
    struct gen_source of_header = {"header", text_copy(header, sizeof header - 1), sizeof header - 1};
    struct gen_source source = {"template", text_copy((const char *)data + 1, size - 1), size - 1};
    struct roles roles = {.source = {"table", text_copy(table, sizeof table - 1), sizeof table - 1}};
    struct protos protos = {0};
    struct emitter emitter = {
        .protos = &protos, .most_steps = 20000, .flags = choices[data[0] / 2 % (sizeof choices / sizeof choices[0])]};

    protos_parse(&of_header, &protos);
    names_apply(&protos);
    roles_parse(&roles);
    roles_apply(&roles, &protos);
    emitter.flags = data[0] % 2 ? emitter.flags | EMIT_WRAP : emitter.flags & ~EMIT_WRAP;
    function_prelude(&emitter);
    template_expand(&emitter, &source, 0);
    template_end(&emitter);
    fault_count = 0;
    forget();
    return 0;
}
