/* old_settings.c - see old_settings.h. */
#include "old_settings.h"

#include "launcher.h"
#include "quiet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* All that MPE read while a program ran. */
enum { FLAG = 1, IDLE = 2 }; /* a yes or no; no meaning any more */
static const struct {
    const char *name;
    int kind;
} variables[] = {
    {"MPE_LOGFILE_PREFIX", 0},
    {"MPE_TMPDIR", 0},
    {"MPE_LOG_FORMAT", 0},
    {"MPE_LOG_OVERHEAD", FLAG},
    {"MPE_LOG_RANK2PROCNAME", FLAG},
    {"MPE_CLOCKS_SYNC", FLAG},
    {"MPE_SYNC_FREQUENCY", IDLE},
    {"MPE_SYNC_ALGORITHM", IDLE},
    {"MPE_SAME_TMPDIR", IDLE},
    {"MPE_DELETE_LOCALFILE", IDLE},
    {"MPE_USE_FCONSTS_IN_MPIH", IDLE},
    {"CLOG_BLOCK_SIZE", IDLE},
    {"CLOG_BUFFERED_BLOCKS", IDLE},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static const char *text(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* 1, 0; -1: neither. */
static int yes_or_no(const char *value)
{
    static const char *const words[2][4] = {{"false", "FALSE", "no", "NO"}, {"true", "TRUE", "yes", "YES"}};

    for (int answer = 0; answer < 2; answer++)
        for (int i = 0; i < 4; i++)
            if (!strcmp(value, words[answer][i]))
                return answer;
    return -1;
}

int pithi_old_flag(const char *name, int otherwise)
{
    const char *value = text(name);
    int answer = value ? yes_or_no(value) : -1;

    return answer < 0 ? otherwise : answer;
}

const char *pithi_old_prefix(void) { return text("MPE_LOGFILE_PREFIX"); }

/* ---- Into Pith's ------------------------------------------------------------------------------------------------- */

static int any_of_mpe(void)
{
    for (int i = 0; i < VARIABLES; i++)
        if (text(variables[i].name))
            return 1;
    return 0;
}

static int any_of_pith(void)
{
    for (char **variable = environ; variable && *variable; variable++)
        if (!strncmp(*variable, "PITH_", 5))
            return 1;
    return 0;
}

/* The formats of MPE 1, and what has taken their place. NULL: not said. */
static const char *format(void)
{
    static const char *const names[][2] = {{"ALOG", "alog"}, {"CLOG", "clog2"}, {"CLOG2", "clog2"}, {"SLOG", "slog2"}};
    const char *value = text("MPE_LOG_FORMAT");

    for (size_t i = 0; value && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(value, names[i][0]))
            return names[i][1];
    return NULL;
}

static int is_usable(const char *folder) { return access(folder, W_OK | X_OK) == 0; }

/* A folder of the user's own in it, as other jobs have files there too. */
static void set_spill(const char *folder)
{
    char path[4096];

    if (is_usable(folder) && snprintf(path, sizeof path, "%s/pith-%u-%s.spill", folder, (unsigned)geteuid(),
                                      program_invocation_short_name) < (int)sizeof path)
        setenv("PITH_SPILL", path, 0);
}

#define OWN_STATE "pith:flush"
/* MPE did not log these calls: those of its kinds ENV, ATTR, GROUP and DATATYPE. */
#define NOT_LOGGED                                                                                                     \
    "MPI datatype,MPI group,MPI tools,MPI_Init*,MPI_Finalize*,MPI_Wtime,MPI_Wtick,MPI_Pcontrol,MPI_Op_*,MPI_Err*,"    \
    "MPI_*_errhandler,MPI_Add_error*,MPI_Abort,MPI_Get_processor_name,MPI_Get_version,MPI_Get_library_version,"       \
    "MPI_Get_address,MPI_Query_thread,MPI_Is_thread_main,MPI_Info_*,MPI_*_attr,MPI_*_keyval,MPI_Attr_*,MPI_Keyval_*"

static void skip(const char *names)
{
    const char *before = text("PITH_SKIP");
    char list[4096];

    if (snprintf(list, sizeof list, "%s%s%s", before ? before : "", before ? "," : "", names) < (int)sizeof list)
        setenv("PITH_SKIP", list, 1);
}

/* A user who has set variables of MPE and none of Pith uses MPE's tools: they read CLOG-2, and expect what MPE logged.
 * Called at the program's start, before the recorder reads the variables. */
__attribute__((constructor)) static void take_over(void)
{
    const char *wanted;
    int like_mpe = !any_of_pith();

    if (getauxval(AT_SECURE) != 0 || !any_of_mpe())
        return;
    wanted = format();
    if (!wanted && like_mpe)
        wanted = "clog2";
    if (wanted && !text("PITH_LOG"))
        setenv("PITH_FORMAT", wanted, 0);
    if (text("MPE_TMPDIR"))
        set_spill(text("MPE_TMPDIR"));
    if (like_mpe)
        skip(OWN_STATE "," NOT_LOGGED);
    else if (!pithi_old_flag("MPE_LOG_OVERHEAD", 1))
        skip(OWN_STATE);
}

/* ---- Notes ------------------------------------------------------------------------------------------------------- */

/* Names with commas between; returns how many. */
static int list_idle(char *list, size_t size)
{
    int count = 0;

    *list = 0;
    for (int i = 0; i < VARIABLES; i++)
        if ((variables[i].kind & IDLE) && text(variables[i].name)) {
            size_t used = strlen(list);
            snprintf(list + used, size - used, "%s%s", count++ ? ", " : "", variables[i].name);
        }
    return count;
}

static void note_values(void)
{
    const char *folder = text("MPE_TMPDIR");

    for (int i = 0; i < VARIABLES; i++)
        if ((variables[i].kind & FLAG) && text(variables[i].name) && yes_or_no(text(variables[i].name)) < 0)
            fprintf(stderr, "pith: %s=%s: not yes or no; taken as not given\n", variables[i].name,
                    text(variables[i].name));
    if (text("MPE_LOG_FORMAT") && !format())
        fprintf(stderr, "pith: MPE_LOG_FORMAT=%s: not ALOG, CLOG or SLOG; taken as not given\n",
                text("MPE_LOG_FORMAT"));
    if (folder && !is_usable(folder))
        fprintf(stderr, "pith: MPE_TMPDIR=%s: not a folder that can be written to; taken as not given\n", folder);
}

void pithi_old_settings_note(void)
{
    static int done;
    char list[512];

    if (done++ || pithi_launcher_rank(0) != 0 || pithi_is_quiet())
        return;
    note_values();
    if (list_idle(list, sizeof list) > 0)
        fprintf(stderr, "pith: %s: set, but of no meaning here (man 3 mpe)\n", list);
}
