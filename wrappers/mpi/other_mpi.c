/* other_mpi.c - keeps the wrappers away from programs of another MPI.
 *
 * pith run checks the program that it starts. But if that program is a script, the programs that the script starts
 * inherit LD_PRELOAD, and may be linked with another MPI than the one that these wrappers record. Calls of such a
 * program would come to the wrappers, which would misread the arguments. When this library is loaded, nothing of the
 * program has run yet. So this library executes the program again, without the wrappers.
 *
 * A program that loads its MPI later, as Python does by dlopen, has done work before its first call, so it cannot be
 * executed again. Its calls go straight on to its MPI, because each wrapper begins with a call of __fentry__ below (the
 * compiler's -mfentry, wrappers.mk), which jumps to the program's MPI. This must happen before the wrapper has read an
 * argument, since a wrapper for MPICH would read handles of 8 bytes as int. If the compiler has no -mfentry, such a
 * program ends with a message (real.c). */
#include "base/launcher.h"
#include "base/say.h"
#include "real.h"

#ifndef PITHI_STATIC
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints once for a job why nothing is recorded. Marks this by a "!" in the variable _PITH_RUN, so that libpith-run
 * prints no message of its own (run/preload/note.c). */
static void say_other(const char *program, const char *other)
{
    if (pithi_launcher_rank(0) == 0)
        pithi_say("%s: uses %s, which these wrappers cannot record; it runs unrecorded", program, other);
    char *note = secure_getenv("_PITH_RUN"), *rank = note ? strchr(note, ' ') : NULL,
         *mpi = rank ? strchr(rank + 1, ' ') : NULL;

    if (mpi)
        mpi[1] = '!';
}

/* Removes the libraries of this library's folder from LD_PRELOAD, in place, because setenv may need the program's
 * allocator, which may not be ready. Returns the number removed. */
static int leave_preload(void)
{
    char *list = secure_getenv("LD_PRELOAD");
    Dl_info own;
    int count = 0;

    if (!list || !dladdr((void *)leave_preload, &own) || !own.dli_fname || !strrchr(own.dli_fname, '/'))
        return 0;
    size_t folder = (size_t)(strrchr(own.dli_fname, '/') - own.dli_fname) + 1;
    char *to = list;
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ": "), after = size + (at[size] != 0);
        int is_ours = size > folder && !strncmp(at, own.dli_fname, folder);
        if (!is_ours) {
            memmove(to, at, after);
            to += after;
        }
        count += is_ours;
        at += after;
    }
    *to = 0;
    return count;
}

__attribute__((constructor)) static void stay_away(int argc, char **argv)
{
    const char *other = pithi_real_other_kind();
    char path[PATH_MAX];
    ssize_t size = other ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;

    (void)argc;
    if (size <= 0)
        return;
    path[size] = 0;
    /* If a dynamic loader was named on the command line, /proc/self/exe is the loader. The program is then not executed
     * again, because argv no longer has the loader's own arguments. */
    if (!strncmp(strrchr(path, '/') + 1, "ld", 2) || !leave_preload())
        return;
    say_other(argv[0], other);
    execv(path, argv);
}

#ifdef PITHI_GATED
enum { UNKNOWN, RECORDED, OTHER, KEPT = 4096 }; /* KEPT: a power of two, more than MPI has functions */

/* UNKNOWN until the first call; then RECORDED if these wrappers record the program's MPI, else OTHER */
__attribute__((visibility("hidden"))) int pithi_gate_program;
static struct {
    uintptr_t wrapper; /* 0: free; set after `function` */
    void *function;
} kept[KEPT];

/* Returns the function of the program's MPI that has the name of the wrapper in which the address `inside` lies. */
static void *same_function(uintptr_t inside)
{
    static int lock;
    size_t at = (inside >> 4) % KEPT;
    Dl_info info;

    for (; __atomic_load_n(&kept[at].wrapper, __ATOMIC_ACQUIRE); at = (at + 1) % KEPT)
        if (kept[at].wrapper == inside)
            return kept[at].function;
    void *function = dladdr((const void *)inside, &info) && info.dli_sname ? pithi_real_symbol(info.dli_sname) : NULL;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        continue;
    while (kept[at].wrapper && kept[at].wrapper != inside) /* another thread may have added entries */
        at = (at + 1) % KEPT;
    kept[at].function = function;
    __atomic_store_n(&kept[at].wrapper, inside, __ATOMIC_RELEASE);
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return function;
}

/* Called at the begin of each wrapper, until it is known that these wrappers can record the program's MPI. Returns the
 * function to call in place of the wrapper; NULL: the wrapper itself runs. */
__attribute__((used, visibility("hidden"))) void *pithi_gate(uintptr_t inside);
void *pithi_gate(uintptr_t inside)
{
    int program = __atomic_load_n(&pithi_gate_program, __ATOMIC_ACQUIRE), saved = errno;
    void *function = NULL;

    if (program == UNKNOWN) {
        const char *other = pithi_real_other_kind();
        int set = other ? OTHER : RECORDED;
        if (__atomic_compare_exchange_n(&pithi_gate_program, &program, set, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            program = set;
            if (other)
                say_other(program_invocation_name, other);
        }
    }
    if (program == OTHER)
        function = same_function(inside);
    errno = saved;
    return function;
}

/* Saves all registers that may contain arguments, calls pithi_gate, and restores the registers. */
__asm__(".text\n"
        ".globl __fentry__\n"
        ".hidden __fentry__\n"
        ".type __fentry__, @function\n"
        "__fentry__:\n"
        "    cmpl $1, pithi_gate_program(%rip)\n" /* RECORDED */
        "    jne 1f\n"
        "    ret\n"
        "1:  push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n    push %r9\n    push %rax\n"
        "    sub $136, %rsp\n"
        "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n    movups %xmm2, 32(%rsp)\n"
        "    movups %xmm3, 48(%rsp)\n    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n"
        "    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
        "    mov 192(%rsp), %rdi\n" /* the return address, which is in the wrapper */
        "    call pithi_gate\n"
        "    mov %rax, %r11\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    movups 32(%rsp), %xmm2\n"
        "    movups 48(%rsp), %xmm3\n    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n"
        "    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
        "    add $136, %rsp\n"
        "    pop %rax\n    pop %r9\n    pop %r8\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    test %r11, %r11\n"
        "    jne 2f\n"
        "    ret\n"
        "2:  add $8, %rsp\n" /* the wrapper does not run */
        "    jmp *%r11\n"
        ".size __fentry__, .-__fentry__\n");
#endif
#endif
