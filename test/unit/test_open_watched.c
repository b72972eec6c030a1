/* test_open_watched.c - who waits for a log to be read hears how far it is, and may stop it: of formats that are
 * read as a whole, and of a log without its index. */
#include <signal.h>
#include <unistd.h>

#include "reader/read/format.h"
#include "common/log_model.h"
#include "tap.h"

enum { RECORDS = 120000 };

struct heard {
    int calls, wrong, stop_at; /* 0: never */
    double last;
};

static int hear(void *context, double part)
{
    struct heard *heard = context;

    heard->calls++;
    heard->wrong += part < heard->last || part > 1;
    heard->last = part;
    if (heard->calls < 4)
        usleep(60000); /* it is told every 50 ms at most */
    return heard->calls == heard->stop_at;
}

static char path[400];

static void add(struct model *m, uint32_t kind, uint32_t lane, int64_t time_ns, uint64_t number)
{
    struct pithlog_record r = {.time_ns = time_ns, .kind = kind, .lane = lane, .peer = -1};

    if (kind == PITHLOG_SEND || kind == PITHLOG_RECV) {
        r.peer = (int32_t)!lane;
        r.bytes = 1000 + number % 7;
        r.posted = kind == PITHLOG_RECV ? number : 0;
    }
    model_add(m, &r);
}

static void write_model(struct model *m)
{
    snprintf(path, sizeof path, "%s", scratch_path("model.pith"));
    if (model_write(m, path))
        exit(1);
    model_free(m);
}

/* What every format can hold: states, a message in each from rank 0 to 1. */
static void write_plain(void)
{
    struct model m = {.lanes = 2};

    for (int64_t i = 0; i < RECORDS / 6; i++)
        for (uint32_t lane = 0; lane < 2; lane++) {
            add(&m, PITHLOG_ENTER, lane, i * 3000000, 0);
            add(&m, lane ? PITHLOG_RECV : PITHLOG_SEND, lane, i * 3000000 + 1000000, (uint64_t)i);
            add(&m, PITHLOG_LEAVE, lane, i * 3000000 + 2000000, 0);
        }
    write_model(&m);
}

/* Nobody watches; somebody does; somebody stops it at once. */
static void check_watched(const char *format)
{
    struct heard heard = {0}, stopping = {.stop_at = 1};
    struct pithlog *log, *watched = NULL, *stopped = (struct pithlog *)&stopping;
    uint64_t records;

    if (pithlog_open(path, &log))
        exit(1);
    records = pithlog_get_info(log)->records;
    pithlog_close(log);
    OK(pithlog_open_watched(path, hear, &heard, &watched) == PITH_OK && heard.calls > 2 && !heard.wrong &&
           pithlog_get_info(watched)->records == records,
       "%s: told %d times, to %.2f; all is read", format, heard.calls, heard.last);
    pithlog_close(watched);
    OK(pithlog_open_watched(path, hear, &stopping, &stopped) == PITH_ERR_STOPPED && !stopped && stopping.calls == 1 &&
           strncmp(pithlog_error(), path, strlen(path)) == 0 && strstr(pithlog_error(), "stopped"),
       "%s: stopped: %s", format, pithlog_error() + strlen(path));
}

static int is_guarded; /* 1: nobody else, such as a sanitizer, handles SIGBUS */

static int cut(void *context, double part)
{
    (void)part;
    if (truncate(path, 0))
        exit(1);
    *(int *)context = 1;
    return 0;
}

/* The file is cut while it is mapped, so its reader loses the memory that it is reading. Last: the file is gone. */
static void check_cut(const char *format)
{
    struct pithlog *log;
    int is_cut = 0;

    if (!is_guarded) {
        printf("# %s: not cut, as a sanitizer handles SIGBUS\n", format);
        return;
    }
    OK(pithlog_open_watched(path, cut, &is_cut, &log) == PITH_ERR_IO && is_cut && !log &&
           strncmp(pithlog_error(), path, strlen(path)) == 0 &&
           strstr(pithlog_error(), ": was cut while it was read; "),
       "%s: cut: %s", format, pithlog_error() + strlen(path));
}

static void test_formats(void)
{
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    static const char *const names[] = {"clog2", "alog", "picl", "chrome", "text"};
    struct pithlog *log;

    if (pithlog_open(path, &log))
        exit(1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pithi_format *f = pithi_format_by_name(names[i]);
        char name[40];
        snprintf(name, sizeof name, "model.%.16s", f->name);
        snprintf(path, sizeof path, "%s", scratch_path(name));
        if (pithi_format_write(log, f, path, &how)) {
            OK(0, "%s: %s", f->name, pithlog_error());
            continue;
        }
        check_watched(f->name);
        check_cut(f->name);
    }
    pithlog_close(log);
}

static void test_native(void)
{
    struct heard heard = {.stop_at = 1};
    struct model m = {0};
    struct pithlog *log;

    model_random(&m, RECORDS / 2, 4);
    write_model(&m);
    OK(pithlog_open_watched(path, hear, &heard, &log) == PITH_OK && heard.calls == 0, "with its index: open at once");
    pithlog_close(log);
    OK(pithlog_open_watched(path, NULL, NULL, &log) == PITH_OK, "nobody needs to watch");
    pithlog_close(log);
    if (truncate(path, (off_t)(1 << 20)))
        exit(1);
    check_watched("without its index");
}

int main(void)
{
    struct sigaction action;

    is_guarded = sigaction(SIGBUS, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    write_plain();
    test_formats();
    test_native();
    scratch_remove();
    return tap_done();
}
