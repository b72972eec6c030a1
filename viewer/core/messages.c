/* messages.c - see messages.h. */
#include "core/messages.h"

enum { WATCH_EVERY = 4096 };

struct telling {
    const struct pithi_watch *watch;
    void (*tell)(void *context, const struct pithlog_message *message);
    void *context;
    int64_t t0_ns, t1_ns;
    uint64_t done;
    double all;
    int stopped;
};

int pithi_message_in(const struct pithlog_message *message, int64_t t0_ns, int64_t t1_ns)
{
    int turned = message->recv_ns < message->send_ns;
    int64_t from = turned ? message->recv_ns : message->send_ns, to = turned ? message->send_ns : message->recv_ns;

    return from < t1_ns && (to > t0_ns || from >= t0_ns);
}

static void take(void *context, const struct pithlog_message *message)
{
    struct telling *telling = context;

    if (telling->stopped)
        return;
    if (pithi_message_in(message, telling->t0_ns, telling->t1_ns))
        telling->tell(telling->context, message);
    if (++telling->done % WATCH_EVERY == 0)
        telling->stopped = !pithi_go_on(telling->watch, (double)telling->done / telling->all);
}

static int each_matched(struct pithlog *log, struct telling *telling)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int more = 0, err = pithlog_matcher_open(log, &matcher);

    if (err)
        return err;
    while (!telling->stopped && (more = pithlog_matcher_next(matcher, &message)) == 1)
        take(telling, &message);
    pithlog_matcher_close(matcher);
    return more < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_messages_each(struct pithlog *log, const struct pithlog_digest *digest, int64_t t0_ns, int64_t t1_ns,
                        const struct pithi_watch *watch,
                        void (*tell)(void *context, const struct pithlog_message *message), void *context)
{
    struct pithlog_digest_window window = {.from_ns = t0_ns, .to_ns = t1_ns};
    struct telling telling = {watch, tell, context, t0_ns, t1_ns, 0, (double)pithlog_get_info(log)->messages + 1, 0};
    double weight;

    if (digest)
        return pithlog_digest_sample(digest, &window, UINT64_MAX, take, &telling, &weight);
    return each_matched(log, &telling);
}
