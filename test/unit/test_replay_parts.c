/* test_replay_parts.c - what compensation is made of, each by itself: a lane's delay, what calls take at least, the
 * partner of a receive, who waits for whom in a collective. */
#include "common/random.h"
#include "analysis/waits/collectives.h"
#include "analysis/delay_rule.h"
#include "analysis/correct/lane_delay.h"
#include "analysis/waits/pairs.h"
#include "replay_log.h"
#include "tap.h"

/* ---- A lane's delay ---------------------------------------------------------------------------------------------- */

static void test_costs(void)
{
    struct pithi_delay d = {.cost = {.ns = {[PITHLOG_OWN_CALL] = 7, [PITHLOG_ENTER] = 10, [PITHLOG_LEAVE] = 20}}};
    pithi_lane_delay_begin(&d, 1000, 100);
    OK(pithi_delay_out(&d) == 900, "a lane begins where its process is");
    pithi_delay_cost(&d, PITHLOG_ENTER, 0);
    OK(pithi_delay_out(&d) == 900, "a cost comes behind its record");
    pithi_delay_to(&d, 1004);
    OK(d.x_ns == 104 && pithi_delay_out(&d) == 900, "and is never more than has passed");
    pithi_delay_to(&d, 1050);
    OK(d.x_ns == 104, "what did not fit in is no cost of later times");
    pithi_delay_cost(&d, PITHLOG_LEAVE, 1);
    pithi_delay_cost(&d, PITHLOG_LEAVE, 0);
    pithi_delay_to(&d, 1100);
    OK(d.x_ns == 151 && d.own_ns == 51, "two at one moment, one of them of a wrapped call: 20 + 7 + 20");
    pithi_lane_delay_set(&d, 1080);
    OK(d.x_ns == 20 && pithi_delay_out(&d) == 1080, "waiting gives delay back");
    pithi_lane_delay_set(&d, 1200);
    OK(d.x_ns == 0 && pithi_delay_out(&d) == 1100, "but nothing comes later than it was recorded");
    pithi_delay_free(&d);
}

/* 100 told at 300: of the 200 since 100, those that the record's own 30 left. */
static void test_told(void)
{
    struct pithi_delay d = {.cost = {.ns = {[PITHLOG_COUNTER] = 30}}};
    pithi_lane_delay_begin(&d, 0, 0);
    pithi_delay_to(&d, 100);
    pithi_delay_tell(&d, 500);
    OK(d.x_ns == 0, "the first told, not 0: those before it were cut off");
    pithi_delay_cost(&d, PITHLOG_COUNTER, 0);
    pithi_delay_to(&d, 300);
    pithi_delay_tell(&d, 600);
    OK(d.x_ns == 130, "100 more, and 30 of the record");
    pithi_delay_to(&d, 350);
    pithi_delay_tell(&d, 10000);
    OK(d.x_ns == 180, "not more than the 50 that passed");
    pithi_delay_to(&d, 360);
    pithi_delay_tell(&d, 9000);
    OK(d.x_ns == 180, "not less than nothing");
    pithi_delay_free(&d);
}

static void test_states(void)
{
    struct pithi_delay d = {.begun = 0};
    struct pithi_open left;
    pithi_lane_delay_begin(&d, 0, 0);
    pithi_delay_enter(&d, 1);
    pithi_delay_to(&d, 10);
    pithi_delay_enter(&d, 2);
    pithi_delay_to(&d, 20);
    pithi_delay_enter(&d, 1);
    pithi_delay_leave(&d, 2, &left);
    OK(left.begin_ns == 20 && d.open_count == 2, "the innermost state");
    pithi_delay_leave(&d, 0, &left);
    OK(left.begin_ns == 0 && d.open_count == 1 && d.open[0].state == 2, "one below another that stays open");
    pithi_delay_free(&d);
}

/* Each moment of it counts once. */
static void test_own_state(void)
{
    struct pithi_delay d = {.cost = {.ns = {[PITHLOG_ENTER] = 10}}};
    struct pithi_open left;
    pithi_lane_delay_begin(&d, 0, 0);
    pithi_delay_tell(&d, 0);
    pithi_delay_to(&d, 100);
    pithi_delay_enter(&d, 1);
    pithi_delay_cost(&d, PITHLOG_ENTER, 0);
    pithi_delay_to(&d, 200);
    pithi_delay_tell(&d, 50);
    OK(d.x_ns == 60, "in the recorder's state: 10 of its record, 50 told");
    pithi_delay_to(&d, 400);
    pithi_delay_leave(&d, 0, &left);
    pithi_delay_tell_state(&d, &left);
    OK(d.x_ns == 300 && d.own_ns == 300, "as a whole it is what it lasted");
    pithi_delay_to(&d, 450);
    pithi_delay_tell(&d, 150);
    OK(d.x_ns == 350, "what is told behind it was spent behind it");
    pithi_delay_free(&d);
}

