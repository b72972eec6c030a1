/* io_files.c - the file of each descriptor: its name, and whether its calls are recorded.
 *
 * The name is the path by which the program opened the file. If that call was not seen (inherited descriptors, dup),
 * the name is read from /proc at the first use. If a descriptor is closed by other means than a call that libpith-io
 * wraps, for example by a system call of the program's own, the descriptor keeps its old name here until a wrapped call
 * opens it again.
 *
 * Nothing here calls malloc or takes a lock, because open, read, write and close may be called in signal handlers.
 */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4096 };                    /* higher descriptors are not recorded */
enum { UNKNOWN, RECORDED, OTHER };        /* values of `kind`; UNKNOWN: not looked up yet; OTHER: not recorded */
static struct pithi_io_file files[FILES]; /* by descriptor */

/* Sets the file's name, which has `size` bytes. Of a name that is too long, only the end is kept. */
static void set_name(struct pithi_io_file *file, const char *name, size_t size)
{
    size_t most = sizeof file->name - 1;

    if (size > most) {
        memcpy(file->name, "...", 3);
        memcpy(file->name + 3, name + size - (most - 3), most - 3);
        size = most;
    } else {
        memcpy(file->name, name, size);
    }
    file->name[size] = 0;
}

int pithi_io_file_wanted(const char *path)
{
    static const char *const pseudo[] = {"/proc", "/sys", "/dev"};

    if (!path)
        return 0;
    for (size_t i = 0; i < sizeof pseudo / sizeof pseudo[0]; i++) {
        size_t size = strlen(pseudo[i]);
        if (!strncmp(path, pseudo[i], size) && (path[size] == '/' || path[size] == 0))
            return 0;
    }
    return 1;
}

/* Finds out the name and kind of a descriptor's file, and notes them in `files`. Returns the file; NULL if it is not
 * recorded. `path`: the name by which the descriptor was opened; NULL: unknown. */
static struct pithi_io_file *learn(int fd, const char *path)
{
    static const char *const standard[] = {"stdin", "stdout", "stderr"};
    struct pithi_io_file *file = &files[fd];
    struct stat status;
    int saved = errno, wanted = 0;

    if (!pithi_also_is_guest() && fstat(fd, &status) == 0) {
        file->seekable = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
        if (path) {
            set_name(file, path, strlen(path));
            wanted = 1;
        } else if (fd <= STDERR_FILENO && !file->seekable) {
            set_name(file, standard[fd], strlen(standard[fd]));
            wanted = 1;
        } else if (file->seekable || S_ISDIR(status.st_mode)) {
            /* The name of the file is not known, so it is read from /proc. */
            char link[32], real[PITHI_IO_PATH];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t size = readlink(link, real, sizeof real - 1);
            real[size < 0 ? 0 : size] = 0;
            set_name(file, real, size < 0 ? 0 : (size_t)size);
            wanted = pithi_io_file_wanted(real);
        }
        __atomic_store_n(&file->kind, wanted ? RECORDED : OTHER, __ATOMIC_RELEASE);
    }
    errno = saved;
    return wanted ? file : NULL;
}

struct pithi_io_file *pithi_io_file_of(int fd)
{
    if (fd < 0 || fd >= FILES)
        return NULL;
    switch (__atomic_load_n(&files[fd].kind, __ATOMIC_ACQUIRE)) {
    case RECORDED:
        return &files[fd];
    case OTHER:
        return NULL;
    default:
        return learn(fd, NULL);
    }
}

struct pithi_io_file *pithi_io_file_opened(int fd, const char *path)
{
    return fd < 0 || fd >= FILES ? NULL : learn(fd, path);
}

const char *pithi_io_file_path(char name[PITHI_IO_PATH], int folder, const char *path)
{
    const struct pithi_io_file *file;
    size_t size;

    if (folder == AT_FDCWD || !path || path[0] == '/')
        return path;
    if (!(file = pithi_io_file_of(folder)))
        return NULL;
    size = strlen(file->name);
    const char *slash = size && file->name[size - 1] == '/' ? "" : "/";
    return snprintf(name, PITHI_IO_PATH, "%s%s%s", file->name, slash, path) < PITHI_IO_PATH ? name : NULL;
}

void pithi_io_file_forget(int fd)
{
    if (fd >= 0 && fd < FILES)
        __atomic_store_n(&files[fd].kind, UNKNOWN, __ATOMIC_RELEASE);
}

void pithi_io_file_forget_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < FILES; fd++)
        pithi_io_file_forget((int)fd);
}
