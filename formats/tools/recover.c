/* recover.c - `pith recover SPILLDIR [-o LOG]`: makes logs from the spill files of a dead or running program, or copies
 * the intact parts of a damaged log. It never removes its input.
 *
 * The argument decides what is done:
 *
 *     run.pith.spill/     the folder of one or several jobs     -> run.pith, run-2.pith ... one log for each job
 *     a .spill file       the records of one process            -> one log
 *     run.pith, damaged   known as native by its first bytes    -> -o NEW.pith: the intact parts
 *
 * Each job gets a log of its own. A folder can have the files of several jobs if it is used again after a crash, and
 * the ranks of these jobs have the same numbers. Losses are printed as they are found, and then the exit status is 1,
 * so that a script notices. The log is written even if records were lost, because it is all that is left of the run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "reader/read/native.h"
#include "spill/spill_read.h"
#include "tools/outfile.h"
#include "tools/progress.h"
#include "tools/tools.h"

/* Prints a loss as soon as it is found, before the line with the summary. */
static void say(void *context, const char *text)
{
    (void)context;
    pithi_progress_clear(); /* otherwise the text would be appended to the line of progress */
    pithi_tool_say(stdout, "%s", text);
}

/* Refuses to replace an existing file, unless -o names it. */
static int check_name(const char *name, int chosen)
{
    const struct pithi_format *format = pithi_format_by_suffix(name);
    if (format != NULL && strcmp(format->name, "native") != 0)
        return pithi_fail(PITH_ERR_USAGE, "%s: recover writes Pith's own format; name it .pith, then use pith convert",
                          name);
    if (!chosen && access(name, F_OK) == 0)
        return pithi_fail(PITH_ERR_USAGE, "%s: already exists; choose a name with -o", name);
    return PITH_OK;
}

struct recovering {
    const struct pithi_spill_folder *folder;
    const struct pithi_spill_job *job;
    struct pithi_spill_result result;
    const char *path; /* the damaged log, if a log is recovered */
    uint64_t damages; /* the number of places in this log that were left out */
};

static int fill_from_job(void *context, struct pithi_writer *writer)
{
    struct recovering *r = context;

    return pithi_spill_read_job(r->folder, r->job, writer, &r->result, say, NULL);
}

static int recover_job(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job, const char *name,
                       uint64_t *losses)
{
    struct recovering r = {.folder = folder, .job = job};

    /* the last argument is 0: the number of records is not known in advance, so progress shows bytes */
    CHECK(pithi_outfile_make("recover", pithi_format_by_name("native"), name, fill_from_job, &r, 0));
    const struct pithi_spill_result *result = &r.result;
    printf("%s: %u of %u rank%s", name, job->ranks - job->missing, job->ranks, job->ranks == 1 ? "" : "s");
    if (job->running > 0)
        printf(" (%u process%s still running)", job->running, job->running == 1 ? "" : "es");
    printf(", %llu records", (unsigned long long)result->records);
    if (result->lost > 0)
        printf(", %llu lost by the program", (unsigned long long)result->lost);
    if (result->missing > 0)
        printf(", at most %llu missing", (unsigned long long)result->missing);
    if (result->damaged > 0)
        printf(", %llu damaged piece%s left out", (unsigned long long)result->damaged, result->damaged == 1 ? "" : "s");
    if (result->unreadable > 0)
        printf(", %u file%s not readable", result->unreadable, result->unreadable == 1 ? "" : "s");
    printf("\n");
    /* Prints which ranks are missing, as this is the first question of users after a crash. */
    char ranks[128];
    pithi_spill_ranks_missing(folder, job, ranks, sizeof ranks);
    if (*ranks != '\0')
        printf("  no records of %s\n", ranks);
    /* These losses make the exit status 1. Records that the program could not record (result.lost) are not counted:
     * they are no failure of `pith recover`. */
    *losses += r.result.losses + r.result.damaged + r.result.unreadable + job->gone;
    return PITH_OK;
}

static int fill_from_log(void *context, struct pithi_writer *writer)
{
    struct recovering *r = context;

    return pithi_native_recover(r->path, writer, &r->damages);
}

