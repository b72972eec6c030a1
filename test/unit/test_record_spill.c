/* test_record_spill.c - what becomes of the spill file while the program runs: it can be opened no more, its descriptor
 * is closed or taken, somebody cuts it. The program always runs on and ends as it would have. */
#include <dlfcn.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "record_help.h"
#include "spill/spill_walk.h"

/* A sanitizer's own handler of SIGBUS would end the program, and Pith leaves handlers that are there. */
#define SEEN __attribute__((visibility("default")))
SEEN const char *__asan_default_options(void);
SEEN const char *__asan_default_options(void) { return "handle_sigbus=0"; }
SEEN const char *__tsan_default_options(void);
SEEN const char *__tsan_default_options(void) { return "handle_sigbus=0"; }

static void record_pairs(int pairs)
{
    uint32_t state = pith_state_define("s", NULL);
    for (; pairs > 0; pairs--) {
        pith_begin(state);
        pith_end(state);
    }
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

static rlim_t limit_open(rlim_t most)
{
    struct rlimit limit;
    rlim_t before;
    getrlimit(RLIMIT_NOFILE, &limit);
    before = limit.rlim_cur;
    limit.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &limit);
    return before;
}

static void record_without_descriptors(void)
{
    rlim_t before;
    record_pairs(10);
    before = limit_open(0);
    record_pairs(200000);
    limit_open(before);
}

/* The program closes the descriptor that Pith keeps; Pith makes another. */
static void record_closing_more(void)
{
    int fd;
    record_pairs(10);
    for (fd = 3; fd < 1100; fd++)
        close(fd);
    record_pairs(100000);
    record_without_descriptors();
}

/* The program puts its own file under the number of the descriptor that Pith keeps. */
static void record_taking(void)
{
    int fd, mine = open("mine", O_CREAT | O_RDWR, 0644);
    record_pairs(10);
    for (fd = mine + 1; fd < 1100; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && dup2(mine, fd) != fd)
            exit(3);
    record_pairs(200000);
    limit_open(0);
    record_pairs(200000);
    if (lseek(mine, 0, SEEK_END) != 0)
        exit(4);
    limit_open(1024);
}

static int descriptors(void)
{
    int count = 0, fd;
    for (fd = 3; fd < 1100; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void record_inheriting(void)
{
    int before = descriptors(), status;
    record_pairs(10);
    if (descriptors() > before + 1)
        exit(3);
    if (fork() == 0)
        _exit(descriptors() != before);
    wait(&status);
    exit(status != 0);
}

static void record_rooted(void)
{
    record_pairs(10);
    mkdir("jail", 0755);
    if (chroot("jail") != 0)
        exit(77);
    record_pairs(200000);
    pith_finish();
    _exit(0); /* a search for leaks would need /proc */
}

static void test_descriptor(void)
{
    struct help_log log;
    int status;
    help_fresh();
    OK(help_child(record_without_descriptors) == 0 && help_read(&log, "run.pith") && log.info->states == 200011 &&
           log.info->lost == 0,
       "a program that may open nothing any more is recorded on");
    help_close(&log);
    help_fresh();
    OK(help_child(record_closing_more) == 0 && help_read(&log, "run.pith") && log.info->states == 300021 &&
           log.info->lost == 0,
       "also after it closed all descriptors");
    help_close(&log);
    help_fresh();
    OK(help_child(record_taking) == 0, "a program that takes every number: nothing is written into its file");
    OK(help_child(record_inheriting) == 0, "a child inherits no descriptor of Pith's");
    help_fresh();
    status = help_child(record_rooted);
    if (status == 77 << 8) {
        OK(1, "chroot # SKIP no permission");
        return;
    }
    OK(status == 0 && strstr(help_said(), "pith recover /") != NULL, "chroot: it is said where the records are");
    OK(help_recover(&log, "run.pith.spill") && help_count(&log, PITHLOG_LEAVE, "s") == 200010, "and all are there");
    help_close(&log);
}

/* ---- A file that is cut ------------------------------------------------------------------------------------------ */

/* Somebody cuts the spill file of a process that goes on storing into it. */
static off_t cut_to;

static void record_cut(void)
{
    char path[600] = "";
    DIR *dir;
    struct dirent *entry;
    record_pairs(20000);
    dir = opendir("run.pith.spill");
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "run.pith.spill/%s", entry->d_name);
    closedir(dir);
    if (truncate(path, cut_to) != 0)
        exit(3);
    record_pairs(500000);
    if (pith_lost() == 0)
        exit(4);
}

static void record_cut_and_fault(void)
{
    volatile char *mapped;
    int fd = open("short", O_RDWR | O_CREAT, 0600);
    cut_to = 8192;
    record_cut();
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        exit(3);
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0)
        exit(3);
    *mapped = 1;
}

