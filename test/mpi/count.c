/* count.c - counts a program's MPI calls without Pith: the independent witness of test_real.sh.
 *
 *     COUNT_OUT=FOLDER LD_PRELOAD=count.so prog      writes FOLDER/RANK: a line "NAME COUNT" for each function called
 *
 * Nothing like the generated wrappers, on purpose: every function is the same two instructions, whatever its arguments,
 * for none is touched; count_common counts and jumps on to the next definition of the symbol. The caller's return
 * address stays where it is, so no prototype is needed.
 *
 * Only the program's own calls count: those that return to neither the MPI library nor one of its plug-ins. Fortran's
 * entries (mpi_send_, mpi_send_f08_ ...) count under the C name; what they call in turn returns into the library.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the trampolines are for x86-64"
#endif

struct entry {
    const char *symbol, *name;
    void *next;
    uint64_t count;
};
extern struct entry __start_count_entries[], __stop_count_entries[];

#define F(symbol, name)                                                                                                \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ",@function\n" #symbol ":\n"                                   \
            "    leaq 7f(%rip), %r11\n    jmp count_common\n"                                                          \
            ".section count_entries,\"aw\"\n7: .quad 8f, 9f, 0, 0\n"                                                   \
            ".section .rodata\n8: .asciz \"" #symbol "\"\n9: .asciz \"" #name "\"\n.text\n");
#include "count_names.h" /* F(symbol, name) for all that the MPI libraries export: made by nm, see test/check.mk */

/* Every register that may hold an argument is put aside (rax: variable arguments). */
__asm__(
    ".text\ncount_common:\n"
    "    pushq %rax\n    pushq %rdi\n    pushq %rsi\n    pushq %rdx\n    pushq %rcx\n    pushq %r8\n    pushq %r9\n"
    "    subq $128, %rsp\n"
    "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n"
    "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
    "    movq %r11, %rdi\n    movq 184(%rsp), %rsi\n    call count_call\n    movq %rax, %r11\n"
    "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n"
    "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
    "    addq $128, %rsp\n"
    "    popq %r9\n    popq %r8\n    popq %rcx\n    popq %rdx\n    popq %rsi\n    popq %rdi\n    popq %rax\n"
    "    jmp *%r11\n");

static int in_finalize; /* callbacks of attributes (mpi4py 4 makes calls in them) come when the log is written */
static pid_t counting;  /* the process that made the first call: children of fork write nothing */

static int is_library(const void *address)
{
    static const char *const parts[] = {"/libmpi", "/libpmpi", "/libopen-", "/libopen_", "/libpith", "/mca_"};
    Dl_info info;

    if (!dladdr(address, &info) || !info.dli_fname)
        return 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(info.dli_fname, parts[i]))
            return 1;
    return 0;
}

/* dladdr takes microseconds, so what it said is kept: a word holds the address and, above it, the answer + 1. */
static int is_program(const void *address)
{
    static uint64_t known[4096];
    uint64_t key = (uint64_t)(uintptr_t)address, *slot = &known[(key ^ key >> 12) % 4096];
    uint64_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if ((word & 0xffffffffffff) != key || word >> 48 == 0) {
        word = key | (uint64_t)(is_library(address) ? 1 : 2) << 48;
        __atomic_store_n(slot, word, __ATOMIC_RELAXED);
    }
    return word >> 48 == 2;
}

__attribute__((used)) static void *count_call(struct entry *entry, const void *caller)
{
    if (!entry->next)
        entry->next = dlsym(RTLD_NEXT, entry->symbol);
    if (!entry->next) {
        fprintf(stderr, "count: no %s behind this one\n", entry->symbol);
        abort();
    }
    if (is_program(caller)) {
        if (!counting)
            counting = getpid();
        if (!in_finalize)
            __atomic_fetch_add(&entry->count, 1, __ATOMIC_RELAXED);
        in_finalize |= strcmp(entry->name, "MPI_Finalize") == 0;
    }
    return entry->next;
}

__attribute__((destructor)) static void count_write(void)
{
    const char *folder = getenv("COUNT_OUT"), *rank = getenv("PMI_RANK");
    char path[4096];
    FILE *file;

    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    if (counting != getpid() || !folder)
        return;
    snprintf(path, sizeof path, "%s/%s", folder, rank ? rank : "0");
    file = fopen(path, "w");
    if (!file)
        return;
    for (struct entry *entry = __start_count_entries; entry < __stop_count_entries; entry++)
        if (entry->count)
            fprintf(file, "%s %llu\n", entry->name, (unsigned long long)entry->count);
    fclose(file);
}
