/* sample_names.h - the functions that the addresses of samples lie in.
 *
 * The recorder stores three kinds of events (formats/native/SPEC.md, "Samples"): pith:module, a file of code and its
 * addresses in the recorded process; pith:sample, the addresses of a call stack; pith:site, where a call came from. */
#ifndef PITHI_SAMPLE_NAMES_H
#define PITHI_SAMPLE_NAMES_H

#include "pithlog.h"

struct pithi_function {
    char *name;   /* a symbol of the file; "[FILE]": its code without symbols; "[unknown]": of no file;
                           "[cut]": the callers of the outermost function that was recorded */
    char *source; /* the file of its first line; NULL: unknown */
    int line;
    const char *module; /* the path of its file; "" */
};

struct pithi_sample_names;

/* Reads the modules of the log. An error if the log has no samples, or no call sites (`sites`). */
int pithi_sample_names_open(struct pithlog *log, int sites, struct pithi_sample_names **names);
void pithi_sample_names_close(struct pithi_sample_names *names);

/* A sample. The addresses are innermost first; all but the first are return addresses. A last one of 0: the stack
 * was cut. */
enum { PITHI_SAMPLE_FRAMES = 8192 };
struct pithi_sample {
    int64_t cpu_ns; /* the CPU time of its thread so far */
    uint32_t count;
    uint64_t addresses[PITHI_SAMPLE_FRAMES];
};
/* 1: the record is a sample, now in *sample. */
int pithi_sample_read(const struct pithi_sample_names *names, const struct pithlog_record *record,
                      struct pithi_sample *sample);

/* 1: the record is a call site, the return address of the MPI call that is open; now in *address. */
int pithi_site_read(const struct pithi_sample_names *names, const struct pithlog_record *record, uint64_t *address);

/* Where an address of the process of `record` is. is_return: it is a return address, so the call before it counts. */
struct pithi_place {
    uint32_t function;
    const char *source; /* NULL: unknown; valid until names are closed */
    int line;
};
int pithi_sample_place(struct pithi_sample_names *names, const struct pithlog_record *record, uint64_t address,
                       int is_return, struct pithi_place *place);

/* *function: the number of the function that frame `frame` of the sample of `record` is in. */
int pithi_sample_function(struct pithi_sample_names *names, const struct pithlog_record *record,
                          const struct pithi_sample *sample, uint32_t frame, uint32_t *function);
const struct pithi_function *pithi_function_get(const struct pithi_sample_names *names, uint32_t function);
uint32_t pithi_function_count(const struct pithi_sample_names *names);
int64_t pithi_sample_period_ns(const struct pithi_sample_names *names);
/* 1: the samples are at intervals of wall-clock time; 0: of CPU time. */
int pithi_sample_wall(const struct pithi_sample_names *names);

#endif
