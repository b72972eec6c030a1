/* check.c - verifies a log: opens it, which reports damage of the front; then checks all chunks in file order; then
 * compares the blocks of each lane, record by record, with their heads and the index.
 *
 * Everything that is twice in the file is compared, because a program error may write a wrong number with a right CRC:
 *
 *     blocks found in the file    the blocks in the index                           their count
 *     the head of a block         the block's entry in the index                    times, count, kinds
 *     the records of a block      the head of the block                             count, states, messages, last time
 *     the open states stored at   those that are open after the records of the      ids, begins, time inside others
 *     the begin of a block        block before
 *     the sums of all blocks      the lane's totals in the index; sums of all lanes: those in the footer
 *
 * After a damaged block, the open states of its lane are not known. From there on, `whole` is 0, and blocks are not
 * compared with the block before, so that a damage is reported only once.
 */
#include "reader/read/check.h"

#include <stdio.h>

#include "base/error.h"
#include "native/block.h"
#include "native/chunk.h"
#include "native/log.h"
#include "native/log_files.h"
#include "native/lane_summary.h"

struct check {
    struct pithlog *log;
    struct pithi_zip zip;                        /* memory for unpacking blocks */
    struct pithi_buffer chunk;                   /* the chunk being checked */
    struct pithi_log_window window;              /* part of the index that was read last */
    struct pithi_block block;                    /* the block being checked */
    struct pithi_stack stack, opened;            /* open states after the records so far; as stored in the block */
    struct pithi_totals lane, counted;           /* totals of the lane so far; of the current block */
    uint32_t kinds;                              /* mask: kinds of records in the block */
    uint64_t records;                            /* good records so far in the whole log */
    int (*progress)(void *context, double part); /* may be NULL */
    void *context;
};

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

static int all_zero(const unsigned char *p, uint64_t n)
{
    while (n > 0 && *p == 0)
        p++, n--;
    return n == 0;
}

/* Reports the text of pithlog_error() as a damage. */
static void damage_as_said(struct check *c)
{
    c->log->damages++;
    if (c->log->say)
        c->log->say(c->log->say_context, pithlog_error());
}

/* Checks that every byte from the header to the end belongs to a chunk. Returns the number of blocks. */
static uint64_t check_chunks(struct check *c, uint64_t from, uint64_t end)
{
    struct pithi_scan *scan = malloc(sizeof *scan);
    struct pithi_chunk_head head;
    uint64_t at, blocks = 0;
    int status = scan ? 1 : 0;
    if (scan)
        pithi_scan_begin(scan, &c->log->files, from, end);
    while (status == 1) {
        status = pithi_scan_next(scan, &at, &head);
        if (scan->bare != UINT64_MAX)
            pithi_log_damage(c->log, scan->bare, "no whole chunk stands here");
        if (c->progress)
            c->progress(c->context, 0.1 * ((double)(at - from) / (double)(end - from)));
        if (status == 1) {
            /* Checks the padding, and the CRC of chunks other than blocks. Blocks are checked later, lane by lane. */
            struct pithi_chunk_head again;
            unsigned char padding[8];
            const char *why;
            uint64_t size = PITHI_CHUNK_HEAD + head.size, padded = pithi_pad8(size);
            if (!(head.flags & PITHI_CHUNK_OWN_CRC) && head.type != PITHI_C_EVENTS &&
                pithi_files_chunk(&c->log->files, at, &again, &c->chunk, &why) != PITH_OK)
                pithi_log_damage(c->log, at, "the chunk here is damaged: its CRC differs");
            if (padded > size && padded <= end - at &&
                (pithi_files_read(&c->log->files, at + size, padding, (size_t)(padded - size)) != PITH_OK ||
                 !all_zero(padding, padded - size)))
                pithi_log_damage(c->log, at + size, "the padding is not zero");
            blocks += head.type == PITHI_C_EVENTS;
        }
    }
    if (!scan || status < 0)
        pithi_log_damage(c->log, from, "the file cannot be gone through");
    free(scan);
    return blocks;
}

