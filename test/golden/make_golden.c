/* make_golden.c - makes the native logs that the goldens of the foreign formats are written from: make_golden KIND OUT.
 *
 * edge: what the formats can hold only by a rule: every kind of record, threads, recursion, long names, every payload.
 * plain: what they hold whole. sparse: one rank of ten. deep: a state nested in itself 300 times. states: 2500 in use.
 * names: all strings hold what moves a terminal's cursor or ends a line. big COUNT OUT: COUNT records on 4 ranks, to
 * measure with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/write_log.h"

static int64_t clock_ns = 1000000;

/* A record 1.5 us after the one before, unless .time_ns says more. */
static void add(struct pithlog_record record)
{
    clock_ns += 1500;
    if (record.time_ns > clock_ns)
        clock_ns = record.time_ns;
    record.time_ns = clock_ns;
    must(pithi_writer_add(writer, &record));
}
#define R(lane_, kind_, ...) add((struct pithlog_record){.lane = (lane_), .kind = PITHLOG_##kind_, __VA_ARGS__})

static void event(uint32_t l, uint32_t id, const char *bytes, uint32_t size)
{
    add((struct pithlog_record){
        .lane = l, .kind = PITHLOG_EVENT, .peer = -1, .id = id, .payload = size ? bytes : NULL, .payload_bytes = size});
}

static uint32_t comm(uint64_t key, const char *name, const int32_t *members, int32_t size, int32_t remote)
{
    struct pithlog_comm def = {.key = key, .name = name, .size = size, .remote_size = remote, .world_ranks = members};
    uint32_t index;

    must(pithi_writer_comm(writer, &def, &index));
    return index;
}

/* States: known ones, one in itself, two whose names are equal in the first 31 bytes, colours of every kind. */
static void edge_states(uint32_t a, uint32_t b)
{
    uint32_t send = define(PITHLOG_STATE, "MPI_Send", "cyan", "user", ""),
             work = define(PITHLOG_STATE, "work", "#ff8000", "user", "");
    uint32_t first =
        define(PITHLOG_STATE, "a name much longer than thirty-one bytes, the first", "sea green", "user", "");
    uint32_t second = define(PITHLOG_STATE, "a name much longer than thirty-one bytes, the second", "", "user", "");
    uint32_t umlauts = define(PITHLOG_STATE,
                              "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
                              "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbcx\xc3\xbc",
                              "no colour", "user", "");

    R(a, ENTER, .id = work);
    R(a, ENTER, .id = send);
    R(a, ENTER, .id = work);
    R(b, ENTER, .id = first);
    R(a, ENTER, .id = work);
    R(a, LEAVE, .id = work);
    R(a, LEAVE, .id = send); /* not the innermost */
    R(b, ENTER, .id = second);
    R(a, LEAVE, .id = work);
    R(b, LEAVE, .id = second);
    R(b, LEAVE, .id = second); /* not open */
    R(a, LEAVE, .id = work);
    R(b, LEAVE, .id = first);
    R(b, ENTER, .id = umlauts); /* open at the end */
}

static void edge_events(uint32_t a)
{
    static const char tokens[] = "\0\2ab"
                                 "\0\3"
                                 "\0\0\0\4"
                                 "\0\0\0\x1f"
                                 "\0\0\0\0\0\0\0\5"
                                 "?\x80\0\0"
                                 "@\4\0\0\0\0\0\0";
    static const char text[] = "\0\024twenty-byte string!!"
                               "\0\0\0\0\0\0\0\7"
                               "?\xf0\0\0\0\0\0\0";
    static const char line[] = "\0\7one\ntwo";
    char opaque[40];

    for (int i = 0; i < 40; i++)
        opaque[i] = (char)(i + 1);
    event(a, define(PITHLOG_EVENT_TYPE, "plain", "white", "user", ""), "", 0);
    event(a, define(PITHLOG_EVENT_TYPE, "number", "red", "user", "n=%d"), "\0\0\0\x2a", 4);
    event(a, define(PITHLOG_EVENT_TYPE, "text", "red", "user", "%s"), line, 9);
    event(a, define(PITHLOG_EVENT_TYPE, "all", "gray50", "user", "s=%s h=%h d=%d x=%x l=%l e=%e E=%E"), tokens, 34);
    event(a, define(PITHLOG_EVENT_TYPE, "long", "navy", "user", "name=%s a=%l b=%E"), text, 38);
    event(a, define(PITHLOG_EVENT_TYPE, "opaque", "", "user", ""), opaque, 40);
    event(a, define(PITHLOG_EVENT_TYPE, "wordy", "", "user", "a format of more than thirty-nine characters: %d"),
          "\0\0\0\1", 4);
    event(a, define(PITHLOG_EVENT_TYPE, "MPE_Comm_init", "", "user", ""), "", 0);
}

