/* place.c - names of logs and folders, and how a finished log gets its name.
 *
 *     ./solve                       solve.pith, recorded in solve.pith.spill/
 *     python3.11 jobs/run.py        run.pith: the script, not the interpreter
 *     a forked child, process 712   solve-712.pith
 *     on a network file system      solve.pith, recorded in /tmp/pith-1000-solve.pith.spill/ (1000 is the user)
 *     a log that is not kept        /tmp/pith-1000-solve.pith
 *
 * The names of a child's log, of a snapshot and of the spill folder are the log's name with a few bytes added. A name
 * that leaves no room for these bytes is refused before anything is recorded, not when the run ends. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/open_file.h"
#include "native/log_files.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Like snprintf, but returns 0, or -1 if the text does not fit. */
#define PRINT(out, size, ...) (snprintf((out), (size), __VA_ARGS__) < (int)(size) ? 0 : -1)

/* ---- The program's name ------------------------------------------------------------------------------------------ */

static const char *const interpreters[] = {"python", "perl",  "ruby", "bash",  "sh",
                                           "dash",   "julia", "node", "tclsh", NULL};

/* Returns 1 if `name` is an interpreter, perhaps with a version (python3.11). */
static int is_interpreter(const char *name)
{
    size_t i;
    for (i = 0; interpreters[i] != NULL; i++) {
        size_t length = strlen(interpreters[i]);
        if (strncmp(name, interpreters[i], length) == 0 && name[length + strspn(name + length, "0123456789.")] == '\0')
            return 1;
    }
    return 0;
}

/* Returns the script, that is, the first argument that is not an option; NULL if there is none, as with -c and -e. */
static const char *script_of(const char *arguments, size_t size)
{
    const char *end = arguments + size, *argument = arguments + strlen(arguments) + 1;
    for (; argument < end && *argument != '\0'; argument += strlen(argument) + 1) {
        if (strcmp(argument, "-c") == 0 || strcmp(argument, "-e") == 0)
            return NULL;
        if (*argument != '-')
            return argument;
    }
    return NULL;
}

void pithi_place_program(char *program, size_t size)
{
    char path[PITHI_PATH_MAX], arguments[4096];
    const char *name = program_invocation_short_name, *script;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    int fd;

    if (length > 0) {
        path[length] = '\0';
        name = base_name(path);
    }
    snprintf(program, size, "%s", *name != '\0' ? name : "program");
    if (!is_interpreter(program))
        return;
    fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    length = read(fd, arguments, sizeof arguments - 1);
    close(fd);
    if (length <= 0)
        return;
    arguments[length] = '\0';
    script = script_of(arguments, (size_t)length);
    if (script != NULL && *base_name(script) != '\0') {
        char *dot;
        snprintf(program, size, "%s", base_name(script));
        dot = strrchr(program, '.');
        if (dot != NULL && dot != program)
            *dot = '\0';
    }
}

/* ---- The log's name ---------------------------------------------------------------------------------------------- */

/* The largest number of bytes added to the name of a log: ".snapshot-99999" has 15; "-4194304-9999" (the log of a
 * forked child, whose name is in use) has 13, ".spill" has 6. */
enum { NAME_MORE = 15 };
/* Names of unfinished files have at most this number of bytes of the log's name. */
enum { PART_NAME = 80 };
#define TOO_LONG "the log's name is too long; set PITH_LOG to a shorter one"

/* Puts `insert` before the suffix of `path`: run.pith, "-2" -> run-2.pith. Returns 0, or -1 if the result is too
 * long. */
static int insert_before_suffix(char *out, size_t size, const char *path, const char *insert)
{
    const char *dot = strrchr(base_name(path), '.');
    if (dot == NULL || dot == base_name(path))
        dot = path + strlen(path);
    return PRINT(out, size, "%.*s%s%s", (int)(dot - path), path, insert, dot);
}

/* Makes a name in TMPDIR or /tmp. Returns 0, or -1 if it is too long. */
static int name_temporary(char *path, size_t size, const char *name, const char *ending)
{
    const char *temporary = secure_getenv("TMPDIR");
    if (temporary == NULL || *temporary != '/')
        temporary = "/tmp";
    return PRINT(path, size, "%s/pith-%u-%.200s%s", temporary, (unsigned)geteuid(), base_name(name), ending);
}

/* Returns 1 if the folder of `log` allows all names that are made from `name`. */
static int name_fits(const char *log, const char *name)
{
    char folder[PITHI_PATH_MAX];
    long most;
    snprintf(folder, sizeof folder, "%.*s", (int)(base_name(log) - log), log);
    most = pathconf(folder, _PC_NAME_MAX);
    return (long)strlen(name) + NAME_MORE <= (most > 0 ? most : 255);
}

