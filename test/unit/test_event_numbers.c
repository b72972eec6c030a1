/* test_event_numbers.c - MPE's numbers of events: what properties say, what payloads are, who gets which number in a
 * foreign format, and what becomes of numbers in the definitions of a job. */
#include <stdio.h>
#include <string.h>

#include "foreign/given_numbers.h"
#include "native/defs.h"
#include "native/event_numbers.h"
#include "spill/spill_numbers.h"
#include "common/log_model.h"
#include "tap.h"

static int numbers_of(const char *key, int32_t first, int32_t second)
{
    int32_t numbers[2] = {-1, -1};
    int count = pithi_event_numbers(key, numbers);

    return count == 0 || (numbers[0] == first && (count == 1 || numbers[1] == second)) ? count : -1;
}

static void test_keys(void)
{
    static const char *const others[] = {
        "mpe_state_",      "mpe_state_1",  "mpe_state_1_",           "mpe_state_1_2_3",
        "mpe_state_ 1_2",  "mpe_event_",   "mpe_event_1x",           "mpe_event_99999999999",
        "mpe_state_1_+2x", "mpi",          "mpe_event_1_2",          "",
        "mpe_event_+1",    "mpe_event_ 1", "mpe_state_99999999999_1"};
    char key[48];

    OK(numbers_of("mpe_state_600_601", 600, 601) == 2, "a state's numbers");
    OK(numbers_of("mpe_event_5000", 5000, 0) == 1, "an event's number");
    OK(numbers_of("mpe_state_-2147483648_2147483647", INT32_MIN, INT32_MAX) == 2, "the smallest and the largest");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        OK(numbers_of(others[i], 0, 0) == 0, "no numbers: %s", others[i]);
    pithi_event_numbers_state(key, INT32_MIN, INT32_MIN);
    OK(numbers_of(key, INT32_MIN, INT32_MIN) == 2, "a key that was made is read again");
}

static void test_payloads(void)
{
    unsigned char cargo[PITHI_CARGO] = {0, 5, 'h', 'e', 'l', 'l', 'o', 0, 0, 0, 7, 9};

    OK(pithi_cargo_size("%s %d", cargo) == 11, "a string and a number: 2 + 5 + 4 bytes");
    OK(pithi_cargo_size("%d", cargo) == 4, "what is behind the last value is not payload");
    OK(pithi_cargo_size("", cargo) == 12, "no format: up to the last byte that is not 0");
    memcpy(cargo, "text\0and more", 13);
    OK(pithi_cargo_size("words", cargo) == 4, "no values: a text up to its end");
    memset(cargo, 255, sizeof cargo);
    OK(pithi_cargo_size("%s", cargo) == PITHI_CARGO, "a length beyond the end");
    OK(pithi_cargo_size("%l%l%l%l%l", cargo) == PITHI_CARGO, "more values than there is room");
    OK(pithi_cargo_size("%", cargo) == 0, "a format that ends early");
    OK(pithi_cargo_size("", cargo) == PITHI_CARGO, "32 bytes without a format");
}

/* A log with two states and an event, and what it says of their numbers. */
static struct pithlog *make_log(void)
{
    static const char *const facts[][2] = {
        {"mpe_state_600_601", "a"}, {"mpe_state_602_603", "b"}, {"mpe_state_604_605", "a"}, {"mpe_event_601", "e"},
        {"mpe_event_5000", "e"},    {"mpe_state_7_8", "b"},     {"mpe_state_700_701", "?"}};
    static const struct pithlog_def defs[] = {
        {PITHLOG_STATE, "a", "", "", ""}, {PITHLOG_STATE, "b", "", "", ""}, {PITHLOG_EVENT_TYPE, "e", "", "", ""}};
    const char *path = scratch_path("numbers.pith");
    struct pithi_writer *writer;
    struct pithlog *log = NULL;
    uint32_t id;

    pithi_writer_open(&writer, path, -1);
    for (size_t i = 0; i < 3; i++)
        pithi_defs_add(pithi_writer_defs(writer), &defs[i], &id);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        pithi_defs_property(pithi_writer_defs(writer), facts[i][0], facts[i][1]);
    pithi_writer_finish(writer);
    pithi_writer_close(writer);
    pithlog_open(path, &log);
    return log;
}

static int pair_is(const struct pithi_given *given, uint32_t id, uint32_t index, int32_t begin, int32_t end)
{
    const struct pithi_number_pair *pair = pithi_given_get(given, id, index);

    return pair && pair->begin == begin && pair->end == end;
}

