/* refused_call.c - runs a program to which the system refuses calls: `refused_call ERRNO NUMBER[,NUMBER] PROGRAM ...`.
 * Its status is 77 where there is no seccomp. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sock_filter filter[20] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.filter = filter, .len = 1};
    unsigned error = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
    char *at = argc > 3 ? argv[2] : "";
    while (*at && program.len < 17) {
        filter[program.len++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)strtol(at, &at, 10), 0, 1);
        filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
        at += *at == ',';
    }
    filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    execvp(argv[3], argv + 3);
    return 126;
}