static void test_cut(void)
{
    static const off_t sizes[] = {300000, 8192, 4096, 0};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct help_log log;
        help_fresh();
        cut_to = sizes[i];
        OK(help_child(record_cut) == 0, "the spill file cut to %ld bytes: the program runs on and ends well",
           (long)cut_to);
        OK(strstr(help_said(), ".spill") != NULL &&
               strstr(help_said(), cut_to > 0 ? "cut" : "not a spill file") != NULL,
           "it is said");
        if (cut_to == 0)
            continue;
        OK(help_read(&log, "run.pith") && log.count + log.info->lost >= 2 * 520000, "and counted: %llu lost",
           (unsigned long long)log.info->lost);
        help_close(&log);
    }
    help_fresh();
    OK(WTERMSIG(help_child(record_cut_and_fault)) == SIGBUS, "a fault of the program's own ends it as before");
}

/* ---- Pages of 64 KiB --------------------------------------------------------------------------------------------- */

static long page_bytes; /* 0: as the system says */

/* What is played: a kernel with larger pages, which maps a file from a page on only. */
SEEN __attribute__((no_sanitize("thread"))) long
sysconf(int name) /* the sanitizer calls it before it can follow a call */
{
    long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_PAGESIZE && page_bytes > 0 ? page_bytes : real(name);
}

static void *record_thread(void *unused)
{
    record_pairs(100000);
    return unused;
}

static void record_pages(void)
{
    static char text[100000];
    pthread_t threads[3];
    int i;
    page_bytes = 65536;
    memset(text, 'n', sizeof text - 1);
    pith_state_define(text, NULL); /* gets a chunk of its own */
    for (i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, record_thread, NULL);
    for (i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    raise(SIGKILL);
}

static void test_pages(int is_ring)
{
    const char *when = is_ring ? "pages of 64 KiB, a ring" : "pages of 64 KiB";
    struct help_log log;
    struct pithi_spill spill;
    uint32_t apart = 0, i;
    glob_t found;
    help_fresh();
    setenv("PITH_WHEN_FULL", is_ring ? "ring" : "stop", 1);
    setenv("PITH_MAX_MB", is_ring ? "2" : "64", 1);
    int status = help_child(record_pages);
    unsetenv("PITH_WHEN_FULL");
    unsetenv("PITH_MAX_MB");
    if (glob("run.pith.spill/*.spill", 0, NULL, &found) != 0 || pithi_spill_open(&spill, found.gl_pathv[0]) != 0) {
        OK(0, "%s: there is a spill file", when);
        return;
    }
    for (i = 0; i < spill.chunk_count; i++)
        apart += spill.chunks[i].offset % 65536 != 0 || spill.chunks[i].whole % 65536 != 0;
    OK(WIFSIGNALED(status) && spill.lane_count == 3 && spill.chunk_count > 10 && apart == 0,
       "%s: each of %u chunks can be mapped", when, spill.chunk_count);
    pithi_spill_close(&spill);
    globfree(&found);
    OK(help_recover(&log, "run.pith.spill") && log.info->lost + log.count >= 600000 && is_ring == (log.info->lost > 0),
       "%s: every record is there or counted", when);
    help_close(&log);
}

int main(void)
{
    help_begin();
    test_descriptor();
    test_cut();
    test_pages(0);
    test_pages(1);
    help_clean();
    return tap_done();
}
