/* fortran_names.h - a function for Fortran, under the four names that compilers make of one. */
#ifndef PITHI_FORTRAN_NAMES_H
#define PITHI_FORTRAN_NAMES_H

#define FORTRAN(type, lower, UPPER, arguments)                                                                         \
    MPE_API_ type lower##_ arguments;                                                                                  \
    MPE_API_ type lower arguments __attribute__((alias(#lower "_")));                                                  \
    MPE_API_ type lower##__ arguments __attribute__((alias(#lower "_")));                                              \
    MPE_API_ type UPPER arguments __attribute__((alias(#lower "_")));                                                  \
    type lower##_ arguments

#endif
