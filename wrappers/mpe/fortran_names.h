/* fortran_names.h - functions for Fortran: the four names that compilers make of one, strings and communicators. */
#ifndef PITHI_FORTRAN_NAMES_H
#define PITHI_FORTRAN_NAMES_H

#include <mpi.h>
#include <stddef.h>

#define FORTRAN(type, lower, UPPER, arguments)                                                                         \
    MPE_API_ type lower##_ arguments;                                                                                  \
    MPE_API_ type lower arguments __attribute__((alias(#lower "_")));                                                  \
    MPE_API_ type lower##__ arguments __attribute__((alias(#lower "_")));                                              \
    MPE_API_ type UPPER arguments __attribute__((alias(#lower "_")));                                                  \
    type lower##_ arguments

/* A Fortran string, without the blanks at its end, as a C string that the caller frees; NULL when it is blank. */
char *pithi_fortran_string(const char *text, size_t length);

/* The communicator of a Fortran handle. */
MPI_Comm pithi_fortran_comm(MPI_Fint comm);

#endif
