/* ends.c - see ends.h. */
#include "foreign/ends.h"

#include <string.h>

size_t pithi_whole_lines(const struct pithi_input *input)
{
    const unsigned char *newline = input->size ? memrchr(input->data, '\n', input->size) : NULL;
    return newline ? (size_t)(newline + 1 - input->data) : 0;
}

int pithi_ends_here(struct pithi_writer *writer, const struct pithi_input *input, const char *where)
{
    return pithi_incomplete(pithi_writer_defs(writer), "byte %zu: the file ends here, %s", input->size, where);
}
