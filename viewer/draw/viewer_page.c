/* viewer_page.c - writes a web page (viewer/wasm): one that contains a log and shows it or, with --viewer, one in which
 * the user opens logs. An empty page is made when Pith is built. This file puts two things into it: a log as base64,
 * and the options and words that say how the log is shown.
 *
 * A page contains only what it shows: its log is cut to the time, the lanes and the states that options and words
 * choose. If the cut log is still too large, the page contains only the begin of the interval, and says so in a
 * note. */
#include "draw/draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "core/cells/memory.h"
#include "core/rows/words.h"
#include "core/scene/axis.h"
#include "draw/text_buffer.h"

/* The largest log that is put into a page; browsers open larger pages slowly. The page that opens logs (--viewer) reads
 * logs of any size. */
enum { MOST_MIB = 32 };
static const uint64_t most_bytes = (uint64_t)MOST_MIB << 20;

static const char place[] = "<!--log-->";

enum { MOST_FILES = 3 };
struct viewer {
    char *page;
    size_t page_size;
    int is_part; /* 1: the page contains only a part of the log */
    struct {
        char *data, *name;
        size_t size;
    } files[MOST_FILES]; /* files[0] is the log */
    int file_count;
    struct pithi_text shown; /* JSON for app.js that says how the log is shown */
};

static int find_page(char *path, size_t size)
{
    if (pithi_draw_find("share/pith/page/viewer.html", path, size))
        return 1;
    if (access(path, R_OK) == 0)
        return 0;
    return pithi_draw_failed("draw: this pith was built without pages; install clang, lld, wasi-libc, "
                             "libclang-rt-dev-wasm32 and node-pako, and build it again");
}

/* Reads a whole file into *data (malloc'ed). Returns 0, or an exit status. */
static int read_whole(const char *path, char **data, size_t *size)
{
    struct stat status;
    int fd = pithi_open_input(path, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

    if (!file || fstat(fd, &status) != 0)
        return pithi_draw_failed("%s: cannot be opened: %s", path, pithi_open_why());
    *size = (size_t)status.st_size;
    *data = malloc(*size + 1);
    int failed = !*data || fread(*data, 1, *size, file) != *size;
    fclose(file);
    if (failed)
        return pithi_draw_failed("%s: cannot be read", path);
    (*data)[*size] = '\0';
    return 0;
}

static int add_file(struct viewer *viewer, const char *path, const char *name)
{
    int at = viewer->file_count++;

    viewer->files[at].name = strdup(name);
    return read_whole(path, &viewer->files[at].data, &viewer->files[at].size);
}

static void put_base64(const unsigned char *data, size_t size, FILE *file)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at < 3 ? size - at : 3;
        uint32_t bits =
            (uint32_t)data[at] << 16 | (left > 1 ? (uint32_t)data[at + 1] << 8 : 0) | (left > 2 ? data[at + 2] : 0);
        for (size_t i = 0; i < 4; i++)
            putc(i <= left ? letters[bits >> (18 - 6 * i) & 63] : '=', file);
    }
}

static const char *write_viewer(void *context, FILE *file)
{
    const struct viewer *viewer = context;
    const char *at = strstr(viewer->page, place);

    if (!at)
        return "the page that is installed has no place for a log";
    fwrite(viewer->page, 1, (size_t)(at - viewer->page), file);
    for (int i = 0; i < viewer->file_count; i++) {
        struct pithi_text name = {0};
        pithi_text_escaped(&name, viewer->files[i].name);
        fprintf(file, "<script type=\"text/plain\" class=\"log\" data-name=\"%s\">", name.data ? name.data : "");
        put_base64((const unsigned char *)viewer->files[i].data, viewer->files[i].size, file);
        fputs("</script>\n", file);
        free(name.data);
    }
    if (viewer->shown.data)
        fprintf(file, "<script type=\"application/json\" id=\"shown\">%s</script>", viewer->shown.data);
    at += sizeof place - 1;
    fwrite(at, 1, viewer->page_size - (size_t)(at - viewer->page), file);
    return ferror(file) ? "" : NULL;
}

/* ---- How the page shows the log
 * ------------------------------------------------------------------------------------ */

/* Writes a string of JSON. It stands in a <script> element, so it must not contain text that ends this element. Bytes
 * that are not UTF-8 stay; the browser replaces them. */
