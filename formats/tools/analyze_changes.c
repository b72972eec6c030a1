/* analyze_changes.c - what changed between two logs of a program, by cause.
 *
 * All figures are means over the lanes with MPI calls, called "per rank". At each moment of its window such a lane
 * computes, waits, or is in the rest of an MPI call (transfer). So the changes of these three parts add up to the
 * change of the run time. Example: run A takes 10 s (computing 7, waiting 2, transfer 1) and run B 12 s (8, 3.5, 0.5);
 * the changes are +1 +1.5 -0.5 = +2 s. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/map.h"
#include "tools/analyze.h"
#include "tools/table.h"

/* NAME, NAME_WITH_RANK, LABEL and NUMBER are widths of columns; a line has at most WIDTH characters. SHOWN: at most so
 * many states are listed below a part of the run time */
enum { NAME = 30, NAME_WITH_RANK = 20, LABEL = 42, NUMBER = 12, WIDTH = 79, SHOWN = 4 };

/* Parts of the run time, in the order of the table. */
enum part { COMPUTING, WAITING, REST, RUN };
static const char *const part_names[] = {"computing", "waiting", "transfer", "run time"};

/* A row of the table. If `name` is NULL, it is a part of the run time or a kind of waiting. Otherwise it is a state
 * within such a part; within a kind of waiting, it is a state of another rank that caused the waiting. */
struct change {
    enum part part;
    uint32_t kind; /* enum pithlog_wait_kind of a row of waiting; 0: all kinds */
    const char *name;
    int32_t rank; /* -1: all ranks */
    double ns[2]; /* the mean per rank in log A and in log B */
};

struct changes {
    struct pithi_findings *findings; /* [2] */
    struct change *list;             /* [count] malloc'ed */
    uint32_t count, room;
};

static double run_ns(const struct pithi_findings *f) { return (double)(f->info->to_ns - f->info->from_ns); }

/* ---- Gathering --------------------------------------------------------------------------------------------------- */

/* Adds the row `what` for log `side`. `ns` is a sum over all lanes of this log; the row gets the mean per rank. */
static int add(struct changes *c, int side, struct change what, double ns)
{
    if (!pithi_grow(&c->list, c->count, &c->room, sizeof what))
        return pithi_no_memory();
    what.ns[side] = ns / c->findings[side].info->lanes;
    c->list[c->count++] = what;
    return PITH_OK;
}

/* Adds a row for a part of the run time or a kind of waiting. Its caller rounds the mean per rank down to whole
 * nanoseconds, so that the parts add up exactly to the run time. */
static int add_total(struct changes *c, int side, enum part part, uint32_t kind, double per_rank_ns)
{
    return add(c, side, (struct change){.part = part, .kind = kind, .rank = -1},
               per_rank_ns * c->findings[side].info->lanes);
}

static int add_side(struct changes *c, int side)
{
    const struct pithi_findings *f = &c->findings[side];
    const struct pithlog_info *info = pithlog_get_info(f->log);
    double computing_ns = floor((double)f->info->useful_ns / f->info->lanes), waiting_ns = 0;

    for (uint32_t k = 0; k <= info->defs; k++) {
        uint32_t state = k == info->defs ? PITHLOG_COMPUTING : k;
        enum part part = pithlog_analysis_is_call(f->analysis, state) ? REST : COMPUTING;
        struct change what = {part, 0, pithi_state_text(f->log, state), -1, {0, 0}};
        double ns = 0;
        for (uint32_t lane = 0; lane < info->lanes; lane++)
            if (pithlog_analysis_calls_mpi(f->analysis, lane))
                ns += (double)pithlog_analysis_state_ns(f->analysis, lane, state);
        if (ns > 0)
            CHECK(add(c, side, what, ns));
    }

    /* Adds a row for each kind of waiting in MPI calls, and rows for the delays that caused it. */
    f = &c->findings[side];
    const struct pithlog_wait_state *waits;
    const struct pithlog_delay *delays;
    double of_kind[PITHLOG_WAIT_KINDS] = {0};

    for (uint32_t lane = 0; lane < pithlog_get_info(f->log)->lanes; lane++) {
        size_t count = pithlog_analysis_waits(f->analysis, lane, &waits);
        for (size_t i = 0; i < count; i++)
            if (pithlog_analysis_is_call(f->analysis, waits[i].state))
                of_kind[waits[i].kind] += (double)(waits[i].to_ns - waits[i].from_ns);
    }
    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++) {
        double ns = floor(of_kind[kind] / f->info->lanes);
        waiting_ns += ns;
        if (of_kind[kind] > 0)
            CHECK(add_total(c, side, WAITING, kind, ns));
    }
    size_t count = pithlog_analysis_delays(f->analysis, &delays);
    for (size_t i = 0; i < count; i++) {
        struct change what = {WAITING, delays[i].kind, pithi_state_text(f->log, delays[i].state), -1, {0, 0}};
        if (pithlog_get_info(c->findings[0].log)->ranks == pithlog_get_info(c->findings[1].log)->ranks)
            what.rank = pithlog_get_lane(f->log, delays[i].lane)->rank;
        if (of_kind[what.kind] > 0)
            CHECK(add(c, side, what, delays[i].direct_ns + delays[i].indirect_ns));
    }

    CHECK(add_total(c, side, COMPUTING, 0, computing_ns));
    CHECK(add_total(c, side, WAITING, 0, waiting_ns));
    CHECK(add_total(c, side, REST, 0, run_ns(f) - computing_ns - waiting_ns));
    return add_total(c, side, RUN, 0, run_ns(f));
}