const char *pithi_place_log(char *log, size_t size, const struct pithi_settings *settings, const char *program,
                            unsigned pid)
{
    char folder[PITHI_PATH_MAX] = "", name[PITHI_PATH_MAX], insert[32];
    struct stat info;

    if (settings->only_answer   ? name_temporary(name, sizeof name, program, ".pith")
        : settings->log != NULL ? PRINT(name, sizeof name, "%s", settings->log)
                                : PRINT(name, sizeof name, "%s.pith", program))
        return TOO_LONG;
    if (name[0] != '/' && getcwd(folder, sizeof folder) == NULL)
        return "the current folder is gone; set PITH_LOG to a full path";
    snprintf(insert, sizeof insert, "-%u", pid);
    if (folder[0] != '\0') {
        char whole[2 * PITHI_PATH_MAX];
        snprintf(whole, sizeof whole, "%s/%s", folder[1] != '\0' ? folder : "", name);
        if (insert_before_suffix(log, size, whole, pid != 0 ? insert : ""))
            return TOO_LONG;
    } else if (insert_before_suffix(log, size, name, pid != 0 ? insert : "")) {
        return TOO_LONG;
    }
    if (log[strlen(log) - 1] == '/' || (stat(log, &info) == 0 && S_ISDIR(info.st_mode)))
        return "is a folder; set PITH_LOG to the name of a file";
    if (pithi_place_is_device(log))
        return "is a device or a pipe, which cannot hold a log; set PITH_LOG to the name of a file";
    return name_fits(log, base_name(name)) ? NULL : TOO_LONG;
}

/* Returns 1 if the path is a device, a pipe or a socket. Such a path cannot be the name of a log, because a log gets
 * its name by rename, which would replace the device. /dev/stdout counts as a device even if it leads to a file. */
int pithi_place_is_device(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return 0;
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return 1;
    return (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) && lstat(path, &info) == 0 &&
           S_ISLNK(info.st_mode);
}

