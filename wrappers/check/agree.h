/* agree.h - the exchange of a check, and what is said. */
#ifndef PITHI_AGREE_H
#define PITHI_AGREE_H

#include "facts.h"

/* Waits for a request on a shadow. When that takes long, says so once, and for whom. `check`: for whose call; the rest
 * of the sentence, in place of those who have not come: `whom`, or NULL. */
void pithi_await(MPI_Request *request, const struct pithi_check *check, const char *whom);
/* Waits until all processes of a communicator without a team have come, in the call of that name. */
void pithi_await_all(MPI_Comm comm, const char *name);
/* The seconds of PITH_CHECK_SECONDS; 0: never. */
int pithi_await_seconds(void);
int64_t pithi_await_now_ns(void);

/* subgroup.c: whether the check's members agree. All of them come here. */
int pithi_subgroup_agrees(struct pithi_check *check);
void pithi_subgroup_begin(MPI_Comm world); /* collective, once */

/* verdict.c: the processes do not agree. All of the team, or the members, come here; the first says what is wrong. */
enum { PITHI_VERDICT_TAGS = 8192, PITHI_VERDICT_TEXT = 160 }; /* its tags on a shadow; the longest problem */
void pithi_verdict(struct pithi_check *check);
/* "(communicator MPI_COMM_WORLD, 17th collective call)" */
void pithi_verdict_where(const struct pithi_check *check, char *text, size_t size);
/* A whole line or more, to standard error or PITH_CHECK_FILE, in one piece. */
void pithi_say(const char *lines);

/* source_line.c: where in the program a call was made: the first address that is not in MPI or its bindings. */
struct pithi_source {
    char module[240];
    uint64_t offset;
};
void pithi_source_of(const void *caller, struct pithi_source *source);
/* caller itself, or, when a binding of MPI made the call, who called that. */
const void *pithi_source_address(const void *caller);
/* "ring.c:42", else "ring+0x11d9" */
void pithi_source_print(const struct pithi_source *source, char *text, size_t size);

/* Calls checked, in which processes of another job took part, that were wrong; facts.c: not checked. Atomic. */
extern int64_t pithi_agreed_calls, pithi_agreed_alone, pithi_agreed_errors, pithi_fact_unchecked;

#endif
