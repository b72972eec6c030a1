/* random_calls.c - programs of point-to-point calls, each made of a number, that end whatever MPI does:
 *
 *     random_calls FIRST COUNT    programs FIRST, FIRST + 1 ...: results in the files told.RANK
 *
 * What they tell (data, statuses, sizes, errors) must not depend on who listens. A program has rounds, a round some
 * messages that all ranks know. Each rank posts the receives that are `early`, then it sends, then it receives the
 * others, and completes all. Sends that may wait go to early receives only, so nobody waits for one who waits. How a
 * rank completes its requests is its own matter. */
#include "random_parts.h"

enum { ROUNDS = 6, MESSAGES = 12, SENTINEL = 0x11111111 };

/* ---- Messages ---- */

enum { ISEND, ISSEND, IBSEND, SEND_INIT, SSEND_INIT, BSEND_INIT, BSEND, SEND, SSEND, RSEND, SENDS, FIRST_WAITS = SEND };
enum { RECV, PROBE, IPROBE, MPROBE, IMPROBE, HALF_SENDRECV, LATE_IRECV, LATES };

struct message {
    int from, to, comm, tag; /* world ranks */
    int is_early, send, receive, is_persistent, is_again, is_freed;
    int kind, count, to_kind, room, is_truncated, any_source, any_tag, ignored, is_nobody;
    struct buffer out, in;
};
static struct message messages[MESSAGES];
static int message_count, is_ready; /* all early receives are posted before any send */

static int some_count(void)
{
    static const int most[] = {1, 2, 10, 100, 1500, 20000};
    return (int)any((unsigned)most[any(6)] + 1);
}

/* Open MPI 4.1 writes behind what has no room when it is long, and does not always tell it of messages to oneself.
 *
 * The other side may have another type of the same signature, and more room, or less. */
static void choose_types(struct message *m)
{
    m->kind = m->to_kind = (int)any(TYPES);
    m->count = some_count();
    if (m->kind == PAIRS) /* MPICH 4.0 cuts off many of those when they are buffered */
        m->count %= 40;
    if (m->kind == CONTIGUOUS && any(2)) {
        m->to_kind = INTS;
        m->room = 3 * m->count;
    } else {
        m->room = m->count;
    }
    if (any(3) == 0)
        m->room += (int)any(50);
    else if (any(8) == 0 && m->count > 8 && m->count < 80 && m->kind != NOTHING && m->from != m->to)
        m->room /= 2 + (int)any(9);
    m->is_truncated = m->to_kind == INTS && m->kind == CONTIGUOUS ? m->room < 3 * m->count : m->room < m->count;
    m->is_truncated &= m->kind != NOTHING;
}

static void choose(struct message *m, int number, int any_tags_early)
{
    memset(m, 0, sizeof *m);
    m->from = (int)any((unsigned)size);
    m->to = (int)any((unsigned)size);
    m->comm = (int)any(COMMS);
    m->is_early = (int)any(2);
    m->any_source = any(4) == 0;
    m->any_tag = m->comm == ANY_TAGS;
    if (m->any_tag) { /* of one sender all in the same way: in order */
        m->is_early = any_tags_early;
        m->any_source = 0;
    } else if (m->comm == ANY_SOURCES) { /* whichever comes first: all of a kind, to rank 0 */
        m->any_source = m->any_tag = 1;
        m->is_early = any_tags_early;
        m->to = 0;
    }
    m->tag = m->any_source || any(2) ? 1000 + MESSAGES * turn + number : 10 + m->is_early;
    m->is_again = m->is_early && m->comm < ANY_TAGS && any(3) == 0;
    m->send = (int)any(m->is_early ? is_ready ? SENDS : RSEND : FIRST_WAITS);
    m->receive = (int)any(LATES);
    if (m->from == m->to && m->receive <= IMPROBE) /* MPICH 4.0 does not see some of those coming */
        m->receive = RECV;
    m->ignored = any(5) == 0;
    m->is_nobody = any(15) == 0;
    choose_types(m);
    if (m->comm == ANY_SOURCES) {
        m->kind = m->to_kind = INTS;
        m->count %= 30;
        m->room = 30;
        m->receive = (program + turn) % 2 ? RECV : LATE_IRECV;
        m->is_truncated = m->is_nobody = m->ignored = 0;
    }
    if (m->is_again) {
        m->tag = 1000 + MESSAGES * turn + number;
        m->send = SEND_INIT + (int)any(2); /* MPICH 4.0 and Open MPI 4.1 mix up the data of MPI_Bsend_init */
    }
    m->is_persistent = m->is_early && !m->is_truncated && (m->is_again || any(3) == 0);
    m->is_freed = m->send == ISEND && any(5) == 0; /* MPICH 4.0 forgets some synchronous ones */
}