static void test_given(void)
{
    struct pithlog *log = make_log();
    struct pithi_given given;
    int32_t next = 600;

    OK(log && pithi_given_open(&given, log) == PITH_OK && pithi_given_read(&given, log, 600) == PITH_OK,
       "a log is read");
    OK(pair_is(&given, 0, 0, 600, 601) && pair_is(&given, 0, 1, 604, 605), "a state with two pairs has both");
    OK(pair_is(&given, 1, 0, 602, 603) && !pithi_given_get(&given, 1, 1), "numbers below the least are nobody's");
    OK(pair_is(&given, 2, 0, 5000, 0) && !pithi_given_get(&given, 2, 1), "a number that is taken is not given twice");
    OK(!pithi_given_get(&given, 3, 0), "a definition that is not there has none");
    OK(pithi_given_next(&given, &next, 2) == 606 && pithi_given_next(&given, &next, 2) == 608, "the next free pairs");
    OK(pithi_given_take(&given, 611) == 1 && pithi_given_take(&given, 611) == 0, "a number is taken once");
    OK(pithi_given_next(&given, &next, 2) == 612, "a pair of which one is taken is passed over");
    next = 5000;
    OK(pithi_given_next(&given, &next, 1) == 5001, "so is a single one");
    pithi_given_free(&given);
    pithlog_close(log);
}

/* ---- The definitions of a job ------------------------------------------------------------------------------------ */

static void add(struct pithi_defs *defs, enum pithlog_def_kind kind, const char *name, const char *group)
{
    struct pithlog_def def = {kind, name, "red", group, ""};
    uint32_t id;

    pithi_defs_add(defs, &def, &id);
}

static int has(const struct pithi_defs *defs, enum pithlog_def_kind kind, const char *name)
{
    uint32_t id;

    return pithi_defs_find(defs, kind, name, &id) && strcmp(pithi_defs_get(defs, id)->name, name) == 0;
}

static void test_settle(void)
{
    struct pithi_defs *defs;

    pithi_defs_new(&defs);
    OK(!has(defs, PITHLOG_STATE, "Broadcast"), "nothing is in an empty set");
    add(defs, PITHLOG_EVENT_TYPE, "event 600", PITHI_NUMBERS_GROUP);
    add(defs, PITHLOG_STATE, "Broadcast", "user");
    add(defs, PITHLOG_EVENT_TYPE, "event 601 info", PITHI_NUMBERS_GROUP);
    add(defs, PITHLOG_EVENT_TYPE, "event 7 info", PITHI_NUMBERS_GROUP);
    add(defs, PITHLOG_EVENT_TYPE, "event 8", PITHI_NUMBERS_GROUP);
    add(defs, PITHLOG_EVENT_TYPE, "event 602", "user");
    add(defs, PITHLOG_EVENT_TYPE, "event 9 and more", PITHI_NUMBERS_GROUP);
    pithi_defs_property_of_many(defs, "mpe_state_600_601", "Broadcast");
    pithi_defs_property_of_many(defs, "mpe_state_600_601", "another's word");
    pithi_defs_property_of_many(defs, "mpe_event_602", "Broadcast");
    OK(pithi_spill_numbers_settle(defs) == PITH_OK, "a set is settled");
    OK(!has(defs, PITHLOG_EVENT_TYPE, "event 600") && !has(defs, PITHLOG_EVENT_TYPE, "event 601 info"),
       "described numbers are gone");
    OK(has(defs, PITHLOG_STATE, "Broadcast") && has(defs, PITHLOG_EVENT_TYPE, "Broadcast info"),
       "the state has an event for its payloads, by the first word");
    OK(has(defs, PITHLOG_EVENT_TYPE, "event 7") && !has(defs, PITHLOG_EVENT_TYPE, "event 7 info") &&
           has(defs, PITHLOG_EVENT_TYPE, "event 8"),
       "what nobody described is an event");
    OK(has(defs, PITHLOG_EVENT_TYPE, "event 602"), "an event of the program's, of such a name, stays");
    OK(has(defs, PITHLOG_EVENT_TYPE, "event 9 and more") && pithi_defs_count(defs) == 6, "and nothing else changes");
    pithi_defs_free(defs);
}

int main(void)
{
    test_keys();
    test_payloads();
    test_given();
    test_settle();
    scratch_remove();
    return tap_done();
}
