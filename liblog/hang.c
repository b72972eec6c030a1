/* hang.c - finds that the job hangs, and has `pith top --why` report it (hang.h).
 *
 * Only the lowest recorded rank looks whether the job hangs. While that rank itself records, the job makes progress,
 * and a look only reads its own buffers. When it has recorded nothing for PITH_HANG, it runs `pith top --hang`, again
 * after each quarter of that time. That command reads the spill files of all ranks, and prints nothing if any of them
 * has recorded something within PITH_HANG:
 *
 *     PITH_HANG=60   rank 0's last record at 100 s, rank 3's at 130 s
 *     160 s          pith top --hang 60: nothing, as rank 3's record is 30 s old; again after 15 s
 *     190 s          pith top --hang 60: the report; no further one until rank 0 has recorded something
 *
 * The command takes longer the more records there are. The pause after the command is at least 20 times as long as the
 * command took, so the command uses at most a twentieth of a core. Nothing here makes an MPI call, because that could
 * hang, too.
 */
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
    int64_t since_ns;      /* time since which this process has recorded nothing newer; CLOCK_MONOTONIC */
    int64_t again_ns;      /* `pith top` is not run again before this time */
    int is_reported;       /* 1: the present hang was reported */
} stall;

/* Returns 1 if this process is the lowest recorded rank. A forked child does not look, because its log is its own. */
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

/* Returns for how long this process has recorded nothing. With PITH_SAMPLE the newest record may be a sample, which
 * shows no progress. So newest records do not count then: only lost records, a pause or the end restart the time, and
 * `pith top` finds out whether the job hangs. */
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

/* Prints the report; with hang_ns > 0, only if no rank has recorded anything for that time. Returns 1 if something was
 * printed. */
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
        is_said = 1; /* so that this line is printed once for each hang */
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
        /* Ends this process by a signal, so that the launcher ends the job. The spill files stay. */
        const struct timespec pause = {10, 0};
        pithi_say("PITH_HANG: ending this job; `pith recover` makes a log of its spill folder");
        kill(getpid(), SIGTERM);
        nanosleep(&pause, NULL);
        kill(getpid(), SIGKILL); /* SIGTERM did not end the process */
    }
}
