/* passed.c - see passed.h. */
#include "foreign/passed.h"

#include <sys/mman.h>

void pithi_passed_drop(const struct pithi_input *input, size_t *passed, size_t at)
{
    size_t end = at & ~(size_t)(PITHI_PASSED_STEP - 1); /* whole pages, whatever their size */
    if (input->mapped && at > *passed)
        madvise((void *)(input->data + *passed), end - *passed, MADV_DONTNEED);
    else if (input->mapped) /* from there on anew */
        madvise((void *)input->data, input->size, MADV_DONTNEED);
    *passed = end;
}
