/* paraver_types.c - the meaning of each type of events in a trace, found from its labels when the type first occurs.
 *
 * A .prv has, for example, type 42 with the value 7 at some time. Whether 7 is a state, an event or a number follows
 * from the labels of the .pcf, by Paraver's own rules:
 *
 *     values with labels, one of them 0 ("End")      each value is a state until the next value       PHASES
 *     values with labels, none of them 0             an event, its label is the payload               EVENTS
 *     no labels of values                            a number: a counter                              COUNTERS
 *
 * Extrae, the usual recorder for Paraver, gives fixed numbers to its own types (user functions, MPI, samples), so their
 * meaning does not depend on labels. In traces that Pith wrote, a type contains the id of a definition of the original
 * log, so the new log gets the same definitions again.
 */
#include "foreign/paraver/paraver_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text_fields.h"
#include "foreign/names.h"
#include "foreign/paraver/paraver.h"
#include "native/event_numbers.h"

/* ---- Definitions of Pith's own traces ---------------------------------------------------------------------------- */

/* Adds a definition in a trace that Pith wrote. `label` is its escaped label, "name [format]". */
static int add_own(struct pithi_prv_types *t, uint32_t number, enum pithlog_def_kind kind, const char *label)
{
    char *name = strdup(label), *format = name ? strchr(name, '[') : NULL, colour[16] = "";
    uint64_t *place = pithi_map_at(&t->own_defs, number);
    uint32_t id, rgb;
    int err;
    if (!name || !place) {
        free(name);
        return pithi_no_memory();
    }
    if (format) {
        /* "bytes [%d]" is the name "bytes" and the format "%d"; with an empty name the label is only "[%d]" */
        format[format > name ? -1 : 0] = 0;
        format++;
        format[strlen(format) - (*format != 0)] = 0; /* removes the ']' */
        pithi_unescape(format);
    }
    pithi_unescape(name);
    if (pithi_prv_colour(t->labels, PITHI_PRV_NAMED + (int64_t)number, &rgb))
        snprintf(colour, sizeof colour, "#%06x", (unsigned)rgb);
    err = pithi_defs_add(t->defs,
                         &(struct pithlog_def){kind, name, colour,
                                               kind == PITHLOG_STATE ? pithi_name_group(name) : "user",
                                               kind != PITHLOG_STATE && format ? format : ""},
                         &id);
    *place = id + (uint64_t)1; /* + 1, as 0 means "none" */
    free(name);
    return err;
}

/* A definition in a trace that Pith wrote, made from its label. */
struct own {
    uint32_t number;            /* its id in the log from which the trace was written */
    enum pithlog_def_kind kind; /* state, event or counter */
    const char *label;
};

