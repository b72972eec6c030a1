/* filter_ask.c - evaluates a filter (filter.h) for a record of which some facts may still be unknown.
 *
 * There are three answers: yes, no and maybe (Kleene's logic). So one function can be asked about a record of which
 * only the lane is known, only the kind, or only the definition, about an ENTER, and about a whole state.
 *
 *     rank == 3 and duration > 1ms          lane of rank 2: no and maybe   = no      the lane is not read
 *                                           lane of rank 3: yes and maybe  = maybe   the lane is read
 *                                           a state of 2 ms: yes and yes   = yes     the state matches
 *
 * Changes of this file must keep the rule that an answer of yes or no stays the same when more becomes known. Otherwise
 * a lane could be excluded though it has a match. If a record does not have a field (a state has no tag), each
 * comparison of this field is no, even with !=. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "native/log.h"
#include "reader/query/filter.h"

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const struct pithlog_lane *lane_of(const struct pithi_names *names, uint32_t lane)
{
    return names->log ? pithlog_get_lane(names->log, lane) : pithlog_follow_get_lane(names->follow, lane);
}

static const struct pithlog_def *def_of(const struct pithi_names *names, uint32_t id)
{
    return names->log ? pithlog_get_def(names->log, id) : pithlog_follow_get_def(names->follow, id);
}

/* ---- Comparisons ------------------------------------------------------------------------------------------------- */

static enum pithi_answer answer(int is_true) { return is_true ? PITHI_YES : PITHI_NO; }

/* Returns 1 if the comparison of `number` with a value is true. Numbers are long double, which holds each 64-bit number
 * exactly on x86. */
static int number_in(const struct pithi_filter_value *v, enum pithi_filter_op op, long double number)
{
    switch (op) {
    case PITHI_OP_IN:
        return number >= v->number && number <= v->last;
    case PITHI_OP_EQ:
        return number == v->number;
    case PITHI_OP_NE:
        return number != v->number;
    case PITHI_OP_LT:
        return number < v->number;
    case PITHI_OP_LE:
        return number <= v->number;
    case PITHI_OP_GT:
        return number > v->number;
    default:
        return number >= v->number;
    }
}

static int text_in(const struct pithi_filter_value *v, enum pithi_filter_op op, const char *text)
{
    if (op == PITHI_OP_LIKE)
        return fnmatch(v->text, text, 0) == 0;
    /* = and lists need an equal text, != a different text */
    return (strcmp(v->text, text) == 0) == (op != PITHI_OP_NE);
}

/* Returns the value of a number field. The subject must have the field. */
static long double number_of(const struct pithi_names *names, const struct pithi_subject *s, enum pithi_field field)
{
    const struct pithlog_record *r = s->record;

    switch (field) {
    case PITHI_F_RANK:
        return lane_of(names, s->lane)->rank;
    case PITHI_F_THREAD:
        return lane_of(names, s->lane)->thread;
    case PITHI_F_LANE:
        return s->lane;
    case PITHI_F_TIME:
        return s->kind == PITHLOG_ENTER ? s->start_ns : r->time_ns;
    case PITHI_F_END:
        return s->end_ns;
    case PITHI_F_DURATION:
        return (long double)s->end_ns - s->start_ns;
    case PITHI_F_SELF:
        return s->self_ns;
    case PITHI_F_DEPTH:
        return r->depth;
    case PITHI_F_PEER:
    case PITHI_F_ROOT:
        return r->peer;
    case PITHI_F_TAG:
        return r->tag;
    case PITHI_F_SIZE:
        return r->bytes;
    case PITHI_F_GOT:
        return r->got_bytes;
    default:
        return r->value;
    }
}

/* Returns the value of a text field. The subject must have the field. */
static const char *text_of(const struct pithi_names *names, const struct pithi_subject *s, enum pithi_field field)
{
    switch (field) {
    case PITHI_F_KIND:
        return pithi_filter_kinds[s->kind];
    case PITHI_F_HOST:
        return lane_of(names, s->lane)->host;
    case PITHI_F_GROUP:
        return def_of(names, s->id)->group;
    case PITHI_F_PAYLOAD: {
        /* The text of the payload is made for the first comparison that needs it, and kept for later ones. */
        struct pithi_payload *payload = s->payload;

        if (!payload->line.text && s->record->payload_bytes)
            payload->has_no_memory = !pithi_payload_line(&payload->line, def_of(names, s->id)->format, s->record);
        return payload->line.text ? payload->line.text : "";
    }
    default:
        return def_of(names, s->id)->name;
    }
}

/* Returns whether a subject has a communicator, and sets *comm to it. States and events need not have one. The
 * communicator of a state may be unknown before its end. */
