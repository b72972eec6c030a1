/* output.h - what the user sees at the end: the log under its name, in the format asked for, and one line about it. */
#ifndef PITHI_OUTPUT_H
#define PITHI_OUTPUT_H

#include <stdint.h>

struct pithi_output {
    const char *part; /* the finished native log */
    const char *log;  /* the name it is to have */
    uint64_t records, lost;
    uint32_t ranks, ranks_missing;
};

/* In one process of the job. 1: done and told; 0: failed and told, `part` is still there. */
int pithi_output_publish(const struct pithi_output *output);

/* The log could not be made: where what was recorded is kept. */
void pithi_output_kept(void);

/* The process ends and its job was not finished. Told by one process a machine. */
void pithi_output_missed(void);

#endif