static const char *name_of(const struct message *m)
{
    static char name[40];
    if (m->comm == ANY_SOURCES)
        return "any";
    int number = m >= messages && m < messages + MESSAGES ? (int)(m - messages) : -1;
    snprintf(name, sizeof name, "%d", number);
    return name;
}

/* Each receive tells a line; status NULL: ignored. Of what was cut off only what is behind its room is known. */
static void told(const struct message *m, const char *how, int result, const MPI_Status *status)
{
    const struct buffer *in = &m->in;
    char *at = line();
    uint64_t sum = hash(in->memory, GUARD, 1469598103934665603u);
    if (!m->is_truncated)
        sum = hash(in->memory + GUARD, in->bytes, sum);
    sum = hash(in->memory + GUARD + in->bytes, GUARD, sum);
    at += snprintf(at, 100, "message %s %s: class %d data %016llx", name_of(m), how, class_of(result),
                   (unsigned long long)sum);
    if (!status)
        return;
    MPI_Datatype type = m->to_kind == FROM_BOTTOM ? MPI_INT : types[m->to_kind];
    int count = 0, bytes = 0, elements = 0, cancelled = 0;
    MPI_Get_count(status, type, &count);
    MPI_Get_count(status, MPI_BYTE, &bytes);
    MPI_Get_elements(status, type, &elements);
    MPI_Test_cancelled(status, &cancelled);
    if (m->is_truncated) /* a library may tell either size */
        count = bytes = elements = 0;
    snprintf(at, 90, " from %d tag %d count %d bytes %d elements %d cancelled %d error %d", status->MPI_SOURCE,
             status->MPI_TAG, count, bytes, elements, cancelled,
             status->MPI_ERROR == SENTINEL ? -1 : status->MPI_ERROR);
}

static void blank(MPI_Status *statuses, int count)
{
    for (int i = 0; i < count; i++) {
        memset(&statuses[i], 0, sizeof statuses[i]);
        statuses[i].MPI_ERROR = SENTINEL;
    }
}

/* ---- Requests ---- */

static MPI_Request requests[3 * MESSAGES], kept[3 * MESSAGES];
static struct message *received_by[3 * MESSAGES]; /* NULL: a send, or there is nothing more to tell */
static int is_once[3 * MESSAGES]; /* not persistent: of those MPICH 4.0 cannot say whether they are complete */
static int request_count;

static MPI_Request *new_request(struct message *received)
{
    received_by[request_count] = received;
    is_once[request_count] = 1;
    requests[request_count] = kept[request_count] = MPI_REQUEST_NULL;
    return &requests[request_count++];
}

static void finished(int i, int result, const MPI_Status *status)
{
    struct message *m = received_by[i];
    received_by[i] = NULL;
    if (m)
        told(m, "requested", result, m->ignored ? NULL : status);
    if (result != MPI_SUCCESS) /* Open MPI keeps those that failed */
        requests[i] = MPI_REQUEST_NULL;
}

