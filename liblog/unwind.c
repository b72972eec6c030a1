/* unwind.c - where a function saved its caller's registers, by the unwind tables of a loaded file (.eh_frame).
 *
 * Compilers write these tables for all code on x86-64 and arm64, for C++'s exceptions, so no frame pointers are needed.
 * .eh_frame_hdr is a sorted table of function starts. Each start leads to a description (FDE) with instructions. If
 * these are run up to the ones for an address, they give the canonical frame address (CFA: the stack pointer before the
 * call) and where the function saved which register. A walk needs only three registers: the stack pointer, the frame
 * pointer and the return address; rules for others are skipped (DWARF 5, section 6.4; LSB, "Exception Frames").
 *
 *     code               instructions                          rule from there on (x86-64)
 *                        of the CIE (common part)              CFA = stack pointer + 8, return address at CFA - 8
 *     0  push %rbp       41        1 byte on
 *     1  mov %rsp,%rbp   0e 10     offset 16                   CFA = stack pointer + 16
 *                        86 02     register 6 at -8 * 2        the frame pointer at CFA - 16
 *                        43        3 bytes on
 *     4  ...             0d 06     CFA by register 6           CFA = frame pointer + 16
 *
 * For an address behind the prologue all instructions are run, for an address at byte 1 only the instructions before
 * 43. An unknown instruction makes the rule unknown, and the walk ends there: a shorter call stack is better than a
 * wrong one.
 */
#include "unwind.h"

#include <string.h>

#if defined(__x86_64__)
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16 }; /* numbers of registers in DWARF */
#else                                                               /* arm64 */
enum { FRAME_POINTER = 29, STACK_POINTER = 31, RETURN_ADDRESS = 30 };
#endif

/* ---- Bytes of the tables ----------------------------------------------------------------------------------------- */

/* The unread rest of a part of a table. Reading past the end gives zeros and sets `bad`. */
struct bytes {
    const unsigned char *at, *end;
    int bad; /* 1: something was read past the end */
};

static uint64_t take(struct bytes *b, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(b->end - b->at) < size) {
        b->bad = 1;
        b->at = b->end;
        return 0;
    }
    memcpy(&value, b->at, size); /* both machines are little-endian */
    b->at += size;
    return value;
}

/* Reads a number in LEB128; *bits: its number of bits; *last: its last byte. */
static uint64_t take_bits(struct bytes *b, unsigned *bits, uint64_t *last)
{
    uint64_t value = 0;
    *bits = 0;
    do {
        *last = take(b, 1);
        if (*bits < 64)
            value |= (*last & 127) << *bits;
        *bits += 7;
    } while (*last & 128);
    return value;
}

static uint64_t take_number(struct bytes *b)
{
    uint64_t last;
    unsigned bits;
    return take_bits(b, &bits, &last);
}

static int64_t take_signed(struct bytes *b)
{
    uint64_t last;
    unsigned bits;
    uint64_t value = take_bits(b, &bits, &last);
    return (int64_t)(bits < 64 && last & 64 ? value | ~UINT64_C(0) << bits : value);
}

/* Reads a pointer in an encoding of DW_EH_PE. Linkers write pointers of 4 or 8 bytes, which are absolute or relative to
 * their own place. Other encodings set `bad`. */
static uint64_t take_pointer(struct bytes *b, unsigned encoding)
{
    uint64_t place = (uint64_t)(uintptr_t)b->at, value;
    switch (encoding & 15) {
    case 0: /* of the machine's size */
    case 4:
    case 12:
        value = take(b, 8);
        break;
    case 3:
        value = take(b, 4);
        break;
    case 11:
        value = (uint64_t)(int64_t)(int32_t)take(b, 4);
        break;
    default:
        b->bad = 1;
        return 0;
    }
    if ((encoding & 0x70) == 0x10)
        value += place;
    else if (encoding & 0x70)
        b->bad = 1;
    return value;
}

/* ---- The instructions -------------------------------------------------------------------------------------------- */