static void put_string(struct pithi_text *text, const char *string)
{
    pithi_text_bytes(text, "\"", 1);
    for (; *string; string++)
        if ((unsigned char)*string < ' ' || strchr("\"\\<>&", *string))
            pithi_text_add(text, "\\u%04x", (unsigned char)*string);
        else
            pithi_text_bytes(text, string, 1);
    pithi_text_bytes(text, "\"", 1);
}

/* Writes an argument of a word, quoted so that Tcl reads it as one word. */
static void put_word(struct pithi_text *text, const char *word)
{
    pithi_text_bytes(text, " \"", 2);
    for (; *word; word++) {
        if (strchr("\"\\", *word))
            pithi_text_bytes(text, "\\", 1);
        pithi_text_bytes(text, word, 1);
    }
    pithi_text_bytes(text, "\"", 1);
}

static void put_interval(struct pithi_text *text, const char *word, int64_t from_ns, int64_t to_ns)
{
    const int64_t times[] = {from_ns, to_ns};

    pithi_text_add(text, "%s", word);
    for (int i = 0; i < 2; i++) {
        uint64_t size = times[i] < 0 ? 0 - (uint64_t)times[i] : (uint64_t)times[i];
        pithi_text_add(text, " %s%" PRIu64 ".%09" PRIu64, times[i] < 0 ? "-" : "", size / 1000000000,
                       size % 1000000000);
    }
    pithi_text_add(text, "\n");
}

static void describe(const struct pithi_draw *draw, struct viewer *viewer, const char *note)
{
    struct pithi_text words = {0};

    /* Writes the options as words, then the words of -e, then the interval that results from both, in absolute times.
     * Without the interval, a relative time in the words would mean another time in a page that has only a part of the
     * log. */
    static const char *const groups[] = {"none", "host", "comm", "alike"};
    static const char *const palettes[] = {"log", "classic", "safe"};
    int64_t from, to;
    if (draw->palette != PITHI_PALETTE_LOG)
        pithi_text_add(&words, "palette %s\n", palettes[draw->palette]);
    if (draw->group != PITHI_BY_NOTHING)
        pithi_text_add(&words, "group %s\n", groups[draw->group]);
    if (draw->lanes) {
        pithi_text_add(&words, "rows");
        put_word(&words, draw->lanes);
        pithi_text_add(&words, "\n");
    }
    if (draw->unfold) {
        pithi_text_add(&words, "unfold_rows");
        put_word(&words, strcmp(draw->unfold, "all") == 0 ? "*" : draw->unfold);
        pithi_text_add(&words, "\n");
    }
    for (int i = 0; i < draw->script_count; i++)
        pithi_text_add(&words, "%s\n", draw->script[i]);
    pithi_text_add(&words, "waits %d\ncritical_path %d\nfindings %d\nnotes %d\ntime_of_day %d\ncore_waits %d\n",
                   draw->waits, draw->path, draw->findings, draw->shows_notes, draw->shows_time_of_day,
                   draw->shows_core_waits);
    pithi_whole_window(draw->log, &from, &to);
    if (draw->t0_ns != from || draw->t1_ns != to)
        put_interval(&words, "zoom", draw->t0_ns, draw->t1_ns);
    if (draw->lit_from_ns < draw->lit_to_ns)
        put_interval(&words, "select", draw->lit_from_ns, draw->lit_to_ns);

    pithi_text_add(&viewer->shown, "{\"title\": ");
    put_string(&viewer->shown, draw->title ? draw->title : "");
    pithi_text_add(&viewer->shown, ", \"grey\": %s, ", draw->grey ? "true" : "false");
    if (draw->clock_ns)
        pithi_text_add(&viewer->shown, "\"clock\": \"%" PRId64 "\", ", draw->clock_ns);
    pithi_text_add(&viewer->shown, "\"part\": %s, \"note\": ", viewer->is_part ? "true" : "false");
    put_string(&viewer->shown, note);
    pithi_text_add(&viewer->shown, ", \"words\": ");
    put_string(&viewer->shown, words.data ? words.data : "");
    pithi_text_add(&viewer->shown, "}");
    free(words.data);
}

/* ---- The part of the log ----------------------------------------------------------------------------------------- */

/* The arguments of `pith cut` that choose the records for the page. An argument is NULL if it would choose
 * everything. */
struct part {
    char *from, *to, *lanes, *where;
};

static char *time_word(int64_t time_ns)
{
    struct pithi_text text = {0};

    pithi_text_add(&text, "%" PRId64 "ns", time_ns);
    return text.data;
}

