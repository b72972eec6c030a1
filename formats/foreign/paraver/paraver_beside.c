/* paraver_beside.c - writes the .pcf and the .row, and maps a log to Paraver's tree: hosts become nodes; lanes become
 * threads, each with a processor of its node. Names are escaped as in `pith print`. Blanks at both ends are escaped,
 * too, because Paraver removes them, and '[', because it begins a payload format or a counter's unit.
 *
 * The .pcf says what the numbers of the .prv mean. What the log has becomes these numbers:
 *
 *     a state of the log       PITHI_PRV_NAMED + the id of its definition, as a state; its calls are events with the
 *                              number that Extrae gives to the function as their value, or else the same number
 *     an event, a counter      a type of its own, made from the id of its definition (paraver.h); the type's label is
 *                              the name and, in brackets, the payload format or the unit
 *     a payload                a value 2, 3 ... of the event's type; the value 1 means no payload
 *     a sampled function       a value 2, 3 ... of the types of samples; call sites likewise
 *
 * Pith's reader takes names and formats from the .pcf, so a log that is converted and read again has its
 * definitions. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/out.h"
#include "foreign/names.h"
#include "foreign/paraver/paraver.h"
#include "foreign/paraver/paraver_write.h"

/* Writes a text in which control characters are already escaped. Escapes blanks at the ends of the text, too, and, if
 * `brackets` is 1, each '['. */
static void put_edges(struct pithi_out *out, const char *text, int brackets)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++)
        if (text[i] == ' ' && (i == 0 || i == size - 1))
            pithi_out_text(out, "\\x20");
        else if (text[i] == '[' && brackets)
            pithi_out_text(out, "\\x5b");
        else
            pithi_out_char(out, text[i]);
}

static void put_escaped(struct pithi_out *out, const char *name, int brackets)
{
    char *quoted = pithi_quoted(PITHI_QUOTE_TABS, name);
    if (quoted)
        put_edges(out, quoted, brackets);
    free(quoted);
}

static void put_name(struct pithi_out *out, const char *name) { put_escaped(out, name, 1); }

static void put_number(struct pithi_out *out, int64_t number, const char *behind)
{
    pithi_out_i64(out, number);
    pithi_out_text(out, behind);
}

/* ---- States ------------------------------------------------------------------------------------------------------ */

