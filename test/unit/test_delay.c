/* test_delay.c - the rule of PITH_COMPENSATE in one process, by times told to it. */
#include "compensate/delay.c"
#include "tap.h"

/* Own costs of 0, and clocks that all share. */
int64_t pithi_own_ns(void) { return 0; }
static int64_t own_ns;
void pithi_own_add(int64_t ns) { own_ns += ns; }
int pithi_own_clock(int64_t local_ns, int64_t *offset_ns)
{
    (void)local_ns;
    *offset_ns = 0;
    return 0;
}

/* A delay of 50000, then a call from 100000 to 100600, whose message of 8 bytes was sent at 60000 with a delay of
 * 10000: its delay then. */
static int64_t after_one(struct pithi_least *least, int64_t latency_ns)
{
    struct pithi_header header = {.delay_ns = 10000, .sent_ns = 60000, .latency_ns = latency_ns};
    struct pithi_wait wait = {.begin_ns = 100000, .end_ns = 100600, .least = least};
    pithi_delay_set(50000);
    pithi_delay_message(&wait, &header, 8);
    pithi_delay_waited(&wait);
    return pithi_delay_ns();
}

/* Two messages in a call from 98000 to 99200, sent at 99000 and 99100, all with a delay of 40000; a latency of 5000 is
 * known for their size: not all of it has passed since the first was sent. */
static int64_t after_two(struct pithi_least *least)
{
    struct pithi_header first = {.delay_ns = 40000, .sent_ns = 99000, .latency_ns = 5000};
    struct pithi_header last = {.delay_ns = 40000, .sent_ns = 99100};
    struct pithi_wait wait = {.begin_ns = 98000, .end_ns = 99200, .least = least};
    pithi_delay_set(40000);
    pithi_delay_message(&wait, &first, 64);
    pithi_delay_message(&wait, &last, 64);
    pithi_delay_waited(&wait);
    return pithi_delay_ns();
}

/* What of these parts, one after another and each `ns`, counts as an own cost. */
static int64_t own(struct pithi_typical *typical, int count, int64_t ns)
{
    int64_t sum_ns = 0;
    for (int i = 0; i < count; i++)
        sum_ns += own_part(typical, ns);
    return sum_ns;
}

/* Parts that lose their core before it is known what they take; and parts of a rank that yields. */
static void own_parts(void)
{
    struct pithi_typical lost = {0}, yields = {0};
    int64_t first_ns = own(&lost, 4, 12000000);
    OK(first_ns <= 4 * ALWAYS_NS, "four parts of 12 ms before it is known what a part takes: %lld us at most",
       (long long)ALWAYS_NS * 4 / 1000);
    OK(own(&lost, 296, 2000) == 592000, "296 of 2 us: these count");
    OK(own(&lost, 1, 12000000) < 3000, "a later part that loses its core counts as a typical one");
    OK(own(&yields, LEARNS, 5000000) == LEARNS * ALWAYS_NS, "so of parts that all take 5 ms, no more at first");
    OK(own(&yields, 3, 6000000) == 18000000, "then all that they take, and not what was left out");
}

int main(void)
{
    static struct pithi_least least[PITHI_SIZES];
    pithi_compensate = PITHI_COMPENSATE_MESSAGE;
    pithi_delay_one_clock = 1;
    OK(pithi_delay_latency(8) == 0, "how soon a message is there is not known");
    OK(after_one(least, 0) == 50000, "it lay there: had it come at once, at 50000, the call would begin there");
    OK(pithi_delay_latency(8) == 0, "and tells nothing of the latency");
    OK(after_one(least, 700) == 49900, "its sender knows a latency of 700: it would have come at 50700");
    OK(pithi_delay_latency(8) == 700, "which is known here now, too,");
    OK(pithi_delay_latency(9) == 700 && pithi_delay_latency(16) == 0, "for its size");
    OK(after_one(least, 900) == 49900, "a longer one changes nothing");
    OK(after_one(least, 0) == 49900, "nor does a sender that knows none");
    OK(after_two(least) == 40000, "of several messages none was under way for longer than it was");
    own_parts();
    return tap_done();
}
