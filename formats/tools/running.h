/* running.h - shared by the commands that look at a running program: where its records are, waiting, and its death. */
#ifndef PITHI_RUNNING_H
#define PITHI_RUNNING_H

#include <sys/stat.h>

#include "pithlog.h"

/* The folder (or file) of a program's records, and its future log. */
struct pithi_running {
    char spill[4096], log[4096]; /* log "": not known */
    int log_named;               /* the user gave the name of the log */
    int log_there;               /* 1: the log existed when pithi_running_find looked; log_info: its file then */
    struct stat log_info;
};

/* `path`: the future log, the log's folder LOG.spill, or a file in this folder. */
int pithi_running_find(struct pithi_running *running, const char *path);
/* 1: the program ended before its folder was seen, because its log exists and is not the log of an earlier run. */
int pithi_running_is_finished(const struct pithi_running *running);
/* Reports that the program ended without MPI_Finalize or exit, with its records still in the folder. Returns 1. */
int pithi_running_tell_death(const struct pithi_running *running, const struct pithlog_follow_info *info);

/* After this call, SIGINT and SIGTERM end the waiting, not the process. */
void pithi_running_watch_signals(void);
int pithi_running_interrupted(void);
/* Sleeps for `ms`. 0: the reader of the output has ended, or the user interrupted; else 1. */
int pithi_running_nap(int ms);

#endif