struct state {
    struct pithi_unwind_rule rule;
    int undefined; /* 1: the return address is undefined: this is the outermost function */
};

struct program {
    /* code_unit: the unit of steps in code; target: instructions run up to this address */
    uint64_t code_unit, target;
    int64_t data_unit; /* unit of offsets */
    uint64_t address;  /* the address reached so far */
    /* state: at `address`; initial: at the function's start; kept: saved by remember_state */
    struct state state, initial, kept[8];
    unsigned kept_count; /* entries of `kept` */
};

static void set_saved(struct state *s, uint64_t reg, enum pithi_unwind_saved where, int64_t offset)
{
    if (reg == RETURN_ADDRESS) {
        s->undefined = 0;
        s->rule.pc_saved = where;
        s->rule.pc_offset = (int32_t)offset;
    } else if (reg == FRAME_POINTER) {
        s->rule.frame_saved = where;
        s->rule.frame_offset = (int32_t)offset;
    }
}

static void restore(struct state *s, const struct state *initial, uint64_t reg)
{
    if (reg == RETURN_ADDRESS) {
        s->undefined = initial->undefined;
        s->rule.pc_saved = initial->rule.pc_saved;
        s->rule.pc_offset = initial->rule.pc_offset;
    } else if (reg == FRAME_POINTER) {
        s->rule.frame_saved = initial->rule.frame_saved;
        s->rule.frame_offset = initial->rule.frame_offset;
    }
}

static void set_cfa(struct state *s, uint64_t reg, int64_t offset)
{
    s->rule.cfa = reg == STACK_POINTER ? PITHI_CFA_STACK : reg == FRAME_POINTER ? PITHI_CFA_FRAME : PITHI_CFA_UNKNOWN;
    s->rule.cfa_offset = (int32_t)offset;
}

/* Sets the CFA from an expression. Compilers and linkers write these two; others make the CFA unknown:
 *     *(frame pointer + n)                            the CFA in a function that aligns its stack
 *     stack pointer + 8 + ((pc & 15) >= n ? 8 : 0)    the CFA in the procedure linkage table of x86-64 */
static void set_cfa_expression(struct state *s, struct bytes *expression, uint64_t pc)
{
    static const unsigned char plt[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};
    const unsigned char *e = expression->at;
    size_t size = (size_t)(expression->end - e);
    s->rule.cfa = PITHI_CFA_UNKNOWN;
    if (size == sizeof plt && !memcmp(e, plt, 6) && !memcmp(e + 7, plt + 7, 4)) {
        set_cfa(s, STACK_POINTER, (pc & 15) >= (uint64_t)e[6] - 0x30 ? 16 : 8);
    } else if (size > 2 && e[0] == 0x70 + FRAME_POINTER) {
        expression->at++;
        s->rule.cfa_offset = (int32_t)take_signed(expression);
        if (expression->end - expression->at == 1 && *expression->at == 0x06)
            s->rule.cfa = PITHI_CFA_AT_FRAME;
    }
}

static struct bytes take_block(struct bytes *b)
{
    uint64_t size = take_number(b);
    struct bytes block = {b->at, b->at, b->bad};
    if (size > (uint64_t)(b->end - b->at))
        b->bad = 1;
    else
        block.end = b->at += size;
    return block;
}

/* Sets where a register was saved, from an expression. A function that aligns its stack saves the frame pointer at
 * *(frame pointer + n). Other expressions are unknown. */
static void set_saved_expression(struct state *s, uint64_t reg, struct bytes expression)
{
    unsigned first = (unsigned)take(&expression, 1);
    int64_t offset = take_signed(&expression);
    int is_known = first == 0x70 + FRAME_POINTER && !expression.bad && expression.at == expression.end;
    set_saved(s, reg, is_known ? PITHI_SAVED_AT_FRAME : PITHI_SAVED_UNKNOWN, offset);
}

