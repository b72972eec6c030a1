/* test_liberties.c - what programs do to those who run inside them: threads that vanish, handlers that record or jump
 * away, jumps out of states, children of every kind, names planted beforehand. Nothing stored is lost, the log is good,
 * and the program ends as it would. */
#include <linux/capability.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "reader/read/check.h"
#include "record_help.h"

static uint32_t state, event, counter;

static void define(void)
{
    state = pith_state_define("s", NULL);
    event = pith_event_define("number", NULL, NULL);
    counter = pith_counter_define("count", NULL);
}

static void record(uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        pith_begin(state);
        pith_event_data(event, &i, sizeof i);
        pith_count(counter, i);
        pith_end(state);
    }
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static int done; /* records of four each, by all threads */

static void *leave_early(void *unused)
{
    record(100);
    __atomic_add_fetch(&done, 100, __ATOMIC_SEQ_CST);
    pthread_exit(unused);
}

static void *for_ever(void *unused)
{
    int type;
    pthread_setcanceltype(unused != NULL ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &type);
    for (;;) {
        record(10);
        __atomic_add_fetch(&done, 10, __ATOMIC_SEQ_CST);
        pthread_testcancel();
    }
    return NULL;
}

__attribute__((unused)) static void cancelled(void)
{
    pthread_t threads[8];
    int i;
    define();
    for (i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, i < 2 ? leave_early : for_ever, i < 5 ? NULL : &done);
    usleep(20000);
    for (i = 0; i < 8; i++) {
        if (i >= 2)
            pthread_cancel(threads[i]);
        pthread_join(threads[i], NULL);
    }
    pith_property("done", "x");
    pith_count(counter, -done);
}

static void detached(void)
{
    pthread_t thread;
    int i;
    define();
    for (i = 0; i < 4; i++)
        if (pthread_create(&thread, NULL, for_ever, NULL) == 0)
            pthread_detach(thread);
    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < 1000)
        usleep(100);
    pith_count(counter, -done);
    exit(5); /* while they go on */
}

static void *exit_now(void *unused)
{
    record(100);
    __atomic_add_fetch(&done, 100, __ATOMIC_SEQ_CST);
    pith_count(counter, -done);
    exit(5);
    return unused;
}

static void exits_in_thread(void)
{
    pthread_t thread;
    define();
    record(100);
    done = 100;
    pthread_create(&thread, NULL, exit_now, NULL);
    for (;;)
        pause();
}

/* The log is good, no more than a record of each thread that was stopped in the middle of one is lost, and it has at
 * least as many events as the counter says that were done. */
static int told_is_there(const char *name)
{
    struct help_log log;
    double told = 0;
    size_t i;
    int good = pithi_check(name, NULL, NULL, NULL) == 0 && help_read(&log, name) && log.info->lost <= 3;
    for (i = 0; good && i < log.count; i++)
        if (log.records[i].kind == PITHLOG_COUNTER && log.records[i].value < 0)
            told = -log.records[i].value;
    good = good && told > 0 && help_count(&log, PITHLOG_EVENT, "number") >= (uint64_t)told;
    help_close(&log);
    return good;
}

static void test_threads(void)
{
#ifndef __SANITIZE_ADDRESS__ /* to which the frames of a thread that is cancelled stay forbidden ground */
    help_fresh();
    OK(help_child(cancelled) == 0 && told_is_there("run.pith"), "threads that are cancelled, at once or at a point");
#endif
    help_fresh();
    OK(help_child(detached) == 5 << 8 && told_is_there("run.pith"),
       "detached threads that run on while the program ends");
    help_fresh();
    OK(help_child(exits_in_thread) == 5 << 8 && told_is_there("run.pith"), "exit called by a thread");
}

/* ---- Handlers ---------------------------------------------------------------------------------------------------- */

static uint32_t handler_state, handler_event;
static uint64_t handled, interrupted; /* records of each sort */

static void on_tick(int number)
{
    unsigned char bytes[60] = {0};
    (void)number;
    pith_begin(handler_state);
    pith_event(handler_event);
    pith_event_data(handler_event, bytes, sizeof bytes);
    pith_count(counter, 1);
    if (pith_state_define("handler", NULL) != handler_state)
        _exit(8);
    pith_end(handler_state);
    __atomic_add_fetch(&handled, 5, __ATOMIC_SEQ_CST);
}

static int ticking = 1;

static void *busy(void *argument)
{
    char *stack = argument;
    stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
    uint64_t count = 0;
    sigaltstack(&alternate, NULL);
    while (__atomic_load_n(&ticking, __ATOMIC_RELAXED)) {
        record(50);
        free(malloc(count % 5000)); /* interrupted, too */
        count += 200;
    }
    __atomic_add_fetch(&interrupted, count, __ATOMIC_SEQ_CST);
    alternate.ss_flags = SS_DISABLE;
    sigaltstack(&alternate, NULL);
    return NULL;
}

