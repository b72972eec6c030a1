/* real.c - finds the MPI library and its functions in the process. This file uses nothing of the recorder.
 *
 * A function is looked up by name at its first call and then kept in a slot, so a later call costs one more read. The
 * wrappers cannot be linked with an MPI library, because they are preloaded into a program that loads an MPI library
 * itself, perhaps another version. In a Python process no MPI library is visible to the linker at all.
 *
 * The second half of this file finds out to which code an address belongs. MPI libraries call MPI functions themselves:
 * an MPI_Barrier may call MPI_Send. Only calls from the program are recorded, and the return address of a call shows
 * where it comes from.
 */
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* An address range of the code of an MPI library, of a tool or of Pith. The section "whose code an address is" uses
 * these ranges. */
struct range {
    uintptr_t begin, end;
    int is_own; /* 1: code of one of Pith's libraries */
};
struct snapshot {
    unsigned long long adds, subs; /* modules loaded and unloaded so far; if they change, the ranges are stale */
    size_t count;
    struct range ranges[]; /* [count] ascending */
};
static struct snapshot *newest; /* atomic */

#ifndef PITHI_STATIC /* in the archive, the linker finds the functions */
/* The kinds of MPI. A program cannot run with the wrappers of another kind, because the kinds differ in handles,
 * constants and MPI_Status. */
static const char mpich[] = "MPICH", open_mpi[] = "Open MPI", abi[] = "the standard ABI of MPI 5 (libmpi_abi)";

/* The MPI library for which this library was built, by path and by name (wrappers.mk). A library of wrappers that the
 * user built may lack this table, so it is weak. */
extern const char *const pithi_mpi_library[2] __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library; /* handle of the MPI library if RTLD_NEXT does not find it */

/* Returns 1 if the file is an MPI library. The names of Pith's own libraries (libpith-mpi.so) do not begin with
 * libmpi. */
static int is_mpi_library(const char *name)
{
    return !strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpich.so", 11) || !strncmp(name, "libmpi_", 7) ||
           !strncmp(name, "libmpich", 8);
}

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
    void **found = context;

    (void)size;
    if (!info->dlpi_name || !is_mpi_library(file_name(info->dlpi_name)))
        return 0;
    void *handle = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
    if (handle && dlsym(handle, "PMPI_Init")) {
        *found = handle;
        return 1;
    }
    if (handle)
        dlclose(handle);
    return 0;
}

void *pithi_real_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol)
        return symbol;
    pthread_mutex_lock(&lock);
    if (!library)
        dl_iterate_phdr(find_library, &library);
    if (library)
        symbol = dlsym(library, name);
    /* Takes MPI_X in place of a missing PMPI_X, because MPICH 5.0's libmpi_abi has no PMPI_File_close. */
    if (library && !symbol && !strncmp(name, "PMPI_", 5))
        symbol = dlsym(library, name + 1);
    pthread_mutex_unlock(&lock);
    return symbol;
}

/* Returns the kind of an MPI library. The file name decides first, because a libmpi_abi may load MPICH's or Open MPI's
 * library. */
static const char *kind_of(const char *file, const void *open_mpi_world)
{
    return !strncmp(file_name(file), "libmpi_abi", 10) ? abi : open_mpi_world ? open_mpi : mpich;
}

/* Returns the kind of the loaded MPI library; NULL if none is loaded. */
static const char *loaded_kind(void)
{
    void *init = pithi_real_symbol("PMPI_Init");
    Dl_info info;

    if (!init)
        return NULL;
    return kind_of(dladdr(init, &info) && info.dli_fname ? info.dli_fname : "",
                   pithi_real_symbol("ompi_mpi_comm_world"));
}

const char *pithi_real_other_kind(void)
{
    const char *kind = loaded_kind();

    return kind && strcmp(kind, PITHI_MPI_KIND) != 0 ? kind : NULL;
}

/* Loads the MPI library if none is loaded. None is loaded if this library came before the MPI library on the program's
 * link command. All MPI functions then come from this library, so the linker leaves out the MPI library
 * (--as-needed). */
static void load_library(void)
{
    for (int i = 0; i < 2 && pithi_mpi_library && !loaded_kind(); i++)
        if (dlopen(pithi_mpi_library[i], RTLD_NOW | RTLD_GLOBAL))
            return;
}

int pithi_real_is_mpi(const void *address)
{
    Dl_info info;
    void *handle = dladdr(address, &info) && is_mpi_library(file_name(info.dli_fname))
                       ? dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
                       : NULL;
    int is_ours = handle && !strcmp(kind_of(info.dli_fname, dlsym(handle, "ompi_mpi_comm_world")), PITHI_MPI_KIND);

    if (handle)
        dlclose(handle);
    dlerror();
    return is_ours;
}