/* Whatever is recorded, told and waited for, no record comes before the one before it, or later than it was. */
static void test_no_step_back(void)
{
    struct pithi_delay d = {.cost = {.ns = {[PITHLOG_ENTER] = 40, [PITHLOG_LEAVE] = 300}}};
    int64_t now_ns = 0;
    double last = 0, told = 0;
    uint32_t backwards = 0, later = 0;
    pithi_lane_delay_begin(&d, 0, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        pithi_delay_to(&d, now_ns += random_below(200));
        if (random_below(5) == 0)
            pithi_delay_tell(&d, told += random_below(500));
        if (random_below(3) == 0)
            pithi_lane_delay_set(&d, (double)now_ns + 100 - random_below(2000));
        double out = pithi_delay_out(&d);
        backwards += out < last;
        later += out > (double)now_ns;
        last = out;
        pithi_delay_cost(&d, random_below(2) ? PITHLOG_ENTER : PITHLOG_LEAVE, 1);
    }
    OK(backwards == 0, "time never goes back, so no state gets a negative length");
    OK(later == 0, "and nothing comes later than recorded");
    pithi_delay_free(&d);
}

/* ---- What calls and messages take at least ----------------------------------------------------------------------- */

static void test_shortest(void)
{
    struct pithi_least call = {0}, other = {0}, way = {0};
    OK(pithi_least_call(&call, &way, &way) == 0 && pithi_least_latency(&way) == 0, "nothing is known");
    pithi_least_learn(&call, &way, 0, 1000, 1090, pithi_least_of_log);
    OK(pithi_least_latency(&way) == 0, "how long a message lay there says nothing of its latency");
    pithi_least_learn(&call, &way, 2100, 2000, 2130, pithi_least_of_log);
    OK(pithi_least_latency(&way) == 30, "the latency of one that was waited for");
    OK(pithi_least_call(&call, &way, &way) == 30, "a call takes no longer than that");
    pithi_least_lower(&way.ready_ns, 12);
    OK(pithi_least_call(&call, &way, &way) == 12, "or than one that sends");
    OK(pithi_least_call(&call, &way, NULL) == 30, "but not a collective");
    pithi_least_learn(&call, &way, 2000, 3000, 3020, pithi_least_of_log);
    OK(pithi_least_call(&call, &way, &way) == 20, "one whose message was there tells how long it takes");
    OK(pithi_least_call(&other, &way, &way) == 12, "of its own kind");
    pithi_least_learn(&other, &other, 150, 100, 140, pithi_least_of_log);
    OK(pithi_least_latency(&other) == 0 && pithi_least_call(&other, &other, NULL) == 0,
       "clocks that do not agree: 0, not less");
    OK(pithi_size_class(0) == 0 && pithi_size_class(8) == pithi_size_class(15) && pithi_size_class(16) == 5, "sizes");
}

/* The example of delay_replay.h; then one that lay there, and one whose latency decides. */
static void test_rule(void)
{
    struct pithi_both_ns begin = {60, 55}, sent = {130, 100}, end = {140, 135};
    OK(pithi_delay_rule(begin, sent, end, 0, 0) == 110, "it waited: it ends with its message, 10 after 100");
    sent = (struct pithi_both_ns){20, 10};
    OK(pithi_delay_rule(begin, sent, end, 80, 0) == 135, "it did not wait: it ends when it has done its part");
    sent = (struct pithi_both_ns){58, 58};
    OK(pithi_delay_rule(begin, sent, end, 75, 77) == 135, "not before its message can be there");
    sent = (struct pithi_both_ns){58, 60};
    OK(pithi_delay_rule(begin, sent, end, 80, 78) == 138, "which takes a while");
    OK(pithi_delay_other(sent, 100, 50) == 102 && pithi_delay_other(sent, 100, 5) == 65,
       "another message was under way no longer than until now");
}

/* ---- The partner of a receive ------------------------------------------------------------------------------------ */

/* Posted first, ended last: the receive of tag 1 is the second one that the log has. The third has no partner. */
static void test_partners(void)
{
    static const struct row rows[] = {
        ROW(0, SEND, 10, 0, 0, .peer = 1, .tag = 1, .bytes = 8),
        ROW(0, SEND, 20, 0, 0, .peer = 1, .tag = 2, .bytes = 8),
        ROW(1, RECV, 30, 0, 0, .peer = 0, .tag = 2, .bytes = 8, .posted = 1),
        ROW(1, RECV, 40, 0, 0, .peer = 0, .tag = 1, .bytes = 8, .posted = 0),
        ROW(1, RECV, 50, 0, 0, .peer = 0, .tag = 3, .bytes = 8, .posted = 2),
    };
    struct pithlog *log = replay_log(ROWS(rows), (double[]){0, 0});
    struct pithi_partners *p;
    struct pithi_sent sent;
    must(pithi_partners_open(log, &p));
    for (int i = 0; i < 2; i++)
        *pithi_partners_sent(p, pithi_partners_send(p, 0)) =
            (struct pithi_sent){.done = 1, .lane = 0, .time_ns = 10 + 10 * i, .before_ns = 5 + 10 * i};
    OK(pithi_partners_recv(p, 1, &sent) == 1 && sent.done && sent.time_ns == 20 && sent.before_ns == 15,
       "the send of the receive that ends first");
    OK(pithi_partners_recv(p, 1, &sent) == 1 && sent.time_ns == 10, "and of the one posted before it");
    OK(pithi_partners_recv(p, 1, &sent) == 0, "a receive of nothing that was sent");
    pithi_partners_close(p);
    must(pithi_partners_open(log, &p));
    OK(pithi_partners_recv(p, 1, &sent) == 1 && !sent.done, "a send that the replay has not come to");
    pithi_partners_close(p);
    pithlog_close(log);
}

