/* chrome_event.c - see chrome_event.h. */
#include "chrome/chrome_event.h"

#include <string.h>

#include "text/text_fields.h"

/* Times in microseconds: up to 95 years in either direction, so that sums of three are numbers, too. */
#define LATEST_NS INT64_C(3000000000000000000)

static int time_of(const struct pithi_json_value *value, int64_t *time_ns)
{
    return pithi_json_scaled(value, 3, time_ns) && *time_ns >= -LATEST_NS && *time_ns <= LATEST_NS;
}

static void set_field(struct pithi_chrome_event *event, const struct pithi_json_value *key,
                      const struct pithi_json_value *value)
{
    if (pithi_json_is(key, "ph"))
        event->phase = (char)(value->kind == '"' && value->size == 1 ? value->text[0] : 0);
    else if (pithi_json_is(key, "name"))
        event->name = *value;
    else if (pithi_json_is(key, "cat"))
        event->category = *value;
    else if (pithi_json_is(key, "pid"))
        event->pid = *value;
    else if (pithi_json_is(key, "tid"))
        event->tid = *value;
    else if (pithi_json_is(key, "id"))
        event->id = *value;
    else if (pithi_json_is(key, "args"))
        event->args = *value;
    else if (pithi_json_is(key, "bind_id"))
        event->bind_id = *value;
    else if (pithi_json_is(key, "flow_in"))
        event->flow_in = pithi_json_is(value, "true");
    else if (pithi_json_is(key, "flow_out"))
        event->flow_out = pithi_json_is(value, "true");
    else if (pithi_json_is(key, "ts"))
        event->timed = time_of(value, &event->time_ns);
    else if (pithi_json_is(key, "dur") && (!time_of(value, &event->length_ns) || event->length_ns < 0))
        event->length_ns = 0;
}

int pithi_chrome_event(struct pithi_json *json, struct pithi_chrome_event *event)
{
    struct pithi_json_value key, value;
    int first = 1, status = pithi_json_open(json, '{');
    *event = (struct pithi_chrome_event){0};
    while (status == PITHI_JSON_OK && (status = pithi_json_key(json, &first, &key)) == PITHI_JSON_OK)
        if ((status = pithi_json_value(json, &value)) == PITHI_JSON_OK)
            set_field(event, &key, &value);
    return status == PITHI_JSON_DONE ? PITHI_JSON_OK : status;
}

/* ---- Arguments --------------------------------------------------------------------------------------------------- */

static int open_args(const struct pithi_chrome_event *event, struct pithi_json *json)
{
    *json = (struct pithi_json){.data = event->args.text, .size = event->args.size};
    return event->args.kind == '{' && pithi_json_open(json, '{') == PITHI_JSON_OK;
}

int pithi_chrome_arg(const struct pithi_chrome_event *event, const char *wanted, struct pithi_json_value *value)
{
    struct pithi_json_value key;
    struct pithi_json json;
    int first = 1, open = open_args(event, &json);
    while (open && pithi_json_key(&json, &first, &key) == PITHI_JSON_OK &&
           pithi_json_value(&json, value) == PITHI_JSON_OK)
        if (pithi_json_is(&key, wanted))
            return 1;
    return 0;
}

int pithi_chrome_arg_number(const struct pithi_chrome_event *event, const char *key, int64_t least, int64_t *number)
{
    struct pithi_json_value value;
    return pithi_chrome_arg(event, key, &value) && pithi_json_scaled(&value, 0, number) && *number >= least;
}

size_t pithi_chrome_args_text(const struct pithi_chrome_event *event, char text[PITHI_CHROME_TEXT])
{
    struct pithi_json_value key, value;
    struct pithi_json json;
    size_t used = 0;
    int first = 1, open = open_args(event, &json);
    text[0] = 0;
    while (open && pithi_json_key(&json, &first, &key) == PITHI_JSON_OK &&
           pithi_json_value(&json, &value) == PITHI_JSON_OK && used + 2 < PITHI_CHROME_TEXT) {
        int own = used == 0 && pithi_json_is(&key, "payload") && value.kind == '"';
        if (used)
            text[used++] = ' ';
        if (!own) {
            used += pithi_json_text(&key, text + used, PITHI_CHROME_TEXT - 1 - used);
            text[used++] = '=';
        }
        size_t length = pithi_json_text(&value, text + used, PITHI_CHROME_TEXT - used);
        used += own ? pithi_unescape(text + used) : length;
    }
    return used;
}

/* FNV-1a. */
uint64_t pithi_chrome_hash(uint64_t hash, const struct pithi_json_value *value)
{
    hash ^= UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < value->size; i++)
        hash = (hash ^ value->text[i]) * UINT64_C(0x100000001b3);
    return hash >> 1;
}
