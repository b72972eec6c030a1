/* function_names.c - pith-functions FILE...: prints the functions of programs and libraries, for function_table.c. For
 * each function: the number of its file, its address in the file (in hex), its name, and its source file ("": unknown).
 * Each of the four ends with a 0 byte.
 *
 * `pith stat --by function` shows the same names for samples (code_file.h). */
#include <inttypes.h>
#include <stdio.h>

#include "symbols/code_file.h"

struct file {
    int number; /* place among the arguments, from 0 */
    struct pithi_code_file *code;
};

static void print_function(void *context, uint64_t address)
{
    const struct file *file = context;
    struct pithi_code_frame frames[PITHI_CODE_FRAMES];
    unsigned count = pithi_code_file_find(file->code, address, frames);

    if (count)
        printf("%d%c%" PRIx64 "%c%s%c%s%c", file->number, 0, address, 0, frames[count - 1].name, 0,
               frames[count - 1].source ? frames[count - 1].source : "", 0);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct file file = {i - 1, pithi_code_file_open(argv[i], "")};
        if (!file.code)
            continue;
        pithi_code_file_each(file.code, print_function, &file);
        pithi_code_file_close(file.code);
    }
    return fflush(stdout) != 0;
}
