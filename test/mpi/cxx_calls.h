/* cxx_calls.h - a program that calls every function of the C++ bindings: its parts, and what they check with. */
#ifndef CXX_CALLS_H
#define CXX_CALLS_H

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern int checks, wrong, rank_here, size_here;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition)) {                                                                                            \
            wrong++;                                                                                                   \
            std::printf("# wrong: rank %d, %s:%d: %s\n", rank_here, __FILE__, __LINE__, #condition);                   \
        }                                                                                                              \
    } while (0)
/* The statement throws MPI::Exception of this class. */
#define CHECK_THROWS(class_wanted, statement)                                                                          \
    do {                                                                                                               \
        int class_got = -1;                                                                                            \
        try {                                                                                                          \
            statement;                                                                                                 \
        } catch (const MPI::Exception &e) {                                                                            \
            class_got = e.Get_error_class();                                                                           \
        }                                                                                                              \
        CHECK(class_got == (class_wanted));                                                                            \
    } while (0)
/* What an MPI may lack (a name server, a data representation): it works, or throws. */
#define TRY_IT(statement)                                                                                              \
    do {                                                                                                               \
        try {                                                                                                          \
            statement;                                                                                                 \
        } catch (const MPI::Exception &) {                                                                             \
        }                                                                                                              \
    } while (0)

void point_to_point();
void requests();
void statuses();
void datatypes();
void collectives();
void operations();
void groups();
void communicators();
void attributes();
void topologies();
void infos();
void error_handlers();
void error_codes();
void windows();
void files();
void file_pointers();
void processes();
void spawns(const char *program, bool multiple);
void constants();
void lifetime();

#endif
