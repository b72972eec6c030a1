/* test_coarse.c - times in coarser units; short states left out, and nothing else. */
#include "common/random.h"
#include "coarse.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 200000 };

/* What was passed on: "E1@0 L1@10 ..."; its beginning. */
static char passed[4096];
static size_t length;
static uint64_t passed_count;
static int64_t last_ns;
static int falls;

static int add(void *context, const struct pithlog_record *record)
{
    static const char letters[] = "?ELvcSRCxxPrX";
    (void)context;
    if (length + 40 < sizeof passed)
        length += (size_t)snprintf(passed + length, sizeof passed - length, "%s%c%u@%lld", length > 0 ? " " : "",
                                   letters[record->kind], record->id, (long long)record->time_ns);
    falls += passed_count > 0 && record->time_ns < last_ns;
    last_ns = record->time_ns;
    passed_count++;
    return PITH_OK;
}

static struct pithi_coarse coarse;

static void begin(int64_t unit_ns, int64_t least_ns)
{
    coarse = (struct pithi_coarse){.rules = {unit_ns, least_ns}, .add = add};
    length = 0;
    passed[0] = '\0';
    passed_count = 0;
    falls = 0;
    if (pithi_coarse_begin(&coarse) != PITH_OK)
        exit(1);
}

static void give(uint32_t kind, uint32_t id, int64_t time_ns)
{
    struct pithlog_record record = {.kind = kind, .id = id, .time_ns = time_ns, .peer = -1};
    if (pithi_coarse_add(&coarse, &record) != PITH_OK)
        exit(1);
}

static void end(void)
{
    pithi_coarse_flush(&coarse);
    pithi_coarse_end(&coarse);
}

/* "E1@0 S0@5 L1@9" is given, `expected` must come out. */
static int gives(const char *text, const char *expected, uint64_t left_out)
{
    int good, used, kind;
    unsigned id;
    long long time;
    char letter;
    for (; sscanf(text, " %c%u@%lld%n", &letter, &id, &time, &used) == 3; text += used) {
        const char *letters = "?ELvcSRCxxPrX";
        kind = (int)(strchr(letters, letter) - letters);
        give((uint32_t)kind, id, time);
    }
    end();
    good = strcmp(passed, expected) == 0 && coarse.left_out == left_out;
    if (!good)
        printf("# got: %s, %llu left out\n", passed, (unsigned long long)coarse.left_out);
    return good;
}

static void test_unit(void)
{
    begin(100, 0);
    OK(gives("E1@99 v2@100 E3@250 L3@299 L1@1001", "E1@0 v2@100 E3@200 L3@200 L1@1000", 0), "rounded down");
    begin(100, 0);
    OK(gives("E1@-1 L1@-100 E1@-101", "E1@-100 L1@-100 E1@-200", 0), "before 0, too");
    begin(1, 0);
    OK(gives("E1@7 L1@9", "E1@7 L1@9", 0), "a unit of 1 changes nothing");
}

static void test_short(void)
{
    begin(1, 100);
    OK(gives("E1@0 L1@99 E1@100 L1@200", "E1@100 L1@200", 1), "99 goes, 100 stays");
    begin(1, 100);
    OK(gives("E1@0 E2@10 S0@12 L2@30 L1@200", "E1@0 S0@12 L1@200", 1), "what is inside stays");
    begin(1, 100);
    OK(gives("E1@0 S0@1 C0@2 v3@3 L1@4 R0@5", "S0@1 C0@2 v3@3 R0@5", 1), "all kinds of it");
    begin(1, 100);
    OK(gives("E1@0 E1@10 E1@20 L1@21 L1@22 L1@150", "E1@0 L1@150", 2), "a state in itself");
    begin(1, 100);
    OK(gives("E1@0 E2@1 L1@2 L2@3", "E1@0 E2@1 L1@2 L2@3", 0), "states that cross are kept");
    begin(1, 100);
    OK(gives("L1@0 E2@1 L2@2 L3@3", "L1@0 L3@3", 1), "a LEAVE without its ENTER is kept");
    begin(1, 100);
    OK(gives("E1@0 X0@1 L1@2", "E1@0 X0@1 L1@2", 0), "where records were lost nothing is left out");
    begin(1, 100);
    OK(gives("E1@0 E2@5 L2@7 v4@8", "E1@0 v4@8", 1), "a state open at the end is kept");
    begin(1, 100);
    OK(gives("E1@0 E2@90 E3@95 L3@99 v9@100", "E1@0 E2@90 v9@100", 1), "decided by the time that passes");
    begin(10, 100);
    OK(gives("E1@5 L1@104 E1@105 L1@205", "E1@100 L1@200", 1), "by times as recorded, not as rounded");
}

/* The wait is bounded: beyond it states are kept. */
static void test_bound(void)
{
    int i;
    begin(1, 1000000000);
    give(PITHLOG_ENTER, 1, 0);
    for (i = 0; i < MOST; i++)
        give(PITHLOG_EVENT, 2, i);
    give(PITHLOG_LEAVE, 1, MOST);
    end();
    OK(passed_count == MOST + 2 && coarse.left_out == 0 && falls == 0, "many records inside: the state is kept");
    begin(1, 1000000000);
    give(PITHLOG_ENTER, 1, 0);
    for (i = 0; i < MOST; i++) {
        give(PITHLOG_ENTER, 2, i);
        give(PITHLOG_LEAVE, 2, i);
    }
    give(PITHLOG_LEAVE, 1, MOST);
    end();
    OK(passed_count == 0 && coarse.left_out == MOST + 1, "many short states inside do not fill it");
    begin(1, 1000000000);
    for (i = 0; i < MOST; i++)
        give(PITHLOG_ENTER, (uint32_t)i, i);
    for (i = MOST; i-- > 0;)
        give(PITHLOG_LEAVE, (uint32_t)i, 2 * MOST - i);
    end();
    OK(passed_count + 2 * coarse.left_out == 2 * MOST && coarse.left_out == PITHI_COARSE_WAITING && falls == 0,
       "nested deeper than may wait: only the inner ones go");
}

/* Any mixture: what is passed on is what was given, in order, less pairs of the same state that were short. */
static void test_mixture(void)
{
    static int64_t entered[64];
    static uint32_t open[64];
    int round, good = 1;
    unsigned depth = 0;
    uint64_t given = 0;
    int64_t now = 0;
    begin(1, 50);
    for (round = 0; round < MOST; round++) {
        uint32_t dice = random_below(3);
        now += random_below(16);
        if (dice == 0 && depth < 64) {
            entered[depth] = now;
            open[depth] = random_below(3);
            give(PITHLOG_ENTER, open[depth++], now);
        } else if (dice == 1 && depth > 0) {
            depth--;
            good &= entered[depth] <= now;
            give(PITHLOG_LEAVE, open[depth], now);
        } else {
            give(PITHLOG_SEND, 0, now);
        }
        given++;
    }
    end();
    OK(good && passed_count + 2 * coarse.left_out == given && coarse.left_out > 1000 && falls == 0,
       "a mixture: all but %llu pairs of %llu records", (unsigned long long)coarse.left_out, (unsigned long long)given);
}

int main(void)
{
    test_unit();
    test_short();
    test_bound();
    test_mixture();
    return tap_done();
}