static void put_colour(struct pithi_out *out, int64_t number, uint32_t rgb)
{
    put_number(out, number, "    {");
    put_number(out, rgb >> 16, ",");
    put_number(out, rgb >> 8 & 255, ",");
    put_number(out, rgb & 255, "}\n");
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

static void begin_type(struct pithi_out *out) { pithi_out_text(out, "EVENT_TYPE\n"); }

static void put_type(struct pithi_out *out, int64_t type, const char *label)
{
    pithi_out_text(out, "0    ");
    put_number(out, type, "    ");
    pithi_out_text(out, label);
    pithi_out_char(out, '\n');
}

static void put_value(struct pithi_out *out, int64_t value, const char *label)
{
    put_number(out, value, "      ");
    pithi_out_text(out, label);
    pithi_out_char(out, '\n');
}

static void end_type(struct pithi_out *out) { pithi_out_text(out, "\n\n"); }

/* Writes the line of a type whose label is "name [format]" and the text `behind`. */
static void put_def_type(struct pithi_out *out, int64_t type, const struct pithlog_def *def, const char *behind)
{
    char *format = pithi_quoted(PITHI_QUOTE_TABS, def->format);
    pithi_out_text(out, "0    ");
    put_number(out, type, "    ");
    put_name(out, def->name);
    pithi_out_text(out, " [");
    pithi_out_text(out, format ? format : "");
    pithi_out_char(out, ']');
    pithi_out_text(out, behind);
    pithi_out_char(out, '\n');
    free(format);
}

/* Writes the names of sampled functions, or of call sites, as the values of a type, and ends the type. `first` is the
 * index + 1 of the first name in payloads->list; next[i] is the index + 1 of the name after name i. */
static void put_functions(struct pithi_out *out, const struct pithi_prv_payloads *payloads, uint32_t first,
                          const uint32_t *next)
{
    pithi_out_text(out, "VALUES\n");
    put_value(out, 0, "End");
    for (uint32_t i = first; i; i = next[i - 1]) {
        put_number(out, i + (int64_t)1, "      ");
        put_escaped(out, payloads->list[i - 1].text, 0);
        pithi_out_char(out, '\n');
    }
    end_type(out);
}

static int put_defs(const struct pithlog *log, struct pithi_out *out, const struct pithi_prv_payloads *payloads)
{
    uint32_t *first = calloc(payloads->callers + (size_t)1, sizeof *first);
    uint32_t *next = calloc(payloads->count + (size_t)1, sizeof *next);
    const struct pithlog_def *def;
    int ok = first && next;
    /* Makes a list of the texts of payloads->list for each definition. first[def] is the index + 1 of the definition's
     * first text; next[i] is the index + 1 of the text after text i. The loop goes from the last text to the first, so
     * that each list is in the order of payloads->list. */
    for (uint32_t i = payloads->count; ok && i > 0; i--) {
        next[i - 1] = first[payloads->list[i - 1].def];
        first[payloads->list[i - 1].def] = i;
    }
    for (uint32_t id = 0; ok && (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_COUNTER_TYPE) {
            begin_type(out);
            put_def_type(out, PITHI_PRV_COUNTER + (int64_t)id, def, "");
            /* Values of Paraver are integers, so a counter has two types. One has the integer part, the other all bits
             * of the double. */
            put_def_type(out, PITHI_PRV_COUNTER_BITS + (int64_t)id, def, " (bits of the double)");
            end_type(out);
        } else if (def->kind == PITHLOG_EVENT_TYPE) {
            begin_type(out);
            put_def_type(out, PITHI_PRV_EVENT + (int64_t)id, def, "");
            pithi_out_text(out, "VALUES\n");
            /* Values begin at 1, because 0 means an end in Paraver. */
            put_value(out, 1, "(no payload)");
            for (uint32_t i = first[id]; i; i = next[i - 1]) {
                put_number(out, i + (int64_t)1, "      ");
                put_edges(out, payloads->list[i - 1].text, 0);
                pithi_out_char(out, '\n');
            }
            end_type(out);
            /* If the payload is a single whole number, the event has a second type, whose value is that number, so that
             * Paraver can draw the number. */
            if (pithi_token_single(def->format) && !strchr("seE", pithi_token_single(def->format))) {
                begin_type(out);
                put_def_type(out, PITHI_PRV_EVENT_NUMBER + (int64_t)id, def, "");
                end_type(out);
            }
        }
    if (ok) {
        char label[64];
        if (first[payloads->functions]) {
            begin_type(out);
            put_type(out, PITHI_PRV_SAMPLED, "Sampled functions");
            for (uint32_t i = 1; i < payloads->depth && i < PITHI_PRV_SAMPLED_END - PITHI_PRV_SAMPLED; i++) {
                snprintf(label, sizeof label, "Sampled functions (depth %u)", i);
                put_type(out, PITHI_PRV_SAMPLED + (int64_t)i, label);
            }
            put_functions(out, payloads, first[payloads->functions], next);
        }
        if (first[payloads->callers]) {
            begin_type(out);
            put_type(out, PITHI_PRV_CALLER, "Caller at level 1");
            put_functions(out, payloads, first[payloads->callers], next);
        }
    }
    free(first);
    free(next);
    return ok;
}

int pithi_prv_write_labels(const struct pithlog *log, const struct pithi_prv_payloads *payloads, FILE *file)
{
    static const struct {
        int64_t type;
        const char *label;
    } calls[] = {{PITHI_PRV_MPI_POINT, "MPI Point-to-point"},
                 {PITHI_PRV_MPI_COLLECTIVE, "MPI Collective Comm"},
                 {PITHI_PRV_MPI_OTHER, "MPI Other"},
                 {PITHI_PRV_MPI_ONE_SIDED, "MPI One-sided"},
                 {PITHI_PRV_MPI_IO, "MPI I/O"},
                 {PITHI_PRV_USER, "User function"}};
    struct pithi_out out;
    int err;
    TRY(pithi_out_open(&out, file));
    pithi_out_text(&out, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
                         "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
                         "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
                         "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\n");
    const struct pithlog_def *def;
    pithi_out_text(&out, "STATES\n");
    for (int i = 0; i < PITHI_PRV_STATES; i++) {
        put_number(&out, i, "    ");
        pithi_out_text(&out, pithi_prv_states[i].name);
        pithi_out_char(&out, '\n');
    }
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++) {
        if (def->kind != PITHLOG_STATE)
            continue;
        /* The states of the log come after the PITHI_PRV_STATES states that Paraver itself has. */
        put_number(&out, PITHI_PRV_NAMED + (int64_t)id, "    ");
        put_name(&out, def->name);
        pithi_out_char(&out, '\n');
    }
    pithi_out_text(&out, "\n\n");
    /* Writes the colours of the states. Paraver also gives an event the colour of the state whose number is the event's
     * value. */
    pithi_out_text(&out, "STATES_COLOR\n");
    for (int i = 0; i < PITHI_PRV_STATES; i++)
        put_colour(&out, i, pithi_prv_states[i].rgb);
    for (uint32_t id = 0; pithlog_get_def(log, id); id++)
        put_colour(&out, PITHI_PRV_NAMED + (int64_t)id, pithlog_def_rgb(log, id));
    pithi_out_text(&out, "\n\n");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        /* Writes the type of calls with the log's states of this type as its values. Writes nothing if the log has no
         * such state. */
        int begun = 0, value;
        for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++) {
            /* The name of a state decides to which type of calls it belongs. */
            if (def->kind != PITHLOG_STATE || pithi_prv_call_type(def->name, &value) != calls[i].type)
                continue;
            if (!begun) {
                begin_type(&out);
                put_type(&out, calls[i].type, calls[i].label);
                pithi_out_text(&out, "VALUES\n");
                /* In Paraver a call has two events: at its begin one with the value of the function, at its end one
                 * with the value 0. */
                put_value(&out, 0, "End");
            }
            begun = 1;
            put_number(&out, value ? value : PITHI_PRV_NAMED + (int64_t)id, "      ");
            put_name(&out, def->name);
            pithi_out_char(&out, '\n');
        }
        if (begun)
            end_type(&out);
    }
    if (!put_defs(log, &out, payloads))
        err = pithi_no_memory();
    /* Labels the communicators by number, from 1. */
    const struct pithlog_comm *comm;
    begin_type(&out);
    put_type(&out, PITHI_PRV_COLL_COMM, "Communicator in MPI Global OP");
    put_type(&out, PITHI_PRV_COMM_MADE, "Communicator made");
    put_type(&out, PITHI_PRV_COMM_FREED, "Communicator freed");
    pithi_out_text(&out, "VALUES\n");
    for (uint32_t i = 0; (comm = pithlog_get_comm(log, i)); i++) {
        put_number(&out, i + INT64_C(1), "      ");
        put_name(&out, comm->name ? comm->name : "");
        pithi_out_char(&out, '\n');
    }
    end_type(&out);
    begin_type(&out);
    put_type(&out, PITHI_PRV_TRACING, "Tracing");
    pithi_out_text(&out, "VALUES\n");
    put_value(&out, 0, "Disabled");
    put_value(&out, 1, "Enabled");
    end_type(&out);
    begin_type(&out);
    put_type(&out, PITHI_PRV_COLL_SENT, "Send Size in MPI Global OP");
    put_type(&out, PITHI_PRV_COLL_GOT, "Recv Size in MPI Global OP");
    put_type(&out, PITHI_PRV_COLL_ROOT, "Root in MPI Global OP");
    put_type(&out, PITHI_PRV_ROOT, "Rank of the root + 1");
    put_type(&out, PITHI_PRV_LOST, "Records lost");
    end_type(&out);
    err = pithi_out_close(&out, err);
