/* signature.h - the type signature of data: the sequence of its basic datatypes, as a hash.
 *
 * The two buffers of a transfer match if their sequences are equal, however the datatypes were made: 1 vector of 10
 * MPI_INT has the signature of 10 MPI_INT. The sequence is hashed like a string whose letters are the basic types:
 * hash(ab) = hash(a) * B^length(b) + hash(b), modulo the prime 2^61 - 1. So n copies of a sequence are hashed in
 * log2(n) steps.
 */
#ifndef PITHI_SIGNATURE_H
#define PITHI_SIGNATURE_H

#include "real.h"

#include <stddef.h>
#include <stdint.h>

struct pithi_signature {
    uint64_t hash, power; /* power: B^elements, modulo the prime */
    int64_t elements;     /* number of basic datatypes */
    const char *element;  /* the basic type's name if all are of one type, else NULL; never freed */
};

/* Returns the signature of `count` elements of `type`. For a null type or a count below 1, the signature is empty (hash
 * 0), because MPI itself reports invalid arguments. A type's signature is cached with the type. */
struct pithi_signature pithi_signature_of(MPI_Count count, MPI_Datatype type);
/* Returns the signature of `first` followed by `second`. */
struct pithi_signature pithi_signature_join(struct pithi_signature first, struct pithi_signature second);
/* Returns the number of datatypes of which a datatype is made; 0 if it is predefined. */
MPI_Count pithi_type_parts(MPI_Datatype type);
/* Prints, for example, "10 MPI_INT", "12 elements of several types" or "nothing". If `element` contains a blank or "=",
 * it is not the name of a type but the whole text to print, in which %lld stands for `elements`. */
void pithi_signature_print(char *text, size_t size, int64_t elements, const char *element);

#endif
