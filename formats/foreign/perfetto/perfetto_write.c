/* perfetto_write.c - native records to packets of Perfetto. Ranks become processes, lanes become threads, states become
 * slices. Events and both ends of a message become instants, and a flow connects the two ends. Each counter gets a
 * track. Field numbers are as in perfetto/protos/trace/ (trace_packet, track_descriptor, track_event, interned_data).
 *
 * Packets need not be in order of time. So a second pass writes the messages after all other records, in the order in
 * which the log's reader matches them. This way memory does not grow with the number of messages. The first packet
 * "interns" all names, that is, gives each name a number, which stands for the name in all later packets.
 *
 * The functions of samples are slices on an additional track below each lane. If samples were taken by wall-clock time,
 * the slices of a sample begin at the sample before it and end at the sample. If samples were taken by CPU time, the
 * slices are only as long as the CPU time that the thread used between the two samples. If the slices of two samples
 * touch, a function that is on both stacks, like all functions that called it, gets one slice for both. */
#include "foreign/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/out.h"
#include "foreign/names.h"
#include "foreign/walk.h"
#include "native/log.h"

/* numbers of fields of TracePacket */
enum {
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,    /* TrackEvent */
    PACKET_INTERNED = 12, /* interned names, each with its number */
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60 /* TrackDescriptor */
};
/* values of the field PACKET_FLAGS: a packet makes all earlier interned names invalid; a packet uses interned names */
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };
/* numbers of fields of TrackEvent */
enum { EVENT_CATEGORY = 3, EVENT_NOTE = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { EVENT_NAME_TEXT = 23, EVENT_DOUBLE = 44, EVENT_FLOW = 47, EVENT_FLOW_END = 48 };
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER }; /* values of the field EVENT_TYPE */
/* numbers of fields of TrackDescriptor */
enum { TRACK_UUID = 1, TRACK_NAME, TRACK_PROCESS, TRACK_THREAD, TRACK_PARENT, TRACK_COUNTER = 8 };
/* numbers of fields of ProcessDescriptor, ThreadDescriptor, CounterDescriptor */
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID, THREAD_NAME = 5, COUNTER_UNIT = 6 };
/* numbers of fields of InternedData, and of its entries */
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES, INTERNED_NOTES, IID = 1, IID_NAME };
/* numbers of fields of DebugAnnotation, which adds a named value to an event */
enum { NOTE_NAME = 1, NOTE_UINT = 3, NOTE_INT, NOTE_STRING = 6 };

/* Names of events that have no definition in the log. Their interned numbers follow those of the definitions, which are
 * id + 1. */
enum { SENT, RECEIVED, PAUSED, RESUMED, LOST, OWN_NAMES };
static const char *const own_names[] = {"message sent", "message received", "recording paused", "recording resumed",
                                        "records lost"};
/* interned numbers of the names of the values that annotations add to events */
enum { NOTE_PEER = 1, NOTE_TAG, NOTE_BYTES, NOTE_PAYLOAD, NOTE_COUNT, NOTE_NAMES };
static const char *const note_names[] = {"", "peer", "tag", "bytes", "payload", "count"};

/* SEQUENCE: number of the packet sequence to which all packets belong; TEXT: most bytes of a text; EVENT_ROOM: most
 * bytes of an event */
enum { SEQUENCE = 1, TEXT = 1024, EVENT_ROOM = TEXT + 256 };

/* The functions of the last sample of a lane, which are open slices. */
struct stack {
    char *text;             /* the names of the functions, outermost first, separated by ';'; NULL: no sample yet */
    int64_t end_ns, cpu_ns; /* time and CPU time of the sample */
    int seen;               /* 1: there was a sample */
};

struct perfetto_writer {
    struct pithlog *log;
    struct pithi_naming naming;
    struct stack *stacks; /* by lane */
    uint64_t samples;     /* number of samples written so far */
    uint64_t cut;         /* number of payloads that were cut, which is reported to the user */
    int wall;             /* 1: samples were taken at intervals of wall-clock time */
    int64_t period_ns;    /* ns between two samples */
    struct pithi_out out;
    struct pithi_map counters; /* numbers of the counter tracks whose descriptor is already written */
    int64_t start_ns, from_ns; /* start_ns: time of the log that is time 0 of the file; from_ns: begin of the interval
                                  that is converted */
    uint32_t defs, lanes;
    struct pithi_losses losses;
};

