/* signatures.c - datatypes that are made in many ways, and whether the check of collectives takes them for the same
 * sequence of basic types (MPI-4.0, chapter 5). In a broadcast odd ranks use the second of two types, the others the
 * first. Says only what went wrong. */
#include "collcalls.h"

#include <string.h>

/* Open MPI has these two in its library for programs of before, but no more in mpi.h. */
#ifdef OPEN_MPI
#undef MPI_UB
#undef MPI_LB
extern struct ompi_predefined_datatype_t ompi_mpi_ub, ompi_mpi_lb;
#define MPI_UB ((MPI_Datatype)(void *)&ompi_mpi_ub)
#define MPI_LB ((MPI_Datatype)(void *)&ompi_mpi_lb)
#endif

static char memory[65536];

static int broadcast(int count, MPI_Datatype type, int other_count, MPI_Datatype other_type)
{
    char *from = memory + sizeof memory / 2;

    return odd ? MPI_Bcast(from, other_count, other_type, 0, *world) : MPI_Bcast(from, count, type, 0, *world);
}

/* MPI_ERR_ARG is what the check refuses a call with; Open MPI 4.1 says MPI_ERR_TRUNCATE of two of these right calls. */
static void same(const char *what, int count, MPI_Datatype type, int other_count, MPI_Datatype other_type)
{
    int class;

    MPI_Type_commit(&type);
    MPI_Error_class(broadcast(count, type, other_count, other_type), &class);
    if (class == MPI_ERR_ARG)
        printf("rank %d: not the same: %s\n", rank, what);
    MPI_Type_free(&type);
}