out:
    return err;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void begin_level(struct pithi_out *out, const char *level, uint32_t size)
{
    pithi_out_text(out, "LEVEL ");
    pithi_out_text(out, level);
    pithi_out_text(out, " SIZE ");
    put_number(out, size, "\n");
}

static void put_host(struct pithi_out *out, const char *host)
{
    pithi_out_quoted(out, PITHI_QUOTE_TABS, *host ? host : "unknown host");
}

int pithi_prv_write_rows(const struct pithlog *log, const struct pithi_prv_places *places, FILE *file)
{
    struct pithi_out out;
    int err;
    TRY(pithi_out_open(&out, file));
    /* Writes the names of the processors, node by node: on the host alpha they are "1.alpha", "2.alpha" ... */
    begin_level(&out, "CPU", places->lane_count);
    for (uint32_t node = 0; node < places->node_count; node++)
        for (uint32_t cpu = 1; cpu <= places->cpus[node]; cpu++) {
            put_number(&out, cpu, ".");
            put_host(&out, places->hosts[node]);
            pithi_out_char(&out, '\n');
        }
    pithi_out_char(&out, '\n');
    begin_level(&out, "NODE", places->node_count);
    for (uint32_t node = 0; node < places->node_count; node++) {
        put_host(&out, places->hosts[node]);
        pithi_out_char(&out, '\n');
    }
    pithi_out_char(&out, '\n');
    begin_level(&out, "THREAD", places->lane_count);
    for (uint32_t i = 0; i < places->lane_count; i++) {
        /* In "THREAD 1.R.T", R and T are the numbers of the rank and the thread in the log, + 1. If a rank of the log
         * has no lane, R leaves a number out, whereas the .prv numbers the tasks without gaps. */
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        if (*lane->name)
            put_name(&out, lane->name);
        pithi_out_text(&out, *lane->name ? " (1." : "THREAD 1.");
        put_number(&out, lane->rank + INT64_C(1), ".");
        put_number(&out, lane->thread + INT64_C(1), *lane->name ? ")\n" : "\n");
    }
    err = pithi_out_close(&out, err);
out:
    return err;
}

