/* test_record_days.c - bad days: folders that cannot be written to, full disks, odd names, forks, handlers. The
 * program always runs on and ends as it would have; what is lost is counted and said in one line. */
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "record_help.h"

static uint32_t state;

static void record_pairs(int pairs)
{
    state = pith_state_define("s", NULL);
    for (; pairs > 0; pairs--) {
        pith_begin(state);
        pith_end(state);
    }
}

static void record_ten(void) { record_pairs(10); }

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static void as_nobody(void)
{
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        exit(96);
}

static void record_in_read_only(void)
{
    as_nobody();
    record_pairs(10);
}

static void test_read_only(void)
{
    struct help_log log;
    char spill[200] = "", *at;
    help_fresh();
    close(open("said", O_CREAT | O_WRONLY, 0666));
    chmod("said", 0666);
    mkdir("locked", 0555);
    setenv("PITH_LOG", "locked/run.pith", 1);
    setenv("TMPDIR", help_folder, 1);
    chmod(".", 0777);
    OK(help_child(record_in_read_only) == 0, "a log folder that is read-only: the program ends well");
    OK(help_lines(help_said()) == 3 && strstr(help_said(), "locked/run.pith") != NULL &&
           strstr(help_said(), "mend this while the program runs") != NULL,
       "it is said at the start, and again that there is no log");
    at = strstr((char *)(uintptr_t)help_said(), "pith recover ");
    if (at != NULL)
        sscanf(at, "pith recover %199s", spill);
    OK(strncmp(spill, "pith-", 5) == 0 && help_recover(&log, spill) && log.records[0].kind == PITHLOG_ENTER &&
           help_count(&log, PITHLOG_LEAVE, "s") == 10,
       "what was recorded lies in TMPDIR");
    help_close(&log);
    setenv("PITH_LOG", "run.pith", 1);
    unsetenv("TMPDIR");
}

static void test_names(void)
{
    help_fresh();
    mkdir("folder", 0755);
    setenv("PITH_LOG", "folder", 1);
    OK(help_child(record_ten) == 0 && help_lines(help_said()) == 1 && strstr(help_said(), "is a folder") != NULL,
       "PITH_LOG is a folder: one line, the program runs on");
    setenv("PITH_LOG", "no/such/folder/run.pith", 1);
    OK(help_child(record_ten) == 0 && strstr(help_said(), "no/such/folder/run.pith") != NULL,
       "PITH_LOG in a folder that is not there");
    setenv("PITH_LOG", "run.pith", 1);
    setenv("PITH_SPILL", "/dev/null", 1);
    OK(help_child(record_ten) == 0 && help_lines(help_said()) == 1 && strstr(help_said(), "PITH_SPILL") != NULL,
       "PITH_SPILL is no folder: one line, the program runs on");
    setenv("PITH_SPILL", "made/here", 1);
    OK(help_child(record_ten) == 0 && help_lines(help_said()) == 1,
       "PITH_SPILL in a folder that is not there: the same");
    setenv("PITH_SPILL", "spill", 1);
    OK(help_child(record_ten) == 0 && access("run.pith", F_OK) == 0 && access("spill", F_OK) != 0,
       "PITH_SPILL is made, and removed");
    unsetenv("PITH_SPILL");
    mkdir("here", 0755);
    symlink("here", "run.pith.spill") == 0 ? (void)0 : exit(95);
    remove("run.pith");
    OK(help_child(record_ten) == 0 && access("run.pith", F_OK) == 0 && help_files("here", "spill") == 0,
       "a link in place of the spill folder is not followed");
}

/* ---- Full -------------------------------------------------------------------------------------------------------- */

static void record_full(void)
{
    record_pairs(1000000);
    if (pith_lost() == 0)
        exit(3);
}

