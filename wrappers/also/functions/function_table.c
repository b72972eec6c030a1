/* function_table.c - the functions of the program by their addresses.
 *
 * All are looked up when the library is loaded, because a hook may run in a signal handler, which must not call malloc.
 * The names are those that `pith stat --by function` shows for samples (code_file.h). */
#include "functions.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/code_file.h"

static struct pithi_traced unwanted; /* functions that are not recorded need no entries of their own */

/* A hash table, at most half full. It is replaced when it grows: a thread may still search the old one. */
struct table {
    size_t room, count; /* room: a power of 2 */
    struct pithi_traced *slots[];
};
static struct table *table; /* atomic */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The slot of an address, or the free one where it belongs. */
static struct pithi_traced **slot_of(struct table *in, uintptr_t address)
{
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20);

    while (in->slots[i & (in->room - 1)] && in->slots[i & (in->room - 1)]->address != address)
        i++;
    return &in->slots[i & (in->room - 1)];
}

static struct table *grow(struct table *old)
{
    size_t room = old ? 4 * old->room : 4096;
    struct table *made = calloc(1, sizeof *made + room * sizeof made->slots[0]);

    if (!made)
        return NULL;
    made->room = room;
    for (size_t i = 0; old && i < old->room; i++)
        if (old->slots[i]) {
            *slot_of(made, old->slots[i]->address) = old->slots[i];
            made->count++;
        }
    return made;
}

/* Under the lock. The first name counts: several symbols may have one address. */
static void add(uintptr_t address, const char *name, const char *source)
{
    struct table *in = table;
    struct pithi_traced **slot, *made;

    if (!in || 2 * in->count >= in->room) {
        if (!(in = grow(table)))
            return;
        __atomic_store_n(&table, in, __ATOMIC_RELEASE);
    }
    slot = slot_of(in, address);
    if (*slot || !(made = calloc(1, sizeof *made)))
        return;
    made->address = address;
    made->name = pithi_traced_filter(name, source) ? strdup(name) : NULL;
    in->count++;
    __atomic_store_n(slot, made, __ATOMIC_RELEASE);
}

/* ---- The functions of a file ------------------------------------------------------------------------------------- */

struct module {
    struct pithi_code_file *file;
    uintptr_t bias; /* address in this process - address in the file */
};

static void add_function(void *context, uint64_t address)
{
    const struct module *module = context;
    struct pithi_code_frame frames[PITHI_CODE_FRAMES];
    unsigned count = pithi_code_file_find(module->file, address, frames);

    if (count)
        add(module->bias + address, frames[count - 1].name, frames[count - 1].source);
}

static void read_module(const char *path, uintptr_t bias)
{
    struct module module = {pithi_code_file_open(*path ? path : "/proc/self/exe", ""), bias};

    if (!module.file)
        return;
    pithi_code_file_each(module.file, add_function, &module);
    pithi_code_file_close(module.file);
}

/* Libraries of the system, and Pith's own, are not instrumented. If one is, it is read at its first call. */
static int is_system(const char *path)
{
    static const char *const folders[] = {"/lib", "/usr/lib", "linux-vdso", "linux-gate"};
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return 1;
    return slash && !strncmp(slash + 1, "libpith", 7);
}

static int read_early(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!is_system(info->dlpi_name))
        read_module(info->dlpi_name, info->dlpi_addr);
    return 0;
}

void pithi_traced_read(void)
{
    pthread_mutex_lock(&lock);
    dl_iterate_phdr(read_early, NULL);
    pthread_mutex_unlock(&lock);
}

/* ---- Later ------------------------------------------------------------------------------------------------------- */

struct wanted {
    uintptr_t address, bias;
    char path[4096];
};

static int find_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct wanted *wanted = context;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD &&
            wanted->address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz) {
            wanted->bias = info->dlpi_addr;
            snprintf(wanted->path, sizeof wanted->path, "%s", info->dlpi_name);
            return 1;
        }
    return 0;
}

/* Under the lock. A function that has no symbol gets its file and its address there as a name. */
static void add_later(uintptr_t address)
{
    struct wanted wanted = {.address = address};
    char name[320];
    int found = dl_iterate_phdr(find_module, &wanted);
    const char *slash = strrchr(wanted.path, '/');

    if (found)
        read_module(wanted.path, wanted.bias);
    snprintf(name, sizeof name, "%.256s+0x%llx",
             slash   ? slash + 1
             : found ? "program"
                     : "unknown",
             (unsigned long long)(address - wanted.bias));
    add(address, name, NULL);
}

struct pithi_traced *pithi_traced_find(uintptr_t address)
{
    static __thread int is_adding __attribute__((tls_model("initial-exec")));
    struct table *in = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    struct pithi_traced *found = in ? __atomic_load_n(slot_of(in, address), __ATOMIC_ACQUIRE) : NULL;

    /* Nothing is added unless it may be recorded: in a forked child, a thread that is not there may hold the lock. */
    if (found || is_adding || !pithi_also_wanted(NULL))
        return found ? found : &unwanted;
    is_adding = 1;
    int saved = errno;
    pthread_mutex_lock(&lock);
    if (!table || !*slot_of(table, address))
        add_later(address);
    if (table && *slot_of(table, address))
        found = *slot_of(table, address);
    pthread_mutex_unlock(&lock);
    errno = saved;
    is_adding = 0;
    return found ? found : &unwanted;
}
