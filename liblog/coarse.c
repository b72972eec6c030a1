/* coarse.c - rounds times and drops short states.
 *
 * Example, with least_ns = 100: ENTER a at 0, ENTER b at 10, SEND at 12, LEAVE b at 30, LEAVE a at 200.
 *     at 0 and 10  a and b are undecided and wait; the SEND waits after them
 *     at 30        b took 20: its ENTER is marked as dropped, its LEAVE is not stored
 *     at 200       a took more than 100: all waiting records are passed on: ENTER a, SEND, LEAVE a
 */
#include "coarse.h"

#include <stdlib.h>

#include "base/error.h"

enum fate { KEEP, DROP, DOUBT };

struct waiting {
    struct pithlog_record record;
    enum fate fate;
};

int pithi_coarse_begin(struct pithi_coarse *coarse)
{
    if (coarse->rules.least_ns <= 0)
        return PITH_OK;
    coarse->waiting = malloc(PITHI_COARSE_WAITING * sizeof *coarse->waiting);
    coarse->open = malloc(PITHI_COARSE_WAITING * sizeof *coarse->open);
    return coarse->waiting != NULL && coarse->open != NULL
               ? PITH_OK
               : pithi_fail(PITH_ERR_MEMORY, "no memory to drop short states");
}

void pithi_coarse_end(struct pithi_coarse *coarse)
{
    free(coarse->waiting);
    free(coarse->open);
    coarse->waiting = NULL;
    coarse->open = NULL;
}

/* Passes a record on to `add`, its time rounded down to a multiple of unit_ns. */
static int pass(struct pithi_coarse *coarse, const struct pithlog_record *record)
{
    struct pithlog_record rounded;
    if (coarse->rules.unit_ns <= 1)
        return coarse->add(coarse->context, record);
    rounded = *record;
    /* The remainder is made positive, so that times before 0 are rounded down, too. */
    int64_t rest = record->time_ns % coarse->rules.unit_ns;
    if (rest < 0)
        rest += coarse->rules.unit_ns;
    rounded.time_ns = record->time_ns < INT64_MIN + rest ? record->time_ns : record->time_ns - rest;
    return coarse->add(coarse->context, &rounded);
}

static struct waiting *at(const struct pithi_coarse *coarse, uint32_t place)
{
    return &coarse->waiting[place % PITHI_COARSE_WAITING];
}

static uint32_t *open_at(const struct pithi_coarse *coarse, uint32_t place)
{
    return &coarse->open[place % PITHI_COARSE_WAITING];
}

/* Passes on the oldest waiting records, up to the first undecided ENTER. */
static int pass_decided(struct pithi_coarse *coarse)
{
    while (coarse->count > 0 && at(coarse, coarse->first)->fate != DOUBT) {
        const struct waiting *oldest = at(coarse, coarse->first);
        int err = oldest->fate == KEEP ? pass(coarse, &oldest->record) : PITH_OK;
        if (err)
            return err;
        coarse->first++;
        coarse->count--;
    }
    return PITH_OK;
}

/* Decides that the outermost undecided state is kept in the log. The states inside it are still undecided. */
static void keep_outermost(struct pithi_coarse *coarse)
{
    at(coarse, *open_at(coarse, coarse->open_first))->fate = KEEP;
    coarse->open_first++;
    coarse->open_count--;
}

static int64_t outermost_ns(const struct pithi_coarse *coarse)
{
    return at(coarse, *open_at(coarse, coarse->open_first))->record.time_ns;
}

int pithi_coarse_flush(struct pithi_coarse *coarse)
{
    while (coarse->open_count > 0)
        keep_outermost(coarse);
    return pass_decided(coarse);
}

/* Appends a record to the waiting records. A KEEP record with nothing before it is passed on at once. */
static int hold_back(struct pithi_coarse *coarse, const struct pithlog_record *record, enum fate fate)
{
    struct waiting *last;
    if (coarse->count == PITHI_COARSE_WAITING) {
        int err;
        keep_outermost(coarse); /* pass_decided has run, so the oldest waiting record is an undecided ENTER */
        err = pass_decided(coarse);
        if (err)
            return err;
    }
    if (fate == KEEP && coarse->count == 0)
        return pass(coarse, record);
    last = at(coarse, coarse->first + coarse->count++);
    last->record = *record;
    last->fate = fate;
    if (fate == DOUBT)
        *open_at(coarse, coarse->open_first + coarse->open_count++) = coarse->first + coarse->count - 1;
    return PITH_OK;
}

int pithi_coarse_add(void *context, const struct pithlog_record *record)
{
    struct pithi_coarse *coarse = context;
    int64_t least = coarse->rules.least_ns;
    int err;

    if (least <= 0)
        return pass(coarse, record);
    while (coarse->open_count > 0 && (uint64_t)record->time_ns - (uint64_t)outermost_ns(coarse) >= (uint64_t)least)
        keep_outermost(coarse);
    err = pass_decided(coarse);
    if (err)
        return err;
    if (record->kind == PITHLOG_ENTER)
        return hold_back(coarse, record, DOUBT);
    if (coarse->open_count > 0 && record->kind == PITHLOG_LEAVE) {
        const struct waiting *innermost = at(coarse, *open_at(coarse, coarse->open_first + coarse->open_count - 1));
        if (innermost->record.id == record->id) {
            /* Drops the innermost state, which was short. Records waiting after its ENTER stay; usually there are
             * none. */
            uint32_t place = *open_at(coarse, coarse->open_first + --coarse->open_count);
            at(coarse, place)->fate = DROP;
            coarse->left_out++;
            while (coarse->count > 0 && at(coarse, coarse->first + coarse->count - 1)->fate == DROP)
                coarse->count--;
            return pass_decided(coarse);
        }
    }
    if (record->kind == PITHLOG_LEAVE || record->kind == PITHLOG_LOST) {
        err = pithi_coarse_flush(coarse);
        return err ? err : pass(coarse, record);
    }
    return hold_back(coarse, record, KEEP);
}
