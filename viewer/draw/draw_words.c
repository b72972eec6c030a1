/* draw_words.c - runs the words of -e, as in `pith draw -e 'zoom 1.2 1.4; hide MPI_*'`. A word is a script command of
 * the viewer's window that makes sense for a picture, with the same spelling and effect.
 *
 * So if a script was saved in the viewer's window, `pith draw` with this script draws what the window showed. Words run
 * one after the other, and each word starts from the result of the words before: `zoom 1 2; in` shows 1.25 to 1.75 s,
 * `in; zoom 1 2` shows 1 to 2 s. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "core/cells/memory.h"
#include "core/measure/messages.h"
#include "core/raster/palette.h"
#include "core/rows/words.h"
#include "draw/draw.h"

/* ---- Effects of the words ---------------------------------------------------------------------------------------- */

/* Reports a wrong word. Returns 2, the exit status for a wrong command line. */
int pithi_draw_word_wrong(const char *word, const char *why, const char *what)
{
    pithi_draw_failed("draw: -e: %s: %s%s; see `pith help draw`", word, why, what);
    return 2;
}

/* Sets the drawn interval. As in the viewer's window, it lies inside the log and is at least 20 ns long. */
static int set_window(struct pithi_draw *draw, double from, double to)
{
    int64_t first, last;
    double span;

    pithi_whole_window(draw->log, &first, &last);
    span = to - from;
    if (span > (double)(last - first))
        span = (double)(last - first);
    if (span < 20)
        span = 20;
    /* an interval that reaches beyond the end of the log is shifted, not cut, so its length stays */
    if (from > (double)last - span)
        from = (double)last - span;
    if (from < (double)first)
        from = (double)first;
    draw->t0_ns = (int64_t)from;
    draw->t1_ns = draw->t0_ns + (int64_t)span;
    return 0;
}

static int do_zoom(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    int64_t from, to;

    if (pithlog_time_find(draw->log, word->item[1], PITHLOG_EDGE_BEGIN, &from) ||
        pithlog_time_find(draw->log, word->item[2], PITHLOG_EDGE_END, &to))
        return pithi_draw_word_wrong("zoom", pithlog_error(), "");
    if (from >= to)
        return pithi_draw_word_wrong("zoom", "must end after it begins", "");
    return set_window(draw, (double)from, (double)to);
}

/* Sets the selection, an interval. Everything outside the selection is drawn pale. */
static int do_select(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    int64_t from = 0, to = 0;

    if (word->count == 2 && strcmp(word->item[1], "none") != 0)
        return pithi_draw_word_wrong("select", "needs FROM TO | none", "");
    if (word->count == 3 && (pithlog_time_find(draw->log, word->item[1], PITHLOG_EDGE_BEGIN, &from) ||
                             pithlog_time_find(draw->log, word->item[2], PITHLOG_EDGE_END, &to)))
        return pithi_draw_word_wrong("select", pithlog_error(), "");
    draw->lit_from_ns = from < to ? from : to;
    draw->lit_to_ns = from < to ? to : from;
    return 0;
}

static int do_fit(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    (void)word;
    pithi_whole_window(draw->log, &draw->t0_ns, &draw->t1_ns);
    return 0;
}

static int do_work(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    (void)word;
    pithi_work_window(draw->log, &draw->t0_ns, &draw->t1_ns);
    return 0;
}

/* Returns the positive number that follows the word, or `otherwise` if nothing follows. Returns 0 if it is no positive
 * number; then it has printed a message. */
static double factor_of(const struct pithi_draw_word *word, double otherwise)
{
    char *end;
    double value = word->count > 1 ? strtod(word->item[1], &end) : otherwise;

    if (word->count > 1 && (*end || end == word->item[1] || !(value > 0 && value < 1e9))) {
        pithi_draw_word_wrong(word->item[0], "no number above 0: ", word->item[1]);
        return 0;
    }
    return value;
}

/* Makes the drawn interval `factor` times as long and keeps its middle. */
static int zoom_by(struct pithi_draw *draw, double factor)
{
    double middle = ((double)draw->t0_ns + (double)draw->t1_ns) / 2;
    double half = ((double)draw->t1_ns - (double)draw->t0_ns) / 2 * factor;

    return set_window(draw, middle - half, middle + half);
}

static int do_in(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    double factor = factor_of(word, 2);
    return factor > 0 ? zoom_by(draw, 1 / factor) : 2;
}

static int do_out(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    double factor = factor_of(word, 2);
    return factor > 0 ? zoom_by(draw, factor) : 2;
}

static int do_pan(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    double span = (double)draw->t1_ns - (double)draw->t0_ns, by;
    char *end;

    by = strtod(word->item[1], &end) * span; /* the argument is a fraction: 0.5 moves by half of the interval to the
                                              * right */
    if (*end || end == word->item[1] || !(by > -9e18 && by < 9e18))
        return pithi_draw_word_wrong("pan", "no number: ", word->item[1]);
    return set_window(draw, (double)draw->t0_ns + by, (double)draw->t1_ns + by);
}

