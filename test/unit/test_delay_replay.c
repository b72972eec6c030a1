/* test_delay_replay.c - compensation: small logs whose times without recording are computed by hand, in ns. */
#include "analysis/delay_replay.h"
#include "replay_log.h"
#include "tap.h"

static struct pithi_delay_replay_result result;
static char alone[64]; /* the name of what stood alone most often */

static void replay(struct pithlog *log, int local)
{
    struct pithi_writer *w;
    must(pithi_writer_open(&w, replay_out, -1));
    must(pithi_delay_replay(log, w, local, &result));
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
}

/* Where a lane's next record stands in the table: they are given lane by lane, each in its order. */
static const struct row *next_of(const struct row *rows, uint32_t count, uint32_t lane, uint32_t *at)
{
    while (*at < count && rows[*at].record.lane != lane)
        ++*at;
    return *at < count ? &rows[(*at)++] : NULL;
}

/* The records that are elsewhere than they are to be; each is told. */
static uint32_t wrong(const struct row *rows, uint32_t count, int local)
{
    struct pithlog *log;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    uint32_t at[REPLAY_LANES] = {0}, bad = 0, seen = 0;
    must(pithlog_open(replay_out, &log));
    must(pithlog_iter_open(log, NULL, &iter));
    for (; pithlog_iter_next(iter, &r) > 0; seen++) {
        const struct row *row = next_of(rows, count, r.lane, &at[r.lane]);
        int64_t wanted = !row ? -1 : local ? row->local_ns : row->right_ns;
        if (row && r.kind == row->record.kind && r.time_ns == wanted)
            continue;
        bad++;
        printf("#   lane %u, kind %u, recorded at %lld: at %lld, wanted %lld\n", r.lane, r.kind,
               row ? (long long)row->record.time_ns : -1LL, (long long)r.time_ns, (long long)wanted);
    }
    pithlog_iter_close(iter);
    pithlog_close(log);
    return bad + (seen != count);
}

/* Both ways; what is left in `result` is of messages and collectives. */
static void check(const char *what, const struct row *rows, uint32_t count, const double *work_ns)
{
    struct pithlog *log = replay_log(rows, count, work_ns);
    replay(log, 1);
    OK(wrong(rows, count, 1) == 0, "%s: own costs only", what);
    replay(log, 0);
    OK(wrong(rows, count, 0) == 0, "%s", what);
    snprintf(alone, sizeof alone, "%s", result.alone[0].count ? result.alone[0].name : "");
    pithlog_close(log);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The example of pith-compensate(1): x2' = min(30, 5 + 80). */
static void test_man(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0), IN(0, SENDS, 130, 100, 100), SEND(0, 1, 130, 100, 100),    OUT(0, SENDS, 131, 101, 101),
        WORKS(1, 0, 0, 0), IN(1, RECVS, 60, 55, 55),    RECV(1, 0, 0, 140, 110, 135), OUT(1, RECVS, 140, 110, 135),
    };
    check("a message", ROWS(rows), (double[]){30, 5});
    OK(result.own_ns == 35 && result.delay_ns == 30, "own costs of 35 together, the last delay 30");
    OK(result.start_ns == 0 && result.end_before_ns == 140 && result.end_after_ns == 110, "the run: 140, now 110");
    OK(result.early == 0 && result.alone[0].count == 0 && result.alone_others == 0, "nothing is left out");
}

/* The sender's delay is small beside the wait of 165: x2' = 10, though the receiver's own was 40. */
static void test_waits_anyway(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, SENDS, 200, 190, 190),
        SEND(0, 1, 200, 190, 190),
        OUT(0, SENDS, 201, 191, 191),
        WORKS(1, 0, 0, 0),
        IN(1, RECVS, 50, 10, 10),
        RECV(1, 0, 0, 215, 205, 175),
        OUT(1, RECVS, 215, 205, 175),
        IN(1, USER, 300, 290, 260),
        OUT(1, USER, 310, 300, 270),
    };
    check("a receiver that would have waited anyway", ROWS(rows), (double[]){10, 40});
}

