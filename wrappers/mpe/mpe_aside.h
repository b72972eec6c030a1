/* mpe_aside.h - the archive beside the shared libraries.
 *
 * A program that holds libmpe as an archive has a recorder of its own in it. When pith run puts libpith-mpi.so into the
 * process, that one brings the shared recorder, and there must be one log: so the archive loads libpith-mpe.so from
 * beside it and hands every call on.
 */
#ifndef PITHI_MPE_ASIDE_H
#define PITHI_MPE_ASIDE_H

#if defined(PITHI_STATIC) && !defined(NOMPI)

/* The shared library; NULL: there is none, the calls are our own. */
extern void *pithi_mpe_aside;
void *pithi_mpe_aside_find(void **slot, const char *name);

/* First in a call that does something by itself: returns what the shared library's returns. */
#define PITHI_MPE_ASIDE(function, arguments)                                                                           \
    do {                                                                                                               \
        if (__builtin_expect(pithi_mpe_aside != 0, 0)) {                                                               \
            static void *slot_;                                                                                        \
            __typeof__(&function) other_ = (__typeof__(&function))pithi_mpe_aside_find(&slot_, #function);             \
            if (other_)                                                                                                \
                return other_ arguments;                                                                               \
        }                                                                                                              \
    } while (0)

#else
#define PITHI_MPE_ASIDE(function, arguments) (void)0
#endif
#endif
