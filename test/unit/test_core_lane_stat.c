/* test_core_lane_stat.c - numbers of lanes against brute force over all records of random logs. */
#include <math.h>
#include <string.h>

#include "core/rows/rows.h"
#include "core_log.h"
#include "tap.h"

enum { STATES = 5, LANES = 3, MOST = 600 };

struct entry {
    int64_t time_ns;
    uint32_t kind, id;
    uint64_t bytes;
};

static struct entry entries[LANES][MOST + 16];
static uint32_t counts[LANES];
static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

static void random_lane(uint32_t lane)
{
    uint32_t open[16], depth = 0;
    int64_t now = 0;

    for (uint32_t i = 0; i < MOST; i++) {
        struct entry *entry = &entries[lane][i];
        *entry = (struct entry){.time_ns = now += below(40)};
        if (below(6) == 0) {
            entry->kind = below(2) ? PITHLOG_SEND : PITHLOG_RECV;
            entry->bytes = below(1000);
        } else if (!depth || (depth < 16 && below(2))) {
            entry->kind = PITHLOG_ENTER;
            entry->id = open[depth++] = below(STATES);
        } else {
            entry->kind = PITHLOG_LEAVE;
            entry->id = open[--depth];
        }
    }
    counts[lane] = MOST;
    while (depth)
        entries[lane][counts[lane]++] = (struct entry){.time_ns = ++now, .kind = PITHLOG_LEAVE, .id = open[--depth]};
}

static struct pithlog *random_log(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct core_log log;

    core_log_begin(&log);
    for (uint32_t id = 0; id < STATES; id++)
        core_define(&log, PITHLOG_STATE, names[id], "");
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t lane = core_lane(&log, (int32_t)i, 0, "");
        random_lane(i);
        for (uint32_t r = 0; r < counts[i]; r++) {
            const struct entry *entry = &entries[i][r];
            struct pithlog_record record = {.time_ns = entry->time_ns,
                                            .lane = lane,
                                            .kind = entry->kind,
                                            .id = entry->id,
                                            .peer = (int32_t)(i + 1) % LANES,
                                            .bytes = entry->bytes};
            if (entry->kind != PITHLOG_SEND && entry->kind != PITHLOG_RECV)
                record.peer = -1;
            core_check(pithi_writer_add(log.writer, &record));
        }
    }
    return core_log_end(&log);
}

/* ---- Brute force: nanosecond by nanosecond ----------------------------------------------------------------------- */

static double brute(const struct pithi_lane_question *question, uint32_t lane)
{
    uint32_t open[64], depth = 0, next = 0;
    unsigned char seen[64] = {0}; /* this instance was counted */
    double value = 0;

    for (int64_t now = 0; now < question->t1_ns; now++) {
        int in = now >= question->t0_ns, nested = 0;
        for (; next < counts[lane] && entries[lane][next].time_ns == now; next++) {
            const struct entry *entry = &entries[lane][next];
            if (entry->kind == PITHLOG_ENTER)
                seen[depth] = 0, open[depth++] = entry->id;
            else if (entry->kind == PITHLOG_LEAVE)
                depth--;
            else if (in && question->stat == PITHI_STAT_MESSAGES)
                value++;
            else if (in && question->stat == PITHI_STAT_BYTES)
                value += (double)entry->bytes;
        }
        if (!in)
            continue;
        for (uint32_t i = 0; i < depth; i++) {
            nested |= question->chosen[open[i]];
            if (question->stat == PITHI_STAT_COUNT && question->chosen[open[i]] && !seen[i])
                seen[i] = 1, value++;
        }
        if (question->stat == PITHI_STAT_SELF && depth && question->chosen[open[depth - 1]])
            value++;
        if (question->stat == PITHI_STAT_TOTAL)
            value += nested;
    }
    return value;
}

/* Of one state, so that time inside of itself is all that may be counted twice. States of no length are left to
 * test_core_query.c: counts may be more by those. */
static void test_stat(struct pithlog *log, enum pithi_stat stat, const char *name)
{
    unsigned char chosen[STATES];
    int wrong = 0;

    for (int round = 0; round < 60; round++) {
        struct pithi_lane_question question = {.stat = stat, .chosen = chosen};
        uint32_t lane = below(LANES);
        double value, wanted;
        memset(chosen, 0, sizeof chosen);
        chosen[below(STATES)] = 1;
        question.t0_ns = below(9000);
        question.t1_ns = question.t0_ns + 1 + below(4000);
        core_check(pithi_lane_stat(log, &question, lane, &value));
        wanted = brute(&question, lane);
        if (stat == PITHI_STAT_COUNT ? value < wanted || value > wanted + 20 : fabs(value - wanted) > 0.5) {
            wrong++;
            printf("# lane %u [%ld, %ld): %.0f, not %.0f\n", lane, (long)question.t0_ns, (long)question.t1_ns, value,
                   wanted);
        }
    }
    OK(!wrong, "%s as by every nanosecond", name);
}

int main(void)
{
    struct pithlog *log = random_log();

    test_stat(log, PITHI_STAT_TOTAL, "total time");
    test_stat(log, PITHI_STAT_SELF, "self time");
    test_stat(log, PITHI_STAT_COUNT, "count");
    test_stat(log, PITHI_STAT_MESSAGES, "messages");
    test_stat(log, PITHI_STAT_BYTES, "bytes");
    pithlog_close(log);
    return tap_done();
}