/* Returns the lanes of all rows as the value of --lane, malloc'ed, or NULL if these are all lanes of the log. */
static char *lanes_word(const struct pithi_draw *draw)
{
    uint32_t all = pithlog_get_info(draw->log)->lanes, count = 0;
    unsigned char *seen = pithi_alloc(all, 1);
    struct pithi_text text = {0};

    for (uint32_t row = 0; row < draw->row_count; row++) {
        uint32_t in_row;
        const uint32_t *lanes = pithi_row_lanes(&draw->rows[row], &in_row);
        for (uint32_t i = 0; i < in_row; i++)
            if (lanes[i] < all)
                seen[lanes[i]] = 1;
    }
    for (uint32_t lane = 0; lane < all; lane++) {
        const struct pithlog_lane *of = pithlog_get_lane(draw->log, lane);
        if (!seen[lane])
            continue;
        pithi_text_add(&text, "%s%d.%u", count++ ? "," : "", (int)of->rank, (unsigned)of->thread);
    }
    free(seen);
    if (count < all && count > 0)
        return text.data;
    free(text.data);
    return NULL;
}

/* Returns the value of --where, a query that excludes hidden states and events, but not the events for tools (pith:*),
 * which the page needs. Returns NULL if nothing is excluded. */
static char *where_word(const struct pithi_draw *draw)
{
    static const char *const fields[] = {"state", "event"};
    struct pithi_text text = {0};

    for (uint32_t id = 0; id < pithlog_get_info(draw->log)->defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(draw->log, id);
        int kind = def->kind == PITHLOG_STATE ? 0 : def->kind == PITHLOG_EVENT_TYPE ? 1 : -1;
        if (!draw->hidden[id] || kind < 0 || strncmp(def->name, "pith:", 5) == 0)
            continue;
        pithi_text_add(&text, "%s%s == \"", text.size ? " or " : "not (", fields[kind]);
        for (const char *c = def->name; *c; c++)
            if ((unsigned char)*c < ' ' || strchr("\"\\", *c))
                pithi_text_add(&text, "\\x%02X", (unsigned char)*c);
            else
                pithi_text_bytes(&text, c, 1);
        pithi_text_bytes(&text, "\"", 1);
    }
    if (text.size)
        pithi_text_bytes(&text, ")", 1);
    return text.data;
}

static struct part part_of(const struct pithi_draw *draw, int64_t to_ns)
{
    struct part part = {.lanes = lanes_word(draw), .where = where_word(draw)};
    int64_t from, to;

    pithi_whole_window(draw->log, &from, &to);
    part.from = draw->t0_ns > from ? time_word(draw->t0_ns) : NULL;
    part.to = to_ns < to ? time_word(to_ns) : NULL;
    return part;
}

static void free_part(struct part *part)
{
    free(part->from);
    free(part->to);
    free(part->lanes);
    free(part->where);
}

/* Appends the options that choose `part` to the `count` arguments in `argv`. Returns the new number of arguments. */
static int add_options(char **argv, int count, const struct part *part, int with_where)
{
    const struct {
        const char *option;
        char *value;
    } options[] = {{"--from", part->from}, {"--to", part->to}, {"--lane", part->lanes}, {"--where", part->where}};

    for (size_t i = 0; i < sizeof options / sizeof *options - !with_where; i++)
        if (options[i].value) {
            argv[count++] = (char *)options[i].option;
            argv[count++] = options[i].value;
        }
    return count;
}

static int is_several_files(const char *format)
{
    return strcmp(format, "otf2") == 0 || strcmp(format, "paraver") == 0 || strcmp(format, "spill") == 0;
}

/* Puts a part of the log, made by `pith cut`, into the page. If the part is the whole log, takes the file as it is,
 * unless it is too large or a log of several files. */
static int take_part(const struct pithi_draw *draw, struct viewer *viewer, const struct part *part)
{
    const char *name = pithi_draw_base_name(draw->log_path);
    char *argv[16] = {"pith", "cut", (char *)draw->log_path, "-o"}, file[PATH_MAX];
    int count = add_options(argv, 5, part, 1), status;

    const struct pithlog_info *info = pithlog_get_info(draw->log);
    viewer->is_part = count > 5;
    if (count == 5 && !is_several_files(info->format) && info->bytes <= most_bytes)
        return add_file(viewer, draw->log_path, name);
    status = pithi_draw_by_pith(argv, 4, file);
    if (!status)
        status = add_file(viewer, file, name);
    pithi_draw_end_file(file);
    return status;
}

static void drop_file(struct viewer *viewer)
{
    viewer->file_count--;
    free(viewer->files[viewer->file_count].data);
    free(viewer->files[viewer->file_count].name);
    viewer->files[viewer->file_count].data = viewer->files[viewer->file_count].name = NULL;
}

