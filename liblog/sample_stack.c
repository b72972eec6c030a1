/* sample_stack.c - the call stack of an interrupted thread, and the modules (loaded files) that contain its addresses.
 *
 * A step up the stack needs a rule for the present address (unwind.c): where the caller's stack pointer, frame pointer
 * and return address are. Finding a rule in the tables takes long and the same addresses come again and again, so rules
 * are cached.
 *
 *     pc in `dot`       rule: CFA = stack pointer + 8, return address at CFA - 8         -> pc in `solve`
 *     pc in `solve`     rule: CFA = frame pointer + 16, return address at CFA - 8,
 *                       the caller's frame pointer at CFA - 16                           -> pc in `main`
 *
 * A return address is the address of the instruction after the call. If the call is a function's last instruction, the
 * instruction after it belongs to the next function. So a caller is looked up by its address minus 1, the interrupted
 * function by its exact address.
 *
 * The stack of a thread may be damaged, or a rule wrong. So a word is only read from a page that can be read, and each
 * step must go up the stack. */
#include "sample.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unwind.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 35) &&                                                                                           \
    (defined(__x86_64__) || defined(__aarch64__)) /* _dl_find_object, and registers known here */
#define HAVE_STACKS 1
#endif
#endif

#ifdef HAVE_STACKS
struct registers {
    uint64_t pc, sp, frame; /* program counter, stack pointer, frame pointer */
    uint64_t link;          /* the return address before it is saved (arm64) */
};

/* The kernel's frame below a handler is, from the stack pointer on: a ucontext_t (x86-64), or a siginfo_t of 128 bytes
 * and then a ucontext_t (arm64). */
#if defined(__x86_64__)
enum { SIGNAL_CONTEXT = 0, LAST_REGISTER = offsetof(ucontext_t, uc_mcontext.gregs) + 8 * REG_RIP };
static struct registers registers_of(const ucontext_t *context)
{
    const greg_t *r = context->uc_mcontext.gregs;
    return (struct registers){(uint64_t)r[REG_RIP], (uint64_t)r[REG_RSP], (uint64_t)r[REG_RBP], 0};
}
static inline __attribute__((always_inline)) struct registers registers_here(void)
{
    struct registers r = {0, 0, 0, 0};
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2" : "=&r"(r.pc), "=&r"(r.sp), "=&r"(r.frame));
    return r;
}
static uint64_t without_signature(uint64_t pc) { return pc; }
#else
enum { SIGNAL_CONTEXT = 128, LAST_REGISTER = offsetof(ucontext_t, uc_mcontext.pc) };
static struct registers registers_of(const ucontext_t *context)
{
    const mcontext_t *r = &context->uc_mcontext;
    return (struct registers){r->pc, r->sp, r->regs[29], r->regs[30]};
}
static inline __attribute__((always_inline)) struct registers registers_here(void)
{
    struct registers r;
    __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"
                     : "=&r"(r.pc), "=&r"(r.sp), "=&r"(r.frame), "=&r"(r.link));
    return r;
}
static uint64_t without_signature(uint64_t pc) { return pc & ((UINT64_C(1) << 48) - 1); }
#endif

/* ---- Modules ----------------------------------------------------------------------------------------------------- */

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

/* ---- The stack --------------------------------------------------------------------------------------------------- */

enum { PAGE = 4096, RULES = 1024 };
static const uint64_t longest_frame = UINT64_C(1) << 30; /* bytes; a larger step means a wrong rule */

/* Reads a word from an address that may be unmapped. Returns 0 if it cannot be read. For each new page, a cheap call of
 * rt_sigprocmask with an unknown first argument shows whether the page can be read: the kernel first copies the 8 bytes
 * of the signal set from there, and only then refuses that argument with EINVAL. Only EINVAL counts as yes, because a
 * filter of system calls returns other errors. `*page`: the last page found readable, or 0. */
static int word_at(uint64_t address, uint64_t *page, uint64_t *word)
{
    if (address % 8 != 0 || address < PAGE)
        return 0;
    if (address / PAGE != *page) {
        if (syscall(SYS_rt_sigprocmask, -1, address, NULL, (size_t)8) == 0 || errno != EINVAL)
            return 0;
        *page = address / PAGE;
    }
    *word = *(const uint64_t *)(uintptr_t)address;
    return 1;
}

/* The rules found so far, by address: a hash table without a lock. Each word is read and written atomically, and
 * `check` is the exclusive or of the key and both words. So a mix of two rules, written by two threads at once, is not
 * used. */
static struct slot {
    uint64_t check, words[2];
} slots[RULES];