/* Some of them, with a common result: MPI_ERR_PENDING means to come back. */
static void some_finished(int count, const int *indices, int result, const MPI_Status *statuses)
{
    for (int k = 0; k < count; k++) {
        int i = indices ? indices[k] : k;
        int error = class_of(result) == MPI_ERR_IN_STATUS ? statuses[k].MPI_ERROR : result;
        MPI_Status status = statuses[k];
        if (class_of(error) == MPI_ERR_PENDING)
            continue;
        if (class_of(result) == MPI_ERR_IN_STATUS || indices)
            status.MPI_ERROR = SENTINEL; /* who else ended with it is a matter of time */
        finished(i, error, &status);
    }
}

static void wait_one(int i)
{
    MPI_Status status;
    blank(&status, 1);
    int flag = 0, result = 0, how = (int)mine(3);
    if (how == 0)
        while (result == 0 && !flag)
            result = MPI_Test(&requests[i], &flag, &status);
    for (int tries = 0; how == 1 && is_once[i] && !flag && tries < 100; tries++)
        MPI_Request_get_status(requests[i], &flag, &status);
    if (how > 0) {
        blank(&status, 1);
        result = MPI_Wait(&requests[i], &status);
    }
    finished(i, result, &status);
}

static void wait_each(void)
{
    int first = request_count ? (int)mine((unsigned)request_count) : 0;
    for (int i = 0; i < request_count; i++)
        if (requests[(first + i) % request_count] != MPI_REQUEST_NULL)
            wait_one((first + i) % request_count);
}

static void wait_all(int test)
{
    MPI_Status statuses[3 * MESSAGES];
    blank(statuses, request_count);
    int result = 0, flag = !test;
    if (!test)
        result = MPI_Waitall(request_count, requests, statuses);
    while (result == 0 && !flag)
        result = MPI_Testall(request_count, requests, &flag, statuses);
    if (result == MPI_SUCCESS || class_of(result) == MPI_ERR_IN_STATUS)
        some_finished(request_count, NULL, result, statuses);
    if (result != MPI_SUCCESS)
        wait_each();
}

static void wait_any(int test)
{
    for (;;) {
        MPI_Status status;
        blank(&status, 1);
        int index = MPI_UNDEFINED, flag = 0, result = 0;
        if (!test)
            result = MPI_Waitany(request_count, requests, &index, &status);
        while (test && result == 0 && !flag)
            result = MPI_Testany(request_count, requests, &index, &flag, &status);
        if (index == MPI_UNDEFINED)
            return;
        finished(index, result, &status);
    }
}

static void wait_some(int test)
{
    for (;;) {
        MPI_Status statuses[3 * MESSAGES];
        int indices[3 * MESSAGES], count = 0, result = 0;
        blank(statuses, request_count);
        if (!test)
            result = MPI_Waitsome(request_count, requests, &count, indices, statuses);
        while (test && result == 0 && count == 0)
            result = MPI_Testsome(request_count, requests, &count, indices, statuses);
        if (count == MPI_UNDEFINED)
            return;
        some_finished(count, indices, result, statuses);
    }
}

static void complete(void)
{
    for (int i = 0; i < request_count; i++)
        kept[i] = requests[i];
    switch (mine(8)) {
    case 0:
        wait_all(0);
        break;
    case 1:
        wait_all(1);
        break;
    case 2:
        wait_any(0);
        break;
    case 3:
        wait_any(1);
        break;
    case 4:
        wait_some(0);
        break;
    case 5:
        wait_some(1);
        break;
    default:
        wait_each();
    }
}

/* ---- The parts of a round ---- */

static int source_of(const struct message *m)
{
    return m->is_nobody ? MPI_PROC_NULL : m->any_source ? MPI_ANY_SOURCE : rank_in(m->comm, m->from);
}
static int tag_of(const struct message *m) { return m->any_tag ? MPI_ANY_TAG : m->tag; }

static void post(struct message *m)
{
    MPI_Request *request = new_request(m);
    struct buffer *in = &m->in;
    if (m->is_persistent) {
        is_once[request_count - 1] = 0;
        MPI_Recv_init(in->at, in->count, in->type, source_of(m), tag_of(m), comms[m->comm], request);
        forget_type(in);
        MPI_Start(request);
    } else {
        MPI_Irecv(in->at, in->count, in->type, source_of(m), tag_of(m), comms[m->comm], request);
        forget_type(in);
    }
}

