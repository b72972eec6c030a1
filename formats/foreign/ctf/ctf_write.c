/* ctf_write.c - native records to CTF, lane by lane, so that only one file is open at a time.
 *
 * A packet has a header (magic, UUID, stream class 0), a context (first and last time, sizes in bits, number, lost so
 * far, rank, thread) and events. An event has its number as a byte and the low 32 bits of its time. If 2^32 ns or more
 * have passed since the last event, it has 255, the number as 4 bytes and all 64 bits. The fields follow without
 * gaps. */
#include "foreign/ctf/ctf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "foreign/names.h"
#include "foreign/walk.h"
#include "reader/iter.h"

enum { TEXT = 1 << 18, EVENT_MAX = TEXT + 128, PACKET = 2 * EVENT_MAX, PACKET_FULL = 1 << 16, PATH = 4096 };

struct stream {
    const struct pithi_ctf *ctf;
    const struct pithlog_lane *lane;
    FILE *file;
    char path[PATH];
    unsigned char *data; /* the current packet */
    size_t used;
    uint64_t first, last, packets, lost; /* times of the CTF clock */
    char *text;
    struct pithi_losses losses;
    uint64_t cut;
};

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

static int write_failed(const char *path)
{
    return pithi_fail(PITH_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

static int put_packet(struct stream *s)
{
    unsigned char *p = s->data;
    pithi_put32(p, PITHI_CTF_MAGIC);
    memcpy(p + 4, s->ctf->uuid, PITHI_CTF_UUID);
    pithi_put32(p + 20, 0);
    pithi_put64(p + 24, s->first);
    pithi_put64(p + 32, s->last);
    pithi_put64(p + 40, (uint64_t)s->used * 8);
    pithi_put64(p + 48, (uint64_t)s->used * 8);
    pithi_put64(p + 56, s->packets++);
    pithi_put64(p + 64, s->lost);
    pithi_put32(p + 72, (uint32_t)s->lane->rank);
    pithi_put32(p + 76, s->lane->thread);
    size_t size = s->used;
    s->used = PITHI_CTF_HEADER;
    s->first = s->last;
    return fwrite(p, 1, size, s->file) == size ? PITH_OK : write_failed(s->path);
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void add32(struct stream *s, uint32_t value)
{
    pithi_put32(s->data + s->used, value);
    s->used += 4;
}

static void add64(struct stream *s, uint64_t value)
{
    pithi_put64(s->data + s->used, value);
    s->used += 8;
}

static void add_header(struct stream *s, uint32_t kind, uint64_t time)
{
    int compact = s->used > PITHI_CTF_HEADER ? time - s->last <= UINT32_MAX : 1;
    if (s->used == PITHI_CTF_HEADER)
        s->first = time;
    s->last = time;
    s->data[s->used++] = (unsigned char)(compact ? kind - 1 : PITHI_CTF_COMPACT);
    if (compact) {
        add32(s, (uint32_t)time);
        return;
    }
    add32(s, kind - 1);
    add64(s, time);
}

static void add_fields(struct stream *s, const struct pithlog_record *r)
{
    uint64_t bits;
    switch (r->kind) {
    case PITHLOG_ENTER:
    case PITHLOG_LEAVE:
        add32(s, r->id);
        break;
    case PITHLOG_EVENT:
        add32(s, r->id);
        if (r->payload_bytes) {
            size_t length = pithlog_payload_text(s->ctf->log, r, s->text, TEXT);
            s->cut += length > TEXT;
            length = strlen(s->text) + 1;
            memcpy(s->data + s->used, s->text, length);
            s->used += length;
        }
        break;
    case PITHLOG_COUNTER:
        memcpy(&bits, &r->value, sizeof bits);
        add32(s, r->id);
        add64(s, bits);
        break;
    case PITHLOG_SEND:
    case PITHLOG_RECV:
    case PITHLOG_COLL:
        add32(s, r->comm);
        add32(s, (uint32_t)r->peer);
        if (r->kind != PITHLOG_COLL)
            add32(s, (uint32_t)r->tag);
        add64(s, r->bytes);
        if (r->kind != PITHLOG_SEND)
            add64(s, r->kind == PITHLOG_RECV ? r->posted : r->got_bytes);
        break;
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        add32(s, r->comm);
        break;
    case PITHLOG_LOST:
        add64(s, r->bytes);
        s->lost += r->bytes;
        break;
    default:
        break;
    }
}

static int add_record(struct stream *s, const struct pithlog_record *r, int64_t from_ns)
{
    int64_t time_ns = r->time_ns < from_ns ? from_ns : r->time_ns; /* the state began before the window */
    add_header(s, r->kind == PITHLOG_EVENT && !r->payload_bytes ? PITHI_CTF_BARE : r->kind,
               (uint64_t)time_ns - (uint64_t)s->ctf->base_ns);
    add_fields(s, r);
    return s->used >= PACKET_FULL ? put_packet(s) : PITH_OK;
}

/* ---- A lane ------------------------------------------------------------------------------------------------------ */

/* Writes all records as they are. For a window, writes only ends that have a start. */
static int add_records(struct stream *s, uint32_t lane, const struct pithi_convert *how)
{
    int all = how->from_ns == INT64_MIN && how->to_ns == INT64_MAX;
    struct pithlog_query query = {how->from_ns, how->to_ns, &lane, 1, 0, all ? 0 : PITHLOG_CLIP};
    struct pithlog_iter *iter = NULL;
    struct pithlog_record record;
    int err, status;
    TRY(pithlog_iter_open(s->ctf->log, &query, &iter));
    while ((status = pithlog_iter_next(iter, &record)) == 1)
        if (all || record.kind != PITHLOG_LEAVE || record.depth != UINT32_MAX) {
            enum pithi_iter_part part = pithi_iter_part(iter);
            pithi_losses_record(&s->losses, &record,
                                part == PITHI_PART_BEFORE  ? PITHI_EDGE_START
                                : part == PITHI_PART_AFTER ? PITHI_EDGE_END
                                                           : PITHI_EDGE_NONE);
            TRY(add_record(s, &record, how->from_ns));
        } else {
            s->losses.count[PITHI_LOSS_UNMATCHED]++;
        }
    if (status < 0)
        err = PITH_ERR_DAMAGED;
out:
    pithlog_iter_close(iter);
    return err;
}

/* A lane without records also has a packet, so that readers see the lane. */
static int write_lane(struct stream *s, const char *folder, uint32_t lane, const struct pithi_convert *how)
{
    int err;
    s->lane = pithlog_get_lane(s->ctf->log, lane);
    s->used = PITHI_CTF_HEADER;
    s->first = s->last = s->packets = s->lost = 0;
    if (snprintf(s->path, sizeof s->path, "%s/rank_%d_thread_%u", folder, (int)s->lane->rank,
                 (unsigned)s->lane->thread) >= (int)sizeof s->path)
        return pithi_fail(PITH_ERR_IO, "%s: the name is too long", folder);
    if (!(s->file = fopen(s->path, "wb")))
        return write_failed(s->path);
    TRY(add_records(s, lane, how));
    if (s->used > PITHI_CTF_HEADER || s->packets == 0)
        TRY(put_packet(s));
out:
    if (fclose(s->file) != 0 && !err)
        err = write_failed(s->path);
    return err;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int write_metadata(const struct pithi_ctf *ctf, const char *folder)
{
    char path[PATH];
    FILE *file;
    int err;
    if (snprintf(path, sizeof path, "%s/metadata", folder) >= (int)sizeof path)
        return pithi_fail(PITH_ERR_IO, "%s: the name is too long", folder);
    if (!(file = fopen(path, "wb")))
        return write_failed(path);
    err = pithi_ctf_metadata(ctf, file);
    if (err == PITH_ERR_IO)
        write_failed(path);
    if (fclose(file) != 0 && !err)
        err = write_failed(path);
    return err;
}

int pithi_ctf_write(struct pithlog *log, const char *folder, const struct pithi_convert *how)
{
    struct pithi_ctf ctf;
    struct stream s = {.ctf = &ctf, .data = malloc(PACKET), .text = malloc(TEXT)};
    int err = s.data && s.text ? PITH_OK : pithi_no_memory();
    if (err)
        goto out;
    TRY(pithi_losses_open(&s.losses, log));
    pithi_ctf_begin(&ctf, log);
    TRY(write_metadata(&ctf, folder));
    for (uint32_t lane = 0; lane < pithlog_get_info(log)->lanes; lane++)
        TRY(write_lane(&s, folder, lane, how));
    uint32_t members = 0;
    for (uint32_t i = 1; i < pithlog_get_info(s.ctf->log)->comms; i++)
        members += pithlog_get_comm(s.ctf->log, i)->size > 0;
    pithi_note(how, members, "communicators: their members are left out");
    pithi_losses_keep(&s.losses, "program");
    pithi_losses_keep(&s.losses, "start_unix_s");
    pithi_losses_tell(&s.losses, how);
    pithi_note(how, s.cut, "payloads of events are cut");
out:
    free(s.data);
    free(s.text);
    pithi_losses_close(&s.losses);
    return err;
}

int pithi_ctf_probe(const struct pithi_input *input)
{
    char path[PATH], start[sizeof PITHI_CTF_START] = "";
    FILE *file;
    if (input->data || snprintf(path, sizeof path, "%s/metadata", input->path) >= (int)sizeof path ||
        !(file = fopen(path, "rb")))
        return 0;
    size_t got = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    return got == sizeof start - 1 && strcmp(start, PITHI_CTF_START) == 0;
}
