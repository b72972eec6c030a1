/* test_foreign.c - what readers and writers of foreign formats share: colours, names by rule, the table of numbers,
 * putting records into the order of time; and payloads in CLOG-2's 32 bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/colour.h"
#include "base/map.h"
#include "foreign/clog2/clog2_numbers.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "tap.h"

static uint32_t rgb(const char *name)
{
    uint32_t value = 0xdeadbeef;

    return pithi_colour_parse(name, &value) ? value : 0xffffffff;
}

static void colours(void)
{
    int there = 1;

    OK(rgb("red") == 0xff0000 && rgb("navy blue") == 0x000080 && rgb("SEAGREEN") == 0x2e8b57, "names in any spelling");
    OK(rgb("DarkOliveGreen1") == 0xcaff70 && rgb("orange3:gray") == 0xcd8500, "numbered names, bitmaps");
    OK(rgb("gray50") == 0x7f7f7f && rgb("grey10") == 0x1a1a1a && rgb("dark slate grey2") == 0x8deeee, "gray and grey");
    OK(rgb("#fa0") == 0xffaa00 && rgb("#123ABC") == 0x123abc, "numbers");
    OK(rgb("") == 0xffffffff && rgb("gray101") == 0xffffffff && rgb("#12") == 0xffffffff && rgb("red5") == 0xffffffff &&
           rgb("a name as long as no colour's name can be") == 0xffffffff && rgb("gray050") == 0xffffffff,
       "what is no colour");
    for (uint32_t value = 0; value < 0x1000000; value += 0x31207)
        there &= rgb(pithi_colour_nearest(value)) != 0xffffffff;
    OK(there, "the nearest name is always a name");
    OK(strcmp(pithi_colour_nearest(0x2e8b58), "SeaGreen") == 0 && strcmp(pithi_colour_nearest(0xff0000), "red") == 0,
       "the nearest name");
    OK(strcmp(pithi_colour_canonical("sea green"), "SeaGreen") == 0 && !pithi_colour_canonical("#123456") &&
           !pithi_colour_canonical("crimson"),
       "one spelling; none for numbers and for names that old viewers lack");
}

static void names(void)
{
    struct pithi_map used = {0};
    char out[8], wide[32];
    int changed[3];

    OK(pithi_name_cut(out, sizeof out, " a b ", 5) == PITHI_NAME_CHANGED && strcmp(out, "a b") == 0,
       "blanks at the ends go");
    OK(pithi_name_cut(out, sizeof out, "123456\xc3\xa4", 8) && strcmp(out, "123456") == 0,
       "no character is cut in two");
    OK(pithi_name_cut(out, sizeof out, "a\nb\x7f", 4) == PITHI_NAME_CHANGED && strcmp(out, "a?b?") == 0,
       "no control characters");
    changed[0] = pithi_name_unique(&used, out, sizeof out, "abcdefghi");
    changed[1] = pithi_name_unique(&used, out, sizeof out, "abcdefghj");
    OK(changed[0] == 1 && changed[1] == 1 && strcmp(out, "abcde~2") == 0, "equal after the cut: made different");
    for (int i = 3; i <= 10; i++)
        pithi_name_unique(&used, out, sizeof out, "abcdefghi");
    OK(strcmp(out, "abcd~10") == 0, "and so on");
    changed[2] = pithi_name_unique(&used, wide, sizeof wide, "abcde~2");
    OK(changed[2] == 1 && strcmp(wide, "abcde~2~2") == 0, "a name that looks like one made different");
    pithi_map_free(&used);
    OK(pithi_token_single("n=%d") == 'd' && !pithi_token_single("%d %d") && !pithi_token_single("%5d") &&
           !pithi_token_single("none"),
       "formats of one token");
}

static void numbers(void)
{
    struct pithi_map lookup = {0};
    int good = 1;

    OK(!pithi_map_find(&lookup, 0), "an empty table has nothing");
    for (uint64_t i = 0; i < 10000; i++)
        *pithi_map_at(&lookup, i << 32 | i % 7) = i + 1;
    for (uint64_t i = 0; i < 10000; i++)
        good &= *pithi_map_find(&lookup, i << 32 | i % 7) == i + 1 && !pithi_map_find(&lookup, i << 32 | 7);
    OK(good, "10000 numbers are found, others not");
    OK(!pithi_map_find(&lookup, UINT64_MAX), "nor is the largest number");
    *pithi_map_at(&lookup, UINT64_MAX) = 5;
    OK(*pithi_map_find(&lookup, UINT64_MAX) == 5 && *pithi_map_find(&lookup, 0) == 1, "which may be a key, too");
    pithi_map_free(&lookup);
}

struct seen {
    int64_t last_ns;
    uint64_t count, order, falls;
};

static int see(void *context, const struct pithlog_record *record)
{
    struct seen *seen = context;

    seen->falls += record->time_ns < seen->last_ns || (record->time_ns == seen->last_ns && record->id < seen->order);
    seen->last_ns = record->time_ns;
    seen->order = record->id;
    seen->count++;
    if (record->payload_bytes)
        seen->falls += memcmp(record->payload, &record->id, 4) != 0;
    return 1; /* leave it out: there is no writer */
}