/* ---- Who waits for whom ------------------------------------------------------------------------------------------ */

static struct pithi_coll_part enter(struct pithi_colls *colls, uint32_t lane, uint32_t state, int32_t root)
{
    struct pithlog_record record = {.lane = lane, .kind = PITHLOG_COLL, .peer = root, .got_bytes = 8};
    struct pithi_coll_part part;
    pithi_colls_enter(colls, &record, state, 0, &part);
    return part;
}

static void arrive(struct pithi_colls *colls, const struct pithi_coll_part *part, double at_ns, double before_ns)
{
    pithi_colls_arrive(colls, part, &(struct pithi_moment){at_ns, before_ns});
}

static int last_is(struct pithi_colls *colls, const struct pithi_coll_part *part, double at_ns, double before_ns)
{
    struct pithi_moment last;
    return pithi_colls_last(colls, part, &last) == 1 && last.at_ns == at_ns && last.before_ns == before_ns;
}

/* Three members come at 100, 200, 300, in the order of `lanes`; without, at 90, 30, 60. */
static void all_come(struct pithi_colls *colls, uint32_t state, int32_t root, struct pithi_coll_part *parts)
{
    static const double before_ns[] = {90, 30, 60};
    for (uint32_t i = 0; i < 3; i++) {
        parts[i] = enter(colls, i, state, root);
        arrive(colls, &parts[i], 100 * (i + 1), before_ns[i]);
    }
}

static void all_leave(struct pithi_colls *colls, const struct pithi_coll_part *parts)
{
    for (int i = 0; i < 3; i++)
        pithi_colls_leave(colls, &parts[i], 300);
}

static void test_collectives(void)
{
    static const struct row rows[] = {
        IN(0, USER, 0, 0, 0),
        IN(1, USER, 0, 0, 0),
        IN(2, USER, 0, 0, 0),
    };
    struct pithlog *log = replay_log(ROWS(rows), (double[]){0, 0, 0});
    struct pithi_colls *colls;
    struct pithi_moment last;
    struct pithi_coll_part parts[3], other;
    must(pithi_colls_open(log, 0, &colls));

    parts[0] = enter(colls, 0, BARRIER, -1);
    arrive(colls, &parts[0], 100, 90);
    OK(pithi_colls_last(colls, &parts[0], &last) == -1, "a barrier: not all have come");
    other = enter(colls, 0, BARRIER, -1);
    OK(other.coll != parts[0].coll, "the next one of the same member is another one");
    for (uint32_t i = 1; i < 3; i++) {
        parts[i] = enter(colls, i, BARRIER, -1);
        arrive(colls, &parts[i], 100 * (i + 1), 30);
    }
    OK(last_is(colls, &parts[0], 300, 90) && last_is(colls, &parts[2], 300, 90),
       "the last one, and who would have been the last");
    OK(pithi_colls_together(colls, &parts[0]), "who end together");
    all_leave(colls, parts);
    for (uint32_t i = 1; i < 3; i++)
        parts[i] = enter(colls, i, BARRIER, -1);
    OK(parts[1].coll == other.coll && parts[2].coll == other.coll, "their second is that of the first member");
    parts[0] = other;
    all_leave(colls, parts);

    all_come(colls, BCAST, 1, parts);
    OK(last_is(colls, &parts[0], 200, 30) && last_is(colls, &parts[2], 200, 30), "from a root: for the root");
    OK(pithi_colls_last(colls, &parts[1], &last) == 0, "which waits for nobody");
    all_leave(colls, parts);

    all_come(colls, REDUCE, 1, parts);
    OK(last_is(colls, &parts[1], 300, 90), "to a root: the root for all");
    OK(pithi_colls_last(colls, &parts[0], &last) == 0 && pithi_colls_last(colls, &parts[2], &last) == 0,
       "the others for nobody");
    all_leave(colls, parts);

    all_come(colls, SCAN, -1, parts);
    OK(pithi_colls_last(colls, &parts[0], &last) == 0 && last_is(colls, &parts[1], 100, 90) &&
           last_is(colls, &parts[2], 200, 90),
       "a scan: for those of lower rank");
    OK(!pithi_colls_together(colls, &parts[2]), "and they do not end together");
    all_leave(colls, parts);

    OK(enter(colls, 0, NEIGHBOURS, -1).coll == UINT32_MAX, "of neighbours nothing is known");
    pithi_colls_close(colls);
    pithlog_close(log);
}

int main(void)
{
    replay_files();
    test_costs();
    test_told();
    test_states();
    test_own_state();
    test_no_step_back();
    test_shortest();
    test_rule();
    test_partners();
    test_collectives();
    replay_remove();
    return tap_done();
}