int pithi_place_part(char *part, size_t size, const char *log, uint64_t number, const char *ending)
{
    const char *name = base_name(log);
    size_t length = strnlen(name, PART_NAME);
    while (length == PART_NAME && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--; /* do not split a UTF-8 character */
    return PRINT(part, size, "%.*s.%llx%s", (int)((size_t)(name - log) + length), log, (unsigned long long)number,
                 ending);
}

/* ---- The spill folder -------------------------------------------------------------------------------------------- */

/* Returns 1 if the folder is on a network file system. Such file systems are bad for mapped files, because each page is
 * sent, and other hosts see it late. */
static int is_remote(const char *folder)
{
    static const uint32_t magics[] = {
        0x6969 /* NFS */,
        0x517b /* SMB */,
        0xff534d42 /* CIFS */,
        0xfe534d42 /* SMB2 */,
        0x0bd00bd0 /* Lustre */,
        0x47504653 /* GPFS */,
        0x00c36400 /* Ceph */,
        0x19830326 /* BeeGFS */,
        0x20030528 /* OrangeFS */,
        0xaad7aaea /* PanFS */,
        0x5346414f /* AFS */,
        0x01021997 /* 9P */,
        0x65735546 /* FUSE: sshfs and others */,
    };
    struct statfs info;
    size_t i;
    if (statfs(folder, &info) != 0)
        return 0;
    for (i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if ((uint32_t)info.f_type == magics[i])
            return 1;
    return 0;
}

/* Makes the folder with mode 0700 if needed, and checks that this user can write to it. Others may have made something
 * of that name in /tmp, so it must be a folder, not a link, and owned by this user. Returns 1 if the folder can be
 * used. */
static int usable(const char *folder)
{
    struct stat info;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return 0;
    return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           access(folder, W_OK | X_OK) == 0;
}

int pithi_place_temporary(char *folder, size_t size, const char *log)
{
    return name_temporary(folder, size, log, ".spill") == 0 && usable(folder);
}

const char *pithi_place_folder(char *folder, size_t size, const struct pithi_settings *settings, const char *log)
{
    const char *slash = strrchr(log, '/');
    char beside[PITHI_PATH_MAX];

    if (settings->spill != NULL) {
        struct stat info;
        if (settings->spill[0] == '/'
                ? PRINT(folder, size, "%s", settings->spill)
                : getcwd(beside, sizeof beside) == NULL || PRINT(folder, size, "%s/%s", beside, settings->spill))
            return "the name of PITH_SPILL is too long";
        if ((mkdir(folder, 0700) != 0 && errno != EEXIST) || stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) ||
            access(folder, W_OK | X_OK) != 0)
            return "PITH_SPILL is not a folder that can be written to";
        return NULL;
    }
    snprintf(beside, sizeof beside, "%.*s", slash == log ? 1 : (int)(slash - log), log);
    if (!is_remote(beside) && PRINT(folder, size, "%s.spill", log) == 0 && usable(folder))
        return NULL;
    if (pithi_place_temporary(folder, size, log))
        return NULL;
    return "cannot make a folder for the buffers, neither beside the log nor in TMPDIR; set PITH_SPILL";
}

/* ---- Publishing -------------------------------------------------------------------------------------------------- */

/* Gives the file the name if that is free: by link(2); on file systems without links by a rename that does not replace.
 * Returns 0, or -1 (errno). */
static int take_name(const char *part, const char *name)
{
    if (link(part, name) == 0) {
        unlink(part);
        return 0;
    }
    if (errno == EEXIST)
        return -1;
    return renameat2(AT_FDCWD, part, AT_FDCWD, name, RENAME_NOREPLACE);
}

/* Sets the file's time to now, because is_older compares it with the start of another job. The kernel's own time of a
 * file is the time of the last clock tick, which may be before a job's start although the file was written after it. */
static void stamp(const char *path)
{
    struct timespec now[2];
    clock_gettime(CLOCK_REALTIME, &now[0]);
    now[1] = now[0];
    utimensat(AT_FDCWD, path, now, 0);
}

/* Returns 1 if `name` is a file that was finished before this job began, so that this job may replace it. */
static int is_older(const char *name, int64_t start_real_ns)
{
    struct stat info;
    return stat(name, &info) == 0 && S_ISREG(info.st_mode) &&
           (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec < start_real_ns;
}

static void volume_path(char path[PITHI_VOLUME_PATH_MAX], const char *name, unsigned volume)
{
    snprintf(path, PITHI_VOLUME_PATH_MAX, "%s.%u", name, volume);
}

/* Undoes take_volumes: gives the volumes their unfinished names again. */
static void give_back(const char *part, unsigned volumes, const char *name)
{
    char from[PITHI_VOLUME_PATH_MAX], to[PITHI_VOLUME_PATH_MAX];
    unsigned i;
    int saved = errno;
    for (i = 1; i <= volumes; i++) {
        volume_path(from, name, i);
        volume_path(to, part, i);
        rename(from, to);
    }
    errno = saved;
}

/* Renames the volumes before the main file, because the log exists as soon as its main file does. */
static int take_volumes(const char *part, unsigned volumes, const char *name, int64_t start_real_ns)
{
    char from[PITHI_VOLUME_PATH_MAX], to[PITHI_VOLUME_PATH_MAX];
    unsigned i;
    for (i = 1; i <= volumes; i++) {
        volume_path(from, part, i);
        volume_path(to, name, i);
        stamp(from);
        if (take_name(from, to) == 0 || (errno == EEXIST && is_older(to, start_real_ns) && rename(from, to) == 0))
            continue;
        give_back(part, i - 1, name);
        return -1;
    }
    return 0;
}

/* Reads the header of a file of a log: its volume number, the count of volumes, their common id. Returns 0 if the file
 * is not of a log. */
static int read_volume(const char *path, struct pithi_volume *volume)
{
    unsigned char header[PITHI_HEADER_SIZE];
    int fd = pithi_open_input(path, O_NOFOLLOW);
    ssize_t got = fd >= 0 ? pread(fd, header, sizeof header, 0) : -1;
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof header && pithi_volume_get(header, volume);
}

/* Gives the log this name if the name is free or belongs to an older log. */
static int publish_as(const char *part, unsigned volumes, const char *name, int64_t start_real_ns)
{
    struct pithi_volume old = {0, 0, 0};
    int replace = is_older(name, start_real_ns);
    if (replace && !read_volume(name, &old))
        old.count = 0;
    if (!replace && access(name, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    if (take_volumes(part, volumes, name, start_real_ns) != 0)
        return -1;
    if ((replace ? rename(part, name) : take_name(part, name)) != 0) {
        give_back(part, volumes, name);
        return -1;
    }
    /* Removes the volumes of the replaced log that the new log did not overwrite, if their id shows that they belong to
     * the replaced log. */
    char path[PITHI_VOLUME_PATH_MAX];
    struct pithi_volume volume;
    unsigned i;
    for (i = volumes + 1; i <= old.count; i++) {
        volume_path(path, name, i);
        if (read_volume(path, &volume) && volume.number == i && volume.id == old.id)
            unlink(path);
    }
    return 0;
}

int pithi_place_publish(const char *part, unsigned volumes, const char *log, int64_t start_real_ns, char *name,
                        size_t size)
{
    unsigned number;
    stamp(part);
    for (number = 1; number < 10000; number++) {
        char insert[16] = "";
        if (number > 1)
            snprintf(insert, sizeof insert, "-%u", number);
        if (insert_before_suffix(name, size, log, insert)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        /* Only the first name may replace a log: a log with one of the other names is of another job, for which the
         * first name was taken. */
        if (publish_as(part, volumes, name, number == 1 ? start_real_ns : INT64_MIN) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int pithi_place_number(const char *part, const char *log, const char *insert, char *name, size_t size)
{
    unsigned number;
    for (number = 1; number < 100000; number++) {
        char numbered[64];
        snprintf(numbered, sizeof numbered, "%s%u", insert, number);
        if (insert_before_suffix(name, size, log, numbered)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (take_name(part, name) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}
