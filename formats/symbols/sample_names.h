/* sample_names.h - the functions that the addresses of samples lie in.
 *
 * The recorder stores three kinds of events (formats/native/SPEC.md, "Samples"): pith:module, a file of code and its
 * addresses in the recorded process; pith:sample, the addresses of a call stack; pith:site, where a call came from. */
#ifndef PITHI_SAMPLE_NAMES_H
#define PITHI_SAMPLE_NAMES_H

#include "native/segment.h"
#include "pithlog.h"
#include "symbols/code_file.h"

struct pithi_function {
    /* "[FILE]": code of FILE without symbols; "[unknown]": code of no file; "[cut]": the callers of the outermost
     * function that was recorded; "[recording]": work of Pith itself. */
    char *name;
    char *source;       /* the file that declares it; NULL: unknown */
    int line;           /* 0: unknown */
    const char *module; /* the path of its file; "" */
};

struct pithi_sample_names;

/* Reads the modules of the log. An error if the log does not have what `need` names. Names come from the log
 * (code_names.h), otherwise from the files of the program, if they are on this machine and unchanged. */
enum pithi_names_need { PITHI_NEED_SAMPLES, PITHI_NEED_SITES, PITHI_NEED_ANY };
int pithi_sample_names_open(struct pithlog *log, enum pithi_names_need need, struct pithi_sample_names **names);
/* Which of the two a log may have, by its definitions: a sum of these. */
enum { PITHI_HAS_SAMPLES = 1, PITHI_HAS_SITES = 2 };
int pithi_samples_in(const struct pithlog *log);
/* pithi_sample_names_follow opens names for a running program, whose modules come with its records: call
 * pithi_sample_names_take with each EVENT. */
int pithi_sample_names_follow(struct pithlog_follow *follow, struct pithi_sample_names **names);
int pithi_sample_names_take(struct pithi_sample_names *names, const struct pithlog_record *record);
void pithi_sample_names_close(struct pithi_sample_names *names);

/* A sample. All addresses but the first are return addresses. If the last address is 0, the stack was cut. */
enum { PITHI_SAMPLE_FRAMES = 8192 };
struct pithi_sample {
    int64_t cpu_ns; /* the CPU time of its thread so far */
    uint32_t count;
    uint32_t own; /* number of innermost frames that are work of Pith itself; UINT32_MAX: not known yet */
    uint64_t addresses[PITHI_SAMPLE_FRAMES]; /* innermost first */
};
/* 1: the record is a sample, now in *sample. */
int pithi_sample_read(const struct pithi_sample_names *names, const struct pithlog_record *record,
                      struct pithi_sample *sample);

/* The time that a sample stands for: the time since the thread's sample before, by the clock of the samples (CPU time
 * or wall-clock time); for the first sample, one period. `last` describes the sample before; zero at first. */
struct pithi_sample_last {
    int64_t cpu_ns, time_ns;
    int seen; /* 1: there was a sample before */
};
struct pithi_sample_length {
    int64_t ns, cpu_ns; /* cpu_ns: the CPU time in it */
};
struct pithi_sample_length pithi_sample_length(const struct pithi_sample_names *names,
                                               const struct pithlog_record *record, const struct pithi_sample *sample,
                                               const struct pithi_sample_last *last);

/* 1: the record is a call site, the return address of the MPI call that is open; now in *address. */
int pithi_site_read(const struct pithi_sample_names *names, const struct pithlog_record *record, uint64_t *address);

/* The place of an address in the process of `record`, valid until the names are closed. is_return: 1: it is a return
 * address; the place is that of the call before it. */
struct pithi_place {
    uint32_t function;               /* the innermost one */
    const char *source;              /* NULL: unknown */
    int line;                        /* 0: unknown */
    const struct pithi_place *outer; /* the call that the compiler replaced by the function; NULL: not inlined */
};
int pithi_sample_place(struct pithi_sample_names *names, const struct pithlog_record *record, uint64_t address,
                       int is_return, const struct pithi_place **place);

#define PITHI_RECORDING "[recording]"

/* The functions of frame `frame` of the sample of `record`. There are none (count 0) for a frame that is not shown: it
 * is in a library of Pith, or follows another frame of the same file without symbols. The work of Pith itself, also in
 * functions of libc that it calls, is shown as one function, [recording], inside the function that it records. */
struct pithi_inlined {
    uint32_t count, functions[PITHI_CODE_FRAMES + 1];        /* outermost first */
    const struct pithi_place *places[PITHI_CODE_FRAMES + 1]; /* the line in each; NULL: unknown */
};
int pithi_sample_functions(struct pithi_sample_names *names, const struct pithlog_record *record,
                           struct pithi_sample *sample, uint32_t frame, struct pithi_inlined *functions);
const struct pithi_function *pithi_function_get(const struct pithi_sample_names *names, uint32_t function);
/* 1: the function is in one of Pith's libraries. */
int pithi_function_is_own(const struct pithi_function *function);
/* 1: the function is in the C library or a library that comes with it. */
int pithi_function_is_libc(const struct pithi_function *function);
uint32_t pithi_function_count(const struct pithi_sample_names *names);
/* Writes where the function is declared, "mesh.cc:212", or, if unknown, the name of its program or library. */
void pithi_function_place(const struct pithi_function *function, char *text, size_t size);
/* A warm colour, 0xRRGGBB; different functions mostly have different colours. */
uint32_t pithi_function_rgb(uint32_t function);
int64_t pithi_sample_period_ns(const struct pithi_sample_names *names);

/* For `pith symbols`: stores the names at all addresses of samples and call sites in `defs`; names from files on this
 * machine replace those that the log has. */
struct pithi_names_sum {
    uint64_t addresses, named, with_source; /* looked up; with a name; with a line */
};
int pithi_sample_names_store(struct pithi_sample_names *names, struct pithi_defs *defs, struct pithi_names_sum *sum);

#endif