static int find_rule(const struct dl_find_object *found, uint64_t pc, struct pithi_unwind_rule *rule)
{
    struct pithi_unwind_file file = {(uint64_t)(uintptr_t)found->dlfo_map_start,
                                     (uint64_t)(uintptr_t)found->dlfo_map_end,
                                     (uint64_t)(uintptr_t)found->dlfo_eh_frame};
    uint64_t key = pc ^ file.table << 17, words[2];
    struct slot *slot = &slots[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    _Static_assert(sizeof *rule == sizeof words, "a rule is two words");
    words[0] = __atomic_load_n(&slot->words[0], __ATOMIC_RELAXED);
    words[1] = __atomic_load_n(&slot->words[1], __ATOMIC_RELAXED);
    if ((__atomic_load_n(&slot->check, __ATOMIC_RELAXED) ^ words[0] ^ words[1]) == key && words[1] != 0) {
        memcpy(rule, words, sizeof words);
        return 1;
    }
    if (!pithi_unwind_rule(&file, pc, rule))
        return 0;
    memcpy(words, rule, sizeof words);
    __atomic_store_n(&slot->words[0], words[0], __ATOMIC_RELAXED);
    __atomic_store_n(&slot->words[1], words[1], __ATOMIC_RELAXED);
    __atomic_store_n(&slot->check, key ^ words[0] ^ words[1], __ATOMIC_RELAXED);
    return 1;
}

/* A walk up a stack: the registers in the function reached so far. */
struct walk {
    struct registers r;
    uint64_t page; /* the last page that word_at could read */
    int exact;     /* 1: r.pc is the instruction that runs next; 0: a return address */
};

/* Stores in *value the caller's register that the rule finds by `where`. Returns 0 if it cannot be read. */
static int saved_word(struct walk *w, unsigned where, int32_t offset, uint64_t cfa, uint64_t *value)
{
    if (where == PITHI_SAVED_NOWHERE)
        return 1;
    if (where == PITHI_SAVED_UNKNOWN) {
        *value = 0;
        return 1;
    }
    return word_at((where == PITHI_SAVED_AT_CFA ? cfa : w->r.frame) + (uint64_t)(int64_t)offset, &w->page, value);
}

/* Passes over the kernel's frame of a signal: continues with the registers of the interrupted function. */
static int interrupted(struct walk *w)
{
    uint64_t at = w->r.sp + SIGNAL_CONTEXT, word;
    if (at % 8 != 0 || !word_at(at, &w->page, &word) || !word_at(at + LAST_REGISTER, &w->page, &word))
        return 0;
    w->r = registers_of((const ucontext_t *)(uintptr_t)at);
    w->exact = 1;
    return 1;
}

static int apply_rule(struct walk *w, const struct pithi_unwind_rule *rule)
{
    struct registers next = w->r;
    uint64_t cfa = 0;
    if (rule->is_signal) /* the kernel saved the registers at the stack pointer */
        return interrupted(w);
    if (rule->cfa == PITHI_CFA_STACK)
        cfa = w->r.sp + (uint64_t)(int64_t)rule->cfa_offset;
    else if (rule->cfa == PITHI_CFA_FRAME)
        cfa = w->r.frame + (uint64_t)(int64_t)rule->cfa_offset;
    else if (!word_at(w->r.frame + (uint64_t)(int64_t)rule->cfa_offset, &w->page, &cfa))
        return 0;
    /* only the innermost function may still have its return address in a register */
    if (rule->pc_saved == PITHI_SAVED_NOWHERE && !w->exact)
        return 0;
    next.pc = w->r.link;
    if (cfa < w->r.sp + (rule->pc_saved != PITHI_SAVED_NOWHERE) || cfa - w->r.sp > longest_frame ||
        !saved_word(w, rule->pc_saved, rule->pc_offset, cfa, &next.pc) ||
        !saved_word(w, rule->frame_saved, rule->frame_offset, cfa, &next.frame))
        return 0;
    next.pc = without_signature(next.pc);
    next.sp = cfa;
    w->r = next;
    w->exact = 0;
    return 1;
}

/* Called without a rule: assumes a frame pointer, which points to the caller's frame pointer and the return address
 * above it. */
static int follow_frame_pointer(struct walk *w)
{
    uint64_t frame = w->r.frame, caller, next;
    if (frame < w->r.sp || frame - w->r.sp > longest_frame || !word_at(frame, &w->page, &next) ||
        !word_at(frame + 8, &w->page, &caller))
        return 0;
    w->r = (struct registers){.pc = without_signature(caller), .sp = frame + 16, .frame = next};
    w->exact = 0;
    return 1;
}

static unsigned walk_up(struct registers from, uint64_t *addresses, unsigned most)
{
    struct walk w = {.r = from, .exact = 1};
    struct dl_find_object found;
    struct pithi_unwind_rule rule;
    unsigned count = 0, known_count = 1; /* addresses up to the last one in a module; later ones may not be code */
    while (count < most && w.r.pc >= PAGE) {
        uint64_t pc = w.r.pc - !w.exact; /* a call may be the last instruction of a function */
        int known = _dl_find_object((void *)(uintptr_t)pc, &found) == 0;
        addresses[count++] = w.r.pc;
        if (known)
            known_count = count;
        if (known && find_rule(&found, pc, &rule)) {
            if (rule.is_last || !apply_rule(&w, &rule))
                break;
        } else if (!follow_frame_pointer(&w)) {
            break;
        }
    }
    if (count == most && w.r.pc >= PAGE)
        addresses[(known_count = count) - 1] = 0;
    return known_count < count ? known_count : count;
}

unsigned pithi_sample_stack(const ucontext_t *context, uint64_t *addresses, unsigned most)
{
    return walk_up(registers_of(context), addresses, most);
}

unsigned pithi_own_stack(uint64_t *addresses, unsigned most) { return walk_up(registers_here(), addresses, most); }
#else
int pithi_module_find(uint64_t address, struct pithi_module *module)
{
    (void)address;
    (void)module;
    return 0;
}
unsigned pithi_own_stack(uint64_t *addresses, unsigned most)
{
    (void)addresses;
    (void)most;
    return 0;
}
unsigned pithi_sample_stack(const ucontext_t *context, uint64_t *addresses, unsigned most)
{
    (void)context;
    (void)addresses;
    (void)most;
    return 0;
}
#endif