static void send(struct message *m)
{
    static int (*const waits[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Bsend, MPI_Send, MPI_Ssend,
                                                                                        MPI_Rsend};
    static int (*const begins[])(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = {
        MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
    int to = m->is_nobody ? MPI_PROC_NULL : rank_in(m->comm, m->to);
    struct buffer *out = &m->out;
    if (m->send >= BSEND) {
        int result = waits[m->send - BSEND](out->at, out->count, out->type, to, m->tag, comms[m->comm]);
        if (result != MPI_SUCCESS)
            snprintf(line(), 100, "sent %d: class %d", (int)(m - messages), class_of(result));
        forget_type(out);
        return;
    }
    MPI_Request *request = new_request(NULL);
    begins[m->send](out->at, out->count, out->type, to, m->tag, comms[m->comm], request);
    forget_type(out);
    is_once[request_count - 1] = m->send < SEND_INIT;
    if (m->send >= SEND_INIT)
        MPI_Start(request);
    else if (m->is_freed)
        MPI_Request_free(request);
}

static void receive(struct message *m)
{
    struct buffer *in = &m->in;
    int source = source_of(m), tag = tag_of(m), flag = 0, result = 0, with = (int)mine(2);
    MPI_Comm comm = comms[m->comm];
    MPI_Message matched;
    MPI_Status seen, got, *status = m->ignored ? MPI_STATUS_IGNORE : &got;
    blank(&seen, 1);
    blank(&got, 1);
    if (m->receive == PROBE)
        MPI_Probe(source, tag, comm, &seen);
    while (m->receive == IPROBE && !flag)
        MPI_Iprobe(source, tag, comm, &flag, &seen);
    if (m->receive == MPROBE)
        MPI_Mprobe(source, tag, comm, &matched, with ? &seen : MPI_STATUS_IGNORE);
    while (m->receive == IMPROBE && !flag)
        MPI_Improbe(source, tag, comm, &flag, &matched, with ? &seen : MPI_STATUS_IGNORE);
    int told_more =
        m->receive == PROBE || m->receive == IPROBE || (with && (m->receive == MPROBE || m->receive == IMPROBE));
    if (told_more && m->comm != ANY_SOURCES)
        told(m, "seen", 0, &seen);
    if (m->receive == PROBE && m->comm == ANY_SOURCES) /* that one */
        source = seen.MPI_SOURCE;
    if (m->receive == MPROBE)
        result = MPI_Mrecv(in->at, in->count, in->type, &matched, status);
    else if (m->receive == IMPROBE)
        MPI_Imrecv(in->at, in->count, in->type, &matched, new_request(m));
    else if (m->receive == LATE_IRECV)
        post(m);
    else if (m->receive == HALF_SENDRECV)
        result =
            MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, in->at, in->count, in->type, source, tag, comm, status);
    else
        result = MPI_Recv(in->at, in->count, in->type, source, tag, comm, status);
    if (m->receive != IMPROBE && m->receive != LATE_IRECV)
        told(m, "received", result, m->ignored ? NULL : &got);
    forget_type(in);
}

/* Persistent messages once more; then they are freed. */
static void again(void)
{
    MPI_Request started[2 * MESSAGES];
    MPI_Status statuses[2 * MESSAGES];
    struct message *of[2 * MESSAGES];
    int count = 0;
    for (int i = 0, k = 0; i < message_count; i++) /* in the order in which they were made */
        if (messages[i].is_early && messages[i].to == rank) {
            if (messages[i].is_again && !messages[i].is_truncated) {
                of[count] = &messages[i];
                started[count++] = kept[k];
            }
            k++;
        }
    int sends = 0;
    for (int i = 0; i < message_count; i++)
        sends += messages[i].is_early && messages[i].to == rank;
    for (int i = 0, k = sends; i < message_count; i++)
        if (messages[i].from == rank && messages[i].send < BSEND) {
            if (messages[i].is_again && !messages[i].is_truncated) {
                of[count] = NULL;
                started[count++] = kept[k];
                messages[i].out.memory[GUARD] ^= 0x33;
            }
            k++;
        }
    blank(statuses, count);
    MPI_Startall(count, started);
    int result = MPI_Waitall(count, started, statuses);
    for (int i = 0; i < count; i++)
        if (of[i])
            told(of[i], "again", result, &statuses[i]);
}

static void free_requests(void)
{
    for (int i = 0; i < request_count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    request_count = 0;
}

/* Nothing comes for these, and errors. */
static void oddities(void)
{
    struct message m = {.to_kind = INTS, .comm = COPY, .room = 5};
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    m.in = buffer_of(INTS, 5, 0);
    MPI_Irecv(m.in.at, 5, MPI_INT, mine(2) ? MPI_ANY_SOURCE : 0, 7, comms[COPY], &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    snprintf(line(), 100, "cancelled %d", flag);
    blank(&status, 1);
    MPI_Wait(&request, &status);
    told(&m, "nothing", 0, &status);
    snprintf(line(), 100, "wrong: %d %d %d %d", class_of(MPI_Send(m.in.at, -1, MPI_INT, 0, 1, comms[COPY])),
             class_of(MPI_Send(m.in.at, 1, MPI_INT, size, 1, comms[COPY])),
             class_of(MPI_Recv(m.in.at, 1, MPI_DATATYPE_NULL, 0, 1, comms[COPY], &status)),
             class_of(MPI_Isend(m.in.at, 1, MPI_INT, 0, -5, comms[COPY], &request)));
    free(m.in.memory);
}

/* All ranks send to the one beside, and receive from the other side, in one call. */
static void shift(void)
{
    int by = 1 + (int)any(3), how = (int)any(4), ends = how != 2 && any(2), kind = how == 2 ? INTS : (int)any(TYPES);
    kind = kind == PAIRS ? COLUMNS : kind; /* see choose_types */
    int to = rank + by, from = rank - by, count = some_count(), comm = any(2) || how == 2 ? COPY : UNSEEN;
    struct message m = {.comm = comm, .kind = kind, .to_kind = kind};
    struct buffer out = buffer_of(kind, count, (unsigned)rank + 5);
    MPI_Status status;
    int result, wild = (int)any(2);
    blank(&status, 1);
    to = to < size || !ends ? to % size : MPI_PROC_NULL;
    from = from >= 0 || !ends ? (from % size + size) % size : MPI_PROC_NULL;
    m.in = buffer_of(kind, count, how % 2 ? (unsigned)rank + 9 : 0);
    if (how % 2) {
        result = MPI_Sendrecv_replace(m.in.at, m.in.count, m.in.type, to, 3, from, wild ? MPI_ANY_TAG : 3, comms[comm],
                                      &status);
#if MPI_VERSION >= 4
    } else if (how == 2) {
        MPI_Request request;
        MPI_Isendrecv(out.at, out.count, out.type, to, 3, m.in.at, m.in.count, m.in.type, from, 3, comms[comm],
                      &request);
        result = MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    } else {
        result = MPI_Sendrecv(out.at, out.count, out.type, to, 3, m.in.at, m.in.count, m.in.type, from, 3, comms[comm],
                              &status);
    }
    told(&m, "shifted", result, MPI_VERSION >= 4 && how == 2 ? NULL : &status);
    forget_type(&out);
    forget_type(&m.in);
    free(out.memory);
    free(m.in.memory);
}

static void collective(void)
{
    int in[3] = {rank, program, turn}, out[3] = {0, 0, 0}, which = (int)any(5), root = (int)any((unsigned)size);
    MPI_Comm comm = comms[any(COMMS)];
    if (which == 0)
        MPI_Barrier(comm);
    else if (which == 1)
        MPI_Bcast(in, 3, MPI_INT, root, comm);
    else if (which == 2)
        MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, comm);
    else if (which == 3)
        MPI_Reduce(in, out, 3, MPI_INT, MPI_MAX, root, comm);
    else
        (turn % 2 ? MPI_Scan : MPI_Exscan)(in, out, 3, MPI_INT, MPI_SUM, comm);
    snprintf(line(), 100, "collective %d: %d %d", which, in[0], out[0]);
}

/* Nonblocking ones, to be completed with the messages. */
static int started_in[3], started_out[3][3];
static void begin_collectives(void)
{
    int count = (program + turn) % 4, root = turn % size;
    for (int i = 0; i < 3; i++)
        started_in[i] = 100 * rank + turn + i;
    memset(started_out, 0, sizeof started_out);
    memcpy(started_out[1], started_in, rank == root ? sizeof started_in : 0);
    if (count > 0)
        MPI_Iallreduce(started_in, started_out[0], turn % 4, MPI_INT, MPI_SUM, comms[COPY], new_request(NULL));
    if (count > 1)
        MPI_Ibcast(started_out[1], 3, MPI_INT, root, comms[COPY], new_request(NULL));
    if (count > 2)
        MPI_Iscan(started_in, started_out[2], 3, MPI_INT, MPI_SUM, comms[COPY], new_request(NULL));
}

static char *leaked[ROUNDS * MESSAGES]; /* of sends whose request was freed */
static int leaked_count;

static void make_buffers(void)
{
    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];
        if (m->from == rank)
            m->out = buffer_of(m->kind, m->count, (unsigned)(program + 31 * turn + i) % 200 + 1);
        if (m->to == rank)
            m->in = buffer_of(m->to_kind, m->room, 0);
    }
}

static void free_buffers(void)
{
    for (int i = 0; i < message_count; i++) {
        struct message *m = &messages[i];
        if (m->is_freed)
            leaked[leaked_count++] = m->out.memory;
        else
            free(m->out.memory);
        free(m->in.memory);
    }
}

static void play_round(void)
{
    int any_tags_early = (int)any(2);
    own = all_know + (uint64_t)(rank + 1) * 977;
    is_ready = any(4) == 0;
    message_count = 1 + (int)any(MESSAGES);
    for (int i = 0; i < message_count; i++)
        choose(&messages[i], i, any_tags_early);
    make_buffers();
    for (int i = 0; i < message_count; i++)
        if (messages[i].is_early && messages[i].to == rank)
            post(&messages[i]);
    if (is_ready)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < message_count; i++)
        if (messages[i].from == rank)
            send(&messages[i]);
    for (int i = 0; i < message_count; i++)
        if (!messages[i].is_early && messages[i].to == rank)
            receive(&messages[i]);
    begin_collectives();
    complete();
    snprintf(line(), 100, "started %016llx",
             (unsigned long long)hash((char *)started_out, sizeof started_out, 1469598103934665603u));
    again();
    if (any(3) == 0)
        oddities();
    if (any(2))
        shift();
    if (any(2))
        collective();
    free_requests();
    free_buffers();
    tell_lines();
    MPI_Barrier(MPI_COMM_WORLD); /* what comes next is not for the receives from anybody */
}

static void play(int number)
{
    static char room[1 << 22];
    void *back;
    int bytes;
    program = number;
    all_know = (uint64_t)number * 2654435761u + 1;
    MPI_Buffer_attach(room, sizeof room);
    make_comms();
    for (turn = 0; turn < ROUNDS; turn++)
        play_round();
    MPI_Buffer_detach(&back, &bytes);
    printf("%d: buffer %d %d\n", program, back == room, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    while (leaked_count)
        free(leaked[--leaked_count]);
    free_comms();
}

int main(int argc, char **argv)
{
    char name[40];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof name, "told.%d", rank);
    if (argc < 3 || !freopen(name, "w", stdout))
        return 1;
    make_types();
    for (int i = 0; i < atoi(argv[2]); i++)
        play(atoi(argv[1]) + i);
    for (int i = COLUMNS; i < FROM_BOTTOM; i++)
        MPI_Type_free(&types[i]);
    return MPI_Finalize();
}
