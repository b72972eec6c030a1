/* mpe.h - the MPE API on Pith, to be included by programs written for MPE 2. */
#ifndef MPE_H
#define MPE_H

#include "mpe_log.h"
#if __has_include("mpe_misc.h")
#include "mpe_misc.h"
#endif
#ifdef MPE_GRAPHICS
#include "mpe_graphics.h"
#endif

#endif