static void record_ticking(void)
{
    static char stacks[4][65536];
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_ONSTACK | SA_RESTART};
    pthread_t threads[4];
    int i, tick;
    define();
    handler_state = pith_state_define("handler", NULL);
    handler_event = pith_event_define("handler's", NULL, NULL);
    sigaction(SIGUSR2, &action, NULL);
    for (i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, busy, stacks[i]);
    for (tick = 0; tick < 4000; tick++) {
        pthread_kill(threads[tick % 4], SIGUSR2);
        if (tick % 4 == 3)
            usleep(20);
    }
    ticking = 0;
    for (i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pith_count(counter, -(double)(handled + interrupted));
}

static void test_ticking(void)
{
    struct help_log log;
    uint64_t kept;
    help_fresh();
    OK(help_child(record_ticking) == 0 && help_read(&log, "run.pith"), "handlers that record, on stacks of their own");
    kept = log.count - 2 - help_count(&log, PITHLOG_LOST, NULL);
    OK(log.count > 0 && (double)(kept + log.info->lost - 1) == -log.records[log.count - 3].value && log.info->lost < 20,
       "in four threads: every record is there or counted, %llu lost", (unsigned long long)log.info->lost);
    OK(pithi_check("run.pith", NULL, NULL, NULL) == 0, "and the log is good");
    help_close(&log);
}

/* ---- Jumps ------------------------------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile uint32_t jumps;

static void on_jump(int number)
{
    (void)number;
    jumps++;
    siglongjmp(back, 1);
}

/* What the handler may interrupt anywhere, as often as it comes. */
static void record_jumping(void)
{
    struct itimerval soon = {{0, 0}, {0, 40}}, never = {{0, 0}, {0, 0}};
    static volatile uint32_t number;
    signal(SIGALRM, on_jump);
    define();
    while (jumps < 3000) {
        if (sigsetjmp(back, 1) == 0) {
            setitimer(ITIMER_REAL, &soon, NULL);
            for (;;)
                record(100);
        }
        setitimer(ITIMER_REAL, &never, NULL);
        pith_count(counter, 1e6 + number); /* what is recorded after a jump must be there */
        number++;
    }
}

static void test_jumping(void)
{
    struct help_log log;
    double next = 1e6;
    size_t i;
    help_fresh();
    OK(help_child(record_jumping) == 0 && help_read(&log, "run.pith"), "handlers that jump out of recording calls");
    for (i = 0; i < log.count; i++)
        next += log.records[i].kind == PITHLOG_COUNTER && log.records[i].value == next;
    OK(next == 1e6 + 3000, "what was recorded after each of 3000 jumps is there: %.0f", next - 1e6);
    OK(log.info->lost <= 3000, "the record that a jump left is counted: %llu", (unsigned long long)log.info->lost);
    OK(pithi_check("run.pith", NULL, NULL, NULL) == 0, "and the log is good");
    help_close(&log);
}

static void jump_out(void)
{
    jmp_buf out;
    volatile int i;
    uint32_t outer = pith_state_define("outer", NULL);
    define();
    for (i = 0; i < 1000; i++) {
        pith_begin(outer);
        if (setjmp(out) == 0) {
            pith_begin(state);
            pith_begin(state);
            longjmp(out, 1);
        }
        pith_end(outer);
    }
}

static void test_jump_out(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(jump_out) == 0 && help_read(&log, "run.pith") && help_count(&log, PITHLOG_LEAVE, "outer") == 1000 &&
           help_count(&log, PITHLOG_ENTER, "s") == 2000,
       "jumps out of states");
    OK(pithi_check("run.pith", NULL, NULL, NULL) == 0, "and the log is good");
    help_close(&log);
}

/* ---- Children ---------------------------------------------------------------------------------------------------- */

static char *const nothing[] = {(char *)(uintptr_t) "true", NULL};

