/* random_parts.h - for random_calls.c: its numbers, what it tells, types and buffers, communicators. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, LINES = 200 };

static int rank, size;
static uint64_t all_know, own; /* two sources of numbers: the same in all ranks, and each rank's */
static int program, turn;

static unsigned roll(uint64_t *of, unsigned below)
{
    *of = *of * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*of >> 33) % below;
}
static unsigned any(unsigned below) { return roll(&all_know, below); }
static unsigned mine(unsigned below) { return roll(&own, below); }

/* ---- What is told: sorted in each round, as the order of some receives is open ---- */

static char lines[LINES][200];
static int line_count;

static char *line(void) { return lines[line_count < LINES ? line_count++ : LINES - 1]; }

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void tell_lines(void)
{
    qsort(lines, (size_t)line_count, sizeof lines[0], by_text);
    for (int i = 0; i < line_count; i++)
        printf("%d.%d: %s\n", program, turn, lines[i]);
    line_count = 0;
    fflush(stdout);
}

static uint64_t hash(const char *at, size_t bytes, uint64_t sum)
{
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ (unsigned char)at[i]) * 1099511628211u;
    return sum;
}

static int class_of(int result)
{
    int class = 0;
    if (result != MPI_SUCCESS)
        MPI_Error_class(result, &class);
    return class;
}

/* ---- Types: of `ints` MPI_INTs an element, or others ---- */

enum { INTS, BYTES, DOUBLES, PAIRS, COLUMNS, SPARSE, BACKWARDS, NOTHING, CONTIGUOUS, FROM_BOTTOM, TYPES };
static MPI_Datatype types[TYPES];
static const int extents[TYPES] = {4, 1, 8, 16, 20, 40, 12, 0, 12, 8}; /* at most; of one element */

static void make_types(void)
{
    int lengths[2] = {2, 1}, places[2] = {1, 6}, back[2] = {2, 0};
    MPI_Datatype inner;
    types[INTS] = MPI_INT;
    types[BYTES] = MPI_BYTE;
    types[DOUBLES] = MPI_DOUBLE;
    types[PAIRS] = MPI_DOUBLE_INT;
    MPI_Type_vector(3, 1, 2, MPI_INT, &types[COLUMNS]);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 40, &types[SPARSE]);
    MPI_Type_free(&inner);
    MPI_Type_create_indexed_block(2, 1, back, MPI_INT, &types[BACKWARDS]);
    MPI_Type_contiguous(0, MPI_INT, &types[NOTHING]);
    MPI_Type_contiguous(3, MPI_INT, &types[CONTIGUOUS]);
    types[FROM_BOTTOM] = MPI_DATATYPE_NULL; /* made for each buffer */
    for (int i = COLUMNS; i < FROM_BOTTOM; i++)
        MPI_Type_commit(&types[i]);
}

/* A buffer of `count` elements of a type, with what is around it, which nobody may touch. */
struct buffer {
    char *memory;
    size_t bytes; /* of the middle */
    void *at;     /* what the call gets */
    MPI_Datatype type;
    int count, is_own; /* the type was made for it */
};

static struct buffer buffer_of(int kind, int count, unsigned fill)
{
    struct buffer b = {.bytes = (size_t)extents[kind] * (size_t)count, .count = count, .type = types[kind]};
    b.memory = malloc(b.bytes + 2 * GUARD);
    for (size_t i = 0; i < b.bytes + 2 * GUARD; i++)
        b.memory[i] = (char)(fill ? fill * 37 + i * 7 + (i >> 8) : 0x5a);
    b.at = b.memory + GUARD;
    if (kind == FROM_BOTTOM) {
        MPI_Aint there;
        MPI_Get_address(b.at, &there);
        MPI_Type_create_hindexed(1, &(int){2 * count}, &there, MPI_INT, &b.type);
        MPI_Type_commit(&b.type);
        b.at = MPI_BOTTOM;
        b.count = b.is_own = 1;
    }
    return b;
}

/* Legal while messages of it are under way. */
static void forget_type(struct buffer *b)
{
    if (b->is_own)
        MPI_Type_free(&b->type);
    b->is_own = 0;
}

/* ---- Communicators ---- */

enum { WORLD, COPY, REVERSED, UNSEEN, ANY_TAGS, ANY_SOURCES, COMMS };
static MPI_Comm comms[COMMS];

static void make_comms(void)
{
    MPI_Request request;
    comms[WORLD] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[COPY]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[REVERSED]);
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[UNSEEN], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[ANY_TAGS]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[ANY_SOURCES]);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
}

static void free_comms(void)
{
    for (int i = COPY; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
}

static int rank_in(int comm, int world_rank) { return comm == REVERSED ? size - 1 - world_rank : world_rank; }
