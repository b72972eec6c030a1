/* test_json.c - the reader of JSON text: what stands where, numbers without loss, strings as UTF-8, and what is cut. */
#include <stdlib.h>
#include <string.h>

#include "foreign/chrome/json.h"
#include "tap.h"

/* On the heap, as long as it is: a sanitizer sees what is read beyond. */
static int first_value(const char *text, struct pithi_json_value *value, unsigned char **data)
{
    struct pithi_json json = {.size = strlen(text)};
    json.data = *data = malloc(json.size + !json.size);
    memcpy(*data, text, json.size);
    return pithi_json_value(&json, value);
}

static void scaled(const char *text, int decimals, int good, int64_t wanted)
{
    struct pithi_json_value value;
    unsigned char *data;
    char padded[64];
    int64_t got = 0;
    snprintf(padded, sizeof padded, "%s ", text);
    int status = first_value(padded, &value, &data) == PITHI_JSON_OK && pithi_json_scaled(&value, decimals, &got);
    OK(status == good && (!good || got == wanted), "%s with %d decimals: %lld", text, decimals, (long long)got);
    free(data);
}

static void numbers(void)
{
    scaled("0", 3, 1, 0);
    scaled("1.5", 3, 1, 1500);
    scaled("-12.3456", 3, 1, -12346);
    scaled("0.0004", 3, 1, 0);
    scaled("0.0005", 3, 1, 1);
    scaled("1e3", 3, 1, 1000000);
    scaled("25E-1", 0, 1, 3);
    scaled("1795188971176861.123", 3, 1, INT64_C(1795188971176861123));
    scaled("9223372036854775807", 0, 1, INT64_MAX);
    scaled("9223372036854775808", 0, 0, 0);
    scaled("18446744073709551615", 0, 0, 0);
    scaled("0.12345678901234567890123456789", 3, 1, 123);
    scaled("123456789012345678901234567890e-20", 0, 1, INT64_C(1234567890));
    scaled("1e999999999999", 3, 0, 0);
    scaled("1e-999999999999", 3, 1, 0);
    scaled("\"7.25\"", 3, 1, 7250);
    scaled("\"7x\"", 3, 0, 0);
    scaled("\"\"", 3, 0, 0);
    scaled("1.2.3", 3, 0, 0);
    scaled("-", 3, 0, 0);
    scaled("1e", 3, 0, 0);
    scaled("true", 3, 0, 0);
    scaled("[1]", 3, 0, 0);
}

static void decoded(const char *text, const char *wanted, size_t size)
{
    struct pithi_json_value value;
    unsigned char *data;
    char got[64] = "";
    size_t length = first_value(text, &value, &data) == PITHI_JSON_OK ? pithi_json_text(&value, got, size) : 99;
    OK(length == strlen(wanted) && strcmp(got, wanted) == 0, "%s in %zu bytes", text, size);
    free(data);
}

static void strings(void)
{
    decoded("\"\"", "", 64);
    decoded("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "a\"\\/\b\f\n\r\t", 64);
    decoded("\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\"", "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 64);
    decoded("\"\\ud83d\\u0041 \\ude00 \\ud83d\"", "\xef\xbf\xbd\x41 \xef\xbf\xbd \xef\xbf\xbd", 64);
    decoded("\"\\u00 \\q \\cuda\"", "\\u00 \\q \\cuda", 64);
    decoded("\"\xc3\xa4\xff\xe2\x82\"", "\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd", 64);
    decoded("\"\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\"", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 64);
    decoded("\"ab\xc3\xa4\"", "ab", 4);
    decoded("\"ab\xc3\xa4\"", "ab\xc3\xa4", 5);
    decoded("\"ab\"", "", 1);
    decoded("{\"k\": [1, \"\\n\"]}", "{\"k\": [1, \"\\n\"]}", 64);
}

static void texts(const char *text, int wanted)
{
    struct pithi_json_value value;
    unsigned char *data;
    OK(first_value(text, &value, &data) == wanted, "%.30s", text);
    free(data);
}

static void structure(void)
{
    static const char *const cut[] = {
        "",        " ",       "{",     "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "[1,",
        "[1, [2]", "\"a\\\"", "\"a\\", "12",   "-",      "[true,",  "tru",      "{\"a\":1,"};
    static const char *const wrong[] = {"]",    "{1:2}", "{\"a\" 1}", "[1 2]",   "[,1]",
                                        "nul ", "'a'",   "[-Inf]",    "{\"a\"}", "+1 "};
    static const char *const good[] = {"[1,]", "{\"a\":1,}", "[NaN,-Infinity,null]", "{}", "[ ]", "[[[]]]"};
    char deep[403];
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        texts(cut[i], PITHI_JSON_CUT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        texts(wrong[i], PITHI_JSON_WRONG);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        texts(good[i], PITHI_JSON_OK);
    memset(deep, '[', 402);
    deep[402] = 0;
    texts(deep, PITHI_JSON_WRONG);
    memset(deep + 199, ']', 199);
    deep[398] = 0;
    texts(deep, PITHI_JSON_OK);
}

int main(void)
{
    numbers();
    strings();
    structure();
    return tap_done();
}