static int do_height(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    double pixels = factor_of(word, 0);

    draw->row_height = pixels < 2 ? 2 : pixels > 200 ? 200 : (int)pixels;
    return pixels > 0 ? 0 : 2;
}

/* Sets `hidden` for all definitions that match the pattern. Returns 1 if any definition matches. */
int pithi_draw_set_hidden(struct pithi_draw *draw, const char *pattern, unsigned char hidden)
{
    int found = 0;

    for (uint32_t id = 0; id < pithlog_get_info(draw->log)->defs; id++)
        if (fnmatch(pattern, pithlog_get_def(draw->log, id)->name, 0) == 0) {
            draw->hidden[id] = hidden;
            found = 1;
        }
    return found;
}

/* Hides the events whose names begin with "pith:", which only tools need. The viewer's window hides them, too. */
void pithi_draw_hide_tool_events(struct pithi_draw *draw)
{
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(draw->log, id)); id++)
        draw->hidden[id] = def->kind == PITHLOG_EVENT_TYPE && strncmp(def->name, "pith:", 5) == 0;
}

static int set_hidden(struct pithi_draw *draw, const struct pithi_draw_word *word, unsigned char hidden)
{
    const char *pattern = word->item[1];
    struct pithi_nearest nearest;

    /* "*" is no error even if an empty log has no definition that it could match. */
    if (pithi_draw_set_hidden(draw, pattern, hidden) || strcmp(pattern, "*") == 0)
        return 0;
    pithi_nearest_name(&nearest, draw->log, pattern, 0);
    pithi_draw_failed("draw: -e: %s: no state or event is called %s%s", word->item[0], pattern,
                      nearest.name ? pithi_nearest_ask(&nearest) : "; see `pith info` and `pith stat`");
    return 2;
}

static int do_hide(struct pithi_draw *draw, const struct pithi_draw_word *word) { return set_hidden(draw, word, 1); }

static int do_show(struct pithi_draw *draw, const struct pithi_draw_word *word) { return set_hidden(draw, word, 0); }

/* Returns 1 if the word means "on"; these are the words that Tcl reads as true. All other words mean "off". */
static int is_on(const char *word)
{
    static const char *const on[] = {"on", "1", "yes", "true"};

    for (unsigned i = 0; i < sizeof on / sizeof *on; i++)
        if (strcmp(word, on[i]) == 0)
            return 1;
    return 0;
}

static int do_arrows(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    int is_auto = strcmp(word->item[1], "auto") == 0;

    draw->all_arrows = is_on(word->item[1]);
    draw->no_arrows = !draw->all_arrows && !is_auto;
    return 0;
}

static int do_names(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->no_names = !is_on(word->item[1]);
    return 0;
}

static int do_waits(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->waits = is_on(word->item[1]);
    return 0;
}

static int do_core_waits(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->shows_core_waits = is_on(word->item[1]);
    return 0;
}

static int do_time_of_day(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->shows_time_of_day = is_on(word->item[1]);
    return 0;
}

static int do_critical_path(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->path = is_on(word->item[1]);
    return 0;
}

static int do_notes(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->shows_notes = is_on(word->item[1]);
    return 0;
}

static int do_findings(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->findings = is_on(word->item[1]);
    return 0;
}

/* Sets `ranges`, which adds mountain ranges to a picture. It has no effect on web pages and text, which have none. */
static int do_ranges(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    draw->ranges = is_on(word->item[1]);
    return 0;
}

static int do_message_filter(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    const char *words[PITHI_MOST_ITEMS];
    struct pithi_message_filter filter;
    char why[512];
    int status = 0;

    for (int i = 1; i < word->count; i++) /* item[0] is the word itself; the arguments follow */
        words[i - 1] = word->item[i];
    pithlog_digest_close(draw->picked);
    draw->picked = NULL;
    if (pithi_message_filter_parse(&filter, words, word->count - 1, why, sizeof why))
        status = pithi_draw_word_wrong("message_filter", why, "");
    else if (draw->digest && !pithi_message_filter_is_all(&filter) && /* without a digest, the picture has no arrows */
             pithi_message_filter_run(draw->log, draw->digest, &filter, NULL, &draw->picked))
        status = pithi_draw_failed("%s", pithlog_error());
    pithi_message_filter_free(&filter);
    return status;
}

/* Shows only the states, events and counters that match the pattern after the word, and hides all others. */
static int do_only(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    pithi_draw_set_hidden(draw, "*", 1);
    return set_hidden(draw, word, 0);
}

