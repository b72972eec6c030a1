/* test_selection.c - PITH_ONLY, PITH_SKIP and PITH_RANKS: what the user leaves out is not in the log, and not lost. */
#include "fork_job.h"
#include "record_help.h"
#include "selection.h"

/* ---- The lists --------------------------------------------------------------------------------------------------- */

/* Each question in a process of its own, for the lists are read once. */
static const char *asked_only, *asked_skip, *asked_name, *asked_group;

static void give_lists(const char *only, const char *skip)
{
    unsetenv("PITH_ONLY");
    unsetenv("PITH_SKIP");
    if (only != NULL)
        setenv("PITH_ONLY", only, 1);
    if (skip != NULL)
        setenv("PITH_SKIP", skip, 1);
}

static void ask(void)
{
    int first;
    give_lists(asked_only, asked_skip);
    first = pith_selected(asked_name, asked_group);
    give_lists("nothing else", "*"); /* too late to count */
    if (pith_selected(asked_name, asked_group) != first)
        _exit(2);
    _exit(first);
}

static int selected(const char *only, const char *skip, const char *name, const char *group)
{
    int status;
    asked_only = only;
    asked_skip = skip;
    asked_name = name;
    asked_group = group;
    pid_t pid = fork();
    if (pid == 0)
        ask();
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_lists(void)
{
    OK(selected(NULL, NULL, "solve", "user") == 1 && selected("", " , ", "solve", "user") == 1, "no lists: all");
    OK(selected("solve*,MPI_Allreduce", NULL, "solve_all", "user") == 1 &&
           selected("solve*,MPI_Allreduce", NULL, "MPI_Allreduce", "MPI collective") == 1 &&
           selected("solve*,MPI_Allreduce", NULL, "MPI_Reduce", "MPI collective") == 0 &&
           selected("solve*,MPI_Allreduce", NULL, "resolve", "user") == 0,
       "PITH_ONLY: by name");
    OK(selected("MPI collective", NULL, "MPI_Reduce", "MPI collective") == 1 &&
           selected("MPI c*", NULL, "MPI_Reduce", "MPI collective") == 1 &&
           selected("MPI collective", NULL, "MPI_Send", "MPI point-to-point") == 0 &&
           selected("MPI collective", NULL, "MPI_Send", NULL) == 0,
       "PITH_ONLY: by group");
    OK(selected(NULL, "MPI_Comm_*,MPI point-to-point", "MPI_Comm_rank", "MPI communicator") == 0 &&
           selected(NULL, "MPI_Comm_*,MPI point-to-point", "MPI_Send", "MPI point-to-point") == 0 &&
           selected(NULL, "MPI_Comm_*,MPI point-to-point", "MPI_Bcast", "MPI collective") == 1,
       "PITH_SKIP: by name and group");
    OK(selected("MPI_*", "MPI_Comm_*", "MPI_Send", "x") == 1 &&
           selected("MPI_*", "MPI_Comm_*", "MPI_Comm_rank", "x") == 0 &&
           selected("MPI_*", "MPI_Comm_*", "solve", "x") == 0,
       "both: what PITH_ONLY names and PITH_SKIP does not");
    OK(selected(" mpi_send ,\tMPI WAIT", NULL, "MPI_Send", "p") == 1 &&
           selected(" mpi_send ,\tMPI WAIT", NULL, "MPI_Wait", "MPI wait") == 1 &&
           selected(",,MPI_[ST]*,", NULL, "MPI_Test", NULL) == 1 && selected("MPI_?est", NULL, "MPI_Rest", NULL) == 1 &&
           selected("MPI_[ST]*", NULL, "MPI_Recv", NULL) == 0,
       "blanks around commas, empty words, case, and patterns of a shell");
    OK(selected("solve", NULL, "pith:flush", "pith") == 1 && selected(NULL, "pith:*", "pith:flush", "pith") == 0 &&
           selected("pith:flush", "pith", "pith:flush", "pith") == 0,
       "the recorder's own states: PITH_SKIP alone leaves them out");
    OK(selected(NULL, NULL, "messages", NULL) == 1 && selected(NULL, "messages", "messages", NULL) == 0 &&
           selected("solve", NULL, "messages", NULL) == 0 && selected("solve,messages", NULL, "messages", NULL) == 1 &&
           selected("*", NULL, "messages", NULL) == 1,
       "messages");
}

static void test_long_list(void)
{
    static char list[20000];
    size_t at = 0;
    while (at < sizeof list - 40)
        at += (size_t)snprintf(list + at, sizeof list - at, "name_%zu,", at);
    snprintf(list + at, sizeof list - at, "the last");
    OK(selected(list, NULL, "the last", NULL) == 1, "a list of 20000 bytes is not cut");
}

/* ---- Every call -------------------------------------------------------------------------------------------------- */

static void use_all(uint32_t state, uint32_t event, uint32_t counter)
{
    pith_begin(state);
    pith_event(event);
    pith_event_data(event, "abcd", 4);
    pith_count(counter, 1.5);
    pith_slow_(PITH_KIND_EVENT_, event);
    pith_end(state);
    pith_begin(state);
    pith_same_end(state);
}

static void record_nothing(void)
{
    uint32_t state, event, counter;
    give_lists(NULL, "out *,left");
    state = pith_state_define_group("a", NULL, "left");
    event = pith_event_define_group("b", NULL, NULL, "left");
    counter = pith_counter_define("out c", NULL);
    if (state == 0 || state != event || state != counter || state != pith_state_define("a", "red"))
        exit(3);
    use_all(state, event, counter);
    if (pith_lost() != 0)
        exit(4);
}

static void record_both(void)
{
    uint32_t out, in, event;
    give_lists(NULL, "out *,left");
    in = pith_state_define("in", NULL);
    out = pith_state_define("out of it", NULL);
    event = pith_event_define("event", NULL, NULL);
    if (event != in + 1 || out == in || out != pith_event_define("out of it", NULL, NULL) ||
        out != pith_state_define_group("out of it", NULL, "in"))
        exit(3);
    pith_begin(in);
    use_all(out, out, out);
    pith_event(event);
    use_all(out, out, out);
    pith_end(in);
    pith_pause();
    use_all(out, out, out);
    pith_resume();
    if (pith_lost() != 0)
        exit(4);
    use_all(0, 0, 0);
    use_all(0x100000, 0xffffffff, 0x1fffff);
    if (pith_lost() != 16)
        exit(5);
}

static void test_calls(void)
{
    struct help_log log;
    OK(help_child(record_nothing) == 0,
       "every call with what is left out: not counted as lost, the same name the same id");
    OK(help_read(&log, "run.pith") && log.count == 2 && log.info->defs == 1 &&
           help_count(&log, PITHLOG_ENTER, "pith:flush") == 1,
       "none of it in the log, nor its definitions");
    help_close(&log);
    OK(help_child(record_both) == 0, "ids of the rest are dense; 0 and ids too large are lost as ever");
    OK(help_read(&log, "run.pith") && log.count == 7 + help_count(&log, PITHLOG_LOST, NULL) && log.info->defs == 3 &&
           log.info->lost == 16 && help_count(&log, PITHLOG_ENTER, "in") == 1 &&
           help_count(&log, PITHLOG_LEAVE, "in") == 1 && help_count(&log, PITHLOG_EVENT, "event") == 1,
       "what is not left out is there");
    help_close(&log);
    give_lists(NULL, NULL);
}

static void record_ring(void)
{
    uint32_t i, id;
    give_lists("in", NULL);
    for (i = 0; i < 5000; i++) {
        char name[32];
        snprintf(name, sizeof name, "state %u", i);
        id = pith_state_define(name, NULL);
        pith_begin(id);
        pith_end(id);
        if (id != pith_state_define(name, "red"))
            exit(3);
    }
    if (pith_state_define("in", NULL) != 1)
        exit(4);
}

static void test_many(void)
{
    OK(help_child(record_ring) == 0, "5000 states left out take no id from those that are in");
    give_lists(NULL, NULL);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static const char *messages_only, *messages_skip;

static void record_messages(void)
{
    int32_t ranks[2] = {0, 1};
    struct pith_comm comm = {7, "pair", 0, 2, ranks, 0, NULL};
    uint32_t state, pair;
    give_lists(messages_only, messages_skip);
    state = pith_state_define("state", NULL);
    pith_send(1, 2, 3); /* the first record of all */
    pair = pith_comm_define(&comm);
    pith_begin(state);
    pith_send(1, 2, 3);
    pith_recv(1, 2, 3);
    pith_comm_send(pair, 1, 2, 3);
    pith_comm_recv(pair, 1, 2, 3, pith_recv_post());
    pith_comm_coll(pair, 0, 4, 5);
    pith_same_send(0, 1, 2, 3);
    pith_same_recv(0, 1, 2, 3, pith_recv_post());
    pith_same_coll(0, 0, 4, 5);
    pith_comm_name(pair, "two");
    pith_comm_free(pair);
    pith_same_end(state);
    if (pith_lost() != 0)
        exit(3);
}

static int records_with(const char *only, const char *skip, uint64_t *comms)
{
    struct help_log log;
    int count = -1;
    messages_only = only;
    messages_skip = skip;
    *comms = 99;
    if (help_child(record_messages) == 0 && help_read(&log, "run.pith")) {
        count = (int)log.count;
        *comms = log.info->comms;
        if (help_count(&log, PITHLOG_ENTER, "state") != 1 || help_count(&log, PITHLOG_LEAVE, "state") != 1)
            count = -2;
    }
    help_close(&log);
    return count;
}

static void test_messages(void)
{
    uint64_t comms, all;
    OK(records_with(NULL, NULL, &all) == 4 + 11, "messages, collectives and communicators");
    OK(records_with(NULL, "messages", &comms) == 4 && comms < all, "PITH_SKIP=messages: none of them");
    OK(records_with("state", NULL, &comms) == 4 && comms < all, "PITH_ONLY without the word: none of them");
    OK(records_with("state,messages", NULL, &comms) == 15 && comms == all, "PITH_ONLY with it: all");
    OK(records_with("*", NULL, &comms) == 15, "a pattern that fits it is as good");
    OK(records_with("*", "mess*", &comms) == 4, "so in PITH_SKIP");
    give_lists(NULL, NULL);
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

static void test_rank_lists(void)
{
    static const char *const good[] = {"0", "0-3,8,16-31:2", "5-5", "7,1-2,7", "2147483647", "0-10:3", "00,01"};
    static const char *const bad[] = {"",     ",",     "1,",     ",1",  "1,,2", "3-1", "1-",         "-1",    "1:2",
                                      "1-3:", "1-3:0", "1-3:-1", "1 2", "a",    "1x",  "4294967296", "1-2-3", " 1"};
    size_t i;
    int all = 1, rank, bits = 0;
    for (i = 0; i < sizeof good / sizeof good[0]; i++)
        all &= pithi_ranks_good(good[i]);
    OK(all, "lists of ranks");
    for (all = 1, i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (pithi_ranks_good(bad[i]))
            printf("# taken: %s\n", bad[i]);
        all &= !pithi_ranks_good(bad[i]);
    }
    OK(all, "and what is none");
    for (rank = 0; rank < 24; rank++)
        bits |= pithi_ranks_has("0-3,8,16-31:2", rank) << rank;
    OK(bits == 0x55010f, "from, to and step");
    OK(pithi_ranks_count("0-3,8,16-31:2", 20) == 7 && pithi_ranks_count("0-3,2", 3) == 3 &&
           pithi_ranks_count(NULL, 5) == 5 && pithi_ranks_has(NULL, 77),
       "counted; NULL is all");
}

static void rank_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    int listed = job->rank == 1 || job->rank == 3;
    uint32_t before, state;
    unsetenv("PITH_QUIET");
    before = pith_state_define("before", NULL);
    state = pith_state_define("state", NULL);
    pith_begin(before);
    pith_end(before);
    if ((pith_job_join(&transport) == 0) != listed || pith_recording() != listed)
        exit(3);
    pith_begin(state);
    pith_end(state);
    if (pith_lost() != 0)
        exit(4);
    pith_job_finish(&transport);
}

static const char *said_by(int rank)
{
    static char text[1024];
    char name[32];
    FILE *file;
    size_t got;
    snprintf(name, sizeof name, "said.%d", rank);
    file = fopen(name, "r");
    got = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[got] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

static const char *property(const struct help_log *log, const char *key)
{
    const char *name, *value;
    for (uint32_t i = 0; (name = pithlog_get_property(log->log, i, &value)) != NULL; i++)
        if (strcmp(name, key) == 0)
            return value;
    return "";
}

static void test_ranks(void)
{
    struct help_log log;
    help_fresh();
    setenv("PITH_RANKS", "1-3:2,9", 1);
    OK(job_run(4, rank_job) == 0, "PITH_RANKS=1-3:2,9: a job of four, all of which finish it");
    OK(help_read(&log, "run.pith") && log.info->ranks == 4 && log.info->lanes == 2 && log.count == 2 * 6 &&
           help_count(&log, PITHLOG_ENTER, "before") == 2,
       "two of them have lanes, with all that they did");
    OK(log.count == 12 && pithlog_get_lane(log.log, 0)->rank == 1 && pithlog_get_lane(log.log, 1)->rank == 3,
       "ranks 1 and 3");
    OK(strcmp(property(&log, "ranks_not_recorded"), "2") == 0, "the log tells how many were not recorded");
    OK(strstr(said_by(0), "run.pith: 2 of 4 ranks, 12 events") != NULL && help_lines(said_by(0)) == 1 &&
           said_by(1)[0] == '\0',
       "so does the last line");
    OK(help_files(".", ".spill") == 0, "no spill folder is left");
    help_close(&log);
}

static void nobody_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    pith_event(pith_event_define("event", NULL, NULL));
    if (pith_job_join(&transport) == 0)
        exit(3);
    pith_job_finish(&transport);
}

static void child_of_rank(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    uint32_t event = pith_event_define("event", NULL, NULL);
    int status = -1;
    pid_t pid;
    pith_event(event);
    pith_job_join(&transport);
    pid = fork();
    if (pid == 0) {
        pith_event(event);
        exit(0);
    }
    waitpid(pid, &status, 0);
    pith_job_finish(&transport);
    exit(status);
}

static void record_alone(void) { pith_event(pith_event_define("event", NULL, NULL)); }

static void test_ranks_else(void)
{
    help_fresh();
    setenv("PITH_RANKS", "8-9", 1);
    OK(job_run(2, nobody_job) == 0 && help_files(".", "") == 2, "no rank of the job listed: no log, no folder");
    OK(strcmp(said_by(0), "pith: PITH_RANKS=8-9: the job has ranks 0 to 1; nothing is recorded\n") == 0 &&
           said_by(1)[0] == '\0',
       "and that is said");
    help_fresh();
    setenv("PITH_RANKS", "1", 1);
    OK(job_run(2, child_of_rank) == 0 && help_files(".", ".pith") == 2 && help_files(".", ".spill") == 0,
       "a forked child is recorded if its parent is");
    help_fresh();
    OK(help_child(record_alone) == 0 && help_files(".", "") == 1, "a process without a job is rank 0: not recorded");
    setenv("PITH_RANKS", "0", 1);
    OK(help_child(record_alone) == 0 && help_files(".", ".pith") == 1, "recorded");
    unsetenv("PITH_RANKS");
}

/* ---- What makes no sense ----------------------------------------------------------------------------------------- */

static void record_wrong(void)
{
    setenv("PITH_RANKS", "1-", 1);
    setenv("PITH_MAX_MB", "1G", 1);
    setenv("PITH_WHEN_FULL", "rung", 1);
    record_alone();
    if (fork() == 0) { /* says nothing more */
        record_alone();
        exit(0);
    }
    wait(NULL);
}

static void record_wrong_rank_1(void)
{
    setenv("PMI_RANK", "1", 1);
    record_wrong();
}

static void test_wrong(void)
{
    help_fresh();
    OK(help_child(record_wrong) == 0 && help_files(".", ".pith") == 2, "values that make no sense: taken as not given");
    OK(strcmp(help_said(), "pith: PITH_WHEN_FULL=rung: not stop or ring; ignored\n"
                           "pith: PITH_MAX_MB=1G: not a number of MiB, 1 or more; ignored\n"
                           "pith: PITH_RANKS=1-: not a list of ranks such as 0-3,8,16-31:2; ignored\n") == 0,
       "each is said, once");
    OK(help_child(record_wrong_rank_1) == 0 && help_said()[0] == '\0', "by rank 0 only");
}

int main(void)
{
    help_begin();
    test_lists();
    test_long_list();
    test_calls();
    test_many();
    test_messages();
    test_rank_lists();
    test_ranks();
    test_ranks_else();
    test_wrong();
    help_clean();
    return tap_done();
}
