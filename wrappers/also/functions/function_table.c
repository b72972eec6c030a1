/* function_table.c - finds the functions of the program by their addresses.
 *
 * Most names are read when this library is loaded. If a library is loaded later, its names are read at the first call
 * of one of its functions. This call may come from a signal handler, or from an allocator that holds its locks, so the
 * code here must not call malloc. It takes memory from mmap, and another program (names/function_names.c), which may
 * call malloc, reads the files. */
#include "functions.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pith_tool.h"

/* What pithi_traced_find returns for a function that it cannot add to the table. The name is NULL, so the function is
 * not recorded. */
static struct pithi_traced unwanted;

/* A hash table of functions by address, at most half full. Before it gets fuller, a larger table replaces it. The old
 * table is never freed, because a thread may still be searching it. */
struct table {
    size_t room, count;           /* room: a power of 2 */
    struct pithi_traced *slots[]; /* [room], by the hash of the address; NULL: unused; accessed atomically */
};
static struct table *table;                              /* accessed atomically; NULL: none yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while anything is added */

/* Returns zeroed memory, which is never freed; NULL if there is no memory. The caller holds the lock. */
static void *room_for(size_t size)
{
    enum { BLOCK = 1 << 18 }; /* bytes of memory taken at once */
    static char *next, *end;
    size_t rounded = (size + 15) & ~(size_t)15, block = rounded < BLOCK ? BLOCK : rounded;
    char *made;

    if ((size_t)(end - next) < rounded) {
        if (!(made = pithi_also_map(-1, block)))
            return NULL;
        next = made;
        end = next + block;
    }
    next += rounded;
    return next - rounded;
}

/* Returns the slot of an address, or the unused slot where this address would go. */
static struct pithi_traced **slot_of(struct table *in, uintptr_t address)
{
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20);

    while (in->slots[i & (in->room - 1)] && in->slots[i & (in->room - 1)]->address != address)
        i++;
    return &in->slots[i & (in->room - 1)];
}

/* Returns a larger copy of a table; NULL if there is no memory. */
static struct table *grow(struct table *old)
{
    size_t room = old ? 4 * old->room : 4096;
    struct table *made = room_for(sizeof *made + room * sizeof made->slots[0]);

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

/* Adds a function. If several symbols have its address, the first one counts. `name` must stay valid. The caller holds
 * the lock. */
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
    if (*slot || !(made = room_for(sizeof *made)))
        return;
    made->address = address;
    made->name = pithi_traced_filter(name, source) ? name : NULL;
    in->count++;
    __atomic_store_n(slot, made, __ATOMIC_RELEASE);
}

/* ---- The functions of files -------------------------------------------------------------------------------------- */

/* A program or library whose functions were read. A file that could not be read gets such a struct, too, so that it is
 * not read again at each call of its functions. */
struct module {
    struct module *next; /* the module that was added before this one */
    uintptr_t bias;      /* address in this process - address in the file */
    char path[];
};

/* Adds the module to the list of modules that were read, and returns it. Returns NULL if the module is in the list
 * already or there is no memory. */
static struct module *read_before(const char *path, uintptr_t bias)
{
    static struct module *all;
    struct module *module = all;

    while (module && (module->bias != bias || strcmp(module->path, path) != 0))
        module = module->next;
    if (module || !(module = room_for(sizeof *module + strlen(path) + 1)))
        return NULL;
    strcpy(module->path, path);
    module->bias = bias;
    module->next = all;
    return all = module;
}

/* Returns the text at *at and moves *at behind the text's final 0. Returns NULL if no 0 comes before `end`. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *ends = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

    if (ends)
        *at = ends + 1;
    return ends ? text : NULL;
}

static struct module *waiting[PITH_NAMES_FILES]; /* read_modules will read these; protected by the lock */
static unsigned waiting_count;

