/* lens.h - a painter in front of another one, which sees the picture stretched or in grey. */
#ifndef PITHI_LENS_H
#define PITHI_LENS_H

#include "core/painter.h"

struct pithi_lens {
    const struct pithi_painter *behind;
    double left, by; /* x becomes left + (x - left) * by; by 0: as it is */
    int grey;        /* colours become greys of their lightness */
};

/* Both structs must outlive the painter. */
struct pithi_painter pithi_lens_begin(struct pithi_lens *lens);

#endif
