/* sample_names.h - finds the functions in which the addresses of samples and call sites lie.
 *
 * The recorder stores three kinds of events (formats/native/SPEC.md, "Samples"): pith:module has a file of code and its
 * addresses in the recorded process; pith:sample has the addresses of a call stack; pith:site has the address from
 * which MPI was called. */
#ifndef PITHI_SAMPLE_NAMES_H
#define PITHI_SAMPLE_NAMES_H

#include "native/segment.h"
#include "pithlog.h"
#include "symbols/code_file.h"

struct pithi_function {
    /* Special names are "[FILE]": code in FILE without a symbol; "[unknown]": code in no file; "[cut]": callers that
     * were not recorded, because the stack was cut; "[recording]": work of Pith itself. */
    char *name;
    char *source;       /* source file that declares the function; NULL: unknown */
    int line;           /* line of the declaration; 0: unknown */
    const char *module; /* path of the program or library that has the code; "": none */
};

struct pithi_sample_names;

/* Opens the names of a log: reads which files of code its processes loaded. Returns an error if the log does not have
 * the events that `need` demands. Names of functions come from the log (code_names.h), or else from the files of the
 * program, if these files are on this machine and unchanged. */
enum pithi_names_need { PITHI_NEED_SAMPLES, PITHI_NEED_SITES, PITHI_NEED_ANY };
int pithi_sample_names_open(struct pithlog *log, enum pithi_names_need need, struct pithi_sample_names **names);
/* Returns which events the log may have, judged by its definitions: PITHI_HAS_SAMPLES, PITHI_HAS_SITES, their sum, or
 * 0.
 */
enum { PITHI_HAS_SAMPLES = 1, PITHI_HAS_SITES = 2 };
int pithi_samples_in(const struct pithlog *log);
/* pithi_sample_names_follow opens names for a running program, whose modules come with its records: call
 * pithi_sample_names_take with each EVENT. */
int pithi_sample_names_follow(struct pithlog_follow *follow, struct pithi_sample_names **names);
int pithi_sample_names_take(struct pithi_sample_names *names, const struct pithlog_record *record);
void pithi_sample_names_close(struct pithi_sample_names *names);

/* A sample: the stack of a thread at one moment. The first address is the instruction at which the thread was, all
 * others are return addresses. If the last address is 0, the stack was cut. */
enum { PITHI_SAMPLE_FRAMES = 8192 };
struct pithi_sample {
    int64_t cpu_ns; /* CPU time of the thread so far */
    uint32_t count;
    uint32_t own; /* number of innermost frames that are work of Pith itself; UINT32_MAX: not known yet */
    uint64_t addresses[PITHI_SAMPLE_FRAMES]; /* innermost first */
};
/* Reads a sample. Returns 1 after setting *sample; 0 if the record is not a sample. */
int pithi_sample_read(const struct pithi_sample_names *names, const struct pithlog_record *record,
                      struct pithi_sample *sample);

/* The time that a sample stands for: the time since the thread's sample before, by the clock of the samples (CPU time
 * or wall-clock time); for the first sample, one period. `last` describes the sample before; it is all zero at
 * first. */
struct pithi_sample_last {
    int64_t cpu_ns, time_ns;
    int seen; /* 1: there is a sample before */
};
struct pithi_sample_length {
    int64_t ns, cpu_ns; /* cpu_ns: the CPU time within `ns` */
};
struct pithi_sample_length pithi_sample_length(const struct pithi_sample_names *names,
                                               const struct pithlog_record *record, const struct pithi_sample *sample,
                                               const struct pithi_sample_last *last);

/* Reads a call site, which is the return address of the open MPI call. Returns 1 after setting *address; 0 if the
 * record is not a call site. */
int pithi_site_read(const struct pithi_sample_names *names, const struct pithlog_record *record, uint64_t *address);

/* Finds the place (function and source line) of an address in the process of `record`. *place is valid until the names
 * are closed. If `is_return` is 1, the address is a return address, and the place is that of the call before it. */
struct pithi_place {
    uint32_t function;               /* number of the innermost function */
    const char *source;              /* NULL: unknown */
    int line;                        /* 0: unknown */
    const struct pithi_place *outer; /* place of the call that was replaced by the function; NULL: not inlined */
};
int pithi_sample_place(struct pithi_sample_names *names, const struct pithlog_record *record, uint64_t address,
                       int is_return, const struct pithi_place **place);

#define PITHI_RECORDING "[recording]"

/* Finds the functions of a frame of a sample. The count is 0 if the frame is not shown, because it is in a library of
 * Pith, or is next to another frame of the same file without symbols. The work of Pith itself, and of functions of libc
 * that Pith calls, is shown as one function, [recording], inside the function that is recorded. */
struct pithi_inlined {
    uint32_t count, functions[PITHI_CODE_FRAMES + 1];        /* outermost first */
    const struct pithi_place *places[PITHI_CODE_FRAMES + 1]; /* the line in each function; NULL: unknown */
};
int pithi_sample_functions(struct pithi_sample_names *names, const struct pithlog_record *record,
                           struct pithi_sample *sample, uint32_t frame, struct pithi_inlined *functions);
const struct pithi_function *pithi_function_get(const struct pithi_sample_names *names, uint32_t function);
/* Returns 1 if the function is in one of Pith's libraries. */
int pithi_function_is_own(const struct pithi_function *function);
/* Returns 1 if the function is in the C library or a library that comes with it. */
int pithi_function_is_libc(const struct pithi_function *function);
uint32_t pithi_function_count(const struct pithi_sample_names *names);
/* Writes where a function is declared, as in "mesh.cc:212", to `text`. If this is unknown, writes the name of its
 * program or library. */
void pithi_function_place(const struct pithi_function *function, char *text, size_t size);
/* Returns a warm colour, 0xRRGGBB. Different functions mostly have different colours. */
uint32_t pithi_function_rgb(uint32_t function);
int64_t pithi_sample_period_ns(const struct pithi_sample_names *names);

/* For `pith symbols`: stores in `defs` the names for all addresses that were looked up so far. Names from files on this
 * machine replace names that the log has. */
struct pithi_names_sum {
    uint64_t addresses, named, with_source; /* counts: addresses looked up; with a name; with a source line */
};
int pithi_sample_names_store(struct pithi_sample_names *names, struct pithi_defs *defs, struct pithi_names_sum *sum);

#endif
