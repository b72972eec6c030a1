/* signature.c - computes type signatures (signature.h). This file does not depend on the code for collectives.
 *
 * A datatype is a tree. An inner node is a derived datatype, which has a combiner (how it was made) and the datatypes
 * of which it was made. Its signature repeats and joins the signatures of these datatypes. A leaf is a basic type,
 * which gets its signature from its name, because handles differ between processes.
 *
 *     struct { 2 of vector(3 x MPI_INT), 1 MPI_DOUBLE }     vector: 3 ints; twice: 6 ints; joined: 6 ints and a double
 *
 * The result is cached with the datatype, as an attribute, so each type is decoded once. */
#include "signature.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

/* The hash is a polynomial in `base`, modulo the Mersenne prime `prime`. */
static const uint64_t prime = (UINT64_C(1) << 61) - 1, base = UINT64_C(0x15bf0a8b1457695);

static struct pithi_signature find(MPI_Datatype type);

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t rest;
    pithi_mul_div(a, b, prime, &rest);
    return rest;
}

/* Returns the empty signature, which has the hash 0 and the power `base` to the 0, that is, 1. */
static struct pithi_signature nothing(void) { return (struct pithi_signature){.power = 1}; }

/* The hash of a sequence of basic types is a polynomial at `base`. Its coefficients are the letters, that is, the
 * hashes of the basic types: hash(ab) = hash(a) * base^|b| + hash(b), modulo the prime. So the hash of two joined
 * sequences follows from their two hashes, and does not depend on how the sequences were made.
 *
 *     int int double = (int int)(double) = (int)(int double): one hash */
struct pithi_signature pithi_signature_join(struct pithi_signature first, struct pithi_signature second)
{
    if (!first.elements || !second.elements)
        return first.elements ? first : second;
    first.hash = (times(first.hash, second.power) + second.hash) % prime;
    first.power = times(first.power, second.power);
    first.elements += second.elements;
    if (first.element != second.element)
        first.element = NULL;
    return first;
}

/* Joins `count` copies of a signature by doubling, so a million copies take 20 steps. */
static struct pithi_signature repeat(struct pithi_signature one, MPI_Count count)
{
    struct pithi_signature all = nothing();

    for (; count > 0; count >>= 1) {
        if (count & 1)
            all = pithi_signature_join(all, one);
        one = pithi_signature_join(one, one);
    }
    return all;
}

/* ---- basic types, identified by their names, which are the same in all processes --------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns a copy of a name that is never freed, the same copy for all equal names. */
static const char *intern(const char *name)
{
    static struct known {
        struct known *next;
        char name[];
    } * first;
    struct known *known;

    pthread_mutex_lock(&lock);
    for (known = first; known && strcmp(known->name, name) != 0; known = known->next)
        ;
    if (!known && (known = malloc(sizeof *known + strlen(name) + 1))) {
        strcpy(known->name, name);
        known->next = first;
        first = known;
    }
    pthread_mutex_unlock(&lock);
    return known ? known->name : "?";
}

/* Returns the signature of a basic type. It is empty for a type of size 0, such as MPI_UB and MPI_LB, which have no
 * data and only mark where a type begins and ends. */
static struct pithi_signature basic(MPI_Datatype type)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;
    MPI_Count size = 0;
    uint64_t letter = UINT64_C(1469598103934665603);

    /* The letter is the FNV-1a hash of the name. */
    REAL(MPI_Type_size_x)(type, &size);
    if (size == 0)
        return nothing();
    REAL(MPI_Type_get_name)(type, name, &length);
    for (const char *at = name; *at; at++)
        letter = (letter ^ (unsigned char)*at) * UINT64_C(1099511628211);
    return (struct pithi_signature){letter % prime, base % prime, 1, intern(name)};
}

/* ---- derived types ----------------------------------------------------------------------------------------------- */

struct contents {
    int combiner;                                 /* how the datatype was made */
    MPI_Count integers, addresses, counts, types; /* lengths of the arrays that MPI returns */
    int *integer;                                 /* malloc'ed, like `count` and `type` */
    MPI_Count *count;
    MPI_Datatype *type;
};

/* Reads the combiner and the array lengths of a datatype. The functions with large counts (_c) decode every datatype;
 * the functions without them cannot decode datatypes that were made with large counts. */
static void ask_envelope(MPI_Datatype type, struct contents *contents)
{
#if MPI_VERSION >= 4
    REAL(MPI_Type_get_envelope_c)
    (type, &contents->integers, &contents->addresses, &contents->counts, &contents->types, &contents->combiner);
#else
    int integers = 0, addresses = 0, types = 0;
    REAL(MPI_Type_get_envelope)(type, &integers, &addresses, &types, &contents->combiner);
    contents->integers = integers;
    contents->addresses = addresses;
    contents->types = types;
#endif
}

MPI_Count pithi_type_parts(MPI_Datatype type)
{
    struct contents contents = {0};

    ask_envelope(type, &contents);
    return contents.combiner == MPI_COMBINER_NAMED ? 0 : contents.types;
}