static void give_up(const char *name)
{
    const char *kind = loaded_kind(), *other = pithi_real_other_kind();

    if (!kind)
        fprintf(stderr,
                "pith: the program calls MPI, but no MPI library is loaded that has %s; link it with "
                "-Wl,--no-as-needed\n",
                name);
    else if (other)
        fprintf(stderr,
                "pith: the wrappers loaded are those for " PITHI_MPI_KIND ", but the program uses %s; name it with "
                "pith run --mpi %s\n",
                other,
                other == abi     ? "abi"
                : other == mpich ? "mpich"
                                 : "openmpi");
    else
        fprintf(stderr, "pith: the MPI library has no %s; build Pith with the mpicc of this library\n", name);
    _exit(1);
}

void *pithi_real_find(void **slot, const char *name)
{
    static int checked;
    void *symbol = pithi_real_symbol(name);

    if (!symbol) {
        load_library();
        symbol = pithi_real_symbol(name);
    }
    /* Handles are ints in MPICH and pointers in the other kinds, so wrappers for MPICH would truncate the others'
     * handles. */
    if (!symbol || (!__atomic_load_n(&checked, __ATOMIC_RELAXED) && pithi_real_other_kind()))
        give_up(name);
    __atomic_store_n(&checked, 1, __ATOMIC_RELAXED);
    __atomic_store_n(slot, symbol, __ATOMIC_RELAXED);
    return symbol;
}

/* ---- other tools -------------------------------------------------------------------------------------------------
 * Example: a program is linked with libtool.so, which defines MPI_Send. The loading order is this library (preloaded),
 * the program, libtool.so, libmpi.so. The program's call of MPI_Send comes to this library's wrapper, which calls the
 * tool's MPI_Send as the next one. The tool calls PMPI_Send, which this library defines, too. This PMPI_Send records
 * nothing, because its caller is the tool, and calls libmpi.so. */
__thread const char *pithi_real_pmpi;
enum { TOOLS = 16 };       /* the most tools that are noted */
static void *tools[TOOLS]; /* their load addresses */

/* Returns the function of another tool between this library and MPI; NULL if there is none. Notes the tool, so that its
 * code no longer counts as the user's. */
static void *find_tool(const char *name, void *real)
{
    void *next = dlsym(RTLD_NEXT, name + 1);
    Dl_info tool, mpi;

    if (!next || next == real || !dladdr(next, &tool) || !dladdr(real, &mpi) || tool.dli_fbase == mpi.dli_fbase ||
        is_mpi_library(file_name(tool.dli_fname)) || !strncmp(file_name(tool.dli_fname), "libpith-", 8))
        return NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < TOOLS && tools[i] != tool.dli_fbase; i++)
        if (!tools[i]) {
            __atomic_store_n(&tools[i], tool.dli_fbase, __ATOMIC_RELEASE);
            /* the ranges are built again, because the tool's code no longer counts as the program's */
            __atomic_store_n(&newest, NULL, __ATOMIC_RELEASE);
            break;
        }
    pthread_mutex_unlock(&lock);
    return next;
}

void *pithi_real_next(struct pithi_real_slot *next, const char *name)
{
    void *real = __atomic_load_n(&next->real, __ATOMIC_ACQUIRE);

    if (!real) {
        pithi_real_find(&real, name);
        __atomic_store_n(&next->tool, find_tool(name, real), __ATOMIC_RELAXED);
        __atomic_store_n(&next->real, real, __ATOMIC_RELEASE);
    }
    if (!next->tool) {
        __atomic_store_n(&next->slot, real, __ATOMIC_RELAXED);
        return real;
    }
    if (pithi_real_pmpi && !strcmp(pithi_real_pmpi, name)) {
        pithi_real_pmpi = NULL;
        return real;
    }
    return next->tool;
}

/* See real.h. Searches the program first, and not only the libraries after this one. The linker may have copied the
 * data into the program (a copy relocation), and then only the copy is in use. */
void *pithi_real_data(void **slot, const char *name)
{
    void *data = dlsym(RTLD_DEFAULT, name);

    if (!data)
        data = pithi_real_symbol(name);
    __atomic_store_n(slot, data, __ATOMIC_RELAXED);
    return data;
}

#endif /* not PITHI_STATIC */

/* ---- whose code an address is ---------------------------------------------------------------------------------------
 * Each nested MPI call needs the address ranges of the MPI library's code. A snapshot of the ranges is kept, and
 * rebuilt when modules were loaded or unloaded, because only this changes the ranges. Old snapshots are not freed, as
 * other threads may read them. */
/* Returns 1 if the file is part of an MPI library, or of Pith. Libraries of language bindings do not count, because the
 * user calls MPI through them. */
static int is_inside(const char *name)
{
    static const char *const bindings[] = {"libmpi_mpifh", "libmpi_use",   "libmpi_cxx",  "libmpifort",
                                           "libmpicxx",    "libmpichf",    "libmpichcxx", "libmpi_java",
                                           "libpith-cxx",  "libpith-pcxx", NULL};

    for (int i = 0; bindings[i]; i++)
        if (!strncmp(name, bindings[i], strlen(bindings[i])))
            return 0;
    return !strncmp(name, "libmpi", 6) || !strncmp(name, "libopen-", 8) || !strncmp(name, "libopen_", 8) ||
           !strncmp(name, "mca_", 4) || !strncmp(name, "libmca_", 7) || !strncmp(name, "libpith-", 8) ||
           !strncmp(name, "libucp", 6) || !strncmp(name, "libucs", 6) || !strncmp(name, "libfabric", 9);
}

