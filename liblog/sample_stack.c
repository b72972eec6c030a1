/* sample_stack.c - the call stack of an interrupted thread, and the modules that its addresses lie in. */
#include "sample.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
#define HAVE_FIND 1
#else
#define HAVE_FIND 0
#endif

struct registers {
    uint64_t pc, sp, frame;
};

#if defined(__x86_64__)
static struct registers registers_of(const ucontext_t *context)
{
    const greg_t *r = context->uc_mcontext.gregs;
    return (struct registers){(uint64_t)r[REG_RIP], (uint64_t)r[REG_RSP], (uint64_t)r[REG_RBP]};
}
#elif defined(__aarch64__)
static struct registers registers_of(const ucontext_t *context)
{
    return (struct registers){context->uc_mcontext.pc, context->uc_mcontext.sp, context->uc_mcontext.regs[29]};
}
#else
#define NO_REGISTERS 1
static struct registers registers_of(const ucontext_t *context)
{
    (void)context;
    return (struct registers){0, 0, 0};
}
#endif

/* ---- Modules ----------------------------------------------------------------------------------------------------- */

#if HAVE_FIND && !defined(NO_REGISTERS)
/* Looks for the build id in the notes of a loaded file, whose header is at its first address. */
static void find_build_id(struct pithi_module *module)
{
    const unsigned char *base = (const unsigned char *)(uintptr_t)module->begin;
    const ElfW(Ehdr) *header = (const void *)base;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return;
    const ElfW(Phdr) *segment = (const void *)(base + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        uint64_t at = module->bias + segment[i].p_vaddr, end = at + segment[i].p_memsz;
        if (segment[i].p_type != PT_NOTE || at < module->begin || end > module->end || end < at)
            continue;
        while (end - at >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)(uintptr_t)at;
            uint64_t name = at + sizeof *note, text = name + ((note->n_namesz + UINT64_C(3)) & ~UINT64_C(3));
            uint64_t next = text + ((note->n_descsz + UINT64_C(3)) & ~UINT64_C(3));
            if (next > end)
                break;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
                memcmp((void *)(uintptr_t)name, "GNU", 4) == 0) {
                module->build_id = (const unsigned char *)(uintptr_t)text;
                module->build_id_bytes = note->n_descsz;
                return;
            }
            at = next;
        }
    }
}

int pithi_module_find(uint64_t address, struct pithi_module *module)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0)
        return 0;
    module->begin = (uint64_t)(uintptr_t)found.dlfo_map_start;
    module->end = (uint64_t)(uintptr_t)found.dlfo_map_end;
    module->bias = found.dlfo_link_map->l_addr;
    module->path = found.dlfo_link_map->l_name != NULL ? found.dlfo_link_map->l_name : "";
    module->build_id_bytes = 0;
    find_build_id(module);
    return 1;
}
#else
int pithi_module_find(uint64_t address, struct pithi_module *module)
{
    (void)address;
    (void)module;
    return 0;
}
#endif

/* ---- The stack --------------------------------------------------------------------------------------------------- */

/* The mapping that holds this thread's stack, or the stack that it was on last. */
static __thread struct {
    uint64_t begin, end;
} stack __attribute__((tls_model("initial-exec")));

/* Reads /proc/self/maps for the readable mapping that contains `sp`, without malloc. */
static int find_stack(uint64_t sp)
{
    char text[4096];
    uint64_t numbers[2] = {0, 0};
    int field = 0, found = 0; /* field: 0 begin, 1 end, 2 permissions, 3 the rest of the line */
    ssize_t size;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (!found && (size = read(fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < size && !found; i++) {
            char c = text[i];
            if (c == '\n') {
                field = 0;
                numbers[0] = numbers[1] = 0;
            } else if (field < 2 && (c == '-' || c == ' ')) {
                field++;
            } else if (field < 2) {
                numbers[field] = numbers[field] << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
            } else if (field == 2) {
                found = c == 'r' && sp >= numbers[0] && sp < numbers[1];
                field = 3;
            }
        }
    close(fd);
    stack.begin = found ? numbers[0] : 0;
    stack.end = found ? numbers[1] : 0;
    return found;
}

static uint64_t word_at(uint64_t address) { return *(const uint64_t *)(uintptr_t)address; }

unsigned pithi_sample_stack(const ucontext_t *context, uint64_t *addresses, unsigned most)
{
    struct registers r = registers_of(context);
    struct pithi_module module;
    unsigned count = 0;
    if (r.pc == 0)
        return 0;
    addresses[count++] = r.pc;
    if ((r.sp < stack.begin || r.sp >= stack.end) && !find_stack(r.sp))
        return count;
    while (count < most && r.frame >= r.sp && r.frame % 8 == 0 && r.frame + 16 <= stack.end) {
        uint64_t caller = word_at(r.frame + 8);
        if (!pithi_module_find(caller, &module))
            break;
        addresses[count++] = caller;
        r.sp = r.frame + 16;
        r.frame = word_at(r.frame);
    }
    return count;
}
