/* test_places.c - bad places: full disks, a quota, limits, folders that go, no /proc, closed descriptors. The program
 * prints and ends as it would without Pith; every record is in the log, can be recovered, or is counted as lost; and
 * that is said in a line. */
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/resource.h>

#include "record_help.h"

/* A leak checker looks for threads and in /proc as a process ends, where these processes have neither. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

enum { PAIRS = 300000, RECORDS = 2 * PAIRS };
static const char printed[] = "sum 44999850000\n";

/* ---- A quota, as the kernel would tell of it --------------------------------------------------------------------- */

static int over_quota; /* no file may grow */

static int quota_step(int fd, off_t end)
{
    struct stat info;
    if (!over_quota || fstat(fd, &info) != 0 || end <= info.st_size)
        return 0;
    errno = EDQUOT;
    return 1;
}

int fallocate(int fd, int mode, off_t at, off_t size)
{
    return quota_step(fd, at + size) ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    return quota_step(fd, at + (off_t)size) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, data, size, at);
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

struct place {
    const char *what;
    void (*before)(void), (*midway)(void), (*at_end)(void); /* what happens to the program; NULL: nothing */
    enum { OFF, LOG, SPILL, ANY, GONE } after;              /* where what it recorded is */
    int lossless;                                           /* 1: nothing may be counted as lost */
    int lines;                                              /* that Pith says; -1: a second one if records were lost */
    const char *log, *spill;                                /* the names; NULL: run.pith, run.pith.spill */
};

static const struct place *place;
static FILE *output;
static uint64_t lost; /* records, as the last log says */

static void step(void (*happens)(void))
{
    if (happens != NULL)
        happens();
}

static void program(void)
{
    uint32_t state;
    uint64_t sum = 0;
    unsigned i;
    unsetenv("PITH_QUIET");
    output = fopen("out", "w");
    if (output == NULL)
        exit(93);
    step(place->before);
    state = pith_state_define("s", NULL);
    for (i = 0; i < PAIRS; i++) {
        pith_begin(state);
        sum += i;
        if (i == PAIRS / 3)
            step(place->midway);
        pith_end(state);
    }
    fprintf(output, "sum %llu\n", (unsigned long long)sum);
    fflush(output);
    step(place->at_end);
    exit(7);
}

static int output_good(void)
{
    char text[100] = "";
    FILE *file = fopen("out", "r");
    size_t got = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[got] = '\0';
    if (file != NULL)
        fclose(file);
    return strcmp(text, printed) == 0;
}

/* ---- What is left ------------------------------------------------------------------------------------------------ */

/* Kept and lost make all. The rest is Pith's own state around the end. */
static int accounted(const struct help_log *log)
{
    uint64_t kept = help_count(log, PITHLOG_ENTER, "s") + help_count(log, PITHLOG_LEAVE, "s");
    lost = log->info->lost;
    printf("# %llu kept, %llu lost\n", (unsigned long long)kept, (unsigned long long)lost);
    return kept + lost >= RECORDS && kept + lost <= RECORDS + 2 && (!place->lossless || lost == 0);
}

static int left_good(void)
{
    const char *name = place->log != NULL ? place->log : "run.pith";
    const char *spill = place->spill != NULL ? place->spill : "run.pith.spill";
    int there = access(name, F_OK) == 0, good;
    struct help_log log = {0};
    if (place->after == OFF || place->after == GONE)
        return !there && access(spill, F_OK) != 0;
    if (there != (place->after == LOG) && place->after != ANY) {
        printf("# %s a log\n", there ? "there is" : "there is not");
        return 0;
    }
    good = (there ? help_read(&log, name) : help_recover(&log, spill)) && accounted(&log);
    help_close(&log);
    return good && (!there || access(spill, F_OK) != 0);
}

static int lines_wanted(void) { return place->lines >= 0 ? place->lines : 1 + (lost > 0); }

/* No line gives EIO as the reason: no disk here is faulty. */
static int lines_good(void)
{
    const char *said = help_said(), *line;
    int lines = 0, good;
    for (line = said; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1)
        lines += strncmp(line, "pith: ", 6) == 0;
    good = lines == lines_wanted() && help_lines(said) == lines && strstr(said, strerror(EIO)) == NULL;
    if (!good)
        printf("# said in %d lines: %s", lines, said);
    return good;
}