/* Puts the part of the log that is shown into the page. If this part is too large, moves its end to earlier times until
 * the part fits. Sets *end_ns to the end of the part. */
static int take_log(const struct pithi_draw *draw, struct viewer *viewer, int64_t *end_ns)
{
    int64_t to_ns = draw->t1_ns;

    for (;;) {
        struct part part = part_of(draw, to_ns);
        int status = take_part(draw, viewer, &part);
        free_part(&part);
        uint64_t size = viewer->files[0].size;
        *end_ns = to_ns;
        if (status || size <= most_bytes || to_ns - draw->t0_ns < 1000)
            return status;
        drop_file(viewer);
        to_ns = draw->t0_ns + (int64_t)((double)(to_ns - draw->t0_ns) * 0.8 * (double)most_bytes / (double)size);
    }
}

static int add_notes(const struct pithi_draw *draw, struct viewer *viewer)
{
    char *path, *name;
    int status;

    if (!draw->shows_notes || !draw->notes.count)
        return 0;
    path = pithi_notes_path(draw->log_path);
    name = pithi_notes_path(pithi_draw_base_name(draw->log_path));
    status = add_file(viewer, path, name);
    free(path);
    free(name);
    return status;
}

/* Adds the functions of samples and the call sites to the page. If this fails, the page is made without them, which is
 * better than no page. If the log has more than FEW_RECORDS records, adds them only if there is a tree of rows, because
 * only in a tree lanes may be unfolded. */
enum { FEW_RECORDS = 1000000 };
static void add_functions(const struct pithi_draw *draw, struct viewer *viewer, int64_t end_ns)
{
    char *argv[16] = {"pith", "stat", (char *)draw->log_path, "--flame"};
    char file[PATH_MAX];
    struct part part;

    if (!pithi_flames_possible(draw->log) || (!draw->tree && pithlog_get_info(draw->log)->records > FEW_RECORDS))
        return;
    part = part_of(draw, end_ns);
    add_options(argv, 5, &part, 0);
    if (!pithi_draw_by_pith(argv, 4, file))
        add_file(viewer, file, "functions.pith");
    pithi_draw_end_file(file);
    free_part(&part);
}

/* ---- Pages ------------------------------------------------------------------------------------------------------- */

static int read_page(struct viewer *viewer)
{
    char path[PATH_MAX];
    int status = find_page(path, sizeof path);

    return status ? status : read_whole(path, &viewer->page, &viewer->page_size);
}

static int save_viewer(const struct pithi_draw *draw, struct viewer *viewer)
{
    int status = pithi_save(draw->out_path, write_viewer, viewer);

    while (viewer->file_count > 0)
        drop_file(viewer);
    free(viewer->page);
    free(viewer->shown.data);
    return status;
}

int pithi_draw_viewer(const struct pithi_draw *draw)
{
    struct viewer viewer = {0};
    int status = read_page(&viewer);

    return status ? status : save_viewer(draw, &viewer);
}

int pithi_draw_log_page(const struct pithi_draw *draw)
{
    struct viewer viewer = {0};
    int status = read_page(&viewer);
    int64_t end_ns = draw->t1_ns;
    char note[256] = "", from[48], to[48], all[48];

    if (!status)
        status = take_log(draw, &viewer, &end_ns);
    if (status) {
        free(viewer.page);
        return status;
    }
    if (end_ns < draw->t1_ns) {
        pithi_time_text(draw->t0_ns, (end_ns - draw->t0_ns) / 1000, from, sizeof from);
        pithi_time_text(end_ns, (end_ns - draw->t0_ns) / 1000, to, sizeof to);
        pithi_time_text(draw->t1_ns, (draw->t1_ns - draw->t0_ns) / 1000, all, sizeof all);
        snprintf(note, sizeof note,
                 "the page has %s to %s of %s: a page holds %d MiB; "
                 "--from and --to choose a part, pith serve shows all",
                 from, to, all, MOST_MIB);
        fprintf(stderr, "pith: note: %s: %s\n", draw->log_path, note);
    } else if (*pithi_draw_damage() && viewer.files[0].size) {
        snprintf(note, sizeof note, "%s (the rest is drawn)", pithi_draw_damage());
    }
    status = add_notes(draw, &viewer);
    add_functions(draw, &viewer, end_ns);
    describe(draw, &viewer, note);
    return status ? status : save_viewer(draw, &viewer);
}
