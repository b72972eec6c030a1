/* fuzz_wrappergen_header.c - MPI headers, classic prototype files and tables of roles: the first byte says which of
 * them the rest is. What was read is used by a template. */
#include "fuzz/fuzz.h"
#include "wrappergen/wrappergen.h"

#include <stdint.h>
#include <stdio.h>

static const char template[] = "{{fnall f}}{{vardecl int i}}{{i}} {{0}}{{callfn}}{{endfnall}}";
static const char header[] = "int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag);";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fault_file)
        fault_file = fopen("/dev/null", "w");
    if (!size)
        return 0;
    struct gen_source input = {"input", text_copy((const char *)data + 1, size - 1), size - 1};
    struct gen_source source = {"template", text_copy(template, sizeof template - 1), sizeof template - 1};
    struct gen_source of_header = {"header", text_copy(header, sizeof header - 1), sizeof header - 1};
    struct roles roles = {.source = {"table", text_copy("", 0), 0}};
    struct protos protos = {0};
    struct emitter emitter = {.protos = &protos, .flags = EMIT_FORTRAN};

    if (data[0] % 3 == 0) {
        protos_parse(&input, &protos);
    } else if (data[0] % 3 == 1) {
        protofile_parse(&input, &protos);
    } else {
        protos_parse(&of_header, &protos);
        roles.source = input;
    }
    names_apply(&protos);
    roles_parse(&roles);
    roles_apply(&roles, &protos);
    template_expand(&emitter, &source, 0);
    template_end(&emitter);
    fault_count = 0;
    forget();
    return 0;
}