static int ended_well(pid_t pid)
{
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void *fork_here(void *unused)
{
    pid_t pid;
    record(10);
    pid = fork();
    if (pid == 0) {
        record(3);
        exit(0); /* a log of its own */
    }
    if (!ended_well(pid))
        exit(3);
    record(10);
    return unused;
}

static void on_fork(int number)
{
    pid_t pid = fork();
    (void)number;
    if (pid == 0)
        _exit(0);
    if (!ended_well(pid))
        _exit(4);
    record(5);
}

static void daemon_child(void)
{
    int held[2];
    char end;
    pid_t pid;
    if (pipe(held) != 0)
        exit(3);
    pid = fork();
    if (pid == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        close(held[0]);
        record(7); /* the daemon */
        exit(0);
    }
    close(held[1]);
    if (!ended_well(pid) || read(held[0], &end, 1) != 0)
        exit(5);
}

static void children(void)
{
    extern char **environ;
    pthread_t thread;
    pid_t pid;
    int i;
    define();
    record(10);
    for (i = 0; i < 20; i++) {
        if (posix_spawn(&pid, "/bin/true", NULL, NULL, nothing, environ) != 0 || !ended_well(pid))
            exit(3);
        pid = vfork();
        if (pid == 0) {
            execv("/bin/true", nothing);
            _exit(9);
        }
        if (!ended_well(pid))
            exit(3);
        pid = fork();
        if (pid == 0) {
            pith_event(event);
            execv("/bin/true", nothing);
            _exit(9);
        }
        if (!ended_well(pid))
            exit(3);
    }
    pthread_create(&thread, NULL, fork_here, NULL);
    pthread_join(thread, NULL);
    signal(SIGUSR2, on_fork);
    for (i = 0; i < 20; i++)
        raise(SIGUSR2);
    daemon_child();
    record(10);
}

static void test_children(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(children) == 0 && help_read(&log, "run.pith"),
       "spawn, vfork, fork by a thread, by a handler, a daemon");
    OK(help_count(&log, PITHLOG_LEAVE, "s") == 10 + 20 + 100 + 10 && log.info->lost == 0, "all that the program did");
    help_close(&log);
    OK(help_files(".", ".pith") == 3, "the thread's child and the daemon have logs of their own");
}

/* ---- Names planted by others ------------------------------------------------------------------------------------- */

static void look_at_spill(void)
{
    const char *log, *spill;
    struct stat info;
    define();
    record(10);
    if (pith_where(&log, &spill) != 0 || stat(spill, &info) != 0 || (info.st_mode & 0777) != 0600)
        exit(3);
}

/* The log's unfinished name made into a link to what others value. */
static void plant(void)
{
    DIR *dir;
    struct dirent *entry;
    char name[400];
    define();
    record(10);
    dir = opendir(".");
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (strstr(entry->d_name, ".part") != NULL)
            exit(3); /* not there before its time */
    closedir(dir);
    snprintf(name, sizeof name, "%s/valued", help_folder);
    if (symlink(name, "run.pith") != 0)
        exit(4);
}

static void test_planted(void)
{
    struct help_log log;
    struct stat info;
    FILE *valued;
    help_fresh();
    umask(0);
    OK(help_child(look_at_spill) == 0, "spill files are 0600, whatever the umask");
    umask(022);
    help_fresh();
    valued = fopen("valued", "w");
    fputs("valued", valued);
    fclose(valued);
    OK(help_child(plant) == 0 && stat("valued", &info) == 0 && info.st_size == 6,
       "a link of the log's name: what it points to stays as it is");
    OK(help_files(".", ".pith") > 0 && help_files(".", ".part") == 0, "there is a log");
    OK(help_read(&log, lstat("run-2.pith", &info) == 0 ? "run-2.pith" : "run.pith"), "of what was recorded");
    help_close(&log);
    help_fresh();
    mkdir("theirs", 0777);
    OK(symlink("theirs", "run.pith.spill") == 0 && help_child(look_at_spill) == 0 && help_files("theirs", "spill") == 0,
       "a link of the spill folder's name is not followed");
}

/* ---- Privileges -------------------------------------------------------------------------------------------------- */

static void test_capable(const char *self)
{
    char command[3000];
    int status;
    help_fresh();
    chmod(".", 0777);
    snprintf(command, sizeof command,
             "cp %s capable && PATH=$PATH:/sbin:/usr/sbin && setcap cap_net_raw+ep capable && "
             "setpriv --reuid 65534 --regid 65534 --clear-groups ./capable privileged >out 2>&1",
             self);
    if (getuid() != 0) {
        OK(1, "a program with capabilities # SKIP only root can make one");
        return;
    }
    status = system(command);
    if (status == 77 << 8)
        OK(1, "a program with capabilities # SKIP capabilities of files have no effect here");
    else
        OK(status == 0 && help_files(".", ".pith") == 0 && help_files(".", ".spill") == 0,
           "a program with capabilities of its own is not recorded, no environment honoured (%d)", status);
}

static int has_net_raw(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};
    return syscall(SYS_capget, &header, data) == 0 && (data[0].effective & 1u << CAP_NET_RAW) != 0;
}

int main(int argc, char **argv)
{
    char self[1000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (argc == 2 && strcmp(argv[1], "privileged") == 0) {
        define();
        record(10);
        _exit(!has_net_raw() ? 77 : pith_recording() ? 3 : 0);
    }
    self[length > 0 ? length : 0] = '\0';
    help_begin();
    test_threads();
    test_ticking();
    test_jumping();
    test_jump_out();
    test_children();
    test_planted();
    test_capable(self);
    help_clean();
    return tap_done();
}
