/* signature.h - the type signature of data: the sequence of its basic datatypes, as a hash.
 *
 * Two buffers may be the two ends of a transfer when their sequences are equal, however the datatypes were made: 1 of a
 * vector of 10 MPI_INT has the signature of 10 MPI_INT. The hash is that of a string whose letters are the basic types:
 * hash(ab) = hash(a) * B^length(b) + hash(b), modulo the prime 2^61 - 1, so that n copies of a string need log2(n)
 * steps.
 */
#ifndef PITHI_SIGNATURE_H
#define PITHI_SIGNATURE_H

#include "real.h"

#include <stddef.h>
#include <stdint.h>

struct pithi_signature {
    uint64_t hash, power; /* power: B^elements */
    int64_t elements;
    const char *element; /* the name of the basic type when they are all of one; lives as long as the process */
};

/* `count` of `type`; nothing (hash 0) for a null type or a count below 1, which MPI itself will not like. Kept with the
 * datatype: found once. */
struct pithi_signature pithi_signature_of(MPI_Count count, MPI_Datatype type);
/* One after the other. */
struct pithi_signature pithi_signature_join(struct pithi_signature first, struct pithi_signature second);
/* "10 MPI_INT"; "12 elements of several types"; "nothing". An element with a blank or = in it is
 * no basic type's name but all of the text, in which %lld stands for the number. */
void pithi_signature_print(char *text, size_t size, int64_t elements, const char *element);

#endif
