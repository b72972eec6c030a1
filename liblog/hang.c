/* hang.c - finds that the job hangs, and has `pith top --why` report it (hang.h).
 *
 * One process of the job looks: the lowest rank that is recorded. As long as it records itself, the job goes on, and
 * a look costs it one read of its own buffers. Only when it has recorded nothing for PITH_HANG it starts, each quarter
 * of that time, `pith top --hang`, which reads the spill files of all ranks, and prints nothing if one of them has
 * recorded something since:
 *
 *     PITH_HANG=60   rank 0's last record at 100 s, rank 3's at 130 s
 *     160 s          pith top --hang 60: nothing, as rank 3's record is 30 s old; again after 15 s
 *     190 s          pith top --hang 60: the report; the next one not before rank 0 has recorded something
 *
 * Reading takes time that grows with the records, so there is a pause of 20 times that after it: at most a twentieth of
 * a core is used. No MPI call is made, as it could wait, too. */
#include "hang.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/say.h"
#include "buffer.h"
#include "clock.h"
#include "listener.h"
#include "output.h"
#include "process.h"
#include "selection.h"
#include "session.h"

static struct {
    uint64_t latest, lost; /* of this process: the ticks of its newest record, its lost records */
    int64_t since_ns;      /* it has had no newer one since then; CLOCK_MONOTONIC */
    int64_t again_ns;      /* no look at the others before */
    int is_reported;
} stall;

/* The lowest recorded rank. A forked child does not look: its log is its own. */
static int is_looking(void)
{
    const struct pithi_session *s = &pithi_session;
    int lowest = 0;
    if (s->forked || s->left_out)
        return 0;
    if (s->size == 0)
        return pithi_speaks_for_job();
    while (lowest < s->rank && !pithi_ranks_has(s->settings.ranks, lowest))
        lowest++;
    return lowest == s->rank;
}

/* For how long this process has recorded nothing. Samples are records, but no progress: with them, others are asked
 * each time. */
static int64_t stalled_ns(int64_t now_ns)
{
    struct pithi_guard guard;
    uint64_t latest = 0, lost;
    int is_on = 0;
    if (pithi_guard_enter(&guard)) {
        is_on = pithi_session.state == PITHI_RECORDING && pithi_session.window_begun && is_looking();
        latest = is_on && pithi_session.settings.sample_ns == 0 ? pithi_buffer_latest() : stall.latest;
        pithi_guard_leave(&guard);
    }
    lost = __atomic_load_n(&pithi_session.lost, __ATOMIC_RELAXED);
    if (is_on && stall.since_ns != 0 && latest == stall.latest && lost == stall.lost)
        return now_ns - stall.since_ns;
    stall.latest = latest;
    stall.lost = lost;
    stall.since_ns = now_ns;
    stall.is_reported = 0;
    return 0;
}

int64_t pithi_hang_pause(void)
{
    int64_t ns = pithi_session.settings.hang_ns / 8;
    return ns < 1000000000 ? ns : 1000000000;
}

/* hang_ns 0: the report in any case. 1: there was one. */
static int report(int64_t hang_ns)
{
    struct pithi_job_place place;
    struct pithi_signals signals;
    int out, is_said = 0;
    if (!pithi_listener_look(&place))
        return 0;
    out = pithi_descriptor_temporary(place.folder);
    if (out < 0 || pithi_top(pithi_session.file.path, hang_ns, out) != 0) {
        pithi_say("PITH_HANG: no report: %s",
                  out < 0 ? "no file can be made in the spill folder" : "no command `pith` beside libpith or in PATH");
        is_said = 1; /* once */
    } else if (lseek(out, 0, SEEK_END) > 0) {
        pithi_signals_begin(&signals);
        char part[4096];
        ssize_t got, put = 0;
        for (off_t at = 0; put >= 0 && (got = pread(out, part, sizeof part, at)) > 0; at += got)
            for (ssize_t done = 0; done < got && put >= 0; done += put)
                if ((put = write(2, part + done, (size_t)(got - done))) < 0 && errno == EINTR)
                    put = 0;
        pithi_signals_end(&signals);
        is_said = 1;
    }
    if (out >= 0)
        close(out);
    return is_said;
}

void pithi_hang_report(void) { report(0); }

void pithi_hang_look(void)
{
    int64_t begin_ns = pithi_clock_ns(CLOCK_MONOTONIC), hang_ns = pithi_session.settings.hang_ns, pause_ns;
    if (stalled_ns(begin_ns) < hang_ns || stall.is_reported || begin_ns < stall.again_ns)
        return;
    stall.is_reported = report(hang_ns);
    pause_ns = 20 * (pithi_clock_ns(CLOCK_MONOTONIC) - begin_ns);
    stall.again_ns = begin_ns + (pause_ns > hang_ns / 4 ? pause_ns : hang_ns / 4);
    if (stall.is_reported && pithi_session.settings.hang_abort) {
        /* The system ends the process, and so the launcher the job; spill files stay. */
        const struct timespec pause = {10, 0};
        pithi_say("PITH_HANG: ending this job; `pith recover` makes a log of its spill folder");
        kill(getpid(), SIGTERM);
        nanosleep(&pause, NULL);
        kill(getpid(), SIGKILL); /* the program did not obey */
    }
}
