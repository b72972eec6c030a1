/* output.h - gives a finished log its final name and format, and prints the line about it. */
#ifndef PITHI_OUTPUT_H
#define PITHI_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct pithi_output {
    const char *part;              /* the finished native log */
    const char *log;               /* its final name */
    uint32_t volumes;              /* PART.1 ... beside it; 0: none */
    uint64_t records, lost;        /* of the whole log */
    uint32_t ranks, ranks_missing; /* ranks: of the job; ranks_missing: ranks of these without records */
};

/* Returns 1 if the log will be converted to another format, which needs a native log in one file. */
int pithi_output_foreign(void);

/* At the start, in one process of the job: reports what the user can still mend before the log is written. */
void pithi_output_expect(void);

/* In one process of the job: gives the log its final name and format. Returns 1, or 0 if it failed; `part` then still
 * exists. Prints a line in either case. */
int pithi_output_publish(const struct pithi_output *output);

/* Converts the native log `from` to `to` by `pith convert --format=FORMAT` and `option` (NULL: none), in a process of
 * its own. Returns 0, and `text` has the notes of the command, or ""; or -1 if `to` does not exist, and `text` says
 * why. */
int pithi_convert(const char *format, const char *option, const char *from, const char *to, char *text, size_t size);

/* Runs `pith analyze --answer` on a log, for at most most_ms of real time. Returns 0, and `text` is its sentence; or -1
 * if it gave none. */
int pithi_answer(const char *log, int most_ms, char *text, size_t size);

/* Runs `pith analyze` on a log, for at most most_ms. The command also writes the file `json`. If `json` is NULL, it
 * writes none, and its page names no command that needs the log, because the log will be removed. Returns 0 and sets
 * *status as waitpid does, or returns an errno if the command cannot be run. *out is a nameless file with the command's
 * output, which the caller closes; -1 if there is none. The command runs on `cores`, written as in struct
 * pith_transport's `affinity`; if that is NULL, on this thread's cores. */
int pithi_analyze(const char *log, const char *json, int most_ms, const char *cores, int *out, int *status);

/* Writes to `out` the output of `pith top --why` for the job of a spill file. With hang_ns > 0 there is output only if
 * no rank has recorded anything for that time. Returns 0, or -1 if the command cannot be run. */
int pithi_top(const char *spill, int64_t hang_ns, int out);

/* In one process of the job, after its log got its name: prints the answer of `pith analyze` (PITH_SUMMARY). It takes
 * at most 0.2 s: a longer analysis is ended, and logs of more than 8 MB are not analysed. Returns 1 if the answer was
 * printed. */
int pithi_output_answer(void);

/* In the process that gave the log its name: analyses it (PITH_ANALYZE) and prints the page; once for each log.
 * `cores`: as in pithi_analyze. */
void pithi_output_analyze(const char *cores);

/* The log could not be written: says where the records are kept. Called by all processes of the job: rank 0 reports its
 * folder, and one process reports each folder that is not rank 0's. */
void pithi_output_kept(int rank);

/* Call it when the process ends before its job was finished. For each spill folder, one process prints a line. */
void pithi_output_missed(void);
/* The log was written after all, as when MPI_Abort returns: removes the file that marks the line as printed from the
 * spill folder. */
void pithi_output_unmark(void);

/* Under the guard, when recording has started, and again when the name of the log is known: gives the line of
 * pithi_output_missed to the process that pith run left beside this one (wrappers/run/watch.c), which prints it if this
 * process cannot. A rank that PITH_RANKS leaves out does so for the others. */
void pithi_output_watched(void);

/* A log of a running job. */
struct pithi_snapshot {
    const char *part; /* the finished native log */
    const char *path; /* requested name, replaced if it exists; NULL: the next free LOG.snapshot-N */
    const char *log;  /* name that the job's log will get */
    uint64_t records;
    uint32_t ranks, ranks_missing;
};
/* Gives a snapshot its name and format, and prints a line; removes `part` in any case. Returns 0, or -1 if it failed
 * and a line was printed. */
int pithi_output_snapshot(const struct pithi_snapshot *snapshot);

#endif