/* Communicators: a split in another order, an intercommunicator {0} {1, 2}, one whose members nobody knows. */
static void edge_messages(const uint32_t *l)
{
    static const int32_t order[] = {2, 0, 1}, groups[] = {0, 1, 2};
    uint32_t split = comm(0x123456789abcdefULL, "reversed rows and columns", order, 3, 0);
    uint32_t inter = comm(77, "inter", groups, 1, 2), unknown = comm(78, "", NULL, 0, 0);

    for (int i = 0; i < 3; i++)
        R(l[i], COMM_CREATE, .comm = split);
    for (int i = 0; i < 3; i++)
        R(l[i], COMM_CREATE, .comm = inter);
    R(l[0], SEND, .comm = split, .peer = 2, .tag = 5, .bytes = 100);
    R(l[2], RECV, .comm = split, .peer = 0, .tag = 5, .bytes = 100, .posted = 0);
    R(l[1], SEND, .comm = inter, .peer = 0, .tag = -7, .bytes = UINT64_C(5000000000));
    R(l[0], RECV, .comm = inter, .peer = 1, .tag = -7, .bytes = UINT64_C(5000000000), .posted = 0);
    R(l[0], SEND, .comm = unknown, .peer = 1, .tag = 1, .bytes = 1);
    R(l[0], SEND, .peer = 1, .tag = 0, .bytes = 0);
    R(l[1], RECV, .peer = 0, .tag = 0, .bytes = 0, .posted = 1);
    R(l[1], RECV, .peer = -1, .posted = 0); /* cancelled */
    R(l[0], COLL, .comm = split, .peer = 2, .bytes = 8, .got_bytes = 24);
    uint32_t on[] = {split, inter, unknown}, state = define(PITHLOG_STATE, "on a communicator", "red", "user", "");
    for (int i = 0; i < 3; i++) {
        R(l[1], ENTER, .id = state, .comm = on[i]);
        R(l[1], EVENT, .id = define(PITHLOG_EVENT_TYPE, "tock", "", "user", ""), .comm = on[i]);
        R(l[1], ENTER, .id = state);
        R(l[1], LEAVE, .id = state, .comm = on[i]); /* an end on another one than its begin */
        R(l[1], LEAVE, .id = state, .comm = on[i]);
    }
    for (int i = 0; i < 3; i++)
        R(l[i], COMM_FREE, .comm = split);
}

static void edge(void)
{
    uint32_t l[4] = {lane(0, 0, "main"), lane(1, 0, ""), lane(2, 0, "")}, thread;

    must(pithi_writer_rank(writer,
                           &(struct pithi_rank){.rank = 0, .host = "node-with-a-long-name.example.org", .pid = 1}));
    must(pithi_writer_rank(writer, &(struct pithi_rank){.rank = 1, .host = "beta", .pid = 2}));
    thread = lane(0, 3, "helper");
    edge_states(l[0], thread);
    edge_events(l[1]);
    edge_messages(l);
    R(l[2], COUNTER, .id = define(PITHLOG_COUNTER_TYPE, "heap", "", "user", "bytes"), .value = 1.5);
    R(l[2], COUNTER, .id = define(PITHLOG_COUNTER_TYPE, "clock shift", "", "user", "s"), .value = -0.25);
    R(l[2], PAUSE, 0);
    R(l[2], RESUME, 0);
    R(l[2], LOST, .bytes = 3);
}

/* Everything here survives both formats: times in whole microseconds, one thread a rank, no communicators. */
static void plain(void)
{
    uint32_t a = lane(0, 0, ""), b = lane(1, 0, "");
    uint32_t work = define(PITHLOG_STATE, "work", "red", "user", ""),
             wait = define(PITHLOG_STATE, "wait", "SeaGreen", "user", "");
    uint32_t step = define(PITHLOG_EVENT_TYPE, "step", "white", "user", "step=%d");

    for (int i = 0; i < 5; i++) {
        R(a, ENTER, .id = work, .time_ns = (int64_t)(i + 2) * 1000000);
        R(b, ENTER, .id = wait, .time_ns = clock_ns + 2000 - clock_ns % 1000);
        char number[4] = {0, 0, 0, (char)i};
        clock_ns += 500;
        event(a, step, number, 4);
        clock_ns += 500;
        R(a, SEND, .peer = 1, .tag = i, .bytes = 10);
        clock_ns += 500;
        R(b, RECV, .peer = 0, .tag = i, .bytes = 10, .posted = (uint64_t)i);
        clock_ns += 500;
        R(b, LEAVE, .id = wait);
        clock_ns += 500;
        R(a, LEAVE, .id = work);
    }
}

