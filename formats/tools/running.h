/* running.h - functions for the commands that read what a running program records: they find its spill files, wait
 * between two looks at these, and report the program's death. */
#ifndef PITHI_RUNNING_H
#define PITHI_RUNNING_H

#include <sys/stat.h>

#include "pithlog.h"

/* The program: its folder of spill files (or one spill file), and the log that it writes at its end. */
struct pithi_running {
    char spill[4096], log[4096]; /* log "": not known */
    int log_named;               /* the user gave the name of the log */
    int log_there;               /* 1: the log existed when pithi_running_find looked */
    struct stat log_info;        /* if so, what stat() returned for the log at that time */
};

/* Fills `running`. `path` is the log that the program will write, the log's folder LOG.spill, or a file in this folder.
 * Returns PITH_OK or an error. */
int pithi_running_find(struct pithi_running *running, const char *path);
/* Returns 1 if the program has ended, so that its spill files are gone: its log exists, and is not the log of an
 * earlier run. */
int pithi_running_is_finished(const struct pithi_running *running);
/* Prints that the program ended without MPI_Finalize or exit, and that its records are still in the folder. Returns 1,
 * the exit status of the command. */
int pithi_running_tell_death(const struct pithi_running *running, const struct pithlog_follow_info *info);

/* After this call, SIGINT and SIGTERM do not end the process; they end pithi_running_nap, and pithi_running_interrupted
 * returns 1. */
void pithi_running_watch_signals(void);
int pithi_running_interrupted(void);
/* Sleeps for `ms` milliseconds. Returns 1, or 0 if the reader of standard output has ended or the user interrupted. */
int pithi_running_nap(int ms);

#endif
