/* signature.h - the type signature of data: the sequence of its basic datatypes, as a hash.
 *
 * The two buffers of a transfer match when their sequences are equal, however the datatypes were made: 1 vector of 10
 * MPI_INT has the signature of 10 MPI_INT. The hash is that of a string whose letters are the basic types: hash(ab) =
 * hash(a) * B^length(b) + hash(b), modulo the prime 2^61 - 1. n copies of a string thus take log2(n) steps.
 */
#ifndef PITHI_SIGNATURE_H
#define PITHI_SIGNATURE_H

#include "real.h"

#include <stddef.h>
#include <stdint.h>

struct pithi_signature {
    uint64_t hash, power; /* power: B^elements */
    int64_t elements;     /* basic datatypes in it */
    const char *element;  /* the basic type's name if all are of the same type; never freed */
};

/* `count` of `type`. A null type or a count below 1 gives nothing (hash 0); MPI itself reports invalid
 * arguments. The signature is cached with the datatype. */
struct pithi_signature pithi_signature_of(MPI_Count count, MPI_Datatype type);
/* The signature of `first` followed by `second`. */
struct pithi_signature pithi_signature_join(struct pithi_signature first, struct pithi_signature second);
/* The number of datatypes that a datatype is made of; 0: it is a predefined one. */
MPI_Count pithi_type_parts(MPI_Datatype type);
/* "10 MPI_INT"; "12 elements of several types"; "nothing". An element with a blank or = in it is not the name of a
 * basic type: it is the whole text, and %lld in it stands for the number. */
void pithi_signature_print(char *text, size_t size, int64_t elements, const char *element);

#endif
