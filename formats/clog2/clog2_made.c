/* clog2_made.c - see clog2_made.h. */
#include "clog2/clog2_made.h"

#include "error.h"

#define DEFINED_WAITED (UINT32_C(1) << 31)

static int is_mpi_call(const struct pithlog_def *def)
{
    return def->kind == PITHLOG_STATE && strncmp(def->name, "MPI_", 4) == 0;
}

static int is_event(const struct pithlog_def *def, int32_t number)
{
    return def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, pithi_clog2_known_event(number)->name) == 0;
}

/* A log that was one of MPE's has its own. */
struct pithi_clog2_made pithi_clog2_to_make(struct pithlog *log)
{
    uint32_t calls = 0, events = 0, shifts = 0, waited = 0, count = pithlog_get_info(log)->defs;

    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        calls |= is_mpi_call(def);
        events |= is_event(def, PITHI_CLOG2_COMM_INIT) || is_event(def, PITHI_CLOG2_COMM_FINALIZE);
        waited |= def->kind == PITHLOG_STATE && pithi_clog2_known_number(def->name) == PITHI_CLOG2_IRECV_WAITED;
        shifts |= def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, PITHI_CLOG2_SHIFT) == 0;
    }
    return (struct pithi_clog2_made){.what = (shifts ? 0 : PITHI_CLOG2_MADE_SHIFTS) |
                                             (calls && !events ? PITHI_CLOG2_MADE_COMMS : 0) |
                                             (calls && !events && !waited ? PITHI_CLOG2_MADE_WAITED : 0)};
}

int pithi_clog2_make_shift(const struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           int32_t rank)
{
    unsigned char *body;

    if (!(made->what & PITHI_CLOG2_MADE_SHIFTS))
        return PITH_OK;
    body = pithi_clog2_put(stream, PITHI_CLOG2_TIMESHIFT, time_ns, 0, rank, 0);
    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put64f(body, -0.0); /* what was added to its times, with the sign turned */
    return PITH_OK;
}

static int define(struct pithi_clog2_stream *stream, int64_t time_ns, int32_t number)
{
    const struct pithi_clog2_known *known = pithi_clog2_known_event(number);
    unsigned char *body = pithi_clog2_put(stream, PITHI_CLOG2_EVENTDEF, time_ns, 0, 0, 0);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, number);
    memcpy(body + 8, known->colour, strlen(known->colour));
    memcpy(body + 32, known->name, strlen(known->name));
    return PITH_OK;
}

int pithi_clog2_make_event(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                           const struct pithi_clog2_line *line, int32_t number)
{
    uint32_t bit = 1u << (number - PITHI_CLOG2_COMM_INIT);
    unsigned char *body;
    int err;

    if (!(made->what & PITHI_CLOG2_MADE_COMMS))
        return PITH_OK;
    if (!(made->defined & bit))
        TRY(define(stream, time_ns, number));
    made->defined |= bit;
    body = pithi_clog2_put(stream, PITHI_CLOG2_BAREEVT, time_ns, line->comm, line->rank, line->thread);
    err = body ? PITH_OK : PITH_ERR_IO;
    if (body)
        pithi_clog2_put32(body, number);
out:
    return err;
}

int pithi_clog2_completes(const char *name)
{
    return strncmp(name, "MPI_Wait", 8) == 0 || (strncmp(name, "MPI_Test", 8) == 0 && !strstr(name, "cancelled"));
}

static int define_waited(struct pithi_clog2_stream *stream, int64_t time_ns)
{
    const struct pithi_clog2_known *known = pithi_clog2_known_state(PITHI_CLOG2_IRECV_WAITED);
    unsigned char *body = pithi_clog2_put(stream, PITHI_CLOG2_STATEDEF, time_ns, 0, 0, 0);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, PITHI_CLOG2_IRECV_WAITED);
    pithi_clog2_put32(body + 4, 2 * PITHI_CLOG2_IRECV_WAITED);
    pithi_clog2_put32(body + 8, 2 * PITHI_CLOG2_IRECV_WAITED + 1);
    memcpy(body + 16, known->colour, strlen(known->colour));
    memcpy(body + 40, known->name, strlen(known->name));
    return PITH_OK;
}

int pithi_clog2_make_waited(struct pithi_clog2_made *made, struct pithi_clog2_stream *stream, int64_t time_ns,
                            const struct pithi_clog2_line *line, int is_end)
{
    unsigned char *body;
    int err = PITH_OK;

    if (!(made->what & PITHI_CLOG2_MADE_WAITED))
        return PITH_OK;
    if (!(made->defined & DEFINED_WAITED))
        TRY(define_waited(stream, time_ns));
    made->defined |= DEFINED_WAITED;
    body = pithi_clog2_put(stream, PITHI_CLOG2_BAREEVT, time_ns, line->comm, line->rank, line->thread);
    err = body ? PITH_OK : PITH_ERR_IO;
    if (body)
        pithi_clog2_put32(body, 2 * PITHI_CLOG2_IRECV_WAITED + is_end);
out:
    return err;
}