static void check_files(struct check *c)
{
    struct pithi_files *files = &c->log->files;
    const struct pithi_log_lane *lane;
    uint64_t blocks = check_chunks(c, PITHI_HEADER_SIZE, files->size - PITHI_FOOTER_SIZE), known = 0, size;
    for (uint32_t i = 1; i <= files->volume.count; i++) {
        uint64_t base = (uint64_t)i << PITHI_VOLUME_SHIFT;
        int fd;
        if (pithi_files_find(files, base, &fd, &size) == PITH_OK)
            blocks += check_chunks(c, base + PITHI_HEADER_SIZE, base + size);
        else
            damage_as_said(c);
    }
    for (uint32_t i = 0; i < c->log->info.lanes; i++)
        if (pithi_log_lane(c->log, i, &lane) == PITH_OK)
            known += lane->block_count;
    if (blocks != known)
        pithi_log_damage(c->log, files->size - PITHI_FOOTER_SIZE, "the index does not list the blocks that are there");
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static const char *load(struct check *c, const struct pithi_log_lane *lane, const struct pithi_log_block *b)
{
    struct pithi_chunk_head head;
    const char *why;
    int err = pithi_files_chunk(&c->log->files, b->offset, &head, &c->chunk, &why);
    if (err == PITH_ERR_DAMAGED && c->chunk.size)
        return "the block here is damaged: its CRC differs";
    if (err != PITH_OK || head.type != PITHI_C_EVENTS || head.rank != lane->part->rank)
        return err == PITH_ERR_MEMORY ? "there is no memory to check it" : "the block that should stand here does not";
    c->block.def_count = c->log->info.defs;
    c->block.comms = lane->part->comms;
    c->block.comm_count = lane->part->comm_count;
    err = pithi_block_load(&c->block, &c->zip, c->chunk.data, c->chunk.size, &c->opened, &why);
    if (err != PITH_OK)
        return why;
    const struct pithi_block_head *h = &c->block.head;
    if (h->first_ns != b->first_ns || h->last_ns != b->last_ns || h->count != b->count || h->kinds != b->kinds ||
        h->thread != lane->seen.thread)
        return "the block here contradicts the index";
    return NULL;
}

/* Checks that a record fits its definition, and counts it. */
static const char *check_record(struct check *c, const struct pithlog_record *r)
{
    struct pithi_open_state state;
    uint32_t depth;
    if (r->kind <= PITHLOG_COUNTER) {
        enum pithlog_def_kind kind = pithi_defs_get(c->log->defs, r->id)->kind;
        if (kind != (r->kind == PITHLOG_EVENT     ? PITHLOG_EVENT_TYPE
                     : r->kind == PITHLOG_COUNTER ? PITHLOG_COUNTER_TYPE
                                                  : PITHLOG_STATE))
            return "a record names a definition of another kind";
    }
    if (r->kind == PITHLOG_ENTER && !pithi_stack_enter(&c->stack, r->id, r->time_ns))
        return "there is no memory to check it";
    if (r->kind == PITHLOG_LEAVE)
        c->counted.states += (uint64_t)pithi_stack_leave(&c->stack, r->id, r->time_ns, &state, &depth);
    if (r->kind == PITHLOG_LOST && r->got_bytes > 0)
        pithi_stack_drop(&c->stack, r->got_bytes - 1);
    c->counted.events += r->kind == PITHLOG_EVENT;
    c->counted.messages += r->kind == PITHLOG_RECV && r->peer >= 0;
    c->counted.lost += r->kind == PITHLOG_LOST ? r->bytes : 0;
    c->counted.records++;
    c->kinds |= 1u << r->kind;
    return NULL;
}

static int same_stack(const struct pithi_stack *a, const struct pithi_stack *b)
{
    if (a->count != b->count)
        return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->states[i].id != b->states[i].id || a->states[i].enter_ns != b->states[i].enter_ns ||
            a->states[i].nested_ns != b->states[i].nested_ns)
            return 0;
    return 1;
}

