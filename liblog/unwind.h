/* unwind.h - how to get from a function to its caller, by the unwind tables of a loaded file. x86-64 and arm64. */
#ifndef PITHI_UNWIND_H
#define PITHI_UNWIND_H

#include <stdint.h>

/* How to compute the CFA, the stack pointer of the caller before its call. */
enum pithi_unwind_cfa { PITHI_CFA_UNKNOWN, PITHI_CFA_STACK, PITHI_CFA_FRAME, PITHI_CFA_AT_FRAME };
/* Where the caller's value of a register is. */
enum pithi_unwind_saved { PITHI_SAVED_UNKNOWN, PITHI_SAVED_NOWHERE, PITHI_SAVED_AT_CFA, PITHI_SAVED_AT_FRAME };

struct pithi_unwind_rule {
    int32_t cfa_offset;              /* CFA_STACK: stack pointer + this; CFA_FRAME: frame pointer + this;
                                         CFA_AT_FRAME: the word at frame pointer + this */
    int32_t frame_offset, pc_offset; /* SAVED_AT_CFA: the word at CFA + this; SAVED_AT_FRAME: at frame pointer + this */
    unsigned char cfa;               /* enum pithi_unwind_cfa */
    unsigned char frame_saved, pc_saved; /* enum pithi_unwind_saved; NOWHERE: still in its register */
    unsigned char is_signal : 1;         /* the kernel's frame below a signal handler */
    unsigned char is_last : 1;           /* nothing called this function */
};

/* A loaded file: its addresses, and the address of its .eh_frame_hdr (0: none). */
struct pithi_unwind_file {
    uint64_t begin, end, table; /* addresses */
};

/* Finds the rule at `pc` in the tables of its file. Returns 1, or 0 if the tables give no rule that a walk can use.
 * Reads only inside the file. Safe in signal handlers. */
int pithi_unwind_rule(const struct pithi_unwind_file *file, uint64_t pc, struct pithi_unwind_rule *rule);

#endif