static double change_of(const struct change *x) { return x->ns[1] - x->ns[0]; }

/* Compares two rows by part of the run time and kind of waiting. The row of a part or kind comes before the rows of its
 * states. */
static int by_group(const struct change *x, const struct change *y)
{
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->name != NULL) - (y->name != NULL);
}

static int by_name(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    int order = by_group(x, y);

    if (!order && x->name)
        order = strcmp(x->name, y->name);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_change(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    int order = by_group(x, y);
    double more = fabs(change_of(x)), less = fabs(change_of(y));

    return order ? order : more != less ? (more < less ? 1 : -1) : by_name(a, b);
}

/* ---- For programs ------------------------------------------------------------------------------------------------ */

static const struct pithi_table_column change_columns[] = {
    {"part", PITHI_CELL_TEXT, 0},    {"kind", PITHI_CELL_TEXT, 0}, {"state", PITHI_CELL_TEXT, 0},
    {"rank", PITHI_CELL_COUNT, 0},   {"a", PITHI_CELL_TIME, 0},    {"b", PITHI_CELL_TIME, 0},
    {"change", PITHI_CELL_CHANGE, 0}};

static void put_text(struct pithi_report *table, const char *text)
{
    if (text)
        pithi_table_text(table, text);
    else
        pithi_table_skip(table);
}

static int put_for_programs(const struct changes *c, FILE *out, enum pithi_text_style style)
{
    struct pithi_report *table = NULL;
    int err;

    TRY(pithi_table_new(&table, change_columns, sizeof change_columns / sizeof *change_columns));
    for (uint32_t i = 0; i < c->count; i++) {
        const struct change *x = &c->list[i];
        pithi_table_row(table);
        pithi_table_text(table, part_names[x->part]);
        put_text(table, x->kind ? pithlog_wait_kind_name(x->kind) : NULL);
        put_text(table, x->name);
        if (x->rank >= 0)
            pithi_table_number(table, x->rank);
        else
            pithi_table_skip(table);
        pithi_table_number(table, llround(x->ns[0]));
        pithi_table_number(table, llround(x->ns[1]));
        pithi_table_number(table, llround(x->ns[1]) - llround(x->ns[0]));
    }
    TRY(pithi_table_print(table, out, style));
out:
    pithi_table_free(table);
    return err;
}

/* ---- For people -------------------------------------------------------------------------------------------------- */

/* Writes the name of a row's state and its rank to `text`, as "refine on rank 6". A long name is cut. */
static void describe(const struct change *x, char *text, size_t size)
{
    int bytes = 0, characters = 0, most = x->rank < 0 ? NAME : NAME_WITH_RANK;

    while (x->name[bytes] && bytes < 4 * most) {
        if (((unsigned char)x->name[bytes] & 0xc0) != 0x80 && characters++ == most)
            break;
        bytes++;
    }
    snprintf(text, size, x->rank < 0 ? "%.*s" : "%.*s on rank %d", bytes, x->name, (int)x->rank);
}

static int by_size(const void *a, const void *b)
{
    const struct change *x = *(const struct change *const *)a, *y = *(const struct change *const *)b;
    double more = fabs(change_of(x)), less = fabs(change_of(y));
    return more != less ? (more < less ? 1 : -1) : x < y ? -1 : x > y;
}

static void put_change(int indent, const char *label, const double ns[2], double unit, FILE *out)
{
    char line[LABEL + 4 * NAME + 64];
    int digits = unit < 1e6 ? 3 : 6, width = LABEL;

    /* printf() pads by bytes. So the width grows by one for each continuation byte of UTF-8, which takes no column. */
    for (const char *p = label; *p; p++)
        width += ((unsigned char)*p & 0xc0) == 0x80;
    snprintf(line, sizeof line, "%*s%-*s%*.*f%*.*f%+*.*f", indent, "", width - indent, label, NUMBER, digits,
             ns[0] / unit, NUMBER, digits, ns[1] / unit, NUMBER, digits, (ns[1] - ns[0]) / unit);
    pithi_tool_say(out, "%s", line);
}

int pithi_changes_print(struct pithi_findings findings[2], FILE *out, enum pithi_text_style style)
{
    struct changes c = {.findings = findings};
    uint32_t kept = 0;
    int err;

    TRY(add_side(&c, 0));
    TRY(add_side(&c, 1));
    qsort(c.list, c.count, sizeof *c.list, by_name);
    for (uint32_t i = 0; i < c.count; i++) {
        if (kept > 0 && by_name(&c.list[kept - 1], &c.list[i]) == 0) {
            c.list[kept - 1].ns[0] += c.list[i].ns[0];
            c.list[kept - 1].ns[1] += c.list[i].ns[1];
        } else {
            c.list[kept++] = c.list[i];
        }
    }
    c.count = kept;
    qsort(c.list, kept, sizeof *c.list, by_change);
    if (style != PITHI_TEXT_TABS) {
        TRY(put_for_programs(&c, out, style));
    } else {
        /* Prints by how much B is slower or faster than A, then the changes of parts that are the reasons. A reason is
         * at least 5 % of the largest change and, if the runs take equally long, at least 0.1 % of the run. */
        const struct change *reasons[RUN + PITHLOG_WAIT_KINDS];
        double a_ns = run_ns(&c.findings[0]), b_ns = run_ns(&c.findings[1]), least;
        int is_equal = fabs(b_ns - a_ns) < 0.001 * a_ns;
        char text[PITHI_NS_TEXT];
        size_t count = 0, shown = 0;
        for (uint32_t i = 0; i < c.count; i++)
            if (!c.list[i].name && c.list[i].part != RUN && (c.list[i].part != WAITING || c.list[i].kind))
                reasons[count++] = &c.list[i];
        qsort(reasons, count, sizeof *reasons, by_size);
        least = fmax(0.05 * fabs(change_of(reasons[0])), is_equal ? 0.001 * a_ns : 0);
        while (shown < count && fabs(change_of(reasons[shown])) >= least)
            shown++;
        if (is_equal)
            fprintf(out, "\nB takes as long as A%s\n",
                    shown ? ". Per rank:" : ", and no part of the run changed by 0.1 %.");
        else
            fprintf(out, "\nB is %s (%.1f %%) %s than A. Per rank:\n", pithi_ns_text(text, fabs(b_ns - a_ns)),
                    100 * fabs(b_ns - a_ns) / a_ns, b_ns > a_ns ? "slower" : "faster");
        /* Prints a reason in each line: "710.0 ms more late sender, 650.0 ms of it caused by refine on rank 6". */
        for (size_t i = 0; i < shown; i++) {
            const struct change *x = reasons[i];
            const struct change *end = c.list + c.count, *cause = x + 1;
            const char *word = change_of(x) > 0 ? "more" : "less";
            char head[96], tail[256] = "", amount[PITHI_NS_TEXT], name[160];
            while (cause < end && cause->name && change_of(cause) * change_of(x) <= 0)
                cause++;
            snprintf(head, sizeof head, "  %s %s %s", pithi_ns_text(amount, fabs(change_of(x))), word,
                     x->part == WAITING ? pithlog_wait_kind_name(x->kind) : part_names[x->part]);
            if (cause < end && cause->name && fabs(change_of(cause)) >= 0.1 * fabs(change_of(x))) {
                const char *link = x->part == WAITING ? "caused by" : "in";
                describe(cause, name, sizeof name);
                if (fabs(change_of(cause)) < 0.995 * fabs(change_of(x)))
                    snprintf(tail, sizeof tail, ", %s of it %s %s", pithi_ns_text(amount, fabs(change_of(cause))), link,
                             name);
                else
                    snprintf(tail, sizeof tail, ", %s %s", link, name);
            }
            pithi_tool_say(out, "%s%s", head, strlen(head) + strlen(tail) <= WIDTH ? tail : ",");
            if (strlen(head) + strlen(tail) > WIDTH)
                pithi_tool_say(out, "     %s", tail + 1);
        }

        /* Prints the table. Indented lines add up to the line above them. */
        double longest = fmax(run_ns(&c.findings[0]), run_ns(&c.findings[1]));
        double unit = longest >= 1e9 ? 1e9 : longest >= 1e6 ? 1e6 : 1e3;
        char label[160];
        fprintf(out, "\n%-*s%*s%*s%*s\n", LABEL, "What changed, mean per rank", NUMBER, "A", NUMBER, "B", NUMBER,
                unit == 1e9   ? "B - A, s"
                : unit == 1e6 ? "B - A, ms"
                              : "B - A, us");
        for (uint32_t i = 0; i < c.count;) {
            const struct change *sum = &c.list[i++];
            double others[2] = {0, 0};
            uint32_t listed = 0, left = 0;
            put_change(sum->kind ? 4 : 2, sum->kind ? pithlog_wait_kind_name(sum->kind) : part_names[sum->part],
                       sum->ns, unit, out);
            for (; i < c.count && c.list[i].name; i++) {
                const struct change *x = &c.list[i];
                if (listed < SHOWN && fabs(change_of(x)) >= 0.001 * longest) {
                    memcpy(label, "by ", 3);
                    describe(x, label + 3, sizeof label - 3);
                    put_change(sum->kind ? 6 : 4, sum->kind ? label : label + 3, x->ns, unit, out);
                    listed++;
                } else {
                    others[0] += x->ns[0];
                    others[1] += x->ns[1];
                    left++;
                }
            }
            snprintf(label, sizeof label, "%u other%s", left, left == 1 ? "" : "s");
            if (listed && left)
                put_change(sum->kind ? 6 : 4, label, others, unit, out);
        }
    }
out:
    free(c.list);
    return err;
}
