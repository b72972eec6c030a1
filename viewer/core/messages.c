/* messages.c - see messages.h. */
#include "core/messages.h"

enum { WATCH_EVERY = 4096 };

static int in_window(const struct pithlog_message *message, int64_t t0_ns, int64_t t1_ns)
{
    int turned = message->recv_ns < message->send_ns;
    int64_t from = turned ? message->recv_ns : message->send_ns, to = turned ? message->send_ns : message->recv_ns;

    return from < t1_ns && to >= t0_ns;
}

int pithi_messages_each(struct pithlog *log, int64_t t0_ns, int64_t t1_ns, const struct pithi_watch *watch,
                        void (*tell)(void *context, const struct pithlog_message *message), void *context)
{
    double all = (double)pithlog_get_info(log)->messages + 1;
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int more = 0, err = pithlog_matcher_open(log, &matcher);

    if (err)
        return err;
    for (uint64_t done = 1; (more = pithlog_matcher_next(matcher, &message)) == 1; done++) {
        if (in_window(&message, t0_ns, t1_ns))
            tell(context, &message);
        if (done % WATCH_EVERY == 0 && !pithi_go_on(watch, (double)done / all))
            break;
    }
    pithlog_matcher_close(matcher);
    return more < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}