/* ---- Fields of Protocol Buffers (protobuf.dev): numbers below 2^28, varints, 8 bytes, with a length in front ----- */

enum { PB_VARINT, PB_FIXED64, PB_BYTES };

/* The functions pb_... write one field at `p` and return the byte after it. A number needs room for 15 bytes, pb_bytes
 * for 10 + `size` bytes. */
static unsigned char *pb_varint(unsigned char *p, uint32_t field, uint64_t value)
{
    return pithi_put_varint(pithi_put_varint(p, field << 3 | PB_VARINT), value);
}

static unsigned char *pb_fixed64(unsigned char *p, uint32_t field, uint64_t value)
{
    p = pithi_put_varint(p, field << 3 | PB_FIXED64);
    pithi_put64(p, value);
    return p + 8;
}

static unsigned char *pb_double(unsigned char *p, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return pb_fixed64(p, field, bits);
}

static unsigned char *pb_bytes(unsigned char *p, uint32_t field, const void *data, size_t size)
{
    p = pithi_put_varint(pithi_put_varint(p, field << 3 | PB_BYTES), size);
    memcpy(p, data, size);
    return p + size;
}

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

/* Writes a packet with the field `field`, whose content is `data`, besides the fields that each packet has. Only events
 * get the field for the time. */
static void put_packet(struct perfetto_writer *w, uint32_t field, const unsigned char *data, size_t size,
                       int64_t time_ns, uint64_t flags)
{
    unsigned char own[64], head[32], *p = own, *h = head;
    if (field == PACKET_EVENT)
        p = pb_varint(p, PACKET_TIME, (uint64_t)time_ns - (uint64_t)w->start_ns);
    p = pb_varint(p, PACKET_SEQUENCE, SEQUENCE);
    p = pb_varint(p, PACKET_FLAGS, flags);
    p = pithi_put_varint(pithi_put_varint(p, field << 3 | PB_BYTES), size);
    h = pithi_put_varint(pithi_put_varint(h, 1 << 3 | PB_BYTES), (size_t)(p - own) + size);
    pithi_out_bytes(&w->out, (const char *)head, (size_t)(h - head));
    pithi_out_bytes(&w->out, (const char *)own, (size_t)(p - own));
    pithi_out_bytes(&w->out, (const char *)data, size);
}

/* Writes the fields that all events have. */
static unsigned char *begin_event(unsigned char *p, uint32_t type, uint64_t track)
{
    return pb_varint(pb_varint(p, EVENT_TYPE, type), EVENT_TRACK, track);
}

static void put_event(struct perfetto_writer *w, const unsigned char *event, const unsigned char *end, int64_t time_ns)
{
    put_packet(w, PACKET_EVENT, event, (size_t)(end - event), time_ns, STATE_NEEDED);
}

static unsigned char *put_note(unsigned char *p, uint32_t name, uint32_t kind, uint64_t value)
{
    unsigned char note[40], *n = pb_varint(pb_varint(note, NOTE_NAME, name), kind, value);
    return pb_bytes(p, EVENT_NOTE, note, (size_t)(n - note));
}

/* ---- Tracks ------------------------------------------------------------------------------------------------------ */

/* Numbers of tracks. They are small, so that they need few bytes, because each event contains such a number. */
static uint64_t rank_track(uint32_t first_lane) { return 3 * (uint64_t)first_lane + 1; }
static uint64_t lane_track(uint32_t lane) { return 3 * (uint64_t)lane + 2; }
static uint64_t counter_track(const struct perfetto_writer *w, uint32_t lane, uint32_t id)
{
    return 3 * ((uint64_t)lane * w->defs + id) + 3;
}

static int text_field(struct pithi_buffer *b, uint32_t field, const char *text)
{
    size_t size = strlen(text);
    if (!pithi_buffer_reserve(b, size + 20))
        return 0;
    b->size = (size_t)(pb_bytes(b->data + b->size, field, text, size) - b->data);
    return 1;
}

static int number_field(struct pithi_buffer *b, uint32_t field, uint64_t value)
{
    if (!pithi_buffer_reserve(b, 20))
        return 0;
    b->size = (size_t)(pb_varint(b->data + b->size, field, value) - b->data);
    return 1;
}

/* Adds to `b` a field whose content is the fields in `inner`, and empties `inner`. Returns 0 if memory runs out. */
static int message_field(struct pithi_buffer *b, uint32_t field, struct pithi_buffer *inner)
{
    int ok = pithi_buffer_reserve(b, inner->size + 20);
    if (ok)
        b->size = (size_t)(pb_bytes(b->data + b->size, field, inner->data, inner->size) - b->data);
    inner->size = 0;
    return ok;
}

