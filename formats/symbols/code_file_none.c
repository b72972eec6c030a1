/* code_file_none.c - replaces code_file.c if Pith is built without libdw: its functions find no names. */
#include <stddef.h>

#include "symbols/code_file.h"

int pithi_code_file_possible(void) { return 0; }

int pithi_code_file_search(const char *dir)
{
    (void)dir;
    return 0;
}

struct pithi_code_file *pithi_code_file_open(const char *path, const char *build)
{
    (void)path;
    (void)build;
    return NULL;
}

void pithi_code_file_close(struct pithi_code_file *file) { (void)file; }

unsigned pithi_code_file_find(struct pithi_code_file *file, uint64_t address,
                              struct pithi_code_frame frames[PITHI_CODE_FRAMES])
{
    (void)file;
    (void)address;
    (void)frames;
    return 0;
}

void pithi_code_file_each(struct pithi_code_file *file, void (*visit)(void *context, uint64_t address), void *context)
{
    (void)file;
    (void)visit;
    (void)context;
}
