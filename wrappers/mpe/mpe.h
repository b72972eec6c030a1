/* mpe.h - the MPE API on Pith: what programs written for MPE 2 include. */
#ifndef MPE_H
#define MPE_H

#include <mpi.h>

#include "mpe_log.h"
#if __has_include("mpe_misc.h")
#include "mpe_misc.h"
#endif

#endif