static void record_limited(void)
{
    struct rlimit limit = {300 << 10, 300 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    record_full();
}

/* Kept and lost make all that was recorded. */
static int all_accounted(const struct help_log *log, uint64_t pairs)
{
    uint64_t kept = help_count(log, PITHLOG_ENTER, NULL) + help_count(log, PITHLOG_LEAVE, NULL);
    if (log->info == NULL)
        return 0;
    printf("# %llu kept, %llu lost\n", (unsigned long long)kept, (unsigned long long)log->info->lost);
    return kept > 100 && kept + log->info->lost == 2 * pairs + 2;
}

static void test_full(void)
{
    struct help_log log;
    help_fresh();
    mkdir("small", 0755);
    if (mount("none", "small", "tmpfs", 0, "size=1m") == 0) {
        setenv("PITH_LOG", "small/run.pith", 1);
        setenv("PITH_TIME_UNIT", "10us", 1); /* what is left of the disk suffices, however noisy the times are */
        OK(help_child(record_full) == 0 && help_read(&log, "small/run.pith"),
           "a disk of 1 MiB: it ends well, with a log");
        OK(all_accounted(&log, 1000000), "kept and lost make all");
        help_close(&log);
        OK(help_files("small", ".spill") == 0, "no spill file is left");
        umount("small");
        unsetenv("PITH_TIME_UNIT");
        setenv("PITH_LOG", "run.pith", 1);
    } else {
        OK(1, "a disk of 1 MiB # SKIP no permission to mount one");
    }
    OK(help_child(record_limited) == 0 && help_read(&log, "run.pith"),
       "a limit on the size of files: no SIGXFSZ, a log");
    OK(all_accounted(&log, 1000000), "kept and lost make all");
    help_close(&log);
}

static void record_narrow(void)
{
    struct rlimit limit = {75 << 10, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    record_pairs(1000);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void record_then_define(void)
{
    struct rlimit limit = {300 << 10, RLIM_INFINITY};
    char name[200];
    int i;
    setrlimit(RLIMIT_FSIZE, &limit);
    record_full();
    for (i = 0; i < 390; i++) {
        snprintf(name, sizeof name, "%0150d", i);
        pith_state_define(name, NULL);
    }
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* Without its definitions no record can be read. */
static void test_definitions_first(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_narrow) == 0 && help_read(&log, "run.pith") && help_count(&log, PITHLOG_LEAVE, "s") == 1000,
       "a limit that records fit in: the definitions fit, too");
    help_close(&log);
    help_fresh();
    OK(help_child(record_then_define) == 0 && help_read(&log, "run.pith") && log.info->defs >= 391,
       "definitions find room where records do not any more");
    help_close(&log);
}

static void record_payload_limited(void)
{
    struct rlimit limit = {64 << 10, RLIM_INFINITY};
    unsigned char bytes[512];
    unsigned i, event = pith_event_define("noise", NULL, NULL);
    size_t at;
    for (i = 0; i < 1000; i++) {
        for (at = 0; at < sizeof bytes; at++)
            bytes[at] = (unsigned char)rand();
        pith_event_data(event, bytes, sizeof bytes);
    }
    setrlimit(RLIMIT_FSIZE, &limit); /* the log itself does not fit */
}

static void test_log_does_not_fit(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_payload_limited) == 0 && access("run.pith", F_OK) != 0 && help_files(".", "part") == 0,
       "the log does not fit: no part of it is left");
    OK(help_lines(help_said()) == 2 && strstr(help_said(), "pith recover run.pith.spill") != NULL,
       "it is said, and how to recover");
    OK(help_recover(&log, "run.pith.spill") && help_count(&log, PITHLOG_EVENT, "noise") == 1000, "which works");
    help_close(&log);
}

/* ---- The program does what it likes ------------------------------------------------------------------------------ */

static void record_closing(void)
{
    int fd;
    record_pairs(10);
    for (fd = 3; fd < 256; fd++)
        close(fd);
    fd = open("mine", O_CREAT | O_RDWR, 0644);
    if (fd != 3)
        exit(3); /* Pith holds a descriptor */
    record_pairs(200000);
    if (lseek(fd, 0, SEEK_END) != 0)
        exit(4); /* and wrote into ours */
}

static void record_moving(void)
{
    record_pairs(10);
    mkdir("elsewhere", 0755);
    if (chdir("elsewhere") != 0)
        exit(3);
    record_pairs(200000);
}

static void record_removed(void)
{
    record_pairs(10);
    if (system("rm -r run.pith.spill") != 0)
        exit(3);
    record_pairs(200000);
    if (pith_lost() == 0)
        exit(4);
}

static void record_without_stderr(void)
{
    int ends[2];
    unsetenv("PITH_QUIET");
    if (pipe(ends) != 0 || dup2(ends[1], 2) != 2)
        exit(3);
    close(ends[0]);
    close(ends[1]);
    record_pairs(10); /* the last line meets a closed pipe */
}

static void test_liberties(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_closing) == 0 && help_read(&log, "run.pith") && log.info->states == 200011,
       "a program that closes all descriptors is recorded on, and owns every number");
    help_close(&log);
    OK(help_child(record_moving) == 0 && help_read(&log, "run.pith") && log.info->states == 200011,
       "one that changes its folder");
    help_close(&log);
    OK(help_child(record_removed) == 0, "one that removes the spill folder runs on");
    OK(help_child(record_without_stderr) == 0, "one whose stderr is a closed pipe ends as before");
}

/* ---- Fork -------------------------------------------------------------------------------------------------------- */

static void record_forking(void)
{
    int status, i;
    record_pairs(10);
    for (i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (i == 1) {
                uint32_t own = pith_state_define("child's", NULL);
                record_pairs(5);
                pith_begin(own);
                pith_end(own);
            } else if (i == 2) {
                record_pairs(7);
                _exit(0);
            }
            exit(0);
        }
        waitpid(pid, &status, 0);
        if (status != 0)
            exit(4);
    }
    record_pairs(10);
}

