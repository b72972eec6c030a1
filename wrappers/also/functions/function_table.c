/* function_table.c - the functions of the program by their addresses.
 *
 * Most are looked up when this library is loaded, those of a library that is loaded later at the first call of one of
 * them. That may be in a signal handler, or in a function that an allocator calls while it holds its locks. So another
 * program reads the files (names/function_names.c, which needs malloc), and memory here comes from mmap. */
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
#include <sys/syscall.h>
#include <unistd.h>

#include "pith_tool.h"

static struct pithi_traced unwanted; /* functions that are not recorded need no entries of their own */

/* A hash table, at most half full. It is replaced when it grows: a thread may still search the old one. */
struct table {
    size_t room, count;           /* room: a power of 2 */
    struct pithi_traced *slots[]; /* [room] by hash of the address; NULL: free; atomic */
};
static struct table *table; /* atomic */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Memory, all 0, that stays; NULL: there is none. Under the lock. */
static void *room_for(size_t size)
{
    enum { BLOCK = 1 << 18 }; /* bytes of memory taken at once */
    static char *next, *end;
    size_t rounded = (size + 15) & ~(size_t)15, block = rounded < BLOCK ? BLOCK : rounded;
    long made;

    if ((size_t)(end - next) < rounded) {
        made = syscall(SYS_mmap, NULL, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        if (made == -1)
            return NULL;
        next = (char *)made;
        end = next + block;
    }
    next += rounded;
    return next - rounded;
}

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

/* Under the lock. The first name counts: several symbols may have one address. `name` must stay valid. */
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

/* Programs and libraries. They are read once, also if they have no symbols. */
struct module {
    struct module *next; /* newest first */
    uintptr_t bias;      /* address in this process - address in the file */
    char path[];
};

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

/* The next text of those up to `end`; NULL: there is none. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *ends = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

    if (ends)
        *at = ends + 1;
    return ends ? text : NULL;
}

static struct module *waiting[PITH_NAMES_FILES]; /* under the lock */
static unsigned waiting_count;

static void read_modules(void)
{
    if (!waiting_count)
        return;
    const char *files[PITH_NAMES_FILES + 1];
    char self[32];
    struct stat status;
    long text;
    int first = memfd_create("pith-functions", MFD_CLOEXEC), out = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, 3);

    snprintf(self, sizeof self, "/proc/%ld/exe", (long)getpid());
    for (unsigned i = 0; i < waiting_count; i++)
        files[i] = *waiting[i]->path ? waiting[i]->path : self;
    files[waiting_count] = NULL;
    if (out >= 0 && pith_function_names(files, out) == 0 && fstat(out, &status) == 0 && status.st_size > 0) {
        text = syscall(SYS_mmap, NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, out, 0L);
        if (text != -1) {
            /* The names stay where the other program has written them. */
            const char *at = (const char *)text;
            const char *end = (const char *)text + status.st_size;
            const char *number, *address, *name, *source;
            while ((number = next_text(&at, end)) && (address = next_text(&at, end)) && (name = next_text(&at, end)) &&
                   (source = next_text(&at, end)))
                add(waiting[atoi(number)]->bias + (uintptr_t)strtoull(address, NULL, 16), name,
                    *source ? source : NULL);
        }
    }
    if (out >= 0)
        close(out);
    if (first >= 0)
        close(first);
    waiting_count = 0;
}

static void add_module(const char *path, uintptr_t bias)
{
    struct module *module = read_before(path, bias);

    if (!module)
        return;
    waiting[waiting_count++] = module;
    if (waiting_count == sizeof waiting / sizeof waiting[0])
        read_modules();
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

/* ---- Later ------------------------------------------------------------------------------------------------------- */

struct wanted {
    uintptr_t address, bias; /* of the function; of its module */
    char path[4096];         /* the file in which to look */
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