static enum pithi_answer has_comm(const struct pithi_subject *s, uint32_t *comm)
{
    *comm = s->record->comm;
    if (s->kind == PITHLOG_EVENT)
        return answer(*comm != 0);
    if (s->kind != PITHLOG_ENTER)
        return PITHI_YES;
    *comm = s->comm - 1;
    return s->comm ? PITHI_YES : s->known & PITHI_KNOW_END ? PITHI_NO : PITHI_MAYBE;
}

static enum pithi_answer ask_comm(const struct pithi_filter_value *v, enum pithi_filter_op op,
                                  const struct pithi_names *names, uint32_t comm)
{
    const struct pithlog_comm *of;

    /* a number means the communicator's number, a text its name */
    if (!v->text)
        return answer(number_in(v, op, comm));
    of = names->log ? pithlog_get_comm(names->log, comm) : pithlog_follow_get_comm(names->follow, comm);
    return answer(of && of->name && text_in(v, op, of->name));
}

/* Returns YES if the subject has the field, NO if it does not, MAYBE if that is not known yet. */
static enum pithi_answer has_field(const struct pithi_subject *s, const struct pithi_filter_field *field)
{
    /* while the kind is unknown, only the fields of all kinds can be present for sure */
    if (!(s->known & PITHI_KNOW_KIND)) {
        if (field->kinds != UINT32_MAX)
            return PITHI_MAYBE;
    } else if (!(field->kinds >> s->kind & 1)) {
        return PITHI_NO;
    }
    return s->known & field->needs ? PITHI_YES : PITHI_MAYBE;
}

static enum pithi_answer ask(const struct pithlog_filter *f, const struct pithi_names *names,
                             const struct pithi_subject *s, uint32_t place)
{
    const struct pithi_filter_node *node = &f->nodes[place];
    enum pithi_answer left, right, decides = node->op == PITHI_OP_AND ? PITHI_NO : PITHI_YES;

    if (node->op >= PITHI_OP_IN) {
        const struct pithi_filter_field *field = &pithi_filter_fields[node->field];
        enum pithi_answer has = has_field(s, field);
        uint32_t comm = 0;

        if (has == PITHI_YES && field->type == PITHI_FIELD_COMM)
            has = has_comm(s, &comm);
        if (has == PITHI_YES && (field->needs == PITHI_KNOW_END || node->field == PITHI_F_DEPTH) &&
            s->record->depth == UINT32_MAX)
            has = PITHI_NO; /* a LEAVE without ENTER */
        if (has != PITHI_YES)
            return has;
        /* true if the comparison holds for one value of the list */
        for (uint32_t i = 0; i < node->count; i++) {
            const struct pithi_filter_value *v = &f->values[node->first + i];
            int is_true = field->type == PITHI_FIELD_COMM ? ask_comm(v, node->op, names, comm) == PITHI_YES
                          : v->text                       ? text_in(v, node->op, text_of(names, s, node->field))
                                                          : number_in(v, node->op, number_of(names, s, node->field));
            if (is_true)
                return PITHI_YES;
        }
        return PITHI_NO;
    }
    left = ask(f, names, s, node->left);
    if (node->op == PITHI_OP_NOT)
        return left == PITHI_MAYBE ? PITHI_MAYBE : answer(left == PITHI_NO);
    /* the left side alone can decide: "no and ..." is no, "yes or ..." is yes */
    if (left == decides)
        return left;
    right = ask(f, names, s, node->right);
    /* If the left side is known and did not decide, the answer is that of the right side. */
    return right == decides || left != PITHI_MAYBE ? right : PITHI_MAYBE;
}

enum pithi_answer pithi_filter_ask(const struct pithlog_filter *filter, const struct pithi_names *names,
                                   const struct pithi_subject *subject)
{
    return ask(filter, names, subject, filter->root);
}

/* facts known about a record before its end */
enum { ALL_BUT_END = PITHI_KNOW_KIND | PITHI_KNOW_DEF | PITHI_KNOW_LANE | PITHI_KNOW_RECORD };

enum pithi_answer pithi_filter_state(const struct pithlog_filter *filter, const struct pithi_names *names,
                                     const struct pithlog_record *r, uint32_t known, uint32_t comm)
{
    struct pithi_subject subject = {
        .known = ALL_BUT_END | known,
        .kind = PITHLOG_ENTER,
        .id = r->id,
        .lane = r->lane,
        .record = r,
        .start_ns = r->kind == PITHLOG_LEAVE ? r->start_ns : r->time_ns,
        .end_ns = r->time_ns,
        .self_ns = (int64_t)((uint64_t)r->time_ns - (uint64_t)r->start_ns - (uint64_t)r->nested_ns),
        .comm = comm || !r->comm ? comm : r->comm + 1};

    return pithi_filter_ask(filter, names, &subject);
}

