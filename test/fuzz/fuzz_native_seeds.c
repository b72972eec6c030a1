/* fuzz_native_seeds.c - the logs that fuzzing begins with, into the folder named: small, and of all sorts. */
#include "common/log_model.h"

static char path[256];

static void say(const char *folder, const char *name) { snprintf(path, sizeof path, "%s/%s", folder, name); }

/* The bit of the header's reserved bytes that fuzz_native.c looks at. */
static void flag(unsigned char flags)
{
    FILE *f = fopen(path, "r+b");
    if (!f || fseek(f, 32, SEEK_SET) != 0 || fputc(flags, f) == EOF || fclose(f) != 0)
        exit(1);
}

static void keep(struct model *m, unsigned char flags)
{
    if (model_write(m, path) != 0) {
        fprintf(stderr, "%s\n", pithlog_error());
        exit(1);
    }
    flag(flags);
    model_free(m);
}

static void random_log(const char *folder, const char *name, size_t records, uint32_t lanes, unsigned char flags)
{
    struct model m = {0};
    say(folder, name);
    model_random(&m, records, lanes);
    keep(&m, flags);
}

/* Columns long and plain enough to be Huffman coded and deflated; times with a unit. */
static void plain_log(const char *folder)
{
    struct model m = {0};
    say(folder, "plain");
    for (uint32_t i = 0; i < 1500; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = 1000 * (int64_t)(i + random_below(2)) * 7,
                                               .kind = i % 5 == 4 ? PITHLOG_SEND
                                                       : i % 2    ? PITHLOG_LEAVE
                                                                  : PITHLOG_ENTER,
                                               .id = i % 5 == 4 ? 0 : i / 2 % 3,
                                               .peer = i % 5 == 4 ? (int32_t)(i % 3) : -1});
    keep(&m, 0);
}

/* The farthest times, states left open, a LEAVE of the wrong one. */
static void far_log(const char *folder)
{
    struct model m = {0};
    const int64_t times[] = {INT64_MIN, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    say(folder, "far");
    for (uint32_t i = 0; i < 24; i++)
        model_add(&m, &(struct pithlog_record){.time_ns = times[i / 4],
                                               .lane = i % 2,
                                               .kind = i % 3 ? PITHLOG_ENTER : PITHLOG_LEAVE,
                                               .id = i % 4,
                                               .peer = -1});
    keep(&m, 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    random_log(argv[1], "none", 0, 1, 0);
    random_log(argv[1], "one", 1, 1, 0);
    random_log(argv[1], "few", 60, 3, 0);
    random_log(argv[1], "lanes", 300, 7, 0);
    random_log(argv[1], "crc", 80, 2, 1);
    plain_log(argv[1]);
    far_log(argv[1]);
    return 0;
}
