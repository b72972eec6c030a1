/* inflate.h - unpacks raw deflate (RFC 1951), where there is no zlib. */
#ifndef PITHI_INFLATE_H
#define PITHI_INFLATE_H

#include <stddef.h>

enum pithi_inflated {
    PITHI_INFLATE_END,    /* the data is complete */
    PITHI_INFLATE_CUT,    /* the input ends early */
    PITHI_INFLATE_BAD,    /* the input is damaged */
    PITHI_INFLATE_STOPPED /* `out` is full, and `full` is NULL or has returned 0 */
};

struct pithi_inflate {
    const unsigned char *in;
    size_t in_size;
    unsigned char *out;
    size_t room; /* of out; with `full` at least 64 KiB */
    /* Takes the first bytes of `out` when it is full; the last 32 KiB stay. NULL: everything must fit. */
    int (*full)(void *context, const unsigned char *data, size_t size);
    void *context;
    /* Set by pithi_inflate: */
    size_t in_used, out_size; /* out_size: bytes that are in `out` and that `full` has not taken */
};

enum pithi_inflated pithi_inflate(struct pithi_inflate *inflate);

#endif
