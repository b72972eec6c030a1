/* make_cli_log.c - makes the logs that the command-line tests look at: make_cli_log KIND OUT.
 *
 * small: two ranks, three threads, every kind of record, with times and numbers that a reader can follow by eye.
 * names: definitions with every character that could do harm in a terminal or a table.
 * empty: nothing but the world. big COUNT OUT: COUNT records on 4 ranks, to measure with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/write_log.h"

static void add(struct pithlog_record record) { must(pithi_writer_add(writer, &record)); }

/* A record with what every kind needs; designated initialisers after it fill in the rest. */
#define R(lane_, time_, kind_, ...)                                                                                    \
    add((struct pithlog_record){.lane = (lane_), .time_ns = (time_), .kind = PITHLOG_##kind_, __VA_ARGS__})

static void host(int32_t rank, const char *name)
{
    must(pithi_writer_rank(writer, &(struct pithi_rank){.rank = rank, .host = name, .pid = 100 + (uint64_t)rank}));
}

/* rank 0      |-- solve 1..9 ms ----------------|   sends 7 bytes at 2 ms, 1000 at 4 ms; solve inside itself 5..6 ms
 * rank 0.1       |-io 2..5-|                        an event with payload at 3 ms, a counter at 4 ms rank 1      |--
 * solve 1..8 ms -----------|        receives at 3 ms and 6 ms; work 2..4 ms; io left open at the end */
static void small(void)
{
    static const int32_t members[] = {0, 1};
    static const unsigned char payload[] = {0, 0, 0, 42, 0, 2, 'o', 'k'};
    struct pithlog_comm comm = {.key = 7, .name = "halo", .size = 2, .world_ranks = members};
    uint32_t solve = define(PITHLOG_STATE, "solve", "red", "user", ""), halo;
    uint32_t work = define(PITHLOG_STATE, "work", "#00ff00", "user", ""),
             io = define(PITHLOG_STATE, "io", "", "I/O", "");
    uint32_t mark = define(PITHLOG_EVENT_TYPE, "mark", "blue", "user", "n=%d s=%s");
    uint32_t heap = define(PITHLOG_COUNTER_TYPE, "heap", "", "user", "bytes");

    must(pithi_defs_property(pithi_writer_defs(writer), "program", "small"));
    must(pithi_defs_property(pithi_writer_defs(writer), "start_unix_s", "1000000000"));
    host(0, "alpha");
    host(1, "beta");
    must(pithi_writer_comm(writer, &comm, &halo));
    uint32_t a = lane(0, 0, "main"), b = lane(0, 1, "writer"), c = lane(1, 0, "");
    R(a, 500000, COMM_CREATE, .comm = halo);
    R(a, 1000000, ENTER, .id = solve);
    R(a, 2000000, SEND, .comm = halo, .peer = 1, .tag = 5, .bytes = 7);
    R(a, 4000000, SEND, .comm = 0, .peer = 1, .tag = -1, .bytes = 1000);
    R(a, 5000000, ENTER, .id = solve);
    R(a, 6000000, LEAVE, .id = solve);
    R(a, 7000000, COLL, .comm = 0, .peer = 0, .bytes = 8, .got_bytes = 16);
    R(a, 9000000, LEAVE, .id = solve);
    R(a, 9500000, COMM_FREE, .comm = halo);
    R(b, 2000001, ENTER, .id = io);
    R(b, 3000000, EVENT, .id = mark, .payload = payload, .payload_bytes = sizeof payload);
    R(b, 4000000, COUNTER, .id = heap, .value = 1.5);
    R(b, 4500000, PAUSE);
    R(b, 4600000, RESUME);
    R(b, 5000001, LEAVE, .id = io);
    R(c, 1000000, ENTER, .id = solve);
    R(c, 2000000, ENTER, .id = work);
    R(c, 3000000, RECV, .comm = halo, .peer = 0, .tag = 5, .bytes = 7, .posted = 0);
    R(c, 4000000, LEAVE, .id = work);
    R(c, 6000000, RECV, .comm = 0, .peer = 0, .tag = -1, .bytes = 1000, .posted = 1);
    R(c, 8000000, LEAVE, .id = solve);
    R(c, 8500000, LOST, .bytes = 3);
    R(c, 9000000, ENTER, .id = io);
    R(c, 1999999999, EVENT, .id = mark);
}

static void names(void)
{
    static const char *const bad[] = {"tab\there",    "quote\"d, comma", "escape\033[31mred",
                                      "back\\slash",  "line\nbreak",     "caf\303\251",
                                      "c1\302\2331m", "broken\377utf8",  " blanks "};
    uint32_t a = lane(0, 0, "\033]0;title\007"), count = sizeof bad / sizeof *bad;
    int64_t time = 0;

    must(pithi_defs_property(pithi_writer_defs(writer), "pro\tgram", "a\033[2Jb"));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = define(PITHLOG_STATE, bad[i], "", "user", "");
        R(a, ++time, ENTER, .id = id);
        R(a, ++time, LEAVE, .id = id);
    }
    uint32_t text = define(PITHLOG_EVENT_TYPE, "text", "", "user", "%s");
    R(a, ++time, EVENT, .id = text, .payload = "\0\006a\033\tb\"c", .payload_bytes = 8);
    uint32_t value = define(PITHLOG_COUNTER_TYPE, "value", "", "user", "");
    R(a, ++time, COUNTER, .id = value, .value = 0.1);
    R(a, ++time, COUNTER, .id = value, .value = -1e300);
    R(a, ++time, COUNTER, .id = value, .value = 1.0 / 3);
    R(a, ++time, COUNTER, .id = value, .value = -0.0);
    R(a, ++time, COUNTER, .id = value, .value = 3e9);
    R(a, ++time, COUNTER, .id = value, .value = HUGE_VAL);
}

/* Numbers that look random but are the same everywhere. */
static uint32_t next_number(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static void big(uint64_t count)
{
    uint32_t states[20], lanes[4];
    int64_t time = 0;
    char name[32];

    for (uint32_t i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "MPI_State_%u", i);
        states[i] = define(PITHLOG_STATE, name, "", "user", "");
    }
    for (uint32_t i = 0; i < 4; i++)
        lanes[i] = lane((int32_t)i, 0, "");
    for (uint64_t i = 0; i < count; i += 2) {
        uint32_t l = lanes[next_number() % 4], state = states[next_number() % 20];
        R(l, time += next_number() % 4000, ENTER, .id = state);
        if (i % 24 == 0)
            R(l, time += 10, SEND, .peer = (int32_t)(next_number() % 4), .tag = 1, .bytes = next_number() % 65536);
        R(l, time += next_number() % 4000, LEAVE, .id = state);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: make_cli_log small|names|empty OUT | make_cli_log big COUNT OUT\n");
        return 2;
    }
    must(pithi_writer_open(&writer, argv[argc - 1], -1));
    if (strcmp(argv[1], "small") == 0)
        small();
    else if (strcmp(argv[1], "names") == 0)
        names();
    else if (strcmp(argv[1], "big") == 0)
        big(strtoull(argv[2], NULL, 10));
    must(pithi_writer_finish(writer));
    pithi_writer_close(writer);
    return 0;
}
