/* snapshot.c - reads the spill folder of this job like `pith recover`, while all processes continue to record.
 *
 * The process that makes the snapshot reads the files of all others as they are when it comes to them; the others do
 * not stop. So a snapshot does not show one moment: rank 0 may be in it up to 10.0 s and rank 7, read last, up to 10.3
 * s. */
#include "snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/say.h"
#include "listener.h"
#include "output.h"
#include "pith.h"
#include "process.h"
#include "session.h"
#include "spill/spill_read.h"

/* Writes the records of the job as the native log `part`. Returns PITH_OK or an error. */
static int write_part(const struct pithi_job_place *source, const char *part, struct pithi_snapshot *snapshot)
{
    struct pithi_spill_folder folder;
    struct pithi_spill_result result;
    struct pithi_writer *writer = NULL;
    uint32_t i;
    int err = pithi_spill_folder_open(&folder, source->folder);
    if (err != PITH_OK)
        return err;
    err = PITH_ERR_OPEN;
    for (i = 0; i < folder.job_count; i++) {
        const struct pithi_spill_job *job = &folder.jobs[i];
        if (folder.members[job->first].job != source->job)
            continue;
        snapshot->ranks = job->ranks;
        snapshot->ranks_missing = job->missing;
        err = pithi_writer_open(&writer, part, -1);
        if (err == PITH_OK)
            err = pithi_spill_read_job(&folder, job, writer, &result, NULL, NULL);
        if (err == PITH_OK)
            err = pithi_writer_finish(writer);
        snapshot->records = result.records;
        break;
    }
    if (writer != NULL)
        pithi_writer_close(writer);
    pithi_spill_folder_close(&folder);
    return err;
}

int pithi_snapshot_make(const char *path)
{
    struct pithi_job_place source;
    struct pithi_snapshot snapshot = {.path = path};
    char part[PITHI_PATH_MAX + 64], ending[48];
    if (!pithi_listener_look(&source)) {
        pithi_say("no snapshot: nothing is being recorded");
        return -1;
    }
    snprintf(ending, sizeof ending, "-%ld.snapshot", (long)getpid());
    pithi_place_part(part, sizeof part, source.log, source.job, ending);
    snapshot.part = part;
    snapshot.log = source.log;
    if (write_part(&source, part, &snapshot) != PITH_OK) {
        pithi_say("no snapshot: %s", pithlog_error());
        return -1;
    }
    return pithi_output_snapshot(&snapshot);
}

int pith_snapshot(const char *path)
{
    struct pithi_signals signals;
    int cancel_state, status = -1, saved = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pithi_signals_begin(&signals);
    if (pithi_listener_enter()) {
        status = pithi_snapshot_make(path);
        pithi_listener_leave();
    }
    pithi_signals_end(&signals);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved;
    return status;
}
