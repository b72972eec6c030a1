/* test_core_stage.c - the animation's core: who is in which state when, messages under way, the picture of a moment;
 * and where the work of an MPI program begins and ends. */
#include <string.h>

#include "core/stage.h"
#include "core/work.h"
#include "core_log.h"
#include "tap.h"

enum { RANKS = 3, W = 400, H = 300 };

static void message(struct core_log *log, const uint32_t *lanes, int from, int to, int64_t send_ns, int64_t recv_ns,
                    uint64_t posted)
{
    struct pithlog_record send = {
        .time_ns = send_ns, .lane = lanes[from], .kind = PITHLOG_SEND, .peer = to, .tag = 1, .bytes = 100};
    struct pithlog_record recv = {.time_ns = recv_ns,
                                  .lane = lanes[to],
                                  .kind = PITHLOG_RECV,
                                  .peer = from,
                                  .tag = 1,
                                  .bytes = 100,
                                  .posted = posted};
    core_check(pithi_writer_add(log->writer, &send));
    core_check(pithi_writer_add(log->writer, &recv));
}

/* Rank r: MPI_Init until 100 + r, red 200..300, a nested green 220..240, MPI_Finalize from 900 - r. Messages 0 to 1 at
 * 310, back at 400 until 700. */
static void write_log(struct core_log *log)
{
    uint32_t init, finalize, red, green, lanes[RANKS];

    core_log_begin(log);
    init = core_define(log, PITHLOG_STATE, "MPI_Init", "");
    finalize = core_define(log, PITHLOG_STATE, "MPI_Finalize", "");
    red = core_define(log, PITHLOG_STATE, "red", "#cc0000");
    green = core_define(log, PITHLOG_STATE, "green", "#00aa00");
    for (int rank = 0; rank < RANKS; rank++) {
        lanes[rank] = core_lane(log, rank, 0, NULL);
        core_add(log, lanes[rank], PITHLOG_ENTER, 10, init);
        core_add(log, lanes[rank], PITHLOG_LEAVE, 100 + rank, init);
        core_add(log, lanes[rank], PITHLOG_ENTER, 200, red);
        core_add(log, lanes[rank], PITHLOG_ENTER, 220, green);
        core_add(log, lanes[rank], PITHLOG_LEAVE, 240, green);
        core_add(log, lanes[rank], PITHLOG_LEAVE, 300, red);
    }
    message(log, lanes, 0, 1, 310, 320, 0);
    message(log, lanes, 1, 0, 400, 700, 0);
    for (int rank = 0; rank < RANKS; rank++) {
        core_add(log, lanes[rank], PITHLOG_ENTER, 900 - rank, finalize);
        core_add(log, lanes[rank], PITHLOG_LEAVE, 950, finalize);
    }
    core_check(pithi_writer_finish(log->writer));
    pithi_writer_close(log->writer);
}