/* Shows everything again that words before have hidden, also arrows after `arrows off`. */
static int do_show_all(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    (void)word;
    pithi_draw_set_hidden(draw, "*", 0);
    draw->no_arrows = draw->all_arrows = 0;
    return 0;
}

int pithi_draw_give_colours(struct pithi_draw *draw)
{
    int err = pithi_palette_fill(draw->log, draw->summary, draw->palette, draw->rgb);

    for (uint32_t id = 0; draw->own_rgb && id < pithlog_get_info(draw->log)->defs; id++)
        if (draw->own_rgb[id] & PITHI_OWN_RGB)
            draw->rgb[id] = draw->own_rgb[id] & ~(uint32_t)PITHI_OWN_RGB;
    return err;
}

/* Assigns all colours anew after a change of the palette or the theme. Colours depend on the theme because they must
 * differ from its background. */
static int give_colours(struct pithi_draw *draw)
{
    int err = pithi_draw_give_colours(draw);

    if (err == PITH_ERR_DAMAGED)
        pithi_draw_damaged();
    return err && err != PITH_ERR_DAMAGED ? pithi_draw_failed("%s", pithlog_error()) : 0;
}

static int do_theme(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    if (pithi_theme_choose(word->item[1]))
        return pithi_draw_word_wrong("theme", "must be light or dark, not ", word->item[1]);
    return give_colours(draw);
}

static int do_palette(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    if (pithi_palette_parse(word->item[1], &draw->palette))
        return pithi_draw_word_wrong("palette", "must be log, classic or safe, not ", word->item[1]);
    return give_colours(draw);
}

/* Sets the colour of a state, event or counter. A third argument is ignored; in the viewer's window it says where the
 * setting is stored. */