/* Checks the loaded block. `whole` is 1 if all earlier blocks of the lane were intact, so that its open states are
 * known. */
static const char *check_block(struct check *c, int whole)
{
    struct pithlog_record r;
    const char *why = NULL;
    int status;
    if (whole && (!same_stack(&c->stack, &c->opened) || c->block.head.before != c->lane.records))
        return "the block here does not go on where the one before it ended";
    struct pithi_stack opened = c->stack;
    c->stack = c->opened;
    c->opened = opened;
    c->counted = (struct pithi_totals){0};
    c->kinds = 0;
    while ((status = pithi_block_step(&c->block)) == 1 && !why) {
        pithi_block_take(&c->block, &r);
        why = check_record(c, &r);
    }
    if (status < 0 || why)
        return status < 0 ? c->block.why : why;
    const struct pithi_block *b = &c->block;
    const struct pithi_block_head *h = &b->head;
    if (b->time_ns != h->last_ns)
        return "the block here ends at another time than it says";
    for (int i = PITHI_COL_ESCAPE; i < PITHI_COL_COUNT; i++)
        if (i != PITHI_COL_TIME && i != PITHI_COL_BITS && b->column[i].at != b->column[i].end)
            return "the block here has more in a column than its records use";
    if (b->bit_count - b->bit >= 8)
        return "the block here has more time bits than its records use";
    if (c->kinds != h->kinds || c->counted.states != h->states || c->counted.events != h->events ||
        c->counted.messages != h->messages || c->counted.lost != h->lost)
        return "the block here has other records than its head counts";
    return NULL;
}

