/* test_record_names.c - what PITH_LOG may name: long names, devices and pipes, the suffixes of other formats. */
#include "record_help.h"

/* What no log may be made of is said before anything is recorded, in one line. */
static int was_refused(const char *why)
{
    return help_lines(help_said()) == 1 && strstr(help_said(), why) != NULL &&
           strstr(help_said(), "recording is off") != NULL && help_files(".", ".spill") == 0;
}

static void record(void)
{
    uint32_t state = pith_state_define("s", NULL);
    pith_begin(state);
    pith_end(state);
}

/* ---- Long names -------------------------------------------------------------------------------------------------- */

/* A name of `length` bytes with this suffix. */
static const char *long_name(size_t length, const char *suffix)
{
    static char name[400];
    memset(name, 'n', length);
    strcpy(name + length - strlen(suffix), suffix);
    return name;
}

static void record_and_copy(void)
{
    record();
    if (pith_snapshot(NULL) != 0)
        exit(3);
}

static void record_and_fork(void)
{
    int status;
    record();
    pid_t child = fork();
    if (child == 0) {
        record();
        exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        exit(4);
}

static void test_long(void)
{
    struct help_log log;
    const char *name = long_name(240, ".pith");
    help_fresh();
    setenv("PITH_LOG", name, 1);
    OK(help_child(record_and_copy) == 0 && help_read(&log, name), "a log's name of 240 bytes");
    OK(help_count(&log, PITHLOG_LEAVE, "s") == 1 && help_files(".", ".spill") == 0, "holds all, and no folder is left");
    help_close(&log);
    OK(help_files(".", ".snapshot-1.pith") == 1 && help_files(".", "") == 3, "so does its snapshot");

    help_fresh();
    OK(help_child(record_and_fork) == 0 && help_files(".", ".pith") == 2, "a forked child's log has a longer one");

    help_fresh();
    if (help_can_convert()) {
        name = long_name(234, ".clog2");
        setenv("PITH_LOG", name, 1);
        OK(help_child(record) == 0 && help_read(&log, name) && strcmp(log.info->format, "clog2") == 0,
           "a long name in another format");
        help_close(&log);
    } else {
        OK(1, "a long name in another format " HELP_NO_CONVERT);
    }

    help_fresh();
    setenv("PITH_LOG", long_name(241, ".pith"), 1);
    OK(help_child(record) == 0 && was_refused("too long"), "a name of 241 bytes is refused");
    setenv("PITH_LOG", long_name(300, ".pith"), 1);
    OK(help_child(record) == 0 && was_refused("too long"), "as one of 300");

    help_fresh();
    name = long_name(240, ".pith");
    setenv("PITH_LOG", name, 1);
    FILE *in_the_way = fopen(strcat(strcpy((char[300]){0}, name), ".spill"), "w"); /* the folder's place is taken */
    OK(in_the_way != NULL && help_child(record) == 0 && help_read(&log, name), "its spill folder below TMPDIR");
    help_close(&log);
    fclose(in_the_way);
}

/* ---- Devices and pipes ------------------------------------------------------------------------------------------- */

static void snapshot_to_null(void)
{
    record();
    if (pith_snapshot("null") == 0)
        exit(3);
}

static void test_devices(void)
{
    static const char *const names[] = {"/dev/null", "/dev/full", "/dev/stdout", "pipe", "null"};
    struct stat before, after;
    size_t i;
    help_fresh();
    OK(mkfifo("pipe", 0600) == 0 && symlink("/dev/null", "null") == 0, "a pipe, a link to a device");
    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        setenv("PITH_LOG", names[i], 1);
        OK(lstat(names[i], &before) == 0 && help_child(record) == 0 && was_refused("is a device or a pipe"),
           "PITH_LOG=%s is refused", names[i]);
        OK(lstat(names[i], &after) == 0 && before.st_ino == after.st_ino && before.st_mode == after.st_mode,
           "and %s is what it was", names[i]);
    }
    OK(help_files(".", "") == 3, "nothing was made"); /* pipe, null, said */
    setenv("PITH_LOG", "run.pith", 1);
    OK(help_child(snapshot_to_null) == 0 && strstr(help_said(), "is a device or a pipe") != NULL, "nor is a snapshot");
    OK(lstat("null", &after) == 0 && before.st_ino == after.st_ino, "and the link is what it was");
}

/* ---- Suffixes ---------------------------------------------------------------------------------------------------- */

static void test_suffixes(void)
{
    static const struct {
        const char *log, *asked, *made, *format;
        int is_said; /* 1: that it is another format than the name says; 2: that no format has the suffix */
    } cases[] = {
        {"run.clog2", NULL, "run.clog2", "clog2", 0},
        {"run.slog2", NULL, "run.slog2", "slog2", 0},
        {"run.txt", NULL, "run.txt", "text", 0},
        {"run.otf2", NULL, "run.otf2.pith", "native", 1},
        {"run.prv", NULL, "run.prv.pith", "native", 1},
        {"run.spill", NULL, "run.spill.pith", "native", 1},
        {"run.clog2", "none", "run.clog2.pith", "native", 1},
        {"run.clog2", "native", "run.clog2", "native", 0},
        {"run.pith", "otf2", "run.pith", "native", 1},
        {"run.pith", "clog2", "run.clog2", "clog2", 0},
        {"run.foo", NULL, "run.foo", "native", 2},
        {"run-2.5", NULL, "run-2.5", "native", 0},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct help_log log;
        help_fresh();
        if (strcmp(cases[i].format, "native") != 0 && !help_can_convert()) {
            OK(1, "%s in the format %s " HELP_NO_CONVERT, cases[i].made, cases[i].format);
            continue;
        }
        setenv("PITH_LOG", cases[i].log, 1);
        if (cases[i].asked != NULL)
            setenv("PITH_FORMAT", cases[i].asked, 1);
        int good = help_child(record) == 0 && help_read(&log, cases[i].made);
        OK(good && strcmp(log.info->format, cases[i].format) == 0 && help_files(".", "") == 2,
           "PITH_LOG=%s PITH_FORMAT=%s: %s", cases[i].log, cases[i].asked != NULL ? cases[i].asked : "", cases[i].made);
        help_close(&log);
        OK(help_lines(help_said()) == (cases[i].is_said > 0) &&
               (strstr(help_said(), "a program cannot record") != NULL) == (cases[i].is_said == 1) &&
               (strstr(help_said(), "no format has the suffix") != NULL) == (cases[i].is_said == 2),
           cases[i].is_said ? "which one line says" : "without a word");
        unsetenv("PITH_FORMAT");
    }
}

int main(void)
{
    help_begin();
    test_long();
    test_devices();
    test_suffixes();
    help_clean();
    return tap_done();
}
