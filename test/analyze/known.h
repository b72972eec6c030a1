/* known.h - what the cases of known.c share: each case has a call that waits for a known time. */
#ifndef KNOWN_H
#define KNOWN_H

#include <mpi.h>
#include <stdint.h>

enum { REPEATS = 2, DELAY_MS = 5, LONG = 1 << 18, MOST_RANKS = 64, MOST_CALLS = 4 };

/* Which ranks wait for which other ranks. */
enum members {
    PAIR,      /* an even rank for the rank after it */
    ALL,       /* all for all */
    HALF,      /* the same in `half`, the communicator of the even or the odd ranks */
    FROM_ROOT, /* the others for rank 0 */
    TO_ROOT,   /* rank 0 for the others */
    BEFORE     /* all for the ranks before them */
};

struct times {
    struct {
        int64_t begin, end;
    } calls[MOST_CALLS]; /* that may wait; begin is 0: not made */
    int64_t release;     /* when this rank let others go on: begin of its send, its receive, its collective */
};

struct known_case {
    const char *kind, *state; /* the functions of its calls */
    enum members members;
    void (*waits)(void), (*other)(void); /* the same for all members of a collective */
    const char *order;                   /* of a late sender in wrong order; NULL */
};
/* The last row is empty. */
extern const struct known_case message_cases[], collective_cases[], window_cases[];

extern int rank, size, peer, late, repeat;
extern struct times *times;          /* of this rank in this case and repetition */
extern MPI_Comm half, pair, between; /* pair: this rank and its peer */
extern MPI_Group half_group, peer_group;
extern char here[LONG], there[LONG];
extern int counts[MOST_RANKS], places[MOST_RANKS];

/* What a case has made is freed after it. */
extern MPI_Comm fresh;
extern MPI_Win fresh_window;
extern MPI_File fresh_file;
/* Some to be freed, or used. */
extern MPI_Comm spare[REPEATS];
/* paired: of this rank and its peer */
extern MPI_Win spare_windows[REPEATS], window, paired, fenced;
extern MPI_File spare_files[REPEATS], file;

int64_t now_ns(void);
void sleep_until(int64_t ns);
void sleep_ms(int ms);
/* Lets the partner of a waiting call come late, or the waiting call. */
void delay(void);
/* Completes requests without waiting in a call. */
void complete(int count, MPI_Request *requests);
/* Waits for the peer, which is not recorded. */
void meet(void);

/* IN, WAIT: store when a call that may wait begins and ends. START: stores when a call begins that other ranks wait
 * for. CALL: a call of both kinds. */
#define IN(i, call) (times->calls[i].begin = now_ns(), (call), times->calls[i].end = now_ns())
#define WAIT(call) IN(0, call)
#define START(call) (times->release = now_ns(), (call))
#define CALL(call) (times->calls[0].begin = times->release = now_ns(), (call), times->calls[0].end = now_ns())
#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

#endif
