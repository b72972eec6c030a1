/* test_core_names.c - the names and durations in bars, and the records behind bands, against brute force over the
 * records of a random log of states 20 deep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scene/axis.h"
#include "core/scene/hit.h"
#include "core/scene/plot.h"
#include "core/rows/rows.h"
#include "core_log.h"
#include "tap.h"

enum { STATES = 30, DEEPEST = 20, MOST = 4000, WIDTH = 3000, ROW = 20, LETTER = 5, TEXTS = 4000 };

/* ---- The log ----------------------------------------------------------------------------------------------------- */

struct instance {
    uint32_t id, depth;
    int64_t start_ns, end_ns;
};

static struct instance instances[MOST];
static uint32_t instance_count;
static uint64_t seed = 7;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % limit;
}

/* Goes up and down, so that all depths occur, with long and with short states. */
static struct pithlog *random_log(void)
{
    uint32_t open[DEEPEST], depth = 0, lane;
    struct core_log log;
    int64_t now = 0;
    char name[48];

    core_log_begin(&log);
    for (int i = 0; i < STATES; i++) {
        snprintf(name, sizeof name, "%ss%d%s", i % 3 == 1 ? "MPI_" : "", i, i % 3 ? "" : "_with_a_longer_name");
        core_define(&log, PITHLOG_STATE, name, "");
    }
    lane = core_lane(&log, 0, 0, "");
    for (int i = 0, up = 1; i < 1500 || depth; i++) {
        now += 1 + (below(8) ? below(100) : below(20000));
        if (depth == DEEPEST || i >= 1500)
            up = 0;
        else if (!depth || below(12) == 0)
            up = 1;
        if (up || (depth < DEEPEST && i < 1500 && below(2))) {
            struct instance *made = &instances[instance_count];
            *made = (struct instance){below(STATES), depth, now, 0};
            core_add(&log, lane, PITHLOG_ENTER, now, made->id);
            open[depth++] = instance_count++;
        } else {
            struct instance *ended = &instances[open[--depth]];
            ended->end_ns = now;
            core_add(&log, lane, PITHLOG_LEAVE, now, ended->id);
        }
    }
    return core_log_end(&log);
}

static const struct instance *instance_at(int64_t time_ns, uint32_t depth)
{
    for (uint32_t i = 0; i < instance_count; i++)
        if (instances[i].depth == depth && instances[i].start_ns <= time_ns && time_ns < instances[i].end_ns)
            return &instances[i];
    return NULL;
}

/* ---- A painter that keeps the texts ------------------------------------------------------------------------------ */

static struct text {
    double x, y;
    char text[64];
} texts[TEXTS];
static uint32_t text_count, bare_count; /* bare_count: names without their MPI_ */

static void no_rect(void *context, double x, double y, double width, double height, uint32_t rgb, double alpha)
{
    (void)context, (void)x, (void)y, (void)width, (void)height, (void)rgb, (void)alpha;
}

static void keep_text(void *context, double x, double y, enum pithi_anchor anchor, struct pithi_font font, uint32_t rgb,
                      const char *text)
{
    (void)context, (void)anchor, (void)font, (void)rgb;
    if (text_count < TEXTS) {
        texts[text_count].x = x;
        texts[text_count].y = y;
        snprintf(texts[text_count++].text, sizeof texts->text, "%s", text);
    }
}