/* Runs an instruction whose operands follow its first byte. Returns 0 if the instruction is unknown. */
static int run_long(struct program *p, unsigned code, struct bytes *b)
{
    struct state *s = &p->state;
    uint64_t reg;
    struct bytes block;
    switch (code) {
    case 0x00:
        return 1;
    case 0x02:
        p->address += take(b, 1) * p->code_unit;
        return 1;
    case 0x03:
        p->address += take(b, 2) * p->code_unit;
        return 1;
    case 0x04:
        p->address += take(b, 4) * p->code_unit;
        return 1;
    case 0x05: /* offset_extended */
        reg = take_number(b);
        set_saved(s, reg, PITHI_SAVED_AT_CFA, (int64_t)take_number(b) * p->data_unit);
        return 1;
    case 0x06:
        restore(s, &p->initial, take_number(b));
        return 1;
    case 0x07: /* undefined */
        reg = take_number(b);
        if (reg == RETURN_ADDRESS)
            s->undefined = 1;
        return 1;
    case 0x08:
        set_saved(s, take_number(b), PITHI_SAVED_NOWHERE, 0);
        return 1; /* same_value */
    case 0x09:    /* register */
        set_saved(s, take_number(b), PITHI_SAVED_UNKNOWN, 0);
        take_number(b);
        return 1;
    case 0x0a: /* remember_state */
        if (p->kept_count == sizeof p->kept / sizeof *p->kept)
            return 0;
        p->kept[p->kept_count++] = *s;
        return 1;
    case 0x0b: /* restore_state */
        if (p->kept_count == 0)
            return 0;
        *s = p->kept[--p->kept_count];
        return 1;
    case 0x0c: /* def_cfa */
        reg = take_number(b);
        set_cfa(s, reg, (int64_t)take_number(b));
        return 1;
    case 0x0d:
        set_cfa(s, take_number(b), s->rule.cfa_offset);
        return 1;
    case 0x0e:
        s->rule.cfa_offset = (int32_t)take_number(b);
        return 1;
    case 0x0f: /* def_cfa_expression */
        block = take_block(b);
        set_cfa_expression(s, &block, p->target);
        return 1;
    case 0x10: /* expression */
        reg = take_number(b);
        set_saved_expression(s, reg, take_block(b));
        return 1;
    case 0x11: /* offset_extended_sf */
        reg = take_number(b);
        set_saved(s, reg, PITHI_SAVED_AT_CFA, take_signed(b) * p->data_unit);
        return 1;
    case 0x12: /* def_cfa_sf */
        reg = take_number(b);
        set_cfa(s, reg, take_signed(b) * p->data_unit);
        return 1;
    case 0x13:
        s->rule.cfa_offset = (int32_t)(take_signed(b) * p->data_unit);
        return 1;
    case 0x14: /* val_offset, val_offset_sf, val_expression */
    case 0x15:
        set_saved(s, take_number(b), PITHI_SAVED_UNKNOWN, 0);
        take_number(b);
        return 1;
    case 0x16:
        set_saved(s, take_number(b), PITHI_SAVED_UNKNOWN, 0);
        take_block(b);
        return 1;
    case 0x2d:
        return 1; /* negate_ra_state: the signature of return addresses (arm64) */
    case 0x2e:
        take_number(b);
        return 1; /* GNU_args_size */
    default:
        return 0;
    }
}