static void run_in(const struct place *chosen)
{
    int status;
    place = chosen;
    lost = 0;
    setenv("PITH_LOG", place->log != NULL ? place->log : "run.pith", 1);
    status = help_child(program) & ~0x80;
    OK(status == 7 << 8 && output_good(), "%s: the program prints and ends as it would (%d)", place->what, status);
    OK(left_good(), "%s: all is there, or counted", place->what);
    OK(lines_good(), "%s: and said in %d lines", place->what, lines_wanted());
}

/* ---- What can happen --------------------------------------------------------------------------------------------- */

static void own_mounts(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        exit(94);
}

static void no_shm(void)
{
    own_mounts();
    umount2("/dev/shm", MNT_DETACH);
}

static inline void no_proc(void)
{
    own_mounts();
    if (mount("none", "/proc", "tmpfs", MS_RDONLY, NULL) != 0)
        exit(94);
}

static void no_homes(void)
{
    setenv("TMPDIR", "/no/such/folder", 1);
    unsetenv("HOME");
}

static void read_only(void)
{
    own_mounts();
    if (mkdir("ro", 0755) != 0 || mount("ro", "ro", NULL, MS_BIND, NULL) != 0 ||
        mount("none", "ro", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
        exit(94);
    setenv("TMPDIR", "ro", 1);
    setenv("TMPDIR", realpath("ro", NULL), 1);
}

static void no_stderr(void) { close(2); }

/* While 0, 1 and 2 are closed, no file that Pith writes to may be what the program's own output hits. */
static int watching, low;

int close(int fd)
{
    int flags = watching && fd < 3 ? fcntl(fd, F_GETFL) : -1;
    low += flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY;
    return (int)syscall(SYS_close, fd);
}

static void no_standard_files(void)
{
    int fd;
    for (fd = 0; fd < 3; fd++)
        close(fd);
    watching = 1;
}

static void none_low(void)
{
    pith_finish();
    if (low != 0)
        exit(6);
}

static void no_folder(void)
{
    if (mkdir("here", 0755) != 0 || chdir("here") != 0 || rmdir("../here") != 0)
        exit(94);
}

/* As little address space as the process has already, and a little. */
static inline void limit_space(uint64_t more)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    struct rlimit limit;
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        exit(94);
    fclose(file);
    limit.rlim_cur = limit.rlim_max = pages * (uint64_t)sysconf(_SC_PAGESIZE) + more;
    setrlimit(RLIMIT_AS, &limit);
}
static inline void no_space(void) { limit_space(0); }
static inline void little_space(void) { limit_space(128 << 10); }

static int is_of_space(const struct place *one)
{
    return one->before == no_space || one->before == little_space || one->midway == no_space;
}

/* 1: a limit of the address space holds. */
static int space_ends(void)
{
    struct rlimit before, limit;
    void *more;
    getrlimit(RLIMIT_AS, &before);
    limit = (struct rlimit){1 << 20, before.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
    more = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    setrlimit(RLIMIT_AS, &before);
    if (more != MAP_FAILED)
        munmap(more, 1 << 20);
    return more == MAP_FAILED;
}

static void no_files(void)
{
    struct rlimit limit = {3, 3};
    setrlimit(RLIMIT_NOFILE, &limit);
}

static inline void no_threads(void)
{
    struct rlimit limit = {0, 0};
    setrlimit(RLIMIT_NPROC, &limit);
    if (getuid() == 0 && (chmod(".", 0777) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
        exit(94);
}

static void rename_spill(void)
{
    if (rename("run.pith.spill", "moved") != 0)
        exit(94);
}

static void spill_elsewhere(void)
{
    mkdir("gone", 0755);
    setenv("PITH_SPILL", "spill", 1);
}

static void beside(void) { mkdir("gone", 0755); }

static void remove_folder(void)
{
    if (system("rm -r gone") != 0)
        exit(94);
}

static void quota_reached(void) { over_quota = 1; }
static void quota_lifted(void) { over_quota = 0; }

/* The program itself takes what is left of the disk that "small" is. */
static void fill_disk(void)
{
    static char bytes[65536];
    size_t size;
    int fd = open("small/hog", O_WRONLY | O_CREAT | O_APPEND, 0644), times;
    for (times = 0; fd >= 0 && times < 3; times++, fsync(fd)) /* late writes may take less than set aside */
        for (size = sizeof bytes; size > 0;)
            if (write(fd, bytes, size) <= 0)
                size /= 2;
    close(fd);
}

static void test_table(void)
{
    static const struct place places[] = {
        {"no /dev/shm", no_shm, NULL, NULL, LOG, 1, 1, NULL, NULL},
        {"no TMPDIR, no HOME", no_homes, NULL, NULL, LOG, 1, 1, NULL, NULL},
        {"a read-only folder, TMPDIR as well", read_only, NULL, NULL, OFF, 1, 1, "ro/run.pith", NULL},
        {"stderr closed", no_stderr, NULL, NULL, LOG, 1, 0, NULL, NULL},
        {"0, 1 and 2 closed", no_standard_files, NULL, none_low, LOG, 1, 0, NULL, NULL},
        {"the current folder is gone", no_folder, NULL, NULL, OFF, 1, 1, NULL, NULL},
        {"no descriptors at the start", no_files, NULL, NULL, OFF, 1, 1, NULL, NULL},
        {"no descriptors midway", NULL, no_files, NULL, SPILL, 0, 2, NULL, NULL},
        {"the spill folder is renamed", NULL, rename_spill, NULL, SPILL, 0, 1, NULL, "moved"},
        {"the log's folder is removed", spill_elsewhere, NULL, remove_folder, SPILL, 1, 2, "gone/run.pith", "spill"},
        {"all folders are removed", beside, remove_folder, NULL, GONE, 0, 1, "gone/run.pith", NULL},
#ifndef __SANITIZE_ADDRESS__ /* which needs much of all that */
        {"no /proc", no_proc, NULL, NULL, LOG, 1, 1, NULL, NULL},
        {"no address space at the start", no_space, NULL, NULL, OFF, 1, 1, NULL, NULL},
        {"little address space at the start", little_space, NULL, NULL, ANY, 0, 2, NULL, NULL},
        {"no address space midway", NULL, no_space, NULL, ANY, 0, 2, NULL, NULL},
        {"no threads", no_threads, NULL, NULL, LOG, 1, 1, NULL, NULL},
#endif
        {"a quota", NULL, quota_reached, NULL, SPILL, 0, 2, NULL, NULL},
        /* ext4 has set enough room aside before, tmpfs has not. */
        {"a quota, lifted for the end", NULL, quota_reached, quota_lifted, LOG, 0, -1, NULL, NULL},
    };
    size_t i;
    for (i = 0; i < sizeof places / sizeof places[0]; i++) {
        help_fresh();
        if (is_of_space(&places[i]) && !space_ends()) {
            OK(1, "%s # SKIP qemu's user mode obeys no limit of address space", places[i].what);
            continue;
        }
        run_in(&places[i]);
        unsetenv("PITH_SPILL");
    }
}

/* ---- Small disks ------------------------------------------------------------------------------------------------- */

static void test_disk(const char *kind, int (*mounted)(void))
{
    static const struct place places[] = {
        {"full midway", NULL, fill_disk, NULL, ANY, 0, 2, "small/run.pith", "small/run.pith.spill"},
        {"full at the end", NULL, NULL, fill_disk, SPILL, 1, 2, "small/run.pith", "small/run.pith.spill"},
        {"full at the start", fill_disk, NULL, NULL, SPILL, 1, 2, "small/run.pith", NULL},
    };
    size_t i;
    for (i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct place one = places[i];
        char what[64], elsewhere[64];
        help_fresh();
        mkdir("small", 0755);
        if (!mounted()) {
            OK(1, "a small %s # SKIP may not mount one", kind);
            return;
        }
        if (one.spill == NULL) { /* in TMPDIR, as no folder or no file in it can be made on that disk */
            snprintf(elsewhere, sizeof elsewhere, "pith-%u-run.pith.spill", (unsigned)geteuid());
            one.spill = elsewhere;
        }
        snprintf(what, sizeof what, "%s, %s", kind, one.what);
        one.what = what;
        run_in(&one);
        OK(help_files("small", ".part") == 0, "%s: no half a log", what);
        umount("small");
    }
}

static int mount_tmpfs(void) { return mount("none", "small", "tmpfs", 0, "size=12m") == 0; }

static int mount_ext4(void)
{
    return system("truncate -s 12M image && PATH=$PATH:/sbin:/usr/sbin mkfs.ext4 -q -O ^has_journal image && "
                  "mount -o loop image small") == 0;
}

int main(void)
{
    help_begin();
    test_table();
    test_disk("tmpfs", mount_tmpfs);
    test_disk("ext4", mount_ext4);
    help_clean();
    return tap_done();
}