static double width_of(void *context, struct pithi_font font, const char *text)
{
    (void)context, (void)font;
    return (double)strlen(text) * LETTER;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* The name without MPI_, which a name loses before it is cut. */
static const char *bare_name(struct pithlog *log, const struct instance *instance)
{
    const char *name = pithlog_get_def(log, instance->id)->name;

    return strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
}

static int is_name(struct pithlog *log, const char *text, const struct instance *instance)
{
    const char *bare = bare_name(log, instance), *cut = strstr(text, "\u2026");

    if (cut)
        return strncmp(text, bare, (size_t)(cut - text)) == 0;
    return strcmp(text, bare) == 0 || strcmp(text, pithlog_get_def(log, instance->id)->name) == 0;
}

static void test_names(struct pithlog *log, const struct pithi_row *rows, int64_t t0, int64_t t1)
{
    static uint32_t rgb[STATES];
    const struct pithi_painter painter = {.rect = no_rect, .text = keep_text, .text_width = width_of};
    struct pithi_plot plot = {.log = log,
                              .rgb = rgb,
                              .t0_ns = t0,
                              .t1_ns = t1,
                              .rows = rows,
                              .row_count = DEEPEST,
                              .width = WIDTH,
                              .row_height = ROW,
                              .names = 1};
    uint32_t names = 0, durations = 0, wrong = 0, missing = 0;
    double column_ns = (double)(t1 - t0) / WIDTH;

    core_check(pithi_plot_load(&plot));
    text_count = 0;
    pithi_names_draw(&plot, &painter, 0, DEEPEST, NULL);
    for (uint32_t i = 0; i < text_count; i++) {
        int64_t time_ns = t0 + (int64_t)((texts[i].x + 6) * column_ns);
        const struct instance *there = instance_at(time_ns, (uint32_t)(texts[i].y / ROW));
        char length[64] = "";
        if (there)
            pithi_duration_text(there->end_ns - there->start_ns, length, sizeof length);
        if (there && strcmp(texts[i].text, length) == 0)
            durations++;
        else if (there && is_name(log, texts[i].text, there))
            names++, bare_count += there->id % 3 == 1 && texts[i].text[0] != 'M';
        else
            wrong++;
    }
    /* An instance that lies in the window and is wide enough for both has both. */
    for (uint32_t i = 0; i < instance_count; i++) {
        double columns = (double)(instances[i].end_ns - instances[i].start_ns) / column_ns;
        uint32_t found = 0;
        if (instances[i].start_ns < t0 || instances[i].end_ns >= t1 || columns < 260)
            continue;
        for (uint32_t k = 0; k < text_count; k++)
            found += (uint32_t)(texts[k].y / ROW) == instances[i].depth &&
                     texts[k].x >= (double)(instances[i].start_ns - t0) / column_ns &&
                     texts[k].x < (double)(instances[i].end_ns - t0) / column_ns;
        missing += found < 2;
    }
    OK(!wrong, "%u names and %u durations are those of the instances there (%u are not)", names, durations, wrong);
    OK(!missing && names > 10 && durations, "... and none is missing (%u are)", missing);
    pithi_plot_free(&plot);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void test_hits(struct pithlog *log, const struct pithi_row *rows)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    uint32_t wrong = 0, found = 0;

    for (int i = 0; i < 3000; i++) {
        uint32_t depth = below(DEEPEST);
        int64_t time_ns = info->start_ns + (int64_t)below((uint32_t)(info->end_ns - info->start_ns));
        const struct instance *wanted = instance_at(time_ns, depth);
        struct pithi_hit hit;
        int status = pithi_hit_row_state(log, &rows[depth], time_ns, time_ns + 1, 0, NULL, &hit);
        found += status == 1;
        if (status != (wanted != NULL) ||
            (wanted && (hit.id != wanted->id || hit.depth != depth || hit.start_ns != wanted->start_ns ||
                        hit.end_ns != wanted->end_ns)))
            wrong++;
    }
    OK(!wrong && found > 500, "the records behind 3000 places in bands, %u of them states (%u are wrong)", found,
       wrong);
}

/* Times that begin or end with a state, or anywhere. */
static int64_t some_time(const struct pithlog_info *info)
{
    const struct instance *of = &instances[below(instance_count)];
    uint32_t where = below(3);
    return where == 0   ? of->start_ns
           : where == 1 ? of->end_ns
                        : info->start_ns + (int64_t)below((uint32_t)(info->end_ns - info->start_ns));
}

static uint32_t levels_between(int64_t from_ns, int64_t to_ns)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < instance_count; i++)
        if (instances[i].start_ns < to_ns && instances[i].end_ns > from_ns && instances[i].depth >= most)
            most = instances[i].depth + 1;
    return most;
}

static void test_levels(struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_summary *summary;
    uint32_t wrong = 0, fewer = 0;

    core_check(pithlog_summary_open(log, &summary));
    OK(pithi_lane_levels(log, NULL, 0, INT64_MIN, INT64_MAX) == DEEPEST &&
           pithi_lane_levels(log, summary, 0, INT64_MIN, INT64_MAX) == DEEPEST,
       "the lane has %d levels", DEEPEST);
    for (int i = 0; i < 1000; i++) {
        int64_t from_ns = some_time(info), to_ns = from_ns + 1 + (int64_t)below(below(2) ? 100 : 100000);
        uint32_t levels = levels_between(from_ns, to_ns);
        wrong += pithi_lane_levels(log, NULL, 0, from_ns, to_ns) != levels ||
                 pithi_lane_levels(log, summary, 0, from_ns, to_ns) != levels;
        fewer += levels < DEEPEST;
    }
    OK(!wrong && fewer > 100, "1000 times, %u with fewer levels: as many as the instances have there (%u have not)",
       fewer, wrong);
    pithlog_summary_close(summary);
}

int main(void)
{
    struct pithlog *log = random_log();
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_row rows[DEEPEST];
    int64_t span = info->end_ns - info->start_ns;

    for (uint32_t i = 0; i < DEEPEST; i++)
        rows[i] = (struct pithi_row){.lane = 0, .band = i + 1};
    test_levels(log);
    test_names(log, rows, info->start_ns, info->end_ns + 1);
    test_names(log, rows, info->start_ns + span / 3, info->start_ns + span / 2);
    test_names(log, rows, info->start_ns + span / 2, info->start_ns + span / 2 + span / 40);
    OK(bare_count, "%u names have lost MPI_ for lack of room", bare_count);
    test_hits(log, rows);
    pithlog_close(log);
    return tap_done();
}