static int run(struct program *p, struct bytes b)
{
    while (b.at < b.end && !b.bad && p->address <= p->target) {
        unsigned byte = (unsigned)take(&b, 1), low = byte & 63;
        switch (byte >> 6) {
        case 1:
            p->address += low * p->code_unit;
            break;
        case 2:
            set_saved(&p->state, low, PITHI_SAVED_AT_CFA, (int64_t)take_number(&b) * p->data_unit);
            break;
        case 3:
            restore(&p->state, &p->initial, low);
            break;
        default:
            if (!run_long(p, low, &b))
                return 0;
        }
    }
    return !b.bad;
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* Returns the bytes of an entry of .eh_frame after its length. */
static struct bytes entry_at(const struct pithi_unwind_file *file, uint64_t address)
{
    struct bytes b = {NULL, NULL, 1};
    uint64_t size;
    if (address < file->begin || address > file->end || file->end - address < 4)
        return b;
    b = (struct bytes){(const unsigned char *)(uintptr_t)address, (const unsigned char *)(uintptr_t)address + 4, 0};
    size = take(&b, 4);
    if (size < 4 || size > file->end - address - 4)
        b.bad = 1;
    else
        b.end = b.at + size;
    return b;
}

/* Reads `b`, the common part of descriptions (CIE), and runs its instructions. Sets the units; *encoding of addresses;
 * *has_size: descriptions have a size field; *is_signal: the kernel made the frame. */
static int read_common(struct program *p, struct bytes b, unsigned *encoding, int *has_size, int *is_signal)
{
    struct bytes data;
    const char *letters;
    unsigned version;
    take(&b, 4);
    version = (unsigned)take(&b, 1);
    letters = (const char *)b.at;
    while (take(&b, 1) != 0 && !b.bad)
        ;
    p->code_unit = take_number(&b);
    p->data_unit = take_signed(&b);
    if (version == 1)
        take(&b, 1);
    else
        take_number(&b);
    *encoding = 0;
    *is_signal = 0;
    *has_size = !b.bad && letters[0] == 'z';
    if (*has_size) {
        data = take_block(&b);
        while (*++letters) {
            if (*letters == 'R')
                *encoding = (unsigned)take(&data, 1);
            else if (*letters == 'L')
                take(&data, 1);
            else if (*letters == 'P')
                take_pointer(&data, (unsigned)take(&data, 1) & 0x7f);
            else if (*letters == 'S')
                *is_signal = 1;
        }
    }
    p->address = 0;
    return !b.bad && run(p, b);
}

/* Returns the description (FDE) of the last function that begins at or before `pc`; 0 if there is none. */
static uint64_t find_entry(const struct pithi_unwind_file *file, uint64_t pc)
{
    uint64_t table = file->table;
    const unsigned char *header = (const unsigned char *)(uintptr_t)table;
    int32_t pair[2];
    uint32_t count, low = 0, high;
    int64_t offset = (int64_t)(pc - table);
    if (table < file->begin || table > file->end || file->end - table < 12 ||
        memcmp(header, "\001\033\003\073", 4) != 0) /* the encodings that all linkers write */
        return 0;
    memcpy(&count, header + 8, 4);
    if (count > (file->end - table - 12) / 8)
        return 0;
    for (high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(pair, header + 12 + 8 * (uint64_t)middle, 8);
        if (pair[0] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    memcpy(pair, header + 12 + 8 * (uint64_t)(low - 1), 8);
    return table + (uint64_t)(int64_t)pair[1];
}

int pithi_unwind_rule(const struct pithi_unwind_file *file, uint64_t pc, struct pithi_unwind_rule *rule)
{
    struct program p = {.target = 0};
    uint64_t entry = find_entry(file, pc), common, begin, size;
    unsigned encoding;
    int has_size, is_signal;
    struct bytes b;
    if (entry == 0)
        return 0;
    b = entry_at(file, entry);
    common = (uint64_t)(uintptr_t)b.at;
    common -= take(&b, 4);
    p.state.rule.pc_saved = p.state.rule.frame_saved = PITHI_SAVED_NOWHERE;
    if (b.bad || !read_common(&p, entry_at(file, common), &encoding, &has_size, &is_signal))
        return 0;
    begin = take_pointer(&b, encoding);
    size = take_pointer(&b, encoding & 15);
    if (b.bad || pc < begin || pc - begin >= size)
        return 0;
    if (has_size)
        take_block(&b);
    p.initial = p.state;
    p.address = begin;
    p.target = pc;
    if (!run(&p, b))
        return 0;
    *rule = p.state.rule;
    rule->is_signal = is_signal;
    rule->is_last = p.state.undefined;
    return is_signal || rule->is_last || (rule->cfa != PITHI_CFA_UNKNOWN && rule->pc_saved != PITHI_SAVED_UNKNOWN);
}
