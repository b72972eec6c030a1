/* also_io.c - opens, reads and writes files in all ways that libpith-io knows, and prints what it did:
 *
 *     RANK THREAD STATE FILE BYTES OFFSET       (-: none)
 *
 * `also_io DIR [HOW]`; HOW: mpiio, children, cancel, early. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <aio.h>
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

extern char **environ;

static int rank;
static __thread int thread;
static char said[1 << 16]; /* what it did; printed at the end, as printing is itself a call */
static size_t said_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void did(const char *state, const char *file, long bytes, long offset)
{
    pthread_mutex_lock(&lock);
    said_bytes += (size_t)snprintf(said + said_bytes, sizeof said - said_bytes, "%d %d io:%s %s %ld %ld\n", rank,
                                   thread, state, file, bytes, offset);
    pthread_mutex_unlock(&lock);
}

/* A size that the compiler does not know, so that fortification checks it. */
static volatile size_t hundred = 100;

/* Through a pipe, which is not recorded, from one file to another; from a file to a socket. */
static void splices(int from, int to, const char *from_name, const char *to_name)
{
    int ends[2], both[2];
    off64_t offset = 1000, there = 3000;
    off_t again = 1000;
    must(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
    must(splice(from, &offset, ends[1], NULL, hundred, 0) == 100 && offset == 1100);
    did("splice", from_name, 100, 1000);
    must(splice(ends[0], NULL, to, &there, hundred, 0) == 100 && there == 3100);
    did("splice", to_name, 100, 3000);
    must(sendfile(both[0], from, &again, hundred) == 100 && again == 1100);
    did("sendfile", from_name, 100, 1000);
    close(ends[0]);
    close(ends[1]);
    close(both[0]);
    close(both[1]);
}

static void asynchronous(int fd, const char *name)
{
    static __thread char data[200];
    struct aiocb request = {.aio_fildes = fd, .aio_buf = data, .aio_nbytes = hundred, .aio_offset = 7000};
    struct aiocb *list[2] = {NULL, &request};
    const struct aiocb *const waited[2] = {NULL, &request};
    must(aio_write(&request) == 0);
    did("aio_write", name, fd, -1);
    must(aio_suspend(waited, 2, NULL) == 0);
    did("aio_suspend", name, fd, -1);
    must(aio_return(&request) == 100);
    did("aio_return", name, 100, 7000);
    request.aio_nbytes = 200;
    must(aio_read(&request) == 0);
    did("aio_read", name, fd, -1);
    while (aio_error(&request) == EINPROGRESS)
        sched_yield();
    must(aio_return(&request) == 100);
    did("aio_return", name, 100, 7000);
    request.aio_lio_opcode = LIO_WRITE;
    must(lio_listio(LIO_WAIT, list, 2, NULL) == 0);
    did("lio_listio", name, fd, -1);
    must(aio_return(&request) == 200);
    did("aio_return", name, 200, 7000);
    must(aio_fsync(O_SYNC, &request) == 0);
    did("aio_fsync", name, fd, -1);
    while (aio_error(&request) == EINPROGRESS)
        sched_yield();
}

static void descriptors(const char *name)
{
    char data[4096] = "text";
    struct iovec parts[2] = {{data, 30}, {data, 40}};
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), flags = O_RDWR;
    must(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    did("open", name, fd, -1);
    must(write(fd, data, 4000) == 4000);
    did("write", name, 4000, 0);
    must(writev(fd, parts, 2) == 70);
    did("writev", name, 70, 4000);
    must(pwrite(fd, data, hundred, 50000) == 100);
    did("pwrite", name, 100, 50000);
    must(pwritev(fd, parts, 2, 60000) == 70);
    did("pwritev", name, 70, 60000);
    must(pwritev2(fd, parts, 2, -1, 0) == 70);
    did("pwritev", name, 70, 4070);
    must(fsync(fd) == 0);
    did("fsync", name, fd, -1);
    must(fdatasync(fd) == 0);
    did("fdatasync", name, fd, -1);
    must(lseek(fd, 1000, SEEK_SET) == 1000);
    must(read(fd, data, hundred) == 100);
    did("read", name, 100, 1000);
    must(readv(fd, parts, 2) == 70);
    did("readv", name, 70, 1100);
    must(pread(fd, data, hundred, 49990) == 100);
    did("pread", name, 100, 49990);
    must(preadv(fd, parts, 1, 0) == 30);
    did("preadv", name, 30, 0);
    must(lseek(fd, 0, SEEK_END) == 60070);
    must(read(fd, data, hundred) == 0);
    did("read", name, 0, 60070);
    char other[320];
    off64_t offset = 2000;
    snprintf(other, sizeof other, "%s.other", name);
    int to = open(other, O_RDWR | O_CREAT, 0600);
    did("open", other, to, -1);
    must(pread(fd, data, hundred, 1000) == 100);
    did("pread", name, 100, 1000);
    must(lseek(fd, 0, SEEK_SET) == 0 && sendfile(to, fd, NULL, hundred) == 100);
    did("sendfile", other, 100, 0);
    must(copy_file_range(fd, NULL, to, &offset, hundred, 0) == 100 && offset == 2100);
    did("copy_file_range", other, 100, 2000);
    splices(fd, to, name, other);
    must(lseek(to, 5000, SEEK_SET) == 5000 && dprintf(to, "%s %d", "number", 42) == 9);
    did("dprintf", other, 9, 5000);
    asynchronous(to, other);
    must(close(to) == 0);
    did("close", other, to, -1);
    must(lseek(fd, 0, SEEK_END) == 60070);
    int copy = dup2(fd, 100 + thread);
    must(copy == 100 + thread && write(copy, data, 5) == 5);
    did("write", name, 5, 60070);
    must(close(copy) == 0);
    did("close", name, copy, -1);
    must(close(fd) == 0);
    did("close", name, fd, -1);
    errno = 0;
    must(close(copy) == -1 && errno == EBADF && read(copy, data, 1) == -1 && errno == EBADF);
    must((fd = open(name, flags | O_APPEND)) >= 0);
    did("open", name, fd, -1);
    errno = ESRCH;
    must(write(fd, data, 5) == 5 && errno == ESRCH);
    did("write", name, 5, 60075);
    must(close(fd) == 0 && errno == ESRCH);
    did("close", name, fd, -1);
    must((fd = openat(AT_FDCWD, name, O_RDONLY)) >= 0);
    did("openat", name, fd, -1);
    close(fd);
    did("close", name, fd, -1);
    errno = 0;
    must(open("no/such/file", O_RDONLY) == -1 && errno == ENOENT);
    did("open", "no/such/file", -1, -1);
    must((fd = creat(name, 0644)) >= 0);
    did("creat", name, fd, -1);
    close(fd);
    did("close", name, fd, -1);
}

static FILE *locked;
static sem_t is_locked, may_unlock;

static void *keep_locked(void *unused)
{
    flockfile(locked);
    sem_post(&is_locked);
    sem_wait(&may_unlock);
    funlockfile(locked);
    return unused;
}

/* While another thread has the stream's lock. */
static void write_unlocked(FILE *file, const char *name)
{
    pthread_t other;
    locked = file;
    must(sem_init(&is_locked, 0, 0) == 0 && sem_init(&may_unlock, 0, 0) == 0);
    must(pthread_create(&other, NULL, keep_locked, NULL) == 0 && sem_wait(&is_locked) == 0);
    must(fwrite_unlocked("0123456789", 1, hundred / 10, file) == 10);
    did("fwrite", name, 10, -1);
    must(sem_post(&may_unlock) == 0 && pthread_join(other, NULL) == 0);
}

static void streams(const char *name)
{
    char data[4096] = "text";
    FILE *file = fopen(name, "w+");
    must(file);
    int fd = fileno(file);
    did("fopen", name, fd, -1);
    must(fwrite(data, 20, hundred, file) == 100);
    did("fwrite", name, 2000, 0);
    must(fprintf(file, "%s %d\n", data, 7) == 7);
    did("fprintf", name, 7, 2000);
    must(fputs("a line\n", file) >= 0);
    did("fputs", name, 7, 2007);
    must(fflush(file) == 0);
    did("fflush", name, fd, -1);
    must(fseek(file, 2000, SEEK_SET) == 0);
    must(fgets(data, (int)hundred, file) && !strcmp(data, "text 7\n"));
    did("fgets", name, 7, 2000);
    must(fgets_unlocked(data, (int)hundred, file) && !strcmp(data, "a line\n"));
    did("fgets", name, 7, 2007);
    must(!fgets(data, (int)hundred, file) && feof(file));
    did("fgets", name, 0, 2014);
    char *line = NULL;
    size_t room = 0;
    must(fseek(file, 2000, SEEK_SET) == 0);
    must(getline(&line, &room, file) == 7 && !strcmp(line, "text 7\n"));
    did("getline", name, 7, 2000);
    must(getdelim(&line, &room, 'l', file) == 3);
    did("getdelim", name, 3, 2007);
    must(getline(&line, &room, file) == 4 && getline(&line, &room, file) == -1 && feof(file));
    did("getline", name, 4, 2010);
    did("getline", name, 0, 2014);
    free(line);
    rewind(file);
    must(fread(data, 2, hundred, file) == 100);
    did("fread", name, 200, 0);
    must(fread_unlocked(data, 1, hundred, file) == 100);
    did("fread", name, 100, 200);
    must(fseek(file, 0, SEEK_END) == 0);
    write_unlocked(file, name);
    must(fclose(file) == 0);
    did("fclose", name, fd, -1);
    DIR *volatile no_folder = NULL;
    errno = 0;
    must(closedir(no_folder) == -1 && errno == EINVAL);
    errno = 0;
    must(!fopen("no/such/stream", "r") && errno == ENOENT);
    did("fopen", "no/such/stream", -1, -1);
    /* Streams without a descriptor, pipes and pseudo-files are not recorded. */
    char *text = NULL;
    size_t size;
    must((file = open_memstream(&text, &size)));
    errno = ESRCH;
    must(fprintf(file, "in memory") == 9 && errno == ESRCH);
    must(fclose(file) == 0 && size == 9 && errno == ESRCH);
    free(text);
    int ends[2];
    must(pipe(ends) == 0 && write(ends[1], data, 10) == 10 && read(ends[0], data, 10) == 10);
    close(ends[0]);
    close(ends[1]);
    must((file = fopen("/proc/self/stat", "r")) && fread(data, 1, 10, file) == 10 && fclose(file) == 0);
}

static void *work(void *folder)
{
    char name[300];
    thread = 1;
    snprintf(name, sizeof name, "%s/thread.%d", (char *)folder, rank);
    descriptors(name);
    return NULL;
}

/* The calls of the MPI library itself. */
static void with_mpi(const char *folder)
{
    char name[300];
    MPI_File file;
    static char data[5000];
    snprintf(name, sizeof name, "%s/shared", folder);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 5000 * rank, data, 5000, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at(file, 5000 * rank, data, 2500, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

/* Children write files, too. Their calls are not recorded, and change none of the offsets that Pith knows. */
static void children(const char *name)
{
    char *arguments[] = {"sh", "-c", "echo a child >child.out; cat child.out >child.copy", NULL};
    int status, fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    pid_t child;
    did("open", name, fd, -1);
    must((child = fork()) >= 0);
    if (child == 0) {
        FILE *file = fopen("fork.out", "w");
        int fd2 = open("fork.out2", O_CREAT | O_WRONLY, 0600);
        _exit(!(file && fprintf(file, "child") == 5 && fclose(file) == 0 && write(fd2, "abc", 3) == 3 && !close(fd2)));
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    must((child = vfork()) >= 0);
    if (child == 0) {
        int fd2 = open("vfork.out", O_CREAT | O_WRONLY, 0600);
        if (fd2 < 0 || write(fd2, "abc", 3) != 3)
            _exit(1);
        dup2(fd2, fd);
        close(fd2);
        execvp("sh", arguments);
        _exit(1);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    must(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
    must(waitpid(child, &status, 0) == child && status == 0);
    must(system("cat child.out >child.copy") == 0);
    must(write(fd, "abcdef", 6) == 6);
    did("write", name, 6, 0);
    close(fd);
    did("close", name, fd, -1);
}

static void *read_terminal(void *fd)
{
    char byte;
    return read(*(int *)fd, &byte, 1) == 1 ? NULL : fd;
}

/* A thread that is cancelled while it reads. */
static void cancel(const char *name)
{
    pthread_t reader;
    int fd;
    must(mkfifo(name, 0600) == 0 && (fd = open(name, O_RDWR)) >= 0);
    did("open", name, fd, -1);
    must(pthread_create(&reader, NULL, read_terminal, &fd) == 0);
    usleep(100000);
    pthread_cancel(reader);
    must(pthread_join(reader, NULL) == 0);
    close(fd);
    did("close", name, fd, -1);
}

int main(int argc, char **argv)
{
    const char *folder = argv[1], *how = argc > 2 ? argv[2] : "";
    char name[300];
    pthread_t other;
    if (!strcmp(how, "early")) {
        const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
        rank = number ? atoi(number) : 0;
        snprintf(name, sizeof name, "%s/early.%d", folder, rank);
        streams(name);
    }
    int given;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s/file.%d", folder, rank);
    if (!strcmp(how, "mpiio")) {
        with_mpi(folder);
    } else if (!strcmp(how, "children")) {
        if (rank == 0)
            children(name);
    } else if (!strcmp(how, "cancel")) {
        cancel(name);
    } else {
        pthread_create(&other, NULL, work, argv[1]);
        descriptors(name);
        pthread_join(other, NULL);
        snprintf(name, sizeof name, "%s/stream.%d", folder, rank);
        streams(name);
    }
    snprintf(name, sizeof name, "%s/did.%d", folder, rank);
    MPI_Finalize();
    FILE *out = fopen(name, "w");
    fwrite(said, 1, said_bytes, out);
    fclose(out);
    printf("also_io: rank %d, well\n", rank);
    return 0;
}