/* Without, the message would have been there at 50 + 10, before the call: so that takes what such a call takes, 3 as
 * the one at 300, whose message had come, and not 60. */
static void test_waits_for_costs(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, SENDS, 150, 50, 50),
        SEND(0, 1, 150, 50, 50),
        OUT(0, SENDS, 155, 55, 55),
        IN(0, SENDS, 200, 100, 100),
        SEND(0, 1, 200, 100, 100),
        OUT(0, SENDS, 205, 105, 105),
        IN(1, RECVS, 100, 100, 100),
        RECV(1, 0, 0, 160, 103, 160),
        OUT(1, RECVS, 160, 103, 160),
        IN(1, RECVS, 300, 243, 300),
        RECV(1, 0, 1, 303, 246, 303),
        OUT(1, RECVS, 303, 246, 303),
    };
    check("a receiver that only waits because its sender was held up", ROWS(rows), (double[]){100, 0});
}

/* Nothing tells how long a call takes that need not wait: the least of the way, 10, and the shortest send, 2. */
static void test_shortest_send(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, SENDS, 150, 50, 50),
        SEND(0, 1, 150, 50, 50),
        OUT(0, SENDS, 152, 52, 52),
        IN(1, RECVS, 100, 100, 100),
        RECV(1, 0, 0, 160, 102, 160),
        OUT(1, RECVS, 160, 102, 160),
    };
    check("the same, and no call is known that did not wait", ROWS(rows), (double[]){100, 0});
}

/* A message that lay there holds nobody up, whatever its sender's delay. */
static void test_lay_there(void)
{
    static const struct row rows[] = {
        IN(0, SENDS, 10, 10, 10),    SEND(0, 1, 10, 10, 10),       OUT(0, SENDS, 11, 11, 11),    WORKS(1, 0, 0, 0),
        IN(1, RECVS, 200, 150, 150), RECV(1, 0, 0, 202, 152, 152), OUT(1, RECVS, 202, 152, 152),
    };
    check("a message that lay there", ROWS(rows), (double[]){0, 50});
}

/* The one from 0 was waited for, at 130 + 10; without, it comes at 40, and the one from 2 is the last: 90 + 10. */
static void test_waitall(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, SENDS, 130, 30, 30),
        SEND(0, 1, 130, 30, 30),
        OUT(0, SENDS, 131, 31, 31),
        IN(1, WAITALL, 20, 20, 20),
        RECV(1, 0, 0, 140, 100, 140),
        RECV(1, 2, 1, 140, 100, 140),
        OUT(1, WAITALL, 140, 100, 140),
        IN(2, SENDS, 90, 90, 90),
        SEND(2, 1, 90, 90, 90),
        OUT(2, SENDS, 91, 91, 91),
    };
    check("two receives of one MPI_Waitall", ROWS(rows), (double[]){100, 0, 0});
}

/* The log has the receive first, as where clocks do not agree: own costs only, and that is counted. */
static void test_early(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0), IN(0, SENDS, 150, 120, 120), SEND(0, 1, 150, 120, 120),    OUT(0, SENDS, 151, 121, 121),
        WORKS(1, 0, 0, 0), IN(1, RECVS, 60, 55, 55),    RECV(1, 0, 0, 140, 135, 135), OUT(1, RECVS, 140, 135, 135),
    };
    check("a receive before its send", ROWS(rows), (double[]){30, 5});
    OK(result.early == 1, "and it is counted");
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* The last came at 150, without at 80; all end as long after that as they did. */
static void test_barrier(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, BARRIER, 100, 60, 60),
        COLL(0, -1, 100, 60, 60),
        OUT(0, BARRIER, 170, 100, 130),
        WORKS(1, 0, 0, 0),
        IN(1, BARRIER, 150, 50, 50),
        COLL(1, -1, 150, 50, 50),
        OUT(1, BARRIER, 175, 105, 75),
        IN(2, BARRIER, 80, 80, 80),
        COLL(2, -1, 80, 80, 80),
        OUT(2, BARRIER, 180, 110, 180),
    };
    check("MPI_Barrier", ROWS(rows), (double[]){40, 100, 0});
}