/* Reads the contents into malloc'ed arrays. Returns an MPI error code. */
static int ask_contents(MPI_Datatype type, struct contents *contents)
{
    MPI_Aint *address = calloc((size_t)contents->addresses + 1, sizeof *address);
    int result = MPI_ERR_NO_MEM;

    contents->integer = calloc((size_t)contents->integers + 1, sizeof *contents->integer);
    contents->count = calloc((size_t)contents->counts + 1, sizeof *contents->count);
    contents->type = calloc((size_t)contents->types + 1, sizeof *contents->type);
    if (address && contents->integer && contents->count && contents->type)
#if MPI_VERSION >= 4
        result =
            REAL(MPI_Type_get_contents_c)(type, contents->integers, contents->addresses, contents->counts,
                                          contents->types, contents->integer, address, contents->count, contents->type);
#else
        result = REAL(MPI_Type_get_contents)(type, (int)contents->integers, (int)contents->addresses,
                                             (int)contents->types, contents->integer, address, contents->type);
#endif
    free(address);
    return result;
}

/* Returns how often a derived datatype repeats contents->type[part], one of the datatypes of which it was made. A
 * struct lists these counts. Any other datatype repeats a single datatype, so the count is the quotient of the two
 * sizes. */
static MPI_Count copies(MPI_Datatype type, const struct contents *contents, MPI_Count part)
{
    MPI_Count size = 0, one = 0;

    if (contents->combiner == MPI_COMBINER_STRUCT)
        return contents->counts ? contents->count[1 + part] : contents->integer[1 + part];
    REAL(MPI_Type_size_x)(type, &size);
    REAL(MPI_Type_size_x)(contents->type[0], &one);
    return one > 0 ? size / one : 0;
}

/* Finds the signature of a pair type for MPI_MINLOC and MPI_MAXLOC, which is predefined but consists of two types.
 * Returns 0 if `type` is no pair type. */
static int is_pair(MPI_Datatype type, struct pithi_signature *found)
{
    const struct {
        MPI_Datatype pair, first, second;
    } pairs[] = {{MPI_2INT, MPI_INT, MPI_INT},
                 {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
                 {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
                 {MPI_LONG_INT, MPI_LONG, MPI_INT},
                 {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
                 {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
                 {MPI_2REAL, MPI_REAL, MPI_REAL},
                 {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
                 {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER}};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (type == pairs[i].pair && type != MPI_DATATYPE_NULL) {
            *found = pithi_signature_join(find(pairs[i].first), find(pairs[i].second));
            return 1;
        }
    return 0;
}

/* Computes the signature of a datatype that has no cached signature. */
static struct pithi_signature derive(MPI_Datatype type)
{
    struct contents contents = {0};
    struct pithi_signature all = nothing();

    ask_envelope(type, &contents);
    if (contents.combiner == MPI_COMBINER_NAMED || !contents.types)
        return is_pair(type, &all) ? all : basic(type);
    if (ask_contents(type, &contents) == MPI_SUCCESS)
        for (MPI_Count i = 0; i < contents.types; i++) {
            all = pithi_signature_join(all, repeat(find(contents.type[i]), copies(type, &contents, i)));
            /* Frees a derived type that MPI_Type_get_contents returned. */
            if (pithi_type_parts(contents.type[i]))
                REAL(MPI_Type_free)(&contents.type[i]);
        }
    free(contents.integer);
    free(contents.count);
    free(contents.type);
    return all;
}

/* ---- cached with the datatype ------------------------------------------------------------------------------------ */

static int key = MPI_KEYVAL_INVALID; /* key of the attribute with the signature */

static int not_copied(MPI_Datatype type, int keyval, void *extra, void *value, void *copy, int *flag)
{
    (void)type, (void)keyval, (void)extra, (void)value, (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}

static int forget(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

static void make_key(void) { REAL(MPI_Type_create_keyval)(not_copied, forget, &key, NULL); }

/* Stores the signature as an attribute. Never replaces a stored signature, because another thread may be reading it. */
static void keep(MPI_Datatype type, struct pithi_signature found)
{
    struct pithi_signature *kept = NULL;
    int is_there = 0;

    pthread_mutex_lock(&lock);
    REAL(MPI_Type_get_attr)(type, key, &kept, &is_there);
    if (!is_there && (kept = malloc(sizeof *kept))) {
        *kept = found;
        REAL(MPI_Type_set_attr)(type, key, kept);
    }
    pthread_mutex_unlock(&lock);
}

static struct pithi_signature find(MPI_Datatype type)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct pithi_signature *kept;
    int is_there = 0;

    pthread_once(&once, make_key);
    if (REAL(MPI_Type_get_attr)(type, key, &kept, &is_there) == MPI_SUCCESS && is_there)
        return *kept;
    struct pithi_signature found = derive(type);
    keep(type, found);
    return found;
}

struct pithi_signature pithi_signature_of(MPI_Count count, MPI_Datatype type)
{
    return type == MPI_DATATYPE_NULL || count < 1 ? nothing() : repeat(find(type), count);
}

void pithi_signature_print(char *text, size_t size, int64_t elements, const char *element)
{
    if (element && strpbrk(element, " ="))
        snprintf(text, size, element, elements);
    else if (!elements)
        snprintf(text, size, "nothing");
    else if (element)
        snprintf(text, size, "%" PRId64 " %s", elements, element);
    else
        snprintf(text, size, "%" PRId64 " elements of several types", elements);
}
