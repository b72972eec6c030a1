/* agree.h - the exchange of a check, and the messages about errors. */
#ifndef PITHI_AGREE_H
#define PITHI_AGREE_H

#include "facts.h"

/* Waits for a request on a shadow. Reports a long wait once, with the missing ranks. `check`: the call that waits.
 * `whom`: a text in place of the missing ranks; NULL: none. */
void pithi_await(MPI_Request *request, const struct pithi_check *check, const char *whom);
/* Waits until all processes of a communicator without a team have entered the call with that name. */
void pithi_await_all(MPI_Comm comm, const char *name);
/* The seconds of PITH_CHECK_SECONDS, after which a wait is reported; 0: never. */
int pithi_await_seconds(void);
int64_t pithi_await_now_ns(void);

/* subgroup.c: 1 if the check's members agree. All members call it. */
int pithi_subgroup_agrees(struct pithi_check *check);
void pithi_subgroup_begin(MPI_Comm world); /* collective, once */

/* verdict.c: finds and reports the difference. All processes of the team, or all members, call it; the first of them
 * prints the report. */
/* number of its tags on a shadow; bytes of a problem's text */
enum { PITHI_VERDICT_TAGS = 8192, PITHI_VERDICT_TEXT = 160 };
/* The tags after the tags of verdict.c: first of left.c, then of subgroup.c. */
enum { PITHI_LEFT_TAG_FOUND = PITHI_VERDICT_TAGS, PITHI_LEFT_TAG_LINES, PITHI_SUBGROUP_TAGS };
void pithi_verdict(struct pithi_check *check);
/* "(communicator MPI_COMM_WORLD, 17th collective call)" */
void pithi_verdict_where(const struct pithi_check *check, char *text, size_t size);
/* Writes one or more whole lines to standard error or PITH_CHECK_FILE, in one piece. */
void pithi_check_say(const char *lines);

/* Prints increasing ranks as "rank 2" or "ranks 1-3,5". A list that is too long for the text ends with "and N more". */
void pithi_check_ranks(const int *ranks, int count, char *text, size_t size);

/* source_line.c: the place in the program that made a call: the first address outside MPI and its bindings. */
struct pithi_source {
    char module[240]; /* path of the program or library; cut if longer */
    uint64_t offset;  /* the address as the module's file has it */
};
void pithi_source_of(const void *caller, struct pithi_source *source);
/* Returns `caller`, or, if a binding of MPI made the call, the caller of that binding. */
const void *pithi_source_address(const void *caller);
/* Prints "ring.c:42", or without debug information "ring+0x11d9". */
void pithi_source_print(const struct pithi_source *source, char *text, size_t size);

/* Numbers of calls: checked; with processes of another job; wrong; not checked, for lack of a team (facts.c).
 * Atomic. */
extern int64_t pithi_agreed_calls, pithi_agreed_other_job, pithi_agreed_errors, pithi_fact_unchecked;

#endif
