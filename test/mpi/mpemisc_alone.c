/* mpemisc_alone.c - MPE's miscellany and graphics in a program without MPI (-DNOMPI). Prints what is not as it should.
 *     mpemisc_alone FOLDER */
#include "mpe.h"
#include "mpe_graphics.h"

#include <string.h>
#include <unistd.h>

static void ok(int good, const char *what)
{
    if (!good)
        printf("%s\n", what);
}

static void order(void)
{
    ok(!MPE_Seq_begin(MPI_COMM_WORLD, 1) && !MPE_Seq_end(MPI_COMM_WORLD, 1), "MPE_Seq");
    ok(MPE_Seq_begin(MPI_COMM_NULL, 1) == MPI_ERR_COMM && MPE_Seq_end(MPI_COMM_NULL, 1) == MPI_ERR_COMM,
       "MPE_Seq of nobody");
}

static void numbers(void)
{
    int first, last, global = -5;

    ok(!MPE_Decomp1d(7, 2, 1, &first, &last) && first == 5 && last == 7, "MPE_Decomp1d");
    ok(MPE_Decomp1d(7, 0, 0, &first, &last) && last < first, "MPE_Decomp1d of none");
    ok(!MPE_Comm_global_rank(MPI_COMM_SELF, 0, &global) && global == 0, "MPE_Comm_global_rank");
    ok(MPE_Comm_global_rank(MPI_COMM_WORLD, 1, &global) && global == MPI_UNDEFINED, "MPE_Comm_global_rank of nobody");
}

static void tags(void)
{
    MPI_Comm one = MPI_COMM_NULL, same = MPI_COMM_NULL;
    int first = -1, second = -1, third = -1;

    ok(!MPE_GetTags(MPI_COMM_WORLD, 10, &one, &first) && one != MPI_COMM_NULL && first > 0, "MPE_GetTags");
    ok(!MPE_GetTags(one, 5, &same, &second) && same == one && second + 5 <= first, "MPE_GetTags: more of them");
    ok(!MPE_ReturnTags(one, second, 5) && !MPE_GetTags(one, 5, &same, &third) && third == second, "MPE_ReturnTags");
    ok(MPE_ReturnTags(MPI_COMM_WORLD, 1, 1) == MPI_ERR_COMM, "MPE_ReturnTags to others");
    ok(MPE_GetTags(MPI_COMM_NULL, 1, &same, &third) == MPI_ERR_COMM, "MPE_GetTags of nobody");
    ok(!MPE_TagsEnd(), "MPE_TagsEnd");
}

int main(int argc, char **argv)
{
    MPE_XGraph graph;
    char name[256] = "", real[256] = "", file[4096];

    order();
    numbers();
    tags();
    gethostname(real, sizeof real - 1);
    ok(!MPE_GetHostName(name, sizeof name) && !strcmp(name, real), "MPE_GetHostName");
    ok(MPE_Start_debugger() == 1 && MPE_DelTag(MPI_COMM_SELF, 0, NULL, NULL) == 0, "a debugger");
    ok(MPE_Open_graphics(&graph, MPI_COMM_WORLD, NULL, -1, -1, 100, 100, 0) == MPE_ERR_NOXCONNECT && !graph,
       "MPE_Open_graphics");
    fflush(stdout);
    snprintf(file, sizeof file, "%s/out.%%d.txt", argc > 1 ? argv[1] : ".");
    ok(!MPE_IO_Stdout_to_file(file, 0640), "MPE_IO_Stdout_to_file");
    printf("of rank 0\n");
    return 0;
}