static uint32_t pixel(const struct pithi_raster *raster, double x, double y)
{
    const unsigned char *p = raster->pixels + ((size_t)y * (size_t)raster->width + (size_t)x) * 3;
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static void draw(const struct pithi_stage *stage, int64_t time_ns, int64_t dwell_ns, struct pithi_raster *raster)
{
    pithi_raster_prepare(raster, W, H, 0xffffff);
    pithi_stage_draw(stage, time_ns, dwell_ns, PITHI_RING, raster);
}

static int differ(const struct pithi_raster *a, const struct pithi_raster *b)
{
    return memcmp(a->pixels, b->pixels, (size_t)W * H * 3) != 0;
}

static void test_states(const struct pithi_stage *stage)
{
    OK(stage->ranks == RANKS && stage->ended && stage->finished, "a log is read to its end");
    OK(strcmp(pithi_stage_def(stage, pithi_stage_state(stage, 1, 50))->name, "MPI_Init") == 0, "MPI_Init at first");
    OK(strcmp(pithi_stage_def(stage, pithi_stage_state(stage, 1, 210))->name, "red") == 0, "then red");
    OK(strcmp(pithi_stage_def(stage, pithi_stage_state(stage, 1, 230))->name, "green") == 0, "green inside it");
    OK(strcmp(pithi_stage_def(stage, pithi_stage_state(stage, 1, 299))->name, "red") == 0, "red again");
    OK(pithi_stage_state(stage, 1, 300) == PITHI_NONE, "then no state");
    OK(pithi_stage_state(stage, 1, 9) == PITHI_ABSENT && pithi_stage_state(stage, 1, 950) == PITHI_ABSENT &&
           pithi_stage_state(stage, RANKS, 300) == PITHI_ABSENT,
       "before its begin, after its end, and as a rank that is not there: nobody");
    OK(stage->work_ns == 100 + RANKS - 1 && stage->rest_ns == 900 - RANKS + 1, "MPI_Init and MPI_Finalize are noted");
    OK(pithi_stage_sent(stage, 309) == 0 && pithi_stage_sent(stage, 310) == 1 && pithi_stage_sent(stage, 900) == 2,
       "messages are counted by the moment of sending");
}

static void test_picture(const struct pithi_stage *stage)
{
    struct pithi_raster a = {0}, b = {0};
    struct pithi_place places[RANKS];
    double radius = pithi_stage_places(RANKS, W, H, PITHI_RING, places);

    OK(radius > 5 && places[0].y < places[1].y && places[1].x > places[2].x, "a ring begins on top, and goes right");
    draw(stage, 210, 1, &a);
    OK(pixel(&a, places[0].x, places[0].y) == 0xcc0000 && pixel(&a, places[2].x, places[2].y) == 0xcc0000, "red discs");
    draw(stage, 230, 1, &a);
    OK(pixel(&a, places[1].x, places[1].y) == 0x00aa00, "green ones");
    draw(stage, 350, 1, &a);
    OK(pixel(&a, places[1].x, places[1].y) == 0xffffff, "white without a state");
    draw(stage, 350, 1, &b);
    OK(!differ(&a, &b), "the same moment, the same picture");
    draw(stage, 450, 1, &a);
    draw(stage, 600, 1, &b);
    OK(differ(&a, &b), "a message under way is elsewhere at another moment");
    draw(stage, 800, 1, &a);
    draw(stage, 820, 1, &b);
    OK(!differ(&a, &b), "nothing moves when nothing is under way");
    draw(stage, 330, 100, &a);
    draw(stage, 330, 1, &b);
    OK(differ(&a, &b), "one that was fast is shown for a while");
    pithi_raster_prepare(&a, W, H, 0xffffff);
    OK(pithi_stage_draw(stage, 500, 1, PITHI_GRID, &a) == 1 && pithi_stage_draw(stage, 800, 1, PITHI_GRID, &a) == 0,
       "how many are under way");
    for (int size = 1; size < 200; size += 7) { /* however small */
        pithi_raster_prepare(&a, size, 200 - size, 0xffffff);
        pithi_stage_draw(stage, 450, 1, size % 2 ? PITHI_RING : PITHI_GRID, &a);
    }
    pithi_raster_free(&a);
    pithi_raster_free(&b);
}

static void test_work(const char *path)
{
    struct pithlog *log;
    struct core_log without;
    int64_t from, to;

    core_check(pithlog_open(path, &log));
    pithi_work_window(log, &from, &to);
    OK(from == 100 + RANKS - 1 && to == 900 - RANKS + 1, "the work: from the last MPI_Init to the first MPI_Finalize");
    pithlog_close(log);
    core_log_begin(&without);
    core_add(&without, core_lane(&without, 0, 0, NULL), PITHLOG_ENTER, 5,
             core_define(&without, PITHLOG_STATE, "work", ""));
    log = core_log_end(&without);
    pithi_work_window(log, &from, &to);
    OK(from == INT64_MIN && to == INT64_MIN, "none without them");
    pithi_work_in_log(log, &from, &to);
    OK(from == 5 && to == 6, "then all is shown");
    pithlog_close(log);
}

int main(void)
{
    struct core_log log;
    struct pithi_stage *stage;

    write_log(&log);
    core_check(pithi_stage_open(log.path, &stage));
    while (!stage->ended)
        core_check(pithi_stage_look(stage, INT64_MIN));
    test_states(stage);
    test_picture(stage);
    test_work(log.path);
    pithi_stage_close(stage);
    unlink(log.path);
    OK(pithi_stage_open("/nowhere.pith", &stage) != PITH_OK && !stage, "no log, no stage: %s", pithlog_error());
    OK(pithi_stage_follow("/nowhere.spill", &stage) != PITH_OK && !stage, "nothing to follow: %s", pithlog_error());
    return tap_done();
}