static void test_fork(void)
{
    struct help_log log;
    DIR *dir;
    struct dirent *entry;
    char child[300] = "";
    help_fresh();
    OK(help_child(record_forking) == 0 && help_read(&log, "run.pith") && log.info->states == 21,
       "a program that forks: its own log is its own");
    help_close(&log);
    OK(help_files(".", ".pith") == 2, "the child that recorded and ended has one too, the others none");
    dir = opendir(".");
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, "run-", 4) == 0)
            snprintf(child, sizeof child, "%s", entry->d_name);
    closedir(dir);
    OK(help_read(&log, child) && help_count(&log, PITHLOG_LEAVE, "s") == 5 &&
           help_count(&log, PITHLOG_LEAVE, "child's") == 1,
       "with what it did, under the names defined before the fork");
    help_close(&log);
    OK(help_recover(&log, "run.pith.spill") && help_count(&log, PITHLOG_LEAVE, "s") == 7,
       "the one that left by _exit can be recovered");
    help_close(&log);
}

/* ---- Handlers ---------------------------------------------------------------------------------------------------- */

static volatile uint32_t handled;
static uint32_t handler_state, handler_event;

static struct itimerval soon = {{0, 0}, {0, 50}};

static void on_timer(int signal_number)
{
    unsigned char bytes[40] = {0};
    (void)signal_number;
    pith_begin(handler_state);
    pith_event_data(handler_event, bytes, sizeof bytes);
    pith_end(handler_state);
    handled++;
    setitimer(ITIMER_REAL, &soon, NULL); /* the next one, so that slow handlers do not pile up */
}

static void record_interrupted(void)
{
    struct itimerval never = {{0, 0}, {0, 0}};
    unsigned char bytes[100] = {0};
    uint32_t i, mark = pith_event_define("mark", NULL, NULL), count = pith_event_define("handled", NULL, NULL);
    state = pith_state_define("s", NULL);
    handler_state = pith_state_define("handler", NULL);
    handler_event = pith_event_define("handler's", NULL, NULL);
    signal(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (i = 0; i < 400000; i++) {
        pith_begin(state);
        pith_event_data(mark, bytes, i % sizeof bytes);
        pith_end(state);
        if (i % 50000 == 0)
            free(malloc(i)); /* interrupted now and then, too */
    }
    soon = never;
    setitimer(ITIMER_REAL, &never, NULL);
    i = handled;
    pith_event_data(count, &i, sizeof i);
    if (i < 20)
        exit(3);
}

static void test_handler(void)
{
    struct help_log log;
    struct pithlog_query query = {INT64_MIN, INT64_MAX, NULL, 0, 0, PITHLOG_NEST, NULL};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    uint64_t kept, unpaired = 0;
    uint32_t count = 0;
    size_t i;
    help_fresh();
    OK(help_child(record_interrupted) == 0 && help_read(&log, "run.pith"), "a signal handler that records");
    for (i = 0; i < log.count; i++)
        if (strcmp(help_name(&log, &log.records[i]), "handled") == 0)
            memcpy(&count, log.records[i].payload, 4);
    kept = log.count - 3 - help_count(&log, PITHLOG_LOST, NULL);
    printf("# %u signals, %llu records lost\n", count, (unsigned long long)log.info->lost);
    OK(kept + log.info->lost == 3 * (uint64_t)count + 1200000, "every record is there or counted");
    OK(log.info->lost <= 3, "none, or hardly any, is lost");
    pithlog_iter_open(log.log, &query, &iter);
    while (pithlog_iter_next(iter, &record) == 1)
        unpaired += record.kind == PITHLOG_LEAVE && record.depth == UINT32_MAX;
    pithlog_iter_close(iter);
    OK(unpaired <= log.info->lost, "states nest as they did");
    help_close(&log);
}

/* ---- A privileged process ---------------------------------------------------------------------------------------- */

static void test_privileged(const char *self)
{
    char copy[100], command[1400];
    int status;
    help_fresh();
    snprintf(copy, sizeof copy, "%s/privileged", help_folder);
    snprintf(command, sizeof command, "cp %s %s && chown 65534 %s && chmod 4755 %s", self, copy, copy, copy);
    if (getuid() != 0 || system(command) != 0) {
        OK(1, "a privileged process # SKIP only root can make one");
        return;
    }
    chmod(".", 0777);
    snprintf(command, sizeof command, "%s privileged >out 2>&1", copy);
    status = system(command);
    if (status == 77 << 8)
        OK(1, "a privileged process # SKIP set-user-id has no effect here");
    else
        OK(status == 0 && help_files(".", ".pith") == 0 && help_files(".", ".spill") == 0,
           "a privileged process is not recorded");
}

int main(int argc, char **argv)
{
    char self[1000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (argc == 2 && strcmp(argv[1], "privileged") == 0) {
        record_pairs(10);
#ifdef __SANITIZE_ADDRESS__
        _exit(geteuid() == getuid() ? 77 : 0); /* the search for leaks may not look into such a process, and fails */
#endif
        return geteuid() == getuid() ? 77 : 0;
    }
    self[length > 0 ? length : 0] = '\0';
    help_begin();
    test_read_only();
    test_names();
    test_full();
    test_definitions_first();
    test_log_does_not_fit();
    test_liberties();
    test_fork();
    test_handler();
    test_privileged(self);
    help_clean();
    return tap_done();
}