/* The root came at 50 then: member 1, there at 60, needs the 3 that member 2 took, who did not wait. */
static void test_bcast(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, BCAST, 100, 50, 50),
        COLL(0, 0, 100, 50, 50),
        OUT(0, BCAST, 105, 55, 55),
        IN(1, BCAST, 60, 60, 60),
        COLL(1, 0, 60, 60, 60),
        OUT(1, BCAST, 110, 63, 110),
        WORKS(2, 0, 0, 0),
        IN(2, BCAST, 200, 180, 180),
        COLL(2, 0, 200, 180, 180),
        OUT(2, BCAST, 203, 183, 183),
    };
    check("MPI_Bcast, from a root", ROWS(rows), (double[]){50, 0, 20});
}

/* The root ends 10 after the last, who is member 2 then; the others wait for nobody. */
static void test_reduce(void)
{
    static const struct row rows[] = {
        IN(0, REDUCE, 50, 50, 50),  COLL(0, 0, 50, 50, 50),  OUT(0, REDUCE, 130, 75, 130), WORKS(1, 0, 0, 0),
        IN(1, REDUCE, 120, 60, 60), COLL(1, 0, 120, 60, 60), OUT(1, REDUCE, 122, 62, 62),  WORKS(2, 0, 0, 0),
        IN(2, REDUCE, 70, 65, 65),  COLL(2, 0, 70, 65, 65),  OUT(2, REDUCE, 71, 66, 66),
    };
    check("MPI_Reduce, to a root", ROWS(rows), (double[]){0, 60, 5});
}

/* 1 ends 15 after 0's coming at 20, or after its own at 40; 2 ends 16 after 1's. Nobody waits for who is behind: 0
 * ends on time though 2 comes late. */
static void test_scan(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),       IN(0, SCAN, 100, 20, 20), COLL(0, -1, 100, 20, 20),   OUT(0, SCAN, 101, 21, 21),
        IN(1, SCAN, 40, 40, 40), COLL(1, -1, 40, 40, 40),  OUT(1, SCAN, 115, 55, 115), WORKS(2, 0, 0, 0),
        IN(2, SCAN, 30, 20, 20), COLL(2, -1, 30, 20, 20),  OUT(2, SCAN, 116, 56, 106),
    };
    check("MPI_Scan", ROWS(rows), (double[]){80, 0, 10});
}

/* 0 came last, at 120, without at 20; 1 waits from 22 on, and 25 from there. 0's own MPI_Wait waits for nobody. */
static void test_nonblocking(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, IBARRIER, 120, 20, 20),
        COLL(0, -1, 120, 20, 20),
        REQUEST(0, STARTED, 120, 20, 20),
        OUT(0, IBARRIER, 121, 21, 21),
        IN(0, WAIT, 130, 30, 30),
        REQUEST(0, COMPLETE, 150, 50, 50),
        OUT(0, WAIT, 150, 50, 50),
        IN(1, IBARRIER, 10, 10, 10),
        COLL(1, -1, 10, 10, 10),
        REQUEST(1, STARTED, 10, 10, 10),
        OUT(1, IBARRIER, 11, 11, 11),
        IN(1, WAIT, 22, 22, 22),
        REQUEST(1, COMPLETE, 145, 45, 145),
        OUT(1, WAIT, 145, 45, 145),
    };
    check("MPI_Ibarrier, complete in MPI_Wait", ROWS(rows), (double[]){100, 0});
}

