/* run.h - pith run: starts a program recorded, unchanged.
 *
 *     find the program and its MPI (program.c) -> set LD_PRELOAD and PITH_*, leave a watcher (watch.c), exec (run.c)
 *
 * The program replaces this process, so the exit status is the program's.
 */
#ifndef PITHI_RUN_H
#define PITHI_RUN_H

enum program_kind { PROGRAM_DYNAMIC, PROGRAM_STATIC, PROGRAM_FOREIGN, PROGRAM_OTHER };
struct program {
    char *path;   /* the file that the user named */
    char *binary; /* the ELF file that will run: the same, or a script's interpreter */
    char *loader; /* its dynamic loader; NULL: there is none */
    const char
        *rights; /* "a set-user-ID program": it gets other rights than its user's, so nothing is preloaded; or NULL */
    int is_cxx;  /* linked with libpith-cxx.so: the C++ bindings */
    int is_asan; /* linked with the shared runtime of the address sanitizer */
    enum program_kind kind; /* FOREIGN: for another machine or word size; OTHER: not an ELF file */
};

/* Finds `name` as a shell does. Returns 0; or prints an error and returns the exit status: 127 not found, 126 not
 * executable. */
int program_find(const char *name, struct program *program);

/* The same without an error line: the path, or NULL. The caller frees it. */
char *program_path(const char *name);

/* Looks for an MPI among all libraries that the program needs: "mpich", "openmpi", "abi" (the standard ABI of MPI 5) or
 * NULL. Sets is_cxx and is_asan of the program. */
const char *mpi_of_program(struct program *program);
/* The same from the environment that mpirun set. */
const char *mpi_of_launcher(void);
/* The rank that the launcher gave this process; 0 without a launcher. */
int rank_of_launcher(void);
/* Starts a process that says after the end of this one where records of an unfinished job are (watch.c). Returns the
 * place of its file below /proc, "712/fd/3"; NULL: there is none. */
char *watch_program(void);
/* 1: this process speaks for those of the job on its machine. */
int speaks_for_host(void);

#endif
