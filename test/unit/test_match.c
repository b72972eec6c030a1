/* test_match.c - messages meet their receives: in order of posting, whatever the order of completion. */
#include "common/log_model.h"
#include "tap.h"

struct result {
    struct pithlog_message messages[64];
    size_t count;
    uint64_t sends, recvs;
};

static void add(struct model *m, uint32_t lane, int64_t time_ns, uint32_t kind, int32_t peer, int32_t tag,
                uint32_t comm, uint64_t bytes, uint64_t posted)
{
    model_add(m, &(struct pithlog_record){.time_ns = time_ns,
                                          .lane = lane,
                                          .kind = kind,
                                          .peer = peer,
                                          .tag = tag,
                                          .comm = comm,
                                          .bytes = bytes,
                                          .posted = posted});
}

#define SEND PITHLOG_SEND
#define RECV PITHLOG_RECV

static int by_bytes(const void *a, const void *b)
{
    const struct pithlog_message *x = a, *y = b;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Writes, opens, matches; the messages by bytes, which tests give as names to sends. Ends the model. */
static struct result match(struct model *m)
{
    const char *path = scratch_path("match.pith");
    struct result result = {.count = 0};
    struct pithlog *log;
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int status;
    if (model_write(m, path) || pithlog_open(path, &log) || pithlog_matcher_open(log, &matcher)) {
        printf("# %s\n", pithlog_error());
        exit(1);
    }
    while ((status = pithlog_matcher_next(matcher, &message)) == 1 && result.count < 64)
        result.messages[result.count++] = message;
    if (status != 0 || pithlog_matcher_next(matcher, &message) != 0)
        result.count = SIZE_MAX;
    else
        qsort(result.messages, result.count, sizeof message, by_bytes);
    pithlog_matcher_unmatched(matcher, &result.sends, &result.recvs);
    pithlog_matcher_close(matcher);
    pithlog_close(log);
    model_free(m);
    return result;
}

static int is(const struct pithlog_message *m, uint32_t from, int64_t send_ns, uint32_t to, int64_t recv_ns)
{
    return m->send_lane == from && m->send_ns == send_ns && m->recv_lane == to && m->recv_ns == recv_ns;
}

/* Lanes 0, 3, 6 are thread 0 of ranks 0, 1, 2; lane 4 is thread 1 of rank 1. */
static void test_plain(void)
{
    struct model m = {0};
    add(&m, 0, 10, SEND, 1, 5, 0, 1, 0);
    add(&m, 0, 20, SEND, 1, 5, 0, 2, 0);
    add(&m, 3, 15, RECV, 0, 5, 0, 1, 0);
    add(&m, 3, 25, RECV, 0, 5, 0, 2, 1);
    add(&m, 6, 30, SEND, 2, 0, 0, 3, 0);
    add(&m, 6, 31, RECV, 2, 0, 0, 3, 0);
    struct result r = match(&m);
    OK(r.count == 3 && r.sends == 0 && r.recvs == 0, "three messages");
    OK(is(&r.messages[0], 0, 10, 3, 15) && is(&r.messages[1], 0, 20, 3, 25), "in order");
    OK(r.messages[0].tag == 5 && r.messages[0].bytes == 1, "with tag and size");
    OK(is(&r.messages[2], 6, 30, 6, 31), "one to oneself");
}

/* Irecv A, Irecv B, Wait B, Wait A: the log has B first; the first send still goes with A. */
static void test_order_of_posting(void)
{
    struct model m = {0};
    add(&m, 0, 10, SEND, 1, 5, 0, 1, 0);
    add(&m, 0, 11, SEND, 1, 5, 0, 2, 0);
    add(&m, 3, 20, RECV, 0, 5, 0, 2, 1);
    add(&m, 3, 30, RECV, 0, 5, 0, 1, 0);
    struct result r = match(&m);
    OK(r.count == 2 && is(&r.messages[0], 0, 10, 3, 30) && is(&r.messages[1], 0, 11, 3, 20),
       "completions out of order");

    add(&m, 0, 10, SEND, 1, 5, 0, 1, 0); /* two threads of rank 1 post and complete crosswise */
    add(&m, 0, 11, SEND, 1, 5, 0, 2, 0);
    add(&m, 4, 20, RECV, 0, 5, 0, 2, 1);
    add(&m, 3, 30, RECV, 0, 5, 0, 1, 0);
    r = match(&m);
    OK(r.count == 2 && is(&r.messages[0], 0, 10, 3, 30) && is(&r.messages[1], 0, 11, 4, 20), "over threads of a rank");

    for (int i = 0; i < 30; i++) /* completed backwards; with any source, so paths are mixed */
        add(&m, i % 2 ? 0 : 6, 10 + i, SEND, 1, 7, 0, (uint64_t)i, 0);
    for (int i = 29; i >= 0; i--)
        add(&m, 3, 100 - i, RECV, i % 2 ? 0 : 2, 7, 0, (uint64_t)i, (uint64_t)i);
    r = match(&m);
    int wrong = 0;
    for (int i = 0; i < 30 && r.count == 30; i++)
        wrong += !is(&r.messages[i], i % 2 ? 0 : 6, 10 + i, 3, 100 - i);
    OK(r.count == 30 && wrong == 0, "thirty from any source, completed backwards");
}

static void test_voids(void)
{
    struct model m = {0};
    add(&m, 0, 10, SEND, 1, 5, 0, 1, 0);
    add(&m, 3, 20, RECV, 0, 5, 0, 1, 1);
    add(&m, 3, 50, RECV, -1, 0, 0, 0, 0); /* cancelled long after */
    struct result r = match(&m);
    OK(r.count == 1 && is(&r.messages[0], 0, 10, 3, 20) && r.recvs == 0, "a cancelled receive only closes the gap");
    add(&m, 0, 10, SEND, -1, 5, 0, 1, 0);
    r = match(&m);
    OK(r.count == 0 && r.sends == 0, "a send to nobody");
}

static void test_apart(void)
{
    struct model m = {0};
    add(&m, 0, 10, SEND, 1, 5, 1, 1, 0);
    add(&m, 0, 11, SEND, 1, 5, 2, 2, 0);
    add(&m, 0, 12, SEND, 1, 6, 1, 3, 0);
    add(&m, 6, 13, SEND, 1, 5, 1, 4, 0);
    add(&m, 3, 20, RECV, 2, 5, 1, 4, 0);
    add(&m, 3, 21, RECV, 0, 6, 1, 3, 1);
    add(&m, 3, 22, RECV, 0, 5, 2, 2, 2);
    add(&m, 3, 23, RECV, 0, 5, 1, 1, 3);
    struct result r = match(&m);
    OK(r.count == 4 && is(&r.messages[0], 0, 10, 3, 23) && is(&r.messages[1], 0, 11, 3, 22) &&
           is(&r.messages[2], 0, 12, 3, 21) && is(&r.messages[3], 6, 13, 3, 20),
       "communicators, tags and senders are told apart");
    OK(r.count == 4 && r.messages[0].comm != r.messages[1].comm && r.messages[0].comm == r.messages[2].comm,
       "comm is given");
}

static void test_unmatched(void)
{
    struct model m = {0};
    add(&m, 0, 10, SEND, 1, 5, 0, 1, 0);
    add(&m, 0, 11, SEND, 1, 5, 0, 2, 0);
    add(&m, 0, 12, SEND, 2, 5, 0, 3, 0);
    add(&m, 3, 20, RECV, 0, 5, 0, 1, 0);
    add(&m, 3, 21, RECV, 2, 5, 0, 9, 1);
    struct result r = match(&m);
    OK(r.count == 1 && r.sends == 2 && r.recvs == 1, "unmatched are counted: %d, %d, %d", (int)r.count, (int)r.sends,
       (int)r.recvs);
    add(&m, 3, 5, RECV, 0, 5, 0, 1, 0); /* clocks that are a little off */
    add(&m, 0, 10, SEND, 1, 5, 0, 1, 0);
    r = match(&m);
    OK(r.count == 1 && is(&r.messages[0], 0, 10, 3, 5), "a receive logged before its send");
}

/* Numbers that are missing or there twice, as in a cut log: all are matched at the end all the same, in order. */
static void test_gaps(void)
{
    struct model m = {0};
    for (uint64_t i = 0; i < 10; i++)
        add(&m, 0, 10 + (int64_t)i, SEND, 1, 5, 0, i, 0);
    for (uint64_t i = 0; i < 10; i++)
        add(&m, 3, 50 + (int64_t)i, RECV, 0, 5, 0, 9 - i, i == 9 ? 1 : 20 - i);
    struct result r = match(&m);
    int wrong = 0;
    for (int i = 0; i < 10 && r.count == 10; i++)
        wrong += !is(&r.messages[i], 0, 10 + i, 3, 59 - i);
    OK(r.count == 10 && wrong == 0, "gaps: in order at the end");
    for (uint64_t i = 0; i < 10; i++) {
        add(&m, 0, 10 + (int64_t)i, SEND, 1, 5, 0, i, 0);
        add(&m, 3, 50 + (int64_t)i, RECV, 0, 5, 0, i, 0);
    }
    r = match(&m);
    OK(r.count == 10 && is(&r.messages[9], 0, 19, 3, 59), "all of the same number");
}

/* Every message has a tag of its own, and many are under way at once. */
static void test_many_tags(void)
{
    enum { MESSAGES = 30000, AHEAD = 3000 };
    const char *path = scratch_path("tags.pith");
    struct model m = {0};
    struct pithlog *log;
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    uint64_t sends, recvs;
    int count = 0, wrong = 0;
    for (int i = 0; i < MESSAGES + AHEAD; i++) {
        if (i < MESSAGES)
            add(&m, 0, i * 10, SEND, 1, i, 0, (uint64_t)i, 0);
        if (i >= AHEAD)
            add(&m, 3, i * 10 + 5, RECV, 0, i - AHEAD, 0, (uint64_t)(i - AHEAD), (uint64_t)(i - AHEAD));
    }
    if (model_write(&m, path) || pithlog_open(path, &log) || pithlog_matcher_open(log, &matcher))
        exit(1);
    while (pithlog_matcher_next(matcher, &message) == 1) {
        wrong += message.tag != count || message.send_ns != count * 10 || message.recv_ns != (count + AHEAD) * 10 + 5;
        count++;
    }
    pithlog_matcher_unmatched(matcher, &sends, &recvs);
    OK(count == MESSAGES && wrong == 0 && sends + recvs == 0, "%d tags, each used once", MESSAGES);
    pithlog_matcher_close(matcher);
    pithlog_close(log);
    model_free(&m);
}

/* Two ends, then one partner, again and again: more and more ends wait for their partners. */
static void test_waiting(void)
{
    for (int is_recv = 0; is_recv < 2; is_recv++) {
        struct model m = {0};
        int ends = 0, partners = 0, wrong = 0;
        for (int time = 1; partners < 40; time++) {
            int is_end = ends < 40 && time % 3 != 0, *number = is_end ? &ends : &partners;
            if (is_end == is_recv)
                add(&m, 3, time, RECV, 0, 5, 0, (uint64_t)*number, (uint64_t)*number);
            else
                add(&m, 0, time, SEND, 1, 5, 0, (uint64_t)*number, 0);
            ++*number;
        }
        struct result r = match(&m);
        for (int i = 0; i < 40 && r.count == 40; i++) {
            int64_t end_ns = i / 2 * 3 + i % 2 + 1, partner_ns = i < 19 ? 3 * (i + 1) : 60 + i - 19;
            wrong += !is(&r.messages[i], 0, is_recv ? partner_ns : end_ns, 3, is_recv ? end_ns : partner_ns);
        }
        OK(r.count == 40 && wrong == 0, "up to 21 %s wait", is_recv ? "receives" : "sends");
    }
}

int main(void)
{
    test_plain();
    test_order_of_posting();
    test_waiting();
    test_voids();
    test_apart();
    test_unmatched();
    test_gaps();
    test_many_tags();
    scratch_remove();
    return tap_done();
}