/* Nobody knows who is whose neighbour: own costs only, and they are named. */
static void test_unknown(void)
{
    static const struct row rows[] = {
        WORKS(0, 0, 0, 0),
        IN(0, NEIGHBOURS, 100, 60, 60),
        COLL(0, -1, 100, 60, 60),
        OUT(0, NEIGHBOURS, 120, 80, 80),
        IN(1, NEIGHBOURS, 50, 50, 50),
        COLL(1, -1, 50, 50, 50),
        OUT(1, NEIGHBOURS, 119, 119, 119),
    };
    check("MPI_Neighbor_allgather", ROWS(rows), (double[]){40, 0});
    OK(result.alone[0].count == 2 && strcmp(alone, "MPI_Neighbor_allgather") == 0, "and they are named");
}

/* ---- Own costs --------------------------------------------------------------------------------------------------- */

/* pith:own tells at 210 that 150 of the 180 since the first record were its: the state, recorded before that was told,
 * does not end before it began. More than has passed it cannot be. */
static void test_told(void)
{
    static const struct row rows[] = {
        COUNT(0, OWN, 0, 30, 30, 30), IN(0, USER, 100, 100, 100), COUNT(0, OWN, 150, 210, 100, 100),
        OUT(0, USER, 215, 100, 100),  IN(0, USER, 250, 100, 100), COUNT(0, OWN, 9000, 255, 100, 100),
        OUT(0, USER, 300, 105, 105),
    };
    check("costs that a wrapper tells", ROWS(rows), (double[]){0});
}

/* Told 5 behind the end of the second call: the other 60 were spent in it, before its own part, which took 42. */
static void test_told_behind(void)
{
    static const struct row rows[] = {
        IN(0, SENDS, 2, 2, 2),      SEND(0, 1, 2, 2, 2),
        OUT(0, SENDS, 3, 3, 3),     IN(0, SENDS, 50, 50, 50),
        SEND(0, 1, 50, 50, 50),     OUT(0, SENDS, 51, 51, 51),
        IN(1, RECVS, 0, 0, 0),      RECV(1, 0, 0, 14, 14, 14),
        OUT(1, RECVS, 14, 14, 14),  COUNT(1, OWN, 0, 15, 14, 14),
        IN(1, RECVS, 20, 20, 20),   RECV(1, 0, 1, 122, 62, 62),
        OUT(1, RECVS, 122, 62, 62), COUNT(1, OWN, 65, 127, 62, 62),
        IN(1, USER, 130, 65, 65),   OUT(1, USER, 140, 75, 75),
    };
    check("costs that are told behind their call", ROWS(rows), (double[]){0, 0});
}

/* Clocks were compared from 100 to 200, and the other waited for what was sent then. */
static void test_flush(void)
{
    static const struct row rows[] = {
        IN(0, FLUSH, 100, 100, 100),  OUT(0, FLUSH, 200, 100, 100), IN(0, SENDS, 210, 110, 110),
        SEND(0, 1, 210, 110, 110),    OUT(0, SENDS, 211, 111, 111), IN(1, RECVS, 50, 50, 50),
        RECV(1, 0, 0, 214, 114, 214), OUT(1, RECVS, 214, 114, 214),
    };
    check("the recorder's own time", ROWS(rows), (double[]){0, 0});
}

/* A record cannot have cost more than the time up to the next one. */
static void test_too_much(void)
{
    static const struct row rows[] = {
        IN(0, USER, 0, 0, 0),    WORKS(0, 0, 0, 0),        OUT(0, USER, 20, 0, 0),
        IN(0, USER, 50, 30, 30), OUT(0, USER, 60, 40, 40),
    };
    check("a cost of 100 in a time of 20", ROWS(rows), (double[]){100});
    OK(result.own_ns == 20, "of which 20 is taken out");
}

int main(void)
{
    replay_files();
    test_man();
    test_waits_anyway();
    test_waits_for_costs();
    test_shortest_send();
    test_lay_there();
    test_waitall();
    test_early();
    test_barrier();
    test_bcast();
    test_reduce();
    test_scan();
    test_nonblocking();
    test_unknown();
    test_told();
    test_told_behind();
    test_flush();
    test_too_much();
    replay_remove();
    return tap_done();
}