static int do_colour(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    const char *text = word->item[2];
    char *end;
    unsigned long rgb = *text == '#' ? strtoul(text + 1, &end, 16) : 0;

    if (*text != '#' || strlen(text) != 7 || *end) /* the length is checked, because strtoul also takes fewer digits */
        return pithi_draw_word_wrong("colour", "must be like #1f77b4: ", text);
    if (!draw->own_rgb)
        draw->own_rgb = pithi_alloc(pithlog_get_info(draw->log)->defs, sizeof *draw->own_rgb);
    for (uint32_t id = 0; id < pithlog_get_info(draw->log)->defs; id++)
        if (fnmatch(word->item[1], pithlog_get_def(draw->log, id)->name, 0) == 0)
            draw->own_rgb[id] = PITHI_OWN_RGB | (draw->rgb[id] = (uint32_t)rgb);
    return 0;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

/* The words in alphabetical order. `arguments` is how messages show the arguments of a word. A word takes `least` to
 * `most` arguments, which is checked before `run` is called. */
static const struct {
    const char *word, *arguments;
    int least, most; /* the least and the most arguments */
    int (*run)(struct pithi_draw *draw, const struct pithi_draw_word *word);
} table[] = {
    {"arrows", "on|off|auto", 1, 1, do_arrows},
    {"collapse", "?ROWS?", 0, 1, pithi_draw_do_collapse},
    {"colour", "NAME #rrggbb", 2, 3, do_colour},
    {"core_waits", "on|off", 1, 1, do_core_waits},
    {"critical_path", "on|off", 1, 1, do_critical_path},
    {"expand", "?ROWS?", 0, 1, pithi_draw_do_expand},
    {"findings", "on|off", 1, 1, do_findings},
    {"fit", "", 0, 0, do_fit},
    {"fold_rows", "?ROWS?", 0, 1, pithi_draw_do_fold_rows},
    {"group", "host|comm|alike|none ?PERCENT?", 1, 2, pithi_draw_do_group},
    {"height", "PIXELS", 1, 1, do_height},
    {"hide", "NAME", 1, 1, do_hide},
    {"hide_rows", "ROWS", 1, 1, pithi_draw_do_hide_rows},
    {"in", "?FACTOR?", 0, 1, do_in},
    {"message_filter", "?QUERY? ?-longer TIME? ?-shorter TIME? ?-late TIME?", 0, 7, do_message_filter},
    {"names", "on|off", 1, 1, do_names},
    {"notes", "on|off", 1, 1, do_notes},
    {"only", "NAME", 1, 1, do_only},
    {"out", "?FACTOR?", 0, 1, do_out},
    {"palette", "log|classic|safe", 1, 1, do_palette},
    {"pan", "PART", 1, 1, do_pan},
    {"pin", "ROWS", 1, 1, pithi_draw_do_pin},
    {"ranges", "on|off", 1, 1, do_ranges},
    {"rows", "?LIST?", 0, 1, pithi_draw_do_rows},
    {"select", "FROM TO | none", 1, 2, do_select},
    {"set_rowstate", "STATE", 1, 1, pithi_draw_do_set_rowstate},
    {"show", "NAME", 1, 1, do_show},
    {"show_all", "", 0, 0, do_show_all},
    {"theme", "light|dark", 1, 1, do_theme},
    {"time_of_day", "on|off", 1, 1, do_time_of_day},
    {"unfold_rows", "?ROWS?", 0, 1, pithi_draw_do_unfold_rows},
    {"waits", "on|off", 1, 1, do_waits},
    {"work", "", 0, 0, do_work},
    {"zoom", "FROM TO", 2, 2, do_zoom},
};
enum { WORDS = sizeof table / sizeof *table };

/* Runs a word. Returns 0, or an exit status after it has printed a message. */
static int run(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    for (unsigned i = 0; i < WORDS; i++) {
        if (strcmp(word->item[0], table[i].word) != 0)
            continue;
        if (word->count - 1 >= table[i].least && word->count - 1 <= table[i].most)
            return table[i].run(draw, word);
        return pithi_draw_word_wrong(table[i].word, *table[i].arguments ? "needs " : "needs no argument",
                                     table[i].arguments);
    }
    /* Suggests the nearest word, or lists all words if none is near. */
    struct pithi_nearest nearest;
    pithi_nearest_begin(&nearest, word->item[0], strlen(word->item[0]));
    for (unsigned i = 0; i < WORDS; i++)
        pithi_nearest_try(&nearest, table[i].word);
    if (nearest.name) {
        pithi_draw_failed("draw: -e: no such word for pictures: %s%s", word->item[0], pithi_nearest_ask(&nearest));
        return 2;
    }
    char list[512] = "";
    for (unsigned i = 0; i < WORDS; i++) {
        strcat(list, i ? " " : "");
        strcat(list, table[i].word);
    }
    pithi_draw_failed("draw: -e: no such word for pictures: %s; there are: %s", word->item[0], list);
    return 2;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* Reads one word of a script from *text and moves *text past the word. Copies its letters to *to. As in Tcl, a word may
 * stand in braces, which nest, or in double quotes; otherwise it ends before a character of `ends`. Returns the copy,
 * or NULL if a brace or quote is not closed. */
static char *read_word(const char **text, char **to, const char *ends)
{
    char *word = *to, open = **text == '{' || **text == '"' ? *(*text)++ : 0;
    int depth = 0;

    for (; **text; ++*text) {
        /* A bare word ends at a character of `ends`; a word in braces or quotes ends where these are closed. */
        if (open ? depth == 0 && **text == (open == '{' ? '}' : '"') : strchr(ends, **text) != NULL)
            break;
        if (**text == '\\' && (*text)[1]) { /* the next character has no meaning; within braces the backslash stays */
            if (open == '{')
                *(*to)++ = **text;
            ++*text;
        } else if (open == '{') {
            depth += (**text == '{') - (**text == '}');
        }
        *(*to)++ = **text;
    }
    if (open && !**text)
        return NULL;
    *text += open != 0;
    *(*to)++ = 0;
    return word;
}

/* Reads the next item of a list, for words whose argument is a list of rows: "0-3 {node 1}" has the items "0-3" and
 * "node 1". */
char *pithi_draw_next_item(const char **list, char *letters)
{
    *list += strspn(*list, " \t\n");
    return **list ? read_word(list, &letters, " \t\n") : NULL;
}

/* Reads one command, the word and its arguments, up to the next ';' or the end of the line. `letters` gets their text.
 * Returns 1; 0 if the script has no more commands; -1 on an error, after it has printed a message. */
static int read_words(const char **text, struct pithi_draw_word *word, char *letters)
{
    word->count = 0;
    *text += strspn(*text, " \t;\n");
    if (!**text)
        return 0;
    while (**text && **text != ';' && **text != '\n') {
        if (word->count == PITHI_MOST_ITEMS || !(word->item[word->count] = read_word(text, &letters, " \t;\n")))
            return pithi_draw_word_wrong(word->count ? word->item[0] : *text,
                                         "a brace or quote that does not end, or too many words", ""),
                   -1;
        word->count++;
        *text += strspn(*text, " \t");
    }
    return 1;
}

static int run_script(struct pithi_draw *draw, const char *script)
{
    /* In `letters` each item takes its letters and a NUL, so twice the length of the script is enough. */
    char *letters = pithi_alloc(2 * strlen(script) + 1, 1);
    struct pithi_draw_word word;
    int status = 0, more;

    while (!status && (more = read_words(&script, &word, letters)) != 0)
        status = more < 0 ? 2 : run(draw, &word);
    free(letters);
    return status;
}

/* Runs all scripts of -e, in order, until the first error. */
int pithi_draw_words(struct pithi_draw *draw)
{
    int status = 0;

    for (int i = 0; i < draw->script_count && !status; i++)
        status = run_script(draw, draw->script[i]);
    return status;
}