static int is_tool(const struct dl_phdr_info *info)
{
#ifndef PITHI_STATIC
    for (int i = 0; i < TOOLS && tools[i]; i++)
        if ((ElfW(Addr))tools[i] == info->dlpi_addr)
            return 1;
#else
    (void)info;
#endif
    return 0;
}

static int count_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
    struct snapshot **snapshot = context;
    int is_own = info->dlpi_name && !strncmp(file_name(info->dlpi_name), "libpith-", 8);

    (void)size;
    (*snapshot)->adds = info->dlpi_adds;
    (*snapshot)->subs = info->dlpi_subs;
    if (!info->dlpi_name || (!is_inside(file_name(info->dlpi_name)) && !is_tool(info)))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        size_t count = (*snapshot)->count + 1;
        struct snapshot *larger = realloc(*snapshot, sizeof **snapshot + count * sizeof(struct range));
        if (!larger)
            return 1;
        *snapshot = larger;
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        larger->ranges[count - 1] = (struct range){begin, begin + segment->p_memsz, is_own};
        larger->count = count;
    }
    return 0;
}

static int loaded_objects(struct dl_phdr_info *info, size_t size, void *context)
{
    struct snapshot *now = context;

    (void)size;
    now->adds = info->dlpi_adds;
    now->subs = info->dlpi_subs;
    return 1; /* ends the iteration, because each module has the same counts */
}

static const struct snapshot *snapshot_get(void)
{
    struct snapshot now = {0}, *held = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);

    dl_iterate_phdr(loaded_objects, &now);
    if (held && held->adds == now.adds && held->subs == now.subs)
        return held;
    struct snapshot *made = calloc(1, sizeof *made);
    if (!made)
        return held;
    dl_iterate_phdr(count_ranges, &made);
    __atomic_store_n(&newest, made, __ATOMIC_RELEASE);
    return made;
}

/* Returns the range that contains the address; NULL if there is none. */
static const struct range *range_of(const void *address)
{
    const struct snapshot *snapshot = snapshot_get();

    for (size_t i = 0; snapshot && i < snapshot->count; i++)
        if ((uintptr_t)address - snapshot->ranges[i].begin < snapshot->ranges[i].end - snapshot->ranges[i].begin)
            return &snapshot->ranges[i];
    return NULL;
}

int pithi_real_is_user(const void *address) { return !range_of(address); }

/* A callback given to MPI may end in a jump to an MPI function (a tail call). The return address is then in MPI's own
 * code, after the instruction that called the callback. So the instruction before the return address is decoded. The
 * MPI library makes its own calls by name: through an address in the instruction (E8), or through the table of
 * addresses near the code (FF 15). Calls of callbacks go through a register or a pointer in memory. Decoding backwards
 * is ambiguous, so the target of a direct call must be in the MPI library's code. Pith's wrappers also call the MPI
 * library through pointers, and a function of the MPI library may end in a jump to an MPI function, too. So a return
 * address in Pith's code never counts as that of a callback. */
#if defined(__x86_64__)
static int is_by_name(const unsigned char *after)
{
    int32_t distance;

    if (after[-6] == 0xff && after[-5] == 0x15)
        return 1;
    if (after[-5] != 0xe8)
        return 0;
    memcpy(&distance, after - 4, sizeof distance);
    return !pithi_real_is_user(after + distance);
}
static int is_by_pointer(const unsigned char *after)
{
    /* The forms of an indirect call (FF /2): through a register (2 bytes), or through memory; there, the displacement
     * has 0, 8 or 32 bits, and there may be an index register. */
    static const struct {
        int length;
        unsigned char mask, form;
    } forms[] = {{2, 0xf8, 0xd0}, {2, 0xf8, 0x10}, {3, 0xf8, 0x50}, {4, 0xff, 0x54},
                 {6, 0xf8, 0x90}, {7, 0xff, 0x94}, {3, 0xff, 0x14}};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (after[-forms[i].length] == 0xff && (after[1 - forms[i].length] & forms[i].mask) == forms[i].form)
            return 1;
    return 0;
}
static int calls_by_pointer(const void *address) { return !is_by_name(address) && is_by_pointer(address); }
#elif defined(__aarch64__)
static int calls_by_pointer(const void *address)
{
    uint32_t before;

    memcpy(&before, (const char *)address - sizeof before, sizeof before);
    return (before & 0xfffffc1fu) == 0xd63f0000u; /* blr */
}
#else
static int calls_by_pointer(const void *address) { return (void)address, 0; }
#endif

int pithi_real_is_callback(const void *address)
{
    const struct range *range = range_of(address);

    return range && !range->is_own && calls_by_pointer(address);
}
