/* source_line.c - finds the source line that made a call, for messages. This needs addr2line(1), and a program with
 * debug information (-g). */
#include "agree.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static struct link_map *module_of(const void *address)
{
    Dl_info info;
    struct link_map *map = NULL;

    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

/* Returns 1 if the address is in the MPI library, in one of its bindings, or in a library of Pith. */
static int is_passed_module(const void *address)
{
    const struct link_map *map = module_of(address);
    const char *name = map ? file_name(map->l_name) : "";

    return !strncmp(name, "libmpi", 6) || !strncmp(name, "libpith-", 8) || !strncmp(name, "libmpe_collchk", 14);
}

/* Returns what is_passed_module returns, from a cache. Asking the dynamic linker for a module takes longer than many
 * MPI calls. A slot of the cache has the address, shifted left by one, and the result in the lowest bit. */
static int is_passed(const void *address)
{
    enum { KEPT = 4096 };       /* slots; power of two */
    static uint64_t kept[KEPT]; /* atomic */
    uint64_t word = (uint64_t)(uintptr_t)address << 1;
    uint64_t *slot = &kept[(word * UINT64_C(0x9e3779b97f4a7c15) >> 32) % KEPT];
    uint64_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if ((known & ~UINT64_C(1)) != word) {
        known = word | (uint64_t)is_passed_module(address);
        __atomic_store_n(slot, known, __ATOMIC_RELAXED);
    }
    return (int)(known & 1);
}

/* Called by _Unwind_Backtrace for each frame. Stores the first address outside MPI in *found, and stops there. */
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found)
{
    const void *address = (const void *)(uintptr_t)_Unwind_GetIP(context);

    if (is_passed(address))
        return _URC_NO_REASON;
    *(const void **)found = address;
    return _URC_END_OF_STACK;
}

/* See agree.h. Calls _Unwind_Backtrace, because backtrace(3) would call malloc. */
const void *pithi_source_address(const void *caller)
{
    const void *found = caller;

    if (is_passed(caller))
        _Unwind_Backtrace(look, &found);
    return found;
}

void pithi_source_of(const void *caller, struct pithi_source *source)
{
    const void *address = pithi_source_address(caller);
    const struct link_map *map = module_of(address);
    ssize_t size = 0;

    source->module[0] = 0;
    if (!map)
        return;
    /* - 1: the return address is that of the next instruction, which may belong to another line */
    source->offset = (uint64_t)((uintptr_t)address - map->l_addr) - 1;
    if (*map->l_name)
        snprintf(source->module, sizeof source->module, "%s", map->l_name);
    else if ((size = readlink("/proc/self/exe", source->module, sizeof source->module - 1)) > 0)
        source->module[size] = 0;
}

/* Looks the source line up with addr2line. Returns 0 if the line is unknown. */
static int ask(const struct pithi_source *source, char *text, size_t size)
{
    char command[512], answer[512] = "", *end;
    FILE *pipe;

    if (strchr(source->module, '\''))
        return 0;
    snprintf(command, sizeof command, "LD_PRELOAD= exec addr2line -e '%s' 0x%llx 2>/dev/null", source->module,
             (unsigned long long)source->offset);
    if (!(pipe = popen(command, "r")))
        return 0;
    end = fgets(answer, sizeof answer, pipe);
    pclose(pipe);
    if (!end || *answer == '?' || strstr(answer, ":?") || strstr(answer, ":0"))
        return 0;
    answer[strcspn(answer, " \n")] = 0;
    snprintf(text, size, "%s", file_name(answer));
    return 1;
}

void pithi_source_print(const struct pithi_source *source, char *text, size_t size)
{
    *text = 0;
    if (*source->module && !ask(source, text, size))
        snprintf(text, size, "%s+0x%llx", file_name(source->module), (unsigned long long)source->offset);
}
