/* posted_sends.c - see posted_sends.h. */
#include "compensate/posted_sends.h"

#include <stdlib.h>
#include <string.h>

#include "coll_rules.h"
#include "native/log.h"

static uint64_t value_of(const char *words, const char *name)
{
    const char *found = strstr(words, name);
    uint64_t bytes = found ? strtoull(found + strlen(name), NULL, 10) : 0;
    return bytes ? bytes : UINT64_MAX;
}

void pithi_eager_find(const struct pithlog *log, struct pithi_eager *eager)
{
    const char *key, *value, *words = "";
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "eager_bytes") == 0)
            words = value;
    *eager = (struct pithi_eager){value_of(words, "same_host="), value_of(words, "network=")};
}

static int is_one_of(const char *name, const char *const *calls)
{
    size_t length;
    const char *call = pithi_mpi_call(name, &length);
    for (; call && *calls; calls++)
        if (strlen(*calls) == length && memcmp(*calls, call, length) == 0)
            return 1;
    return 0;
}

int pithi_call_posts(const char *name)
{
    static const char *const calls[] = {"Isend", "Irsend", "Issend", "Ibsend", "Start", "Startall", NULL};
    return is_one_of(name, calls);
}

int pithi_call_waits(const char *name)
{
    static const char *const calls[] = {
        "Wait",  "Waitall", "Waitany",  "Waitsome",         "Test",  "Testall", "Testany", "Testsome", "Recv",
        "Mrecv", "Ssend",   "Sendrecv", "Sendrecv_replace", "Probe", "Iprobe",  "Mprobe",  "Improbe",  NULL};
    return is_one_of(name, calls);
}

int pithi_is_long(const struct pithi_eager *eager, const struct pithlog *log, const struct pithlog_record *send)
{
    const struct pithi_log_rank *from = pithi_log_rank(log, pithi_log_rank_of(log, send->lane));
    const struct pithi_log_rank *to = pithi_log_find_rank(log, send->peer);
    return to && send->bytes > (to->host == from->host ? eager->same_host : eager->network);
}
