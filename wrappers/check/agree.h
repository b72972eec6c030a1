/* agree.h - how the processes of a team compare their calls (agree.c, subgroup.c), and how they report a difference
 * (verdict.c, source_line.c). */
#ifndef PITHI_AGREE_H
#define PITHI_AGREE_H

#include "facts.h"

/* Waits for a request on a shadow. Reports a long wait once, with the ranks that are missing. `check`: the check of the
 * call that waits. `whom`: a text that the report has in place of the missing ranks; NULL: none. */
void pithi_await(MPI_Request *request, const struct pithi_check *check, const char *whom);
/* Waits until all processes of a communicator that has no team have entered the MPI function `name`. */
void pithi_await_all(MPI_Comm comm, const char *name);
/* Returns the value of PITH_CHECK_SECONDS: after so many seconds a wait is reported, or never if it is 0. */
int pithi_await_seconds(void);
int64_t pithi_await_now_ns(void);

/* subgroup.c: returns 1 if the check's members agree. All members call it. */
int pithi_subgroup_agrees(struct pithi_check *check);
void pithi_subgroup_begin(MPI_Comm world); /* collective, once */

/* PITHI_VERDICT_TAGS: verdict.c uses the tags below this one on a shadow; PITHI_VERDICT_TEXT: bytes of a problem's
 * text */
enum { PITHI_VERDICT_TAGS = 8192, PITHI_VERDICT_TEXT = 160 };
/* The tags of left.c, which follow those of verdict.c. The tags from PITHI_SUBGROUP_TAGS on belong to subgroup.c. */
enum { PITHI_LEFT_TAG_FOUND = PITHI_VERDICT_TAGS, PITHI_LEFT_TAG_LINES, PITHI_SUBGROUP_TAGS };
/* verdict.c: finds out how the calls differ and reports it. All processes of the team, or all members, call this
 * function; the first of them prints the report. */
void pithi_verdict(struct pithi_check *check);
/* Prints, for example, "(communicator MPI_COMM_WORLD, 17th collective call)". */
void pithi_verdict_where(const struct pithi_check *check, char *text, size_t size);
/* Writes one or more whole lines to standard error or PITH_CHECK_FILE, in one piece. */
void pithi_check_say(const char *lines);

/* Prints a list of increasing ranks as "rank 2" or "ranks 1-3,5". If the list is too long for `size` bytes, the text
 * ends with "and N more". */
void pithi_check_ranks(const int *ranks, int count, char *text, size_t size);

/* source_line.c: the place in the program that made a call, that is, the first return address outside MPI and its
 * bindings. */
struct pithi_source {
    char module[240]; /* path of the program or library; a longer path is cut */
    uint64_t offset;  /* the address within the module's file */
};
void pithi_source_of(const void *caller, struct pithi_source *source);
/* Returns `caller`, or, if a binding of MPI made the call, the caller of that binding. */
const void *pithi_source_address(const void *caller);
/* Prints "ring.c:42", or without debug information "ring+0x11d9". */
void pithi_source_print(const struct pithi_source *source, char *text, size_t size);

/* Numbers of collective calls; atomic. calls: calls that were checked; other_job: those of them that had processes of
 * another job or without this library; errors: errors that were found; unchecked: calls that were not checked, because
 * there was no team (facts.c). */
extern int64_t pithi_agreed_calls, pithi_agreed_other_job, pithi_agreed_errors, pithi_fact_unchecked;

#endif
