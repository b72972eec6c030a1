/* run.h - pith run: starts an unchanged program so that it is recorded.
 *
 *     find the program and its MPI (program.c) -> set LD_PRELOAD and PITH_*, start the watcher (watch.c), exec (run.c)
 *
 * The program replaces this process, so the exit status is the program's.
 */
#ifndef PITHI_RUN_H
#define PITHI_RUN_H

enum program_kind { PROGRAM_DYNAMIC, PROGRAM_STATIC, PROGRAM_FOREIGN, PROGRAM_OTHER };
struct program {
    char *path;             /* the file that the user named */
    char *binary;           /* the ELF file that will run: `path` itself, or the interpreter of a script */
    char *loader;           /* the dynamic loader that the binary names; NULL: none */
    const char *rights;     /* why nothing can be preloaded, such as "a set-user-ID program"; NULL: no such reason */
    int is_cxx;             /* 1: linked with libpith-cxx.so, the C++ bindings */
    int is_asan;            /* 1: linked with the shared runtime of the address sanitizer */
    enum program_kind kind; /* FOREIGN: for another machine or word size; OTHER: not an ELF file */
};

/* Finds `name` as a shell does. Returns 0; or prints an error and returns the exit status: 127 not found, 126 not
 * executable. */
int program_find(const char *name, struct program *program);

/* Returns the path of the program `name`. If there is no such program, returns NULL without printing an error. The
 * caller frees it. */
char *program_path(const char *name);

/* Returns the MPI among the libraries that the program needs, directly or not: "mpich", "openmpi", "abi" (the standard
 * ABI of MPI 5) or NULL. Sets is_cxx and is_asan of the program. */
const char *mpi_of_program(struct program *program);
/* Returns the MPI whose launcher started this process, according to its environment: "mpich", "openmpi" or NULL. */
const char *mpi_of_launcher(void);
/* Returns the rank that the launcher gave this process; 0 without a launcher. */
int rank_of_launcher(void);
/* Starts a process that waits for the end of this one, and then prints where the records of an unfinished job are
 * (watch.c). Returns the place of that process's file below /proc, such as "712/fd/3"; NULL if there is no such
 * process. */
char *watch_program(void);
/* Returns 1 if this process prints messages for all processes of the job on its machine. */
int speaks_for_host(void);

#endif