int pithi_prv_places_open(struct pithi_prv_places *places, const struct pithlog *log)
{
    size_t lanes = pithlog_get_info(log)->lanes + (size_t)1;
    *places = (struct pithi_prv_places){.lane_count = (uint32_t)(lanes - 1)};
    places->lanes = calloc(lanes, sizeof *places->lanes);
    places->first_lane = calloc(lanes, sizeof *places->first_lane);
    places->nodes = calloc(lanes, sizeof *places->nodes);
    if (!places->lanes || !places->first_lane || !places->nodes)
        return 0;

    /* Numbers tasks, threads and nodes; counts the processors of each node. */
    const struct pithlog_lane *lane, *before = NULL;
    struct pithi_map known = {0};
    uint32_t room = 0;
    int ok = 1;
    for (uint32_t i = 0; ok && (lane = pithlog_get_lane(log, i)); before = lane, i++) {
        /* Lanes are sorted by rank, so a lane with another rank than the lane before begins a new task. */
        if (!before || before->rank != lane->rank) {
            uint64_t *task = pithi_map_at(&places->tasks, (uint32_t)lane->rank);
            /* Hosts are distinguished by a hash of 63 bits. Two hosts of a log hardly ever have the same hash. */
            const char **host = pithi_item_at(&known, pithi_hash_text(PITHI_HASH, lane->host) >> 1, &places->hosts,
                                              &places->node_count, &room, sizeof *places->hosts, NULL);
            ok = task && host;
            places->first_lane[places->task_count] = i;
            if (ok) {
                *host = lane->host;
                places->nodes[places->task_count] = (uint32_t)(host - places->hosts) + 1;
                *task = places->task_count + UINT64_C(1);
            }
            places->task_count++;
        }
        places->lanes[i].task = places->task_count;
        places->lanes[i].thread = i - places->first_lane[places->task_count - 1] + 1;
    }
    /* An additional entry gives the end of the last task. */
    places->first_lane[places->task_count] = places->lane_count;
    pithi_map_free(&known);
    if (!ok)
        return 0;

    /* Numbers the processors, node by node. */
    uint32_t *next = calloc(places->node_count + (size_t)1, sizeof *next), sum = 1;
    if (!(places->cpus = calloc(places->node_count + (size_t)1, sizeof *places->cpus)) || !next) {
        free(next);
        return 0;
    }
    for (uint32_t i = 0; i < places->lane_count; i++)
        places->cpus[places->nodes[places->lanes[i].task - 1] - 1]++;
    for (uint32_t i = 0; i < places->node_count; i++) {
        /* A log does not know processors, so each node gets one processor for each of its lanes. If node 1 has 3 lanes,
         * it has the processors 1 to 3, and node 2 has the next ones. */
        next[i] = sum;
        sum += places->cpus[i];
    }
    for (uint32_t i = 0; i < places->lane_count; i++)
        places->lanes[i].cpu = next[places->nodes[places->lanes[i].task - 1] - 1]++;
    free(next);
    return 1;
}

void pithi_prv_places_close(struct pithi_prv_places *places)
{
    free(places->lanes);
    free(places->first_lane);
    free(places->nodes);
    free(places->cpus);
    free(places->hosts);
    pithi_map_free(&places->tasks);
}