/* One rank of many, as `pith merge` of single logs or a window may leave it. */
static void sparse(void)
{
    static const int32_t members[] = {0, 2, 3, 4, 1, 9};
    uint32_t a = lane(1, 0, ""), c = comm(5, "six", members, 6, 0);

    R(a, COMM_CREATE, .comm = c);
    R(a, SEND, .comm = c, .peer = 9, .tag = 1, .bytes = 1);
    R(a, SEND, .peer = 7, .tag = 1, .bytes = 1);
}

static void deep(void)
{
    uint32_t a = lane(0, 0, ""), f = define(PITHLOG_STATE, "f", "red", "user", "");

    for (int i = 0; i < 300; i++)
        R(a, ENTER, .id = f);
    for (int i = 0; i < 300; i++)
        R(a, LEAVE, .id = f);
}

static void states(void)
{
    uint32_t a = lane(0, 0, "");
    char name[32];

    for (int i = 0; i < 2500; i++) {
        snprintf(name, sizeof name, "s%d", i);
        uint32_t id = define(PITHLOG_STATE, name, "", "user", "");
        R(a, ENTER, .id = id);
        R(a, LEAVE, .id = id);
    }
    event(a, define(PITHLOG_EVENT_TYPE, "e", "", "user", ""), "", 0);
}

/* What terminals obey: escapes, a bell, DEL, a C1 control as UTF-8 and as a byte; what ends lines and
 * fields; quotes. */
#define EVIL                                                                                                           \
    "\x1b]0;title\x07\x1b[31m\b\r\n\t\x7f\xc2\x9b"                                                                     \
    "5m\x9b"                                                                                                           \
    "6m\xff\"'\\,</%d"

static void names(void)
{
    uint32_t a = lane(0, 0, "lane " EVIL), b = lane(1, 0, EVIL);
    const int32_t both[] = {0, 1};
    uint32_t s = define(PITHLOG_STATE, "state " EVIL, EVIL, "user", EVIL),
             t = define(PITHLOG_STATE, EVIL, "\x1b[1m", "user", "");
    uint32_t e = define(PITHLOG_EVENT_TYPE, EVIL, "red", "user", "text=%s \x1b[7m\xc2\x90"),
             c = comm(77, EVIL, both, 2, 0);
    uint32_t counter = define(PITHLOG_COUNTER_TYPE, EVIL, "", "user", EVIL);

    must(pithi_writer_rank(writer, &(struct pithi_rank){.rank = 0, .host = EVIL}));
    must(pithi_defs_property(pithi_writer_defs(writer), "key " EVIL, EVIL));
    R(a, COMM_CREATE, .comm = c);
    R(a, ENTER, .id = s);
    R(a, ENTER, .id = t);
    event(a, e,
          "\0\x0a\x1b[2J\x7f\xc2\x9b"
          "7\x9b",
          12);
    R(a, COUNTER, .id = counter, .value = 1);
    R(a, SEND, .peer = 1, .tag = 1, .bytes = 8, .comm = c);
    R(b, RECV, .peer = 0, .tag = 1, .bytes = 8, .comm = c);
    R(b, COLL, .peer = -1, .bytes = 8, .comm = c);
    R(a, LEAVE, .id = t);
    R(a, LEAVE, .id = s);
}

/* One message in ten records, four states nested by two. */
static void big(long count)
{
    uint32_t l[4], s[4];
    uint64_t posted[4] = {0};
    char name[16];

    for (int i = 0; i < 4; i++) {
        l[i] = lane(i, 0, "");
        snprintf(name, sizeof name, "s%d", i);
        s[i] = define(PITHLOG_STATE, name, "", "user", "");
    }
    for (long i = 0; i < count; i += 10) {
        int r = (int)(i / 10 % 4), n = (r + 1) % 4;
        for (int k = 0; k < 2; k++) {
            R(l[r], ENTER, .id = s[2 * k]);
            R(l[r], ENTER, .id = s[2 * k + 1]);
            R(l[r], LEAVE, .id = s[2 * k + 1]);
            R(l[r], LEAVE, .id = s[2 * k]);
        }
        R(l[r], SEND, .peer = n, .tag = 1, .bytes = 8);
        R(l[n], RECV, .peer = r, .tag = 1, .bytes = 8, .posted = posted[n]++);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    must(pithi_writer_open(&writer, argv[argc - 1], -1));
    if (strcmp(argv[1], "edge") == 0)
        edge();
    else if (strcmp(argv[1], "plain") == 0)
        plain();
    else if (strcmp(argv[1], "sparse") == 0)
        sparse();
    else if (strcmp(argv[1], "deep") == 0)
        deep();
    else if (strcmp(argv[1], "states") == 0)
        states();
    else if (strcmp(argv[1], "names") == 0)
        names();
    else if (strcmp(argv[1], "big") == 0 && argc == 4)
        big(atol(argv[2]));
    else
        return 2;
    must(pithi_writer_finish(writer));
    pithi_writer_close(writer);
    return 0;
}