int pithi_filter_other(const struct pithlog_filter *filter, const struct pithi_names *names,
                       const struct pithlog_record *r)
{
    struct pithi_payload payload = {{NULL, 0}, 0};
    struct pithi_subject subject = {
        .known = ALL_BUT_END, .kind = r->kind, .id = r->id, .lane = r->lane, .record = r, .payload = &payload};
    int matches = pithi_filter_ask(filter, names, &subject) == PITHI_YES;

    free(payload.line.text);
    return payload.has_no_memory ? -1 : matches;
}

/* ---- Mistakes in queries ----------------------------------------------------------------------------------------- */

int pithi_defs_have(const struct pithlog *log, uint32_t kinds, const char *text, int is_pattern)
{
    const struct pithlog_def *def;

    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (kinds & 1u << def->kind && (is_pattern ? fnmatch(text, def->name, 0) == 0 : strcmp(text, def->name) == 0))
            return 1;
    return 0;
}

/* Returns PITH_ERR_USAGE. The text of the error suggests the name of these kinds that is most similar to `text`. */
int pithi_no_such_name(const struct pithlog *log, uint32_t kinds, const char *text)
{
    static const char *const words[] = {[1u << PITHLOG_STATE] = "state",
                                        [1u << PITHLOG_EVENT_TYPE] = "event",
                                        [1u << PITHLOG_COUNTER_TYPE] = "counter"};
    const char *what = kinds < sizeof words / sizeof *words && words[kinds] ? words[kinds] : "state, event or counter";
    struct pithi_nearest nearest;
    const struct pithlog_def *def;

    pithi_nearest_begin(&nearest, text, strlen(text));
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (kinds & 1u << def->kind)
            pithi_nearest_try(&nearest, def->name);
    return pithi_fail(PITH_ERR_USAGE, "%s: no %s matches '%s'%s", log->path, what, text,
                      nearest.name ? pithi_nearest_ask(&nearest) : "; `pith print` shows the names in its first lines");
}

/* Returns the kinds of definitions whose names are the values of a field; 0 if the field has other values. */
static uint32_t kinds_of(enum pithi_field field)
{
    switch (field) {
    case PITHI_F_NAME:
        return PITHI_DEFS_ALL;
    case PITHI_F_STATE:
        return 1u << PITHLOG_STATE;
    case PITHI_F_EVENT:
        return 1u << PITHLOG_EVENT_TYPE;
    case PITHI_F_COUNTER:
        return 1u << PITHLOG_COUNTER_TYPE;
    default:
        return 0;
    }
}

/* Returns 1 if the comparison (of rank, thread or lane) is true for some lane of the log. */
static int lanes_have(const struct pithlog *log, const struct pithlog_filter *filter,
                      const struct pithi_filter_node *node)
{
    const struct pithi_names names = {.log = log};

    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++)
        for (uint32_t v = 0; v < node->count; v++)
            if (number_in(&filter->values[node->first + v], node->op,
                          number_of(&names, &(struct pithi_subject){.lane = lane}, node->field)))
                return 1;
    return 0;
}

/* Returns 1 if some record of the log may match the node. Returns 0 if none can, because of the names and lanes that
 * the log has; *never is then a comparison that is never true. */
static int can_match(const struct pithlog *log, const struct pithlog_filter *filter, uint32_t place,
                     const struct pithi_filter_node **never)
{
    const struct pithi_filter_node *node = &filter->nodes[place];
    uint32_t kinds = kinds_of(node->field);

    /* "and" cannot match if one side cannot, "or" if both sides cannot */
    if (node->op == PITHI_OP_AND)
        return can_match(log, filter, node->left, never) && can_match(log, filter, node->right, never);
    if (node->op == PITHI_OP_OR)
        return can_match(log, filter, node->left, never) || can_match(log, filter, node->right, never);
    /* "not" and != match records with other names */
    if (node->op == PITHI_OP_NOT || node->op == PITHI_OP_NE)
        return 1;
    if (node->field == PITHI_F_RANK || node->field == PITHI_F_THREAD || node->field == PITHI_F_LANE) {
        if (lanes_have(log, filter, node))
            return 1;
    } else {
        for (uint32_t v = 0; kinds && v < node->count; v++)
            if (pithi_defs_have(log, kinds, filter->values[node->first + v].text, node->op == PITHI_OP_LIKE))
                return 1;
        if (!kinds)
            return 1;
    }
    *never = node;
    return 0;
}

int pithi_filter_check(const struct pithlog_filter *filter, const struct pithlog *log)
{
    const struct pithi_filter_node *never = NULL;
    uint32_t kinds;

    if (!filter || can_match(log, filter, filter->root, &never))
        return PITH_OK;
    if ((kinds = kinds_of(never->field)) != 0)
        return pithi_no_such_name(log, kinds, filter->values[never->first].text);
    return pithi_fail(PITH_ERR_USAGE, "%s: no %s matches the query; `pith info` shows how many the log has", log->path,
                      pithi_filter_fields[never->field].name);
}
