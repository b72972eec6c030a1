/* old_settings.c - MPE's environment variables, translated into Pith's.
 *
 * A user who sets variables of MPE but none of Pith probably uses MPE's tools. These tools read CLOG-2 and expect only
 * the calls that MPE logged. So for such a user Pith writes CLOG-2 with only these calls.
 */
#include "base/launcher.h"
#include "base/say.h"
#include "mpe_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* All variables that MPE read when a program ran. */
enum { FLAG = 1, IGNORED = 2 }; /* FLAG: its value is yes or no; IGNORED: it has no meaning in Pith */
static const struct {
    const char *name;
    int kind; /* FLAG, IGNORED, or 0: its value is a text */
} variables[] = {
    {"MPE_LOGFILE_PREFIX", 0},
    {"MPE_TMPDIR", 0},
    {"MPE_LOG_FORMAT", 0},
    {"MPE_LOG_OVERHEAD", FLAG},
    {"MPE_LOG_RANK2PROCNAME", FLAG},
    {"MPE_CLOCKS_SYNC", FLAG},
    {"MPE_SYNC_FREQUENCY", IGNORED},
    {"MPE_SYNC_ALGORITHM", IGNORED},
    {"MPE_SAME_TMPDIR", IGNORED},
    {"MPE_DELETE_LOCALFILE", IGNORED},
    {"MPE_USE_FCONSTS_IN_MPIH", IGNORED},
    {"CLOG_BLOCK_SIZE", IGNORED},
    {"CLOG_BUFFERED_BLOCKS", IGNORED},
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

/* Returns the value of a variable; NULL if it is not set or is empty. */
static const char *text(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

/* Returns 1 if the value means yes, 0 if it means no, -1 if it is neither. */
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

int pithi_old_is_clog2(void)
{
    const char *wanted = text("PITH_FORMAT"), *log = text("PITH_LOG");
    size_t length = log ? strlen(log) : 0;

    if (wanted)
        return !strcmp(wanted, "clog2");
    return length > 6 && !strcmp(log + length - 6, ".clog2");
}

const char *pithi_old_prefix(void) { return text("MPE_LOGFILE_PREFIX"); }

/* ---- Translation ------------------------------------------------------------------------------------------------- */

/* Returns Pith's name for the format in MPE_LOG_FORMAT; NULL if it is not set or unknown. */
static const char *format(void)
{
    static const char *const names[][2] = {{"ALOG", "alog"}, {"CLOG", "clog2"}, {"CLOG2", "clog2"}, {"SLOG", "slog2"}};
    const char *value = text("MPE_LOG_FORMAT");

    for (size_t i = 0; value && i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(value, names[i][0]))
            return names[i][1];
    return NULL;
}

/* Returns 1 if files can be made in the folder. */
static int is_usable(const char *folder) { return access(folder, W_OK | X_OK) == 0; }

#define OWN_STATE "pith:flush"
/* MPE did not log these calls (its classes ENV, ATTR, GROUP and DATATYPE). */
#define NOT_LOGGED                                                                                                     \
    "MPI datatype,MPI group,MPI tools,MPI_Init*,MPI_Finalize*,MPI_Wtime,MPI_Wtick,MPI_Pcontrol,MPI_Op_*,MPI_Err*,"     \
    "MPI_*_errhandler,MPI_Add_error*,MPI_Abort,MPI_Get_processor_name,MPI_Get_version,MPI_Get_library_version,"        \
    "MPI_Get_address,MPI_Query_thread,MPI_Is_thread_main,MPI_Info_*,MPI_*_attr,MPI_*_keyval,MPI_Attr_*,MPI_Keyval_*"

/* Adds names to PITH_SKIP, the list of functions and groups that are not recorded. */
static void skip(const char *names)
{
    const char *before = text("PITH_SKIP");
    char list[4096];

    if (snprintf(list, sizeof list, "%s%s%s", before ? before : "", before ? "," : "", names) < (int)sizeof list)
        setenv("PITH_SKIP", list, 1);
}

/* Runs when the program starts, before the recorder reads its variables. */
__attribute__((constructor)) static void translate_settings(void)
{
    const char *wanted = format();
    int like_mpe = 1, has_mpe = 0;

    for (char **variable = environ; variable && *variable; variable++)
        if (!strncmp(*variable, "PITH_", 5) && strncmp(*variable, "PITH_SUMMARY=", 13) != 0 &&
            strncmp(*variable, "PITH_CALLSITES=", 15) != 0 && strncmp(*variable, "PITH_ANALYZE=", 13) != 0)
            like_mpe = 0;
    for (int i = 0; i < VARIABLES; i++)
        if (text(variables[i].name))
            has_mpe = 1;
    if (getauxval(AT_SECURE) != 0 || !has_mpe)
        return;
    if (!wanted && like_mpe)
        wanted = "clog2";
    if (wanted && !text("PITH_LOG"))
        setenv("PITH_FORMAT", wanted, 0);
    if (text("MPE_TMPDIR")) {
        /* Other jobs may have files in MPE_TMPDIR. So the spill folder is a folder in MPE_TMPDIR that is named after
         * this user and program. */
        const char *folder = text("MPE_TMPDIR");
        char path[4096];

        if (is_usable(folder) && snprintf(path, sizeof path, "%s/pith-%u-%s.spill", folder, (unsigned)geteuid(),
                                          program_invocation_short_name) < (int)sizeof path)
            setenv("PITH_SPILL", path, 0);
    }
    if (like_mpe) {
        skip(OWN_STATE "," NOT_LOGGED);
        setenv("PITH_CALLSITES", "0", 0);
        /* lets merge.c know that the user did not write PITH_SKIP, so it reports no unused names in that list */
        setenv("_PITH_LIKE_MPE", "1", 1);
    } else if (!pithi_old_flag("MPE_LOG_OVERHEAD", 1)) {
        skip(OWN_STATE);
    }
}

/* ---- Warnings ---------------------------------------------------------------------------------------------------- */

void pithi_old_settings_note(void)
{
    static int done;
    const char *folder = text("MPE_TMPDIR");
    char ignored[512] = "";

    if (done++ || pithi_launcher_rank(0) != 0 || pithi_is_quiet())
        return;
    for (int i = 0; i < VARIABLES; i++) {
        const char *name = variables[i].name, *value = text(name);
        size_t used = strlen(ignored);
        if (value && variables[i].kind == FLAG && yes_or_no(value) < 0)
            pithi_say("%s=%s: not yes or no; ignored", name, value);
        if (value && variables[i].kind == IGNORED)
            snprintf(ignored + used, sizeof ignored - used, "%s%s", used ? ", " : "", name);
    }
    if (text("MPE_LOG_FORMAT") && !format())
        pithi_say("MPE_LOG_FORMAT=%s: not ALOG, CLOG or SLOG; ignored", text("MPE_LOG_FORMAT"));
    if (folder && !is_usable(folder))
        pithi_say("MPE_TMPDIR=%s: not a writable folder; ignored", folder);
    if (*ignored)
        pithi_say("%s: set, but without effect in Pith (man 3 mpe)", ignored);
}