/* Reads the functions of all waiting modules with one run of pith-functions. */
static void read_modules(void)
{
    if (!waiting_count)
        return;
    const char *files[PITH_NAMES_FILES + 1];
    char self[32];
    struct stat status;
    int first = memfd_create("pith-functions", MFD_CLOEXEC), out = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, 3);

    snprintf(self, sizeof self, "/proc/%ld/exe", (long)getpid());
    for (unsigned i = 0; i < waiting_count; i++)
        files[i] = *waiting[i]->path ? waiting[i]->path : self;
    files[waiting_count] = NULL;
    if (out >= 0 && pith_function_names(files, out) == 0 && fstat(out, &status) == 0 && status.st_size > 0) {
        /* pith-functions wrote the names into `out`. The table points into this mapping, so it is never unmapped. */
        const char *at = pithi_also_map(out, (size_t)status.st_size), *end = at ? at + status.st_size : NULL;
        const char *number, *address, *name, *source;
        while ((number = next_text(&at, end)) && (address = next_text(&at, end)) && (name = next_text(&at, end)) &&
               (source = next_text(&at, end)))
            add(waiting[atoi(number)]->bias + (uintptr_t)strtoull(address, NULL, 16), name, *source ? source : NULL);
    }
    if (out >= 0)
        close(out);
    if (first >= 0)
        close(first);
    waiting_count = 0;
}

/* Puts a module on the list of modules to be read, unless it was read before. */
static void add_module(const char *path, uintptr_t bias)
{
    struct module *module = read_before(path, bias);

    if (!module)
        return;
    waiting[waiting_count++] = module;
    if (waiting_count == sizeof waiting / sizeof waiting[0])
        read_modules();
}

/* Returns 1 for a library of the system or of Pith. Such libraries are rarely compiled with instrumentation, so they
 * are not read at the start. The names of an instrumented one are read at the first call of its functions. */
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
        add_module(info->dlpi_name, info->dlpi_addr);
    return 0;
}

void pithi_traced_read(void)
{
    pthread_mutex_lock(&lock);
    dl_iterate_phdr(read_early, NULL);
    read_modules();
    pthread_mutex_unlock(&lock);
}

/* ---- Functions of libraries that are loaded later ---------------------------------------------------------------- */

struct wanted {
    uintptr_t address, bias; /* the function's address; the bias of its module, as in struct module */
    char path[4096];         /* the path of its module's file; "": the program itself */
};

/* Called by dl_iterate_phdr for each module. At the module that contains the wanted address, stores the module's bias
 * and path in *context, and returns 1, which ends the search. */
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

/* Adds the function at an address that is not in the table. A function without a symbol gets a name from its file's
 * name and its address in this file. The caller holds the lock. */
static void add_later(uintptr_t address)
{
    struct wanted wanted = {.address = address};
    char name[320], *kept;
    int found = dl_iterate_phdr(find_module, &wanted);
    const char *slash = strrchr(wanted.path, '/');

    if (found)
        add_module(wanted.path, wanted.bias);
    read_modules();
    if (table && *slot_of(table, address))
        return;
    snprintf(name, sizeof name, "%.256s+0x%llx",
             slash   ? slash + 1
             : found ? "program"
                     : "unknown",
             (unsigned long long)(address - wanted.bias));
    if ((kept = room_for(strlen(name) + 1)))
        add(address, strcpy(kept, name), NULL);
}

struct pithi_traced *pithi_traced_find(uintptr_t address)
{
    static __thread int is_adding __attribute__((tls_model("initial-exec")));
    struct table *in = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    struct pithi_traced *found = in ? __atomic_load_n(slot_of(in, address), __ATOMIC_ACQUIRE) : NULL;

    /* Adding the function takes the lock, which would never be free in two cases. If this call comes from a signal
     * handler, this thread may hold the lock already (is_adding). In a forked child, where nothing is recorded, the
     * lock may be held by a thread that the child does not have. */
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