static void order(void)
{
    struct seen seen = {.last_ns = INT64_MIN};
    struct pithi_reorder reorder = {.is_needed = 1, .drops = see, .context = &seen};
    uint32_t n = 3 * PITHI_REORDER_WINDOW;

    for (uint32_t i = 0; i < n; i++) {
        struct pithlog_record record = {.time_ns = (int64_t)(i ^ 1023) / 2, .id = i};
        record.payload = &record.id;
        record.payload_bytes = i % 3 ? 0 : 4;
        pithi_reorder_add(&reorder, &record);
    }
    OK(seen.count == n - PITHI_REORDER_WINDOW, "the window holds as much as it says");
    pithi_reorder_end(&reorder);
    OK(seen.count == n && seen.falls == 0 && reorder.late == 0, "late by 1023 records: put in order");
    pithi_reorder_add(&reorder, &(struct pithlog_record){.time_ns = -1});
    pithi_reorder_end(&reorder);
    OK(reorder.late == 1, "later than the window: counted");
    pithi_reorder_add(&reorder, &(struct pithlog_record){.payload = "x", .payload_bytes = 1});
    pithi_reorder_free(&reorder);
}

static void payloads(void)
{
    struct pithi_clog2_shape shape;
    unsigned char cargo[32] = {0};

    pithi_clog2_shape_make(&shape, "a=%l b=%l c=%l d=%l e=%d");
    OK(shape.cut && strcmp(shape.format, "a=%l b=%l c=%l d=%l") == 0, "values that do not fit in 32 bytes go");
    pithi_clog2_shape_make(&shape, "the number of iterations so far=%d the residual that is left=%E");
    OK(shape.cut && strlen(shape.format) <= 39 && strcmp(shape.format, "the number of ite%d the residual tha%E") == 0,
       "too many words: each value keeps an equal share: %s", shape.format);
    pithi_clog2_shape_make(&shape, "s=%s n=%d");
    OK(!pithi_clog2_pack(&shape, (const unsigned char *)"\0\2hi\0\0\0\7", 8, cargo) &&
           memcmp(cargo, "\0\2hi\0\0\0\7", 8) == 0,
       "what fits is packed as it is");
    OK(pithi_clog2_pack(&shape, (const unsigned char *)"\0\36abcdefghijklmnopqrstuvwxyz1234\0\0\0\7", 36, cargo) &&
           memcmp(cargo, "\0\32abcdefghijklmnopqrstuvwxyz\0\0\0\7", 32) == 0,
       "a string leaves room for what is behind it");
    OK(!pithi_clog2_pack(&shape, (const unsigned char *)"\0\11ab", 4, cargo), "a payload shorter than it says");
}

int main(void)
{
    colours();
    names();
    numbers();
    order();
    payloads();
    return tap_done();
}