static int by_number(const void *a, const void *b)
{
    const struct own *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Finds a definition in a trace that Pith wrote, by its id in the original log. Returns 1 and sets *id, its id in the
 * new log, if the definition exists and is of this kind. */
static int own_def(const struct pithi_prv_types *t, int64_t number, enum pithlog_def_kind kind, uint32_t *id)
{
    const uint64_t *place = number < 0 ? NULL : pithi_map_find(&t->own_defs, (uint64_t)number);
    if (!place)
        return 0;
    *id = (uint32_t)(*place - 1);
    return pithi_defs_get(t->defs, *id)->kind == kind;
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

int pithi_prv_types_open(struct pithi_prv_types *types, const struct pithi_prv_labels *labels, struct pithi_defs *defs,
                         int own)
{
    *types = (struct pithi_prv_types){.labels = labels, .defs = defs, .own = own};
    if (!own)
        return PITH_OK;
    struct own *list = malloc(((size_t)labels->state_count + labels->type_count + 1) * sizeof *list);
    int err = PITH_OK;
    if (!list)
        return pithi_no_memory();
    /* Lists the definitions of the original log. An event or a counter may have two types in the trace; only the first
     * range of types (PITHI_PRV_EVENT, PITHI_PRV_COUNTER) has all events and counters, so the list is made from it. */
    uint32_t count = 0;
    for (uint32_t i = 0; i < labels->state_count; i++)
        if (labels->states[i].number >= PITHI_PRV_NAMED)
            list[count++] =
                (struct own){labels->states[i].number - PITHI_PRV_NAMED, PITHLOG_STATE, labels->states[i].label};
    for (uint32_t i = 0; i < labels->type_count; i++) {
        int64_t type = labels->types[i].type;
        if (type >= PITHI_PRV_EVENT && type < PITHI_PRV_EVENT_NUMBER)
            list[count++] =
                (struct own){(uint32_t)(type - PITHI_PRV_EVENT), PITHLOG_EVENT_TYPE, labels->types[i].label};
        if (type >= PITHI_PRV_COUNTER && type < PITHI_PRV_COUNTER_BITS)
            list[count++] =
                (struct own){(uint32_t)(type - PITHI_PRV_COUNTER), PITHLOG_COUNTER_TYPE, labels->types[i].label};
    }
    /* Adds the definitions in the order of their numbers, which is the order of the original log. */
    qsort(list, count, sizeof *list, by_number);
    for (uint32_t i = 0; i < count && !err; i++)
        if (i == 0 || list[i].number != list[i - 1].number)
            err = add_own(types, list[i].number, list[i].kind, list[i].label);
    free(list);
    return err;
}

void pithi_prv_types_close(struct pithi_prv_types *types)
{
    free(types->known);
    pithi_map_free(&types->places);
    pithi_map_free(&types->states);
    pithi_map_free(&types->own_defs);
}

static int is_mpi(int64_t type) { return type >= PITHI_PRV_MPI_POINT && type <= PITHI_PRV_MPI_IO; }

/* Returns 1 if the states of a type can be nested. In traces that Pith wrote, states of MPI functions can be nested. In
 * other traces, a new value may follow without the end of the state before. */
static int is_call(const struct pithi_prv_types *t, int64_t type)
{
    return type == PITHI_PRV_USER || (t->own && is_mpi(type));
}

/* Returns 1 if events of this type give functions on the stack of a sample, rather than functions that are entered and
 * left. This is so only in traces of other programs. */
static int is_sampled(const struct pithi_prv_types *t, int64_t type)
{
    return !t->own && type >= PITHI_PRV_SAMPLED && type < PITHI_PRV_SAMPLED_LINES_END;
}

static int is_special(const struct pithi_prv_types *t, int64_t type)
{
    return type == PITHI_PRV_TRACING || (type >= PITHI_PRV_COLL_SENT && type <= PITHI_PRV_COLL_COMM) ||
           (t->own && ((type >= PITHI_PRV_COUNTER_BITS && type <= PITHI_PRV_LOST) ||
                       ((type >= PITHI_PRV_SAMPLED && type < PITHI_PRV_SAMPLED_END) || type == PITHI_PRV_CALLER)));
}

/* Returns 1 if Pith wrote the trace and the type stands for an event or a counter of the original log. Then sets the
 * type's meaning and definition. */
static int find_own(struct pithi_prv_types *t, struct pithi_prv_known *k)
{
    static const struct {
        int64_t base;
        enum pithi_prv_meaning meaning;
        enum pithlog_def_kind kind;
    } ranges[] = {{PITHI_PRV_EVENT, PITHI_PRV_EVENTS, PITHLOG_EVENT_TYPE},
                  {PITHI_PRV_EVENT_NUMBER, PITHI_PRV_NUMBERS, PITHLOG_EVENT_TYPE},
                  {PITHI_PRV_COUNTER, PITHI_PRV_COUNTERS, PITHLOG_COUNTER_TYPE}};
    /* The search goes from the highest range down, because a type belongs to the last range that begins at or below the
     * type. */
    for (int i = 2; t->own && i >= 0; i--)
        if (k->type >= ranges[i].base && k->type < PITHI_PRV_COUNTER_BITS) {
            k->meaning = ranges[i].meaning;
            return own_def(t, k->type - ranges[i].base, ranges[i].kind, &k->def);
        }
    return 0;
}

/* Decides what a type means when the type first occurs. The order of the tests matters, because fixed numbers of Extrae
 * have priority over labels. */
static int learn(struct pithi_prv_types *t, struct pithi_prv_known *k)
{
    const struct pithi_prv_type *type = pithi_prv_type(t->labels, k->type);
    const struct pithi_prv_group *group = type ? &t->labels->groups[type->group] : NULL;
    k->label = type ? type->label : "";
    k->group = type ? type->group : UINT32_MAX;
    if (find_own(t, k))
        return PITH_OK;
    k->meaning = is_sampled(t, k->type)                          ? PITHI_PRV_SAMPLES
                 : is_call(t, k->type)                           ? PITHI_PRV_CALLS
                 : is_special(t, k->type)                        ? PITHI_PRV_SPECIAL
                 : is_mpi(k->type) || (group && group->has_zero) ? PITHI_PRV_PHASES
                 : group && group->has_values                    ? PITHI_PRV_EVENTS
                                                                 : PITHI_PRV_COUNTERS;
    if (k->meaning != PITHI_PRV_EVENTS && k->meaning != PITHI_PRV_COUNTERS)
        return PITH_OK;
    /* The definition of an event or a counter is made at once. A type without a label gets its number as its name. */
    char name[32];
    struct pithlog_def def = {.kind = k->meaning == PITHI_PRV_EVENTS ? PITHLOG_EVENT_TYPE : PITHLOG_COUNTER_TYPE,
                              .name = k->label,
                              .group = "user",
                              .format = k->meaning == PITHI_PRV_EVENTS ? "%s" : ""};
    snprintf(name, sizeof name, "type %" PRId64, k->type);
    if (!*k->label)
        def.name = name;
    return pithi_defs_add(t->defs, &def, &k->def);
}

int pithi_prv_types_find(struct pithi_prv_types *types, int64_t type, uint32_t *place)
{
    /* Clears the highest bit of the key, because the map takes all keys but the greatest, which the type -1 would be.
     * Negative types become large positive keys, which no type uses. */
    uint64_t *at = pithi_map_at(&types->places, (uint64_t)type & INT64_MAX);
    if (!at || (*at == 0 && !pithi_grow(&types->known, types->known_count, &types->known_room, sizeof *types->known)))
        return pithi_no_memory();
    if (*at == 0) {
        struct pithi_prv_known known = {.type = type};
        CHECK(learn(types, &known));
        types->known[types->known_count++] = known;
        *at = types->known_count;
    }
    *place = (uint32_t)(*at - 1);
    return PITH_OK;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Defines a state. Its name is the label of the value; the label of the type if the label of the value only means
 * "active"; the name that MPI has for the value; or a name made from the numbers. */
static int define_state(struct pithi_prv_types *t, const struct pithi_prv_known *k, int64_t value, uint32_t *def)
{
    const char *label = k->group == UINT32_MAX ? NULL : pithi_prv_value(t->labels, k->group, value);
    const char *call = k->type == PITHI_PRV_USER ? NULL : pithi_prv_call_name(value);
    char name[64];
    snprintf(name, sizeof name, "type %" PRId64 " value %" PRId64, k->type, value);
    if (label && *label)
        /* Some labels only mean that the state of the type is active. */
        label = (strcmp(label, "Begin") == 0 || strcmp(label, "BEGIN") == 0 || strcmp(label, "1") == 0) && *k->label
                    ? k->label
                    : label;
    else
        label = is_mpi(k->type) && call ? call : name;
    return pithi_defs_add(t->defs, &(struct pithlog_def){PITHLOG_STATE, label, "", pithi_name_group(label), ""}, def);
}

/* Finds the definition of the state for which a value of a type stands. Defines the state at the first use of the
 * value. */
int pithi_prv_types_state(struct pithi_prv_types *types, uint32_t place, int64_t value, uint32_t *def)
{
    const struct pithi_prv_known *k = &types->known[place];
    uint64_t *at;
    /* In traces that Pith wrote, a value from PITHI_PRV_NAMED on is PITHI_PRV_NAMED + the id of a definition. */
    if (types->own && value >= PITHI_PRV_NAMED && own_def(types, value - PITHI_PRV_NAMED, PITHLOG_STATE, def))
        return PITH_OK;
    /* A negative value, or one of more than 32 bits, does not fit into a key of the map. So its state is found by name
     * each time. */
    if (value < 0 || value > UINT32_MAX)
        return define_state(types, k, value, def);
    at = pithi_map_at(&types->states, pithi_map_pair(place, (uint32_t)value));
    if (!at)
        return pithi_no_memory();
    if (*at == 0) {
        CHECK(define_state(types, k, value, def));
        *at = *def + (uint64_t)1;
    }
    *def = (uint32_t)(*at - 1);
    return PITH_OK;
}

/* Finds the definition of the state for which a value in a state record stands. State records have their own list of
 * labels and colours in the .pcf. */
int pithi_prv_types_record(struct pithi_prv_types *types, int64_t state, uint32_t *def)
{
    const char *label = pithi_prv_state(types->labels, state);
    char name[32], colour[16] = "";
    uint32_t rgb;
    snprintf(name, sizeof name, "state %" PRId64, state);
    if (pithi_prv_colour(types->labels, state, &rgb))
        snprintf(colour, sizeof colour, "#%06x", (unsigned)rgb);
    return pithi_defs_add(
        types->defs, &(struct pithlog_def){PITHLOG_STATE, label && *label ? label : name, colour, "thread state", ""},
        def);
}

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

/* Makes the payload of an event from its value, malloc'ed. Returns NULL with *size 0 if there is no payload. Returns
 * NULL with *size 1 if memory runs out, or if the text does not fit the format. */
unsigned char *pithi_prv_types_payload(struct pithi_prv_types *types, uint32_t place, int64_t value, size_t *size)
{
    const struct pithi_prv_known *k = &types->known[place];
    const struct pithlog_def *def = pithi_defs_get(types->defs, k->def);
    const char *label = k->group == UINT32_MAX ? NULL : pithi_prv_value(types->labels, k->group, value);
    unsigned char *payload = NULL;
    *size = 0;
    if (k->meaning == PITHI_PRV_NUMBERS) {
        size_t bytes = pithi_token_size(pithi_token_single(def->format));
        payload = bytes ? malloc(bytes) : NULL;
        if (payload)
            pithi_put_be(payload, (uint64_t)value, bytes);
        *size = payload ? bytes : 1;
        return payload;
    }
    /* In traces that Pith wrote, the value 1 means an event without a payload. */
    if (types->own && value == 1)
        return NULL;
    if (!types->own || !label) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, value);
        label = label ? label : number;
        size_t bytes = strlen(label) < 65535 ? strlen(label) : 65535;
        payload = malloc(bytes + 2);
        if (payload)
            memcpy(pithi_put_be(payload, bytes, 2), label, bytes);
        *size = payload ? bytes + 2 : 1;
        return payload;
    }
    /* Blanks at the ends of a label are written as "\x20", so "\x20" at an end becomes a blank again. After another
     * backslash "\x20" is text. */
    char *text = strdup(label);
    size_t length = text ? strlen(text) : 0;
    if (length >= 4 && memcmp(text + length - 4, "\\x20", 4) == 0 && (length == 4 || text[length - 5] != '\\'))
        memcpy(text + length - 4, " ", 2);
    if (text && strncmp(text, "\\x20", 4) == 0) {
        text[3] = ' ';
        memmove(text, text + 3, strlen(text + 3) + 1);
    }
    if (text)
        payload = pithi_payload_parse(def->format, text, size);
    free(text);
    *size = payload ? *size : 1;
    return payload;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* The numbers that configuration files of Paraver expect: the values that Extrae gives to MPI functions, and the states
 * of state records with their usual colours. */

/* The MPI functions without "MPI_", in the order of their values, from 1. */
static const char calls[] =
    " Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce Alltoall Alltoallv Gather Gatherv"
    " Scatter Scatterv Allgather Allgatherv Comm_rank Comm_size Comm_create Comm_dup Comm_split Comm_group"
    " Comm_free Comm_remote_group Comm_remote_size Comm_test_inter Comm_compare Scan Init Finalize Bsend Ssend"
    " Rsend Ibsend Issend Irsend Test Cancel Sendrecv Sendrecv_replace Cart_create Cart_shift Cart_coords"
    " Cart_get Cart_map Cart_rank Cart_sub Cartdim_get Dims_create Graph_get Graph_map Graph_create"
    " Graph_neighbors Graphdims_get Graph_neighbors_count Topo_test Waitany Waitsome Probe Iprobe Win_create"
    " Win_free Put Get Accumulate Win_fence Win_start Win_complete Win_post Win_wait Win_test Win_lock"
    " Win_unlock Pack Unpack Op_create Op_free Reduce_scatter Attr_delete Attr_get Attr_put Group_difference"
    " Group_excl Group_free Group_incl Group_intersection Group_rank Group_range_excl Group_range_incl"
    " Group_size Group_translate_ranks Group_union Group_compare Intercomm_create Intercomm_merge Keyval_free"
    " Keyval_create Abort Error_class Errhandler_create Errhandler_free Errhandler_get Error_string"
    " Errhandler_set Get_processor_name Initialized Wtick Wtime Address Bsend_init Buffer_attach Buffer_detach"
    " Request_free Recv_init Send_init Get_count Get_elements Pack_size Rsend_init Ssend_init Start Startall"
    " Testall Testany Test_cancelled Testsome Type_commit Type_contiguous Type_extent Type_free Type_hindexed"
    " Type_hvector Type_indexed Type_lb Type_size Type_struct Type_ub Type_vector File_open File_close"
    " File_read File_read_all File_write File_write_all File_read_at File_read_at_all File_write_at"
    " File_write_at_all Comm_spawn Comm_spawn_multiple Request_get_status Ireduce Iallreduce Ibarrier Ibcast"
    " Ialltoall Ialltoallv Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv Ireduce_scatter Iscan"
    " Reduce_scatter_block Ireduce_scatter_block Alltoallw Ialltoallw Get_accumulate ";

const struct pithi_prv_state pithi_prv_states[PITHI_PRV_STATES] = {
    {"Idle", 0x75c3ff},
    {"Running", 0x0000ff},
    {"Not created", 0xffffff},
    {"Waiting a message", 0xff0000},
    {"Blocking Send", 0xff00ae},
    {"Synchronization", 0xb30000},
    {"Test/Probe", 0x00ff00},
    {"Scheduling and Fork/Join", 0xffff00},
    {"Wait/WaitAll", 0xeb0000},
    {"Blocked", 0x00a200},
    {"Immediate Send", 0xff00ff},
    {"Immediate Receive", 0x6464b1},
    {"I/O", 0xacae29},
    {"Group Communication", 0xff901a},
    {"Tracing Disabled", 0x02ffb1},
    {"Others", 0xc0e000},
    {"Send Receive", 0x424242},
    {"Memory transfer", 0xbd0060},
    {"Profiling", 0x006ec8},
    {"On-line analysis", 0xff5aff},
    {"Remote memory access", 0x8cb0b0},
};

enum {
    WAITING = 3,
    BLOCKING_SEND = 4,
    SYNCHRONIZATION = 5,
    TEST = 6,
    WAIT = 8,
    ISEND = 10,
    IRECV = 11,
    IO = 12,
    GROUP = 13,
    OTHERS = 15,
    SENDRECV = 16,
    ONE_SIDED = 20
};

const char *pithi_prv_call_name(int64_t value)
{
    static _Thread_local char name[64];
    const char *at = calls;
    if (value < 1)
        return NULL;
    while (--value > 0 && at[1])
        /* moves on by one word of the list */
        at += 1 + strcspn(at + 1, " ");
    size_t size = strcspn(at + 1, " ");
    if (size == 0)
        return NULL;
    memcpy(name, "MPI_", 4);
    memcpy(name + 4, at + 1, size);
    name[4 + size] = 0;
    return name;
}

int pithi_prv_call_type(const char *name, int *value)
{
    const char *group = pithi_name_group(name);
    /* Extrae's value for an MPI function is the number of blanks before its name in `calls`. Send, after the first
     * blank, has the value 1. *value stays 0 if the function is not in the list. */
    const char *at = strncmp(name, "MPI_", 4) == 0 ? pithi_word_find(calls, name + 4) : NULL;
    *value = 0;
    for (; at && at > calls; at--)
        *value += at[-1] == ' ';
    if (strncmp(name, "MPI_", 4) != 0)
        return PITHI_PRV_USER;
    if (strncmp(name, "MPI_File_", 9) == 0)
        return PITHI_PRV_MPI_IO;
    if (strncmp(name, "MPI_Win_", 8) == 0 || strcmp(name, "MPI_Put") == 0 || strcmp(name, "MPI_Get") == 0 ||
        strstr(name, "ccumulate"))
        return PITHI_PRV_MPI_ONE_SIDED;
    return strcmp(group, "MPI collective") == 0       ? PITHI_PRV_MPI_COLLECTIVE
           : strcmp(group, "MPI point-to-point") == 0 ? PITHI_PRV_MPI_POINT
                                                      : PITHI_PRV_MPI_OTHER;
}

int pithi_prv_state_in(const char *name)
{
    static const struct {
        const char *begin;
        int state;
    } states[] = {{"MPI_Barrier", SYNCHRONIZATION},
                  {"MPI_Send_init", OTHERS},
                  {"MPI_Recv_init", OTHERS},
                  {"MPI_Sendrecv", SENDRECV},
                  {"MPI_Send", BLOCKING_SEND},
                  {"MPI_Bsend", BLOCKING_SEND},
                  {"MPI_Ssend", BLOCKING_SEND},
                  {"MPI_Rsend", BLOCKING_SEND},
                  {"MPI_Isend", ISEND},
                  {"MPI_Ibsend", ISEND},
                  {"MPI_Issend", ISEND},
                  {"MPI_Irsend", ISEND},
                  {"MPI_Irecv", IRECV},
                  {"MPI_Imrecv", IRECV},
                  {"MPI_Recv", WAITING},
                  {"MPI_Mrecv", WAITING},
                  {"MPI_Wait", WAIT},
                  {"MPI_Test", TEST},
                  {"MPI_Probe", TEST},
                  {"MPI_Mprobe", TEST},
                  {"MPI_Iprobe", TEST},
                  {"MPI_Improbe", TEST}};
    int value;
    switch (pithi_prv_call_type(name, &value)) {
    case PITHI_PRV_USER:
        return PITHI_PRV_RUNNING;
    case PITHI_PRV_MPI_IO:
        return IO;
    case PITHI_PRV_MPI_ONE_SIDED:
        return ONE_SIDED;
    default:
        for (size_t i = 0; i < sizeof states / sizeof *states; i++)
            if (strncmp(name, states[i].begin, strlen(states[i].begin)) == 0)
                return states[i].state;
        return strcmp(pithi_name_group(name), "MPI collective") == 0 ? GROUP : OTHERS;
    }
}
