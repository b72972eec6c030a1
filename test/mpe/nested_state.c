/* nested_state.c - a state of the program inside itself, and another that is described after it. */
#include <mpi.h>
#include "mpe.h"

int main(int argc, char **argv)
{
    int a, b, c, d;
    MPI_Init(&argc, &argv);
    MPE_Init_log();
    MPE_Log_get_state_eventIDs(&a, &b);
    MPE_Log_get_state_eventIDs(&c, &d);
    MPE_Describe_state(a, b, "outer", "red");
    MPE_Log_event(a, 0, NULL);
    MPE_Log_event(a, 0, NULL);
    MPE_Log_event(b, 0, NULL);
    MPE_Log_event(b, 0, NULL);
    MPE_Describe_state(c, d, "later", "blue");
    MPE_Log_event(c, 0, NULL);
    MPE_Log_event(d, 0, NULL);
    MPE_Finish_log("nested_state");
    MPI_Finalize();
    return 0;
}
