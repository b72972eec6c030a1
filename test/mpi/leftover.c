/* leftover.c - leaves objects and messages of every kind at MPI_Finalize, each in a line with a mark that the test
 * looks for; and, as "clean", frees what looks alike. "many N M": N requests and M info objects. "threads": several
 * threads, each with its own objects. "random SEED": objects in random order, and how many are left. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void leave(void)
{
    static int x[4], got[4];
    MPI_Request request, requests[3];
    MPI_Comm comm;
    MPI_Datatype type, vector, types[1];
    MPI_Group group, world, part;
    MPI_File file;
    MPI_Op op;
    MPI_Info info;
    int next = (rank + 1) % size, before = (rank + size - 1) % size, zero = 0, integers[8];
    MPI_Aint addresses[8];

    for (int i = 0; i < 3; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, before, 900, MPI_COMM_WORLD, &request); /* left: Irecv */
    /* Small sends may all get the same request. */
    MPI_Isend(x, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]); /* left: Isend */
    MPI_Isend(x, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]); /* not left */
    MPI_Recv(got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Send_init(x, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &request);     /* left: Send_init */
    MPI_Recv_init(got, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &request); /* not left */
    MPI_Request_free(&request);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* left: Comm_dup */
    if (rank > 0) {
        MPI_Type_contiguous(3, MPI_INT, &type);                           /* left: Type_contiguous */
        MPI_Type_get_contents(type, 8, 8, 1, integers, addresses, types); /* a predefined one */
    }
    MPI_Type_contiguous(3, MPI_INT, &type);                             /* not left */
    MPI_Type_vector(2, 1, 3, type, &vector);                            /* not left */
    MPI_Type_get_contents(vector, 8, 8, 1, integers, addresses, types); /* left: Type_get_contents */
    MPI_Type_free(&vector);
    MPI_Type_free(&type);
    MPI_Comm_group(MPI_COMM_WORLD, &world); /* not left */
    MPI_Comm_group(MPI_COMM_WORLD, &group); /* left: Comm_group */
    MPI_Group_incl(world, 0, NULL, &part);  /* the empty group is predefined */
    MPI_Group_incl(world, 1, &zero, &part); /* left: Group_incl */
    MPI_Group_free(&world);
    MPI_File_open(MPI_COMM_SELF, "left.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file); /* left: File */
    MPI_Op_create(add, 1, &op);                                                                      /* left: Op */
    MPI_Info_create(&info);                                                                          /* left: Info */
    MPI_Info_dup(info, &info); /* left: Info_dup */
}

/* Messages, and what else MPI may need at its end. MPICH may abort in MPI_Finalize, with or without the check. */
static void leave_more(void)
{
    static int x[4], got[4], y[100000];
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Message message;
    MPI_Comm comm;
    MPI_Win window;
    void *base;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);              /* left: with a message */
    MPI_Send(x, 1, MPI_INT, next, 3, MPI_COMM_WORLD); /* received */
    MPI_Recv(got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(x, 1, MPI_INT, next, 4, comm); /* left: Send */
    if (rank == 0) {
        MPI_Isend(x, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request); /* left: to itself */
        MPI_Request_free(&request);
        MPI_Isend(x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE); /* left: Mprobe */
    }
    if (rank == 1) { /* one of these two is received */
        MPI_Send(x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
        MPI_Send(x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD); /* left: one of two */
    } else if (rank == 0) {
        MPI_Recv(got, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* So long that it waits for its receive. */
    MPI_Isend(y, 100000, MPI_INT, next, 7, MPI_COMM_WORLD, &request); /* left: long */
    /* A window whose memory the network still has. */
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window); /* left: Win */
    MPI_Barrier(comm);
}

/* Nothing of this is left. */
static void clean(void)
{
    int x[4] = {0}, got[4], next = (rank + 1) % size, before = (rank + size - 1) % size, index, flag = 0, done,
        indices[4];
    MPI_Request r[4], copy[4];
    MPI_Status statuses[4];
    MPI_Comm comm, other;
    MPI_Group group;
    MPI_Info info;
    MPI_Datatype type, real;
    MPI_Message message;

    for (int round = 0; round < 6; round++) {
        MPI_Irecv(&got[0], 1, MPI_INT, before, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&got[1], 1, MPI_INT, before, 2, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(&x[0], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&x[1], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &r[3]);
        memcpy(copy, r, sizeof r); /* as a vector does */
        for (int i = 0; round == 0 && i < 4; i++)
            MPI_Wait(&copy[i], MPI_STATUS_IGNORE);
        if (round == 1)
            MPI_Waitall(4, copy, MPI_STATUSES_IGNORE);
        for (int i = 0; round == 2 && i < 4; i++)
            MPI_Waitany(4, copy, &index, MPI_STATUS_IGNORE);
        for (int left = 4; round == 3 && left > 0; left -= done)
            MPI_Waitsome(4, copy, &done, indices, statuses);
        for (flag = 0; round == 4 && !flag;)
            MPI_Testall(4, copy, &flag, statuses);
        for (int i = 0; round == 5 && i < 4; i++)
            for (flag = 0; !flag;)
                MPI_Test(&copy[i], &flag, MPI_STATUS_IGNORE);
    }
    MPI_Irecv(&got[0], 1, MPI_INT, before, 99, MPI_COMM_WORLD, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Send_init(x, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Isend(x, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Mprobe(before, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Isend(x, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Comm_get_info(comm, &info);
    MPI_Info_free(&info);
    MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &other);
    if (other != MPI_COMM_NULL)
        MPI_Comm_disconnect(&other);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Group_free(&group);
    }
    MPI_Type_create_f90_real(6, 30, &real); /* predefined */
    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void many(int count, int infos)
{
    int x;
    MPI_Request *requests = malloc((size_t)count * sizeof *requests);
    MPI_Info info;

    for (int i = 0; i < count; i++)
        MPI_Irecv(&x, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[i]); /* left: many */
    for (int i = 0; i < infos; i++)
        MPI_Info_create(&info); /* left: infos */
    FILE *status = fopen("/proc/self/status", "r");
    char line[200];
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmRSS", 5) && rank == 0)
            printf("%s", line);
    free(requests);
}

/* Makes and frees objects of three kinds, each at two places, in random order, and prints how many are left of each. */
static void random_calls(unsigned seed)
{
    enum { NONE, INFO, GROUP, REQUEST, KINDS };
    static struct object {
        int kind, place;
        MPI_Info info;
        MPI_Group group;
        MPI_Request request;
    } objects[500];
    static const char *const names[KINDS] = {"", "info object of MPI_Info_create", "group of MPI_Comm_group",
                                             "request of MPI_Isend"};
    int left[KINDS][2] = {{0}}, x = 0, flag;

    srand(seed);
    for (int step = 0; step < 50000; step++) {
        struct object *o = &objects[rand() % 500];
        int is_new = o->kind == NONE;
        if (is_new) {
            o->kind = 1 + rand() % (KINDS - 1);
            o->place = rand() % 2;
        }
        left[o->kind][o->place] += is_new ? 1 : -1;
        if (!is_new && o->kind == INFO)
            MPI_Info_free(&o->info);
        else if (!is_new && o->kind == GROUP)
            MPI_Group_free(&o->group);
        else if (!is_new && rand() % 2)
            MPI_Wait(&o->request, MPI_STATUS_IGNORE);
        else if (!is_new)
            MPI_Test(&o->request, &flag, MPI_STATUS_IGNORE);
        else if (o->kind == INFO && o->place == 0)
            MPI_Info_create(&o->info); /* left: random 1 0 */
        else if (o->kind == INFO)
            MPI_Info_create(&o->info); /* left: random 1 1 */
        else if (o->kind == GROUP && o->place == 0)
            MPI_Comm_group(MPI_COMM_WORLD, &o->group); /* left: random 2 0 */
        else if (o->kind == GROUP)
            MPI_Comm_group(MPI_COMM_WORLD, &o->group); /* left: random 2 1 */
        else if (o->place == 0)
            MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &o->request); /* left: random 3 0 */
        else
            MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &o->request); /* left: random 3 1 */
        if (!is_new)
            o->kind = NONE;
    }
    for (int kind = 1; kind < KINDS; kind++)
        for (int place = 0; place < 2; place++)
            printf("%d|%s|random %d %d\n", left[kind][place], names[kind], kind, place);
}

static void *thread(void *unused)
{
    (void)unused;
    int x = 0, y;
    MPI_Comm own;
    MPI_Request r[2];
    MPI_Datatype type;

    for (int i = 0; i < 2000; i++) {
        MPI_Irecv(&y, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &r[0]);
        MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Type_free(&type);
    }
    MPI_Type_contiguous(2, MPI_INT, &type); /* left: of a thread */
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_free(&own);
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "leave";
    int level;

    MPI_Init_thread(&argc, &argv, !strcmp(what, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "leave"))
        leave();
    else if (!strcmp(what, "more"))
        leave_more();
    else if (!strcmp(what, "clean"))
        clean();
    else if (!strcmp(what, "random"))
        random_calls((unsigned)atoi(argv[2]));
    else if (!strcmp(what, "many"))
        many(atoi(argv[2]), atoi(argv[3]));
    else if (level == MPI_THREAD_MULTIPLE) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, thread, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