static void check_lane(struct check *c, const struct pithi_log_lane *lane)
{
    int whole = !c->log->rebuilt;
    struct pithi_log_block b = {0};
    c->lane = (struct pithi_totals){.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    c->stack.count = 0;
    for (uint32_t i = 0; i < lane->block_count; i++) {
        if (pithi_log_block(c->log, lane, i, &c->window, &b) != PITH_OK) {
            damage_as_said(c);
            whole = 0;
            continue;
        }
        c->lane.start_ns = b.first_ns < c->lane.start_ns ? b.first_ns : c->lane.start_ns;
        c->lane.end_ns = b.last_ns;
        const char *why = load(c, lane, &b);
        if (!why)
            why = check_block(c, whole);
        whole = whole && !why;
        if (why) {
            pithi_log_damage(c->log, b.offset, why);
        } else {
            struct pithi_totals *sum = &c->lane;
            const struct pithi_totals *t = &c->counted;
            c->records += t->records;
            sum->records += t->records;
            sum->states += t->states;
            sum->events += t->events;
            sum->messages += t->messages;
            sum->lost += t->lost;
        }
        /* the first tenth was reported while chunks were checked */
        if (c->progress && c->log->info.records)
            c->progress(c->context, 0.1 + 0.9 * ((double)c->records / (double)c->log->info.records));
    }
    if (whole && (lane->seen.records != c->lane.records || lane->states != c->lane.states ||
                  lane->events != c->lane.events || lane->messages != c->lane.messages || lane->lost != c->lane.lost ||
                  lane->seen.first_ns != c->lane.start_ns || lane->seen.last_ns != c->lane.end_ns))
        pithi_log_damage(c->log, b.offset, "the index has other totals of the lane that ends here than its blocks");
}

/* Checks all lanes, and compares their totals with those of the log. */
static void check_lanes(struct check *c)
{
    const struct pithi_log_lane *lane;
    struct pithi_totals all = {.start_ns = INT64_MAX, .end_ns = INT64_MIN};
    uint32_t damages = c->log->damages;
    for (uint32_t i = 0; i < c->log->info.lanes; i++) {
        if (pithi_log_lane(c->log, i, &lane) != PITH_OK)
            damage_as_said(c);
        if (!lane)
            continue;
        check_lane(c, lane);
        /* checks the lane's list of sheets and paths (the sheets themselves were checked as chunks) */
        struct pithi_lane_sheets sheets;
        if (lane->sheet_count + lane->path_bytes != 0) {
            if (pithi_log_sheets(c->log, lane, &sheets) != PITH_OK)
                damage_as_said(c);
            else
                pithi_lane_sheets_free(&sheets);
        }
        all.states += lane->states;
        all.events += lane->events;
        all.messages += lane->messages;
        all.lost += lane->lost;
        all.start_ns = lane->seen.first_ns < all.start_ns ? lane->seen.first_ns : all.start_ns;
        all.end_ns = lane->seen.last_ns > all.end_ns ? lane->seen.last_ns : all.end_ns;
    }
    const struct pithlog_info *info = &c->log->info;
    if (!c->log->rebuilt && damages == c->log->damages &&
        (all.states != info->states || all.events != info->events || all.messages != info->messages ||
         all.lost != info->lost || (info->records && (all.start_ns != info->start_ns || all.end_ns != info->end_ns))))
        pithi_log_damage(c->log, c->log->files.size - PITHI_FOOTER_SIZE, "the footer has other totals than the lanes");
}

int pithi_check_watched(const char *path, void (*say)(void *context, const char *text), void *context,
                        int (*progress)(void *context, double part), uint64_t *records)
{
    struct check c = {.progress = progress, .context = context};
    if (pithi_log_open(path, say, context, progress, &c.log) != PITH_OK)
        return -1;
    /* A log is incomplete if its file, or the file that it was made from, was cut or damaged. If opening has already
     * reported a damage, it is not reported again. */
    const struct pithlog_info *info = &c.log->info;
    if (!info->complete && !c.log->damages) {
        pithi_fail(PITH_ERR_DAMAGED, "%s: incomplete: %s", c.log->path, info->incomplete);
        damage_as_said(&c);
    }
    if (!c.log->rebuilt)
        check_files(&c);
    check_lanes(&c);
    /* Reports what the reader of a foreign format had to leave out or change. The reader counted this in properties
     * whose names begin with the name of the format. This is not reported as damage, because a part of an intact trace
     * looks the same. */
    static const char *const facts[] = {"alog_start_us", "clog1_block_bytes",
                                        "clog2_unfinished"}; /* properties that are no such counts */
    size_t prefix = strlen(info->format);
    const char *key, *value;
    char words[128];
    for (uint32_t i = 0; c.log->say && info->version == 0 && (key = pithlog_get_property(c.log, i, &value)); i++) {
        int is_fact = strncmp(key, info->format, prefix) != 0 || key[prefix] != '_';
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
            is_fact |= strcmp(key, facts[f]) == 0;
        if (is_fact || strspn(value, "0123456789") != strlen(value))
            continue;
        snprintf(words, sizeof words, "%s", key + prefix + 1);
        for (char *p = words; *p; p++)
            *p = *p == '_' ? ' ' : *p;
        pithi_fail(PITH_OK, "%s: %s %s (%s in pith info)", c.log->path, value, words, key);
        c.log->say(c.log->say_context, pithlog_error());
    }
    pithi_block_free(&c.block);
    pithi_zip_free(&c.zip);
    free(c.chunk.data);
    free(c.stack.states);
    free(c.opened.states);
    int damages = c.log->damages > INT32_MAX ? INT32_MAX : (int)c.log->damages;
    pithlog_close(c.log);
    if (records)
        *records = c.records;
    return damages;
}

int pithi_check(const char *path, void (*say)(void *context, const char *text), void *context, uint64_t *records)
{
    return pithi_check_watched(path, say, context, NULL, records);
}