static int put_track(struct perfetto_writer *w, struct pithi_buffer *track, int ok)
{
    if (ok)
        put_packet(w, PACKET_TRACK, track->data, track->size, 0, STATE_NEEDED);
    free(track->data);
    return ok;
}

/* Returns the track for the sampled functions of a lane. The numbers of these tracks come after the numbers of all
 * counter tracks. */
static uint64_t function_track(const struct perfetto_writer *w, uint32_t lane)
{
    return counter_track(w, w->lanes, 0) + 3 * (uint64_t)lane;
}

static int put_function_track(struct perfetto_writer *w, uint32_t lane)
{
    struct pithi_buffer track = {0};
    int ok = number_field(&track, TRACK_UUID, function_track(w, lane)) &&
             text_field(&track, TRACK_NAME, "functions (samples)") &&
             number_field(&track, TRACK_PARENT, lane_track(lane));
    return put_track(w, &track, ok);
}

/* Writes a track for each rank and each lane. */
static int put_tracks(struct perfetto_writer *w)
{
    uint32_t first = 0;
    char name[400];
    for (uint32_t i = 0; i < w->lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(w->log, i);
        if (i == 0 || lane->rank != pithlog_get_lane(w->log, first)->rank) {
            /* The process number is made from the rank's first lane, because two processes on different hosts may have
             * the same number. */
            struct pithi_buffer track = {0}, process = {0};
            first = i;
            snprintf(name, sizeof name, *lane->host ? "rank %" PRId32 " (%.255s)" : "rank %" PRId32, lane->rank,
                     lane->host);
            int ok = number_field(&process, PROCESS_PID, first + (uint64_t)1) &&
                     text_field(&process, PROCESS_NAME, name) && number_field(&track, TRACK_UUID, rank_track(first)) &&
                     message_field(&track, TRACK_PROCESS, &process);
            free(process.data);
            if (!put_track(w, &track, ok))
                return 0;
        }
        struct pithi_buffer track = {0}, thread = {0};
        if (*lane->name)
            snprintf(name, sizeof name, "%.350s", lane->name);
        else
            snprintf(name, sizeof name, lane->thread ? "thread %" PRIu32 : "main", lane->thread);
        int ok = number_field(&thread, THREAD_PID, first + (uint64_t)1) &&
                 number_field(&thread, THREAD_TID, i + (uint64_t)1) && text_field(&thread, THREAD_NAME, name) &&
                 number_field(&track, TRACK_UUID, lane_track(i)) &&
                 number_field(&track, TRACK_PARENT, rank_track(first)) && message_field(&track, TRACK_THREAD, &thread);
        free(thread.data);
        if (!put_track(w, &track, ok))
            return 0;
    }
    return 1;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static int intern(struct pithi_buffer *all, uint32_t field, uint64_t iid, const char *name)
{
    struct pithi_buffer one = {0};
    int ok = number_field(&one, IID, iid) && text_field(&one, IID_NAME, name) && message_field(all, field, &one);
    free(one.data);
    return ok;
}

/* Writes the interned names. The category of a definition has the same interned number as its name; the name of the
 * category is the group of the definition. */
static int put_names(struct perfetto_writer *w)
{
    struct pithi_buffer all = {0};
    const struct pithlog_def *def;
    int ok = 1;
    for (uint32_t id = 0; ok && (def = pithlog_get_def(w->log, id)); id++)
        ok = intern(&all, INTERNED_NAMES, id + (uint64_t)1, def->name) &&
             intern(&all, INTERNED_CATEGORIES, id + (uint64_t)1, *def->group ? def->group : "user");
    for (uint32_t i = 0; ok && i < OWN_NAMES; i++)
        ok = intern(&all, INTERNED_NAMES, w->defs + i + (uint64_t)1, own_names[i]);
    for (uint32_t i = 1; ok && i < NOTE_NAMES; i++)
        ok = intern(&all, INTERNED_NOTES, i, note_names[i]);
    if (ok)
        put_packet(w, PACKET_INTERNED, all.data, all.size, 0, STATE_CLEARED | STATE_NEEDED);
    free(all.data);
    return ok;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void begin_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    unsigned char event[EVENT_ROOM], *p = begin_event(event, SLICE_BEGIN, lane_track(lane));
    p = pb_varint(p, EVENT_NAME, id + (uint64_t)1);
    p = pb_varint(p, EVENT_CATEGORY, id + (uint64_t)1);
    put_event(context, event, p, time_ns);
}

static void end_state(void *context, uint32_t lane, uint32_t id, int64_t time_ns)
{
    unsigned char event[EVENT_ROOM];
    (void)id;
    put_event(context, event, begin_event(event, SLICE_END, lane_track(lane)), time_ns);
}

static unsigned char *begin_instant(const struct perfetto_writer *w, unsigned char *event, uint32_t lane, uint32_t own)
{
    unsigned char *p = begin_event(event, INSTANT, lane_track(lane));
    return pb_varint(p, EVENT_NAME, w->defs + own + (uint64_t)1);
}

/* Ends the slices of the lane's last sample that belong to the functions named in `at`. `at` is the whole text of
 * w->stacks[lane], or the innermost functions at its end. */
static void end_functions(struct perfetto_writer *w, uint32_t lane, const char *at)
{
    unsigned char event[EVENT_ROOM];
    size_t count = *at != '\0';
    for (; *at; at++)
        count += *at == ';';
    for (; count > 0; count--)
        put_event(w, event, begin_event(event, SLICE_END, function_track(w, lane)), w->stacks[lane].end_ns);
}

static int put_sample(struct perfetto_writer *w, const struct pithlog_record *r, const char *text)
{
    struct stack *s = &w->stacks[r->lane];
    int64_t cpu_ns = (int64_t)((uint64_t)pithi_get_be32(r->payload) << 32 | pithi_get_be32(r->payload + 4));
    int64_t begin_ns = (int64_t)((uint64_t)r->time_ns - (s->seen && !w->wall ? (uint64_t)cpu_ns - (uint64_t)s->cpu_ns
                                                                             : (uint64_t)w->period_ns));
    char *copy = strdup(text);
    const char *open = s->text;
    if (!copy || (!s->seen && !put_function_track(w, r->lane)))
        return 0;
    if (s->seen && (begin_ns < s->end_ns || w->wall || begin_ns > r->time_ns))
        begin_ns = s->end_ns;
    begin_ns = begin_ns < w->from_ns ? w->from_ns : begin_ns;
    if (open && begin_ns == s->end_ns) {
        /* Skips the outermost functions that the two stacks have in common, because their slices go on. */
        size_t size;
        while ((size = strcspn(open, ";")) > 0 && size == strcspn(text, ";") && memcmp(open, text, size) == 0) {
            open += size + (open[size] == ';');
            text += size + (text[size] == ';');
        }
    }
    if (open)
        end_functions(w, r->lane, open);
    for (const char *at = text; *at;) {
        unsigned char event[EVENT_ROOM], *p = begin_event(event, SLICE_BEGIN, function_track(w, r->lane));
        size_t size = strcspn(at, ";");
        put_event(w, event, pb_bytes(p, EVENT_NAME_TEXT, at, size < TEXT ? size : TEXT), begin_ns);
        at += size + (at[size] == ';');
    }
    free(s->text);
    *s = (struct stack){copy, r->time_ns, cpu_ns, 1};
    w->samples++;
    return 1;
}

static int put_record(void *context, const struct pithlog_step *step)
{
    struct perfetto_writer *w = context;
    const struct pithlog_record *r = step->record;
    unsigned char event[EVENT_ROOM], *p;
    const char *functions;
    switch (r->kind) {
    case PITHLOG_EVENT:
        functions = w->naming.functions ? w->naming.functions(w->naming.context, r) : NULL;
        if (functions && r->id == w->losses.stack_ids[0])
            return put_sample(w, r, functions);
        p = begin_event(event, INSTANT, lane_track(r->lane));
        p = pb_varint(p, EVENT_NAME, r->id + (uint64_t)1);
        p = pb_varint(p, EVENT_CATEGORY, r->id + (uint64_t)1);
        if (r->payload_bytes) {
            unsigned char note[TEXT + 64], *n;
            char text[TEXT];
            size_t room = sizeof text - 100;
            if (functions)
                w->cut += (size_t)snprintf(text, room, "%s", functions) >= room;
            else
                w->cut += pithlog_payload_text(w->log, r, text, room) > room;
            n = pb_varint(note, NOTE_NAME, NOTE_PAYLOAD);
            n = pb_bytes(n, NOTE_STRING, text, strlen(text));
            p = pb_bytes(p, EVENT_NOTE, note, (size_t)(n - note));
        }
        put_event(w, event, p, r->time_ns);
        return 1;
    case PITHLOG_COUNTER: {
        uint64_t track = counter_track(w, r->lane, r->id);
        uint64_t *known = pithi_map_at(&w->counters, track);
        if (!known)
            return 0;
        if (!*known) {
            const struct pithlog_def *def = pithlog_get_def(w->log, r->id);
            struct pithi_buffer described = {0}, counter = {0};
            int ok = text_field(&counter, COUNTER_UNIT, def->format) && number_field(&described, TRACK_UUID, track) &&
                     text_field(&described, TRACK_NAME, def->name) &&
                     number_field(&described, TRACK_PARENT, lane_track(r->lane)) &&
                     message_field(&described, TRACK_COUNTER, &counter);
            free(counter.data);
            if (!put_track(w, &described, ok))
                return 0;
        }
        *known = 1;
        put_event(w, event, pb_double(begin_event(event, COUNTER, track), EVENT_DOUBLE, r->value), r->time_ns);
        return 1;
    }
    case PITHLOG_PAUSE:
    case PITHLOG_RESUME:
    case PITHLOG_LOST:
        p = begin_instant(w, event, r->lane, PAUSED + (r->kind - PITHLOG_PAUSE));
        p = r->kind == PITHLOG_LOST ? put_note(p, NOTE_COUNT, NOTE_UINT, r->bytes) : p;
        put_event(w, event, p, r->time_ns);
        return 1;
    default:
        return 1;
    }
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void put_end(struct perfetto_writer *w, const struct pithlog_message *m, uint64_t flow, int sent)
{
    uint32_t lane = sent ? m->send_lane : m->recv_lane, other = sent ? m->recv_lane : m->send_lane;
    unsigned char event[EVENT_ROOM], *p = begin_instant(w, event, lane, sent ? SENT : RECEIVED);
    p = put_note(p, NOTE_PEER, NOTE_INT, (uint64_t)(int64_t)pithlog_get_lane(w->log, other)->rank);
    p = put_note(p, NOTE_TAG, NOTE_INT, (uint64_t)(int64_t)m->tag);
    p = put_note(p, NOTE_BYTES, NOTE_UINT, m->bytes);
    p = pb_fixed64(p, sent ? EVENT_FLOW : EVENT_FLOW_END, flow);
    put_event(w, event, p, sent ? m->send_ns : m->recv_ns);
}

static void put_message(void *context, const struct pithlog_message *m, uint64_t number)
{
    struct perfetto_writer *w = context;
    put_end(w, m, number, 1);
    put_end(w, m, number, 0);
}

/* Called with the begin of the interval that is converted. If the interval begins before 0, shifts all times, because
 * Perfetto has no times below 0. */
static void begin(void *context, int64_t from_ns)
{
    struct perfetto_writer *w = context;
    w->from_ns = from_ns;
    w->start_ns = from_ns < 0 ? from_ns : 0;
    pithi_losses_zero(&w->losses, w->start_ns);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

int pithi_perfetto_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct perfetto_writer w = {.log = log, .naming = how->naming, .defs = info->defs, .lanes = info->lanes};
    struct pithi_each each = {&w, begin, put_record, put_message, &w.out.failed, &w.losses, begin_state, end_state};
    int err;
    w.period_ns = pithi_sample_timing(log, &w.wall);
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_out_open(&w.out, out));
    if (!(w.stacks = calloc(info->lanes + (size_t)1, sizeof *w.stacks)) || !put_names(&w) || !put_tracks(&w))
        err = pithi_no_memory();
    if (err == PITH_OK)
        err = pithi_each_record(log, how, &each);
    for (uint32_t i = 0; w.stacks && i < w.lanes; i++) {
        if (w.stacks[i].text)
            end_functions(&w, i, w.stacks[i].text);
        free(w.stacks[i].text);
    }
    free(w.stacks);
    if (err == PITH_OK)
        err = pithi_each_message(log, how, &each);
    err = pithi_out_close(&w.out, err);
    pithi_map_free(&w.counters);
    if (err == PITH_OK) {
        pithi_losses_tell(&w.losses, how);
        pithi_note(how, w.cut, "payloads of events are cut");
        pithi_note(how, w.samples, "samples became slices of their functions");
    }
out:
    pithi_losses_close(&w.losses);
    return err;
}