static void differ(int count, MPI_Datatype type, int other_count, MPI_Datatype other_type)
{
    MPI_Type_commit(&type);
    wrong_call(broadcast(count, type, other_count, other_type));
    MPI_Type_free(&type);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define LIST(...) __VA_ARGS__
#define STRUCT(count, lengths, places, types)                                                                          \
    structure(count, (const int[]){lengths}, (const MPI_Aint[]){places}, (const MPI_Datatype[]){types})

static MPI_Datatype structure(int count, const int *lengths, const MPI_Aint *places, const MPI_Datatype *types)
{
    MPI_Datatype made;

    MPI_Type_create_struct(count, lengths, places, types, &made);
    return made;
}

/* The new type; the old one is freed. */
static MPI_Datatype row(int count, MPI_Datatype of)
{
    MPI_Datatype made;

    MPI_Type_contiguous(count, of, &made);
    MPI_Type_free(&of);
    return made;
}

static MPI_Datatype apart(int count, int length, int stride, MPI_Datatype of)
{
    MPI_Datatype made;

    MPI_Type_vector(count, length, stride, of, &made);
    MPI_Type_free(&of);
    return made;
}

static MPI_Datatype resized(MPI_Datatype of, MPI_Aint low, MPI_Aint extent)
{
    MPI_Datatype made;

    MPI_Type_create_resized(of, low, extent, &made);
    MPI_Type_free(&of);
    return made;
}

static MPI_Datatype copy(MPI_Datatype of)
{
    MPI_Datatype made;

    MPI_Type_dup(of, &made);
    return made;
}

static MPI_Datatype with_upper(void) { return STRUCT(2, LIST(1, 1), LIST(0, 16), LIST(MPI_DOUBLE, MPI_UB)); }

/* What holds no data: both markers. */
static MPI_Datatype empty(void) { return STRUCT(2, LIST(1, 1), LIST(-8, 24), LIST(MPI_LB, MPI_UB)); }

/* An MPI_INT and two MPI_CHAR; committed. */
static MPI_Datatype mixed(void)
{
    MPI_Datatype made = STRUCT(2, LIST(1, 2), LIST(0, 4), LIST(MPI_INT, MPI_CHAR));

    MPI_Type_commit(&made);
    return made;
}

/* ---- the same ---------------------------------------------------------------------------------------------------- */

static void markers(void)
{
    same("an upper bound", 2, with_upper(), 2, MPI_DOUBLE);
    same("both bounds", 3, STRUCT(3, LIST(1, 2, 1), LIST(-8, 0, 24), LIST(MPI_LB, MPI_INT, MPI_UB)), 6, MPI_INT);
    same("a bound counted twice", 2, STRUCT(2, LIST(1, 2), LIST(0, 16), LIST(MPI_DOUBLE, MPI_UB)), 2, MPI_DOUBLE);
    same("a row of bounded ones", 2, row(3, with_upper()), 6, MPI_DOUBLE);
    same("a vector of bounded ones", 1, apart(2, 3, 4, with_upper()), 6, MPI_DOUBLE);
    same("bounds alone", 5, empty(), 0, MPI_INT);
    same("a row of bounds alone", 5, row(3, empty()), 0, MPI_INT);

    MPI_Datatype inner = with_upper(), nothing = empty();
    same("a struct of bounded ones and of nothing", 2,
         STRUCT(3, LIST(2, 7, 1), LIST(0, 64, 64), LIST(inner, nothing, inner)), 6, MPI_DOUBLE);
    MPI_Type_free(&inner);
    MPI_Type_free(&nothing);
}

static void padding(void)
{
    MPI_Datatype inner = mixed(), two;

    same("gaps", 1, STRUCT(3, LIST(1, 1, 1), LIST(0, 8, 32), LIST(MPI_INT, MPI_INT, MPI_INT)), 3, MPI_INT);
    same("resized", 2, resized(mixed(), 0, 32), 2, inner);
    same("resized twice, and copied", 2, copy(inner), 2, inner);
    two = resized(resized(mixed(), -4, 16), -8, 64);
    same("nested", 1, STRUCT(2, LIST(1, 1), LIST(0, 128), LIST(two, two)), 2, inner);
    MPI_Type_free(&two);
    same("counts of 0", 1, STRUCT(4, LIST(0, 1, 0, 2), LIST(0, 8, 0, 12), LIST(MPI_DOUBLE, MPI_INT, inner, MPI_CHAR)),
         1, inner);
    MPI_Type_indexed(3, (int[]){0, 2, 0}, (int[]){0, 4, 9}, MPI_INT, &two);
    same("blocks of 0", 2, two, 4, MPI_INT);
    MPI_Type_create_hindexed(3, (int[]){1, 0, 2}, (MPI_Aint[]){0, 64, 128}, inner, &two);
    same("blocks of a struct", 1, two, 3, inner);
    MPI_Type_create_indexed_block(2, 2, (int[]){5, 1}, MPI_INT, &two);
    same("equal blocks", 1, two, 4, MPI_INT);
    same("a struct of 0 parts", 3, STRUCT(0, LIST(0), LIST(0), LIST(MPI_INT)), 0, MPI_CHAR);
    same("a row of 0", 3, row(0, mixed()), 0, MPI_CHAR);
    MPI_Type_free(&inner);
}

static void arrays(void)
{
    MPI_Datatype inner = mixed(), made;
    const int lengths[2] = {4, 6}, part[2] = {2, 3}, from[2] = {1, 2}, grid[2] = {1, 2};
    const int blocks[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    const int sizes[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};

    MPI_Type_create_subarray(2, lengths, part, from, MPI_ORDER_C, inner, &made);
    same("a part of an array", 2, made, 12, inner);
    MPI_Type_create_darray(2, 0, 2, lengths, blocks, sizes, grid, MPI_ORDER_C, inner, &made);
    same("a distributed array", 1, made, 16, inner); /* columns 0, 1, 4, 5 of 4 rows */
    MPI_Type_create_subarray(1, lengths, part, from, MPI_ORDER_FORTRAN, MPI_INT, &made);
    same("a resized part", 1, STRUCT(2, LIST(1, 1), LIST(0, 256), LIST(MPI_INT, resized(made, 0, 400))), 3, MPI_INT);
    MPI_Type_free(&inner);
}

#if MPI_VERSION >= 4
static void large(void)
{
    MPI_Datatype inner = mixed(), made;

    MPI_Type_create_struct_c(3, (MPI_Count[]){1, 0, 1}, (MPI_Count[]){0, 8, 64}, (MPI_Datatype[]){inner, inner, inner},
                             &made);
    same("large counts", 1, made, 2, inner);
    MPI_Type_vector_c(2, 1, 3, inner, &made);
    same("a large vector", 1, made, 2, inner);
    MPI_Type_free(&inner);
}
#endif

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    world = &comm;
    odd = rank % 2;
    if (argc > 1 && !strcmp(argv[1], "wrong")) {
        MPI_Datatype inner = mixed();
        differ(2, with_upper(), 3, MPI_DOUBLE);
        differ(2, row(3, with_upper()), 6, MPI_LONG);
        differ(1, resized(mixed(), 0, 32), 2, inner);
        differ(1, STRUCT(2, LIST(2, 1), LIST(0, 4), LIST(MPI_CHAR, MPI_INT)), 1, inner);
        differ(1, empty(), 1, MPI_CHAR);
        MPI_Type_free(&inner);
    } else {
        markers();
        padding();
        arrays();
#if MPI_VERSION >= 4
        large();
#endif
    }
    MPI_Finalize();
    return 0;
}
