/* test_native_spec.c - the program against its specification: logs are read here and by native_spec.py, which was
 * written from formats/native/SPEC.md alone; both must tell the same records. */
#include <inttypes.h>

#include "common/log_model.h"
#include "segment_log.h"
#include "tap.h"

/* As native_spec.py prints: lane by lane in the order of ranks and threads. */
static void print_records(struct pithlog *log, FILE *out)
{
    static const char *const kinds[] = {"enter", "leave",       "event",     "counter", "send",   "recv",
                                        "coll",  "comm_create", "comm_free", "pause",   "resume", "lost"};
    for (uint32_t lane = 0; pithlog_get_lane(log, lane); lane++) {
        const struct pithlog_lane *l = pithlog_get_lane(log, lane);
        struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
        struct pithlog_iter *iter;
        struct pithlog_record r;
        if (pithlog_iter_open(log, &query, &iter))
            exit(1);
        while (pithlog_iter_next(iter, &r) == 1) {
            uint64_t what = r.kind <= PITHLOG_COUNTER ? r.id : pithlog_get_comm(log, r.comm)->key;
            fprintf(out, "%d\t%u\t%" PRId64 "\t%s\t%" PRIu64, (int)l->rank, l->thread, r.time_ns, kinds[r.kind - 1],
                    what);
            if (r.kind >= PITHLOG_SEND && r.kind <= PITHLOG_COLL)
                fprintf(out, "\t%d", (int)r.peer);
            if (r.kind == PITHLOG_SEND || r.kind == PITHLOG_RECV)
                fprintf(out, "\t%d", (int)r.tag);
            if ((r.kind >= PITHLOG_SEND && r.kind <= PITHLOG_COLL) || r.kind == PITHLOG_LOST)
                fprintf(out, "\t%" PRIu64, r.bytes);
            if (r.kind == PITHLOG_COLL || r.kind == PITHLOG_LOST)
                fprintf(out, "\t%" PRIu64, r.got_bytes);
            if (r.kind == PITHLOG_RECV)
                fprintf(out, "\t%" PRIu64, r.posted);
            if (r.kind == PITHLOG_COUNTER) {
                fputc('\t', out);
                for (size_t i = 0; i < 8; i++) /* of a little-endian machine */
                    fprintf(out, "%02x", ((const unsigned char *)&r.value)[i]);
            }
            if (r.kind == PITHLOG_EVENT) {
                fputc('\t', out);
                for (uint32_t i = 0; i < r.payload_bytes; i++)
                    fprintf(out, "%02x", ((const unsigned char *)r.payload)[i]);
            }
            if (r.kind <= PITHLOG_EVENT && r.comm)
                fprintf(out, "\ton %" PRIu64, pithlog_get_comm(log, r.comm)->key);
            fputc('\n', out);
        }
        pithlog_iter_close(iter);
    }
}

static void compare_file(const char *path, const char *what)
{
    char command[1200];
    struct pithlog *log = NULL;
    if (pithlog_open(path, &log))
        exit(1);
    unsigned long long records = pithlog_get_info(log)->records;
    snprintf(command, sizeof command, "%s.ours", path);
    FILE *out = fopen(command, "w");
    print_records(log, out);
    fclose(out);
    pithlog_close(log);
    snprintf(command, sizeof command,
             "python3 test/unit/native_spec.py '%s' > '%s.theirs' && cmp '%s.ours' '%s.theirs'", path, path, path,
             path);
    OK(system(command) == 0, "%s: %llu records told alike", what, records);
}

static void compare(struct model *m, const char *what)
{
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("spec.pith"));
    if (model_write(m, path))
        exit(1);
    compare_file(path, what);
    model_free(m);
}

int main(void)
{
    struct model m = {0};
    if (access("test/unit/native_spec.py", R_OK) != 0 || system("command -v python3 >/dev/null") != 0) {
        printf("ok 1 - the specification read # SKIP needs python3 and the source tree as current folder\n1..1\n");
        return 0;
    }
    model_random(&m, 45000, 2);
    compare(&m, "all kinds in several blocks");
    model_random(&m, 2000, 40);
    compare(&m, "many lanes");
    for (int64_t i = 0; i < 30000; i++) /* codings: a unit, repeats, one byte only */
        model_add(&m,
                  &(struct pithlog_record){
                      .time_ns = i * 5000 + i % 3 * 1000, .kind = PITHLOG_ENTER + i % 2, .id = i / 2 % 5, .peer = -1});
    compare(&m, "a regular loop on a coarse clock");
    model_random(&m, 200000, 2);
    for (size_t i = 0; i < m.count; i++)
        if (m.records[i].kind == PITHLOG_LOST) {
            m.records[i].bytes = random_below(4);
            m.records[i].got_bytes = 1 + random_below(3);
        }
    compare(&m, "numbers of states that ended with lost records");
    struct segment_log parts = {.ranks = 5, .threads = 2, .records = 400, .volumes = 2, .id = 7};
    parts.path = scratch_path("parts.pith");
    if (segment_log_write(&parts) != PITH_OK)
        exit(1);
    compare_file(parts.path, "a log in three files");
    scratch_remove();
    return tap_done();
}