static int recover_log(const char *path, const char *name)
{
    struct recovering r = {.path = path};

    /* check_name(name, 1): -o was given, so an existing file may be replaced, but not the input */
    if (pithi_outfile_check(name) || check_name(name, 1) ||
        pithi_outfile_make("recover", pithi_format_by_name("native"), name, fill_from_log, &r, 0))
        return pithi_tool_failed();
    printf("%s: the intact parts of %s; %llu damaged place%s left out\n", name, path, (unsigned long long)r.damages,
           r.damages == 1 ? "" : "s");
    return 0;
}

int pithi_tool_recover(int argc, char **argv)
{
    static const char *const names[] = {"SPILLDIR", NULL};
    char name[4096];
    const char *log = NULL;
    const struct pithi_option options[] = {{"output", 'o', PITHI_TEXT, &log, NULL, NULL}, {.name = NULL}};
    int chosen;

    if (pithi_tool_options(argc, argv, options))
        return 2;
    if (pithi_tool_arguments(argc, argv, names) != 0)
        return 2;
    chosen = log != NULL; /* a file that -o names may be replaced, but not a file with the default name */
    pithi_outfile_reads(argv[optind]);
    if (pithi_tool_is_native(argv[optind]))
        return chosen ? recover_log(argv[optind], log)
                      : pithi_tool_usage(argv[0], "a damaged log is recovered into a new file; give -o LOG");
    /* The default name is that of the folder LOG.spill without ".spill". */
    if (!chosen) {
        size_t length = strlen(argv[optind]);
        while (length > 1 && argv[optind][length - 1] == '/') /* "run.pith.spill/" is the same folder */
            length--;
        /* In the name of a folder that is only ".spill", nothing would be left, so the name is not cut. */
        if (length > 6 && strncmp(argv[optind] + length - 6, ".spill", 6) == 0)
            length -= 6;
        if (length >= sizeof name)
            return pithi_tool_usage(argv[0], "the name of the folder is too long");
        memcpy(name, argv[optind], length);
        name[length] = '\0';
        log = name;
    }

    const char *path = argv[optind];
    struct pithi_spill_folder folder;
    uint64_t losses = 0;
    char job_log[4096];
    uint32_t i;
    int err = pithi_spill_folder_open(&folder, path);
    if (err)
        return pithi_tool_failed();
    /* If all files of the folder are of another version of Pith, the error says this, not "holds no records". */
    if (folder.job_count == 0 && folder.unreadable > 0 && pithi_spill_other_version(folder.unreadable_paths[0])) {
        err = PITH_ERR_UNSUPPORTED;
    } else if (folder.job_count == 0) {
        pithi_fail(PITH_ERR_FORMAT, "%s: holds no records%s; name the folder LOG.spill of the run", path,
                   folder.unreadable > 0 ? " that can be read" : "");
        err = PITH_ERR_FORMAT;
    }
    /* The logs of the jobs are named run.pith, run-2.pith, run-3.pith ... The suffix is looked for after the last
     * slash, because a dot in the name of a folder begins no suffix. */
    const char *slash = strrchr(log, '/'), *dot = strrchr(slash != NULL ? slash : log, '.');
    int stem = dot != NULL ? (int)(dot - log) : (int)strlen(log); /* bytes before the suffix */
    for (i = 0; err == PITH_OK && i < folder.job_count; i++) {
        int length = i == 0 ? snprintf(job_log, sizeof job_log, "%s", log)
                            : snprintf(job_log, sizeof job_log, "%.*s-%u%s", stem, log, i + 1, log + stem);
        if (length >= (int)sizeof job_log)
            err = pithi_fail(PITH_ERR_USAGE, "%s: the name is too long", log);
        else if ((err = check_name(job_log, chosen)) == PITH_OK)
            err = recover_job(&folder, &folder.jobs[i], job_log, &losses);
    }
    pithi_spill_folder_close(&folder);
    return err != PITH_OK ? pithi_tool_failed() : losses != 0;
}
