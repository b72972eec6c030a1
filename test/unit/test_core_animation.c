/* test_core_animation.c - the animation's core: who is in which state when, messages under way, the picture of a
 * moment; and where the work of an MPI program begins and ends. */
#include <string.h>

#include "core/scene/animation.h"
#include "core/rows/words.h"
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
 * 310, back at 400 until 700. Rank 2 loses records at 800, and rank 1, in red since 750, with the end of red; an empty
 * LOST at 850 on rank 0 says that none were lost. */
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
    core_add(log, lanes[1], PITHLOG_ENTER, 750, red);
    for (int rank = 0; rank < RANKS; rank++)
        core_check(pithi_writer_add(log->writer, &(struct pithlog_record){.time_ns = rank ? 800 : 850,
                                                                          .lane = lanes[rank],
                                                                          .kind = PITHLOG_LOST,
                                                                          .peer = -1,
                                                                          .bytes = rank ? 5 : 0}));
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

static void draw(const struct pithi_anim *anim, int64_t time_ns, int64_t dwell_ns, struct pithi_raster *raster)
{
    pithi_raster_prepare(raster, W, H, 0xffffff);
    pithi_anim_draw(anim, time_ns, dwell_ns, PITHI_RING, raster);
}

static int differ(const struct pithi_raster *a, const struct pithi_raster *b)
{
    return memcmp(a->pixels, b->pixels, (size_t)W * H * 3) != 0;
}

static void test_states(const struct pithi_anim *anim)
{
    OK(anim->ranks == RANKS && anim->ended && anim->finished, "a log is read to its end");
    OK(strcmp(pithi_anim_def(anim, pithi_anim_state(anim, 1, 50))->name, "MPI_Init") == 0, "MPI_Init at first");
    OK(strcmp(pithi_anim_def(anim, pithi_anim_state(anim, 1, 210))->name, "red") == 0, "then red");
    OK(strcmp(pithi_anim_def(anim, pithi_anim_state(anim, 1, 230))->name, "green") == 0, "green inside it");
    OK(strcmp(pithi_anim_def(anim, pithi_anim_state(anim, 1, 299))->name, "red") == 0, "red again");
    OK(pithi_anim_state(anim, 1, 300) == PITHI_NONE, "then no state");
    OK(pithi_anim_state(anim, 1, 9) == PITHI_ABSENT && pithi_anim_state(anim, 1, 950) == PITHI_ABSENT &&
           pithi_anim_state(anim, RANKS, 300) == PITHI_ABSENT,
       "before its begin, after its end, and as a rank that is not there: nobody");
    OK(pithi_anim_state(anim, 2, 799) == PITHI_NONE && pithi_anim_state(anim, 2, 800) == PITHI_ABSENT &&
           pithi_anim_state(anim, 2, 890) == PITHI_ABSENT && pithi_anim_state(anim, 0, 860) == PITHI_NONE,
       "unknown after lost records");
    OK(pithi_anim_state(anim, 2, 898) == pithi_anim_state(anim, 0, 900), "up to the next record");
    OK(pithi_anim_state(anim, 1, 799) == pithi_anim_state(anim, 1, 210) &&
           pithi_anim_state(anim, 1, 800) == PITHI_ABSENT &&
           pithi_anim_state(anim, 1, 949) == pithi_anim_state(anim, 0, 949),
       "a state that ends among them");
    OK(anim->work_ns == 100 + RANKS - 1 && anim->rest_ns == 900 - RANKS + 1, "MPI_Init and MPI_Finalize are noted");
    OK(pithi_anim_sent(anim, 309) == 0 && pithi_anim_sent(anim, 310) == 1 && pithi_anim_sent(anim, 900) == 2,
       "messages are counted by the moment of sending");
}

static void test_picture(const struct pithi_anim *anim)
{
    struct pithi_raster a = {0}, b = {0};
    struct pithi_anim_place places[RANKS];
    double radius = pithi_anim_places(RANKS, W, H, PITHI_RING, places);

    OK(radius > 5 && places[0].y < places[1].y && places[1].x > places[2].x, "a ring begins on top, and goes right");
    draw(anim, 210, 1, &a);
    OK(pixel(&a, places[0].x, places[0].y) == 0xcc0000 && pixel(&a, places[2].x, places[2].y) == 0xcc0000, "red discs");
    draw(anim, 230, 1, &a);
    OK(pixel(&a, places[1].x, places[1].y) == 0x00aa00, "green ones");
    draw(anim, 350, 1, &a);
    OK(pixel(&a, places[1].x, places[1].y) == 0xffffff, "white without a state");
    draw(anim, 350, 1, &b);
    OK(!differ(&a, &b), "the same moment, the same picture");
    draw(anim, 450, 1, &a);
    draw(anim, 600, 1, &b);
    OK(differ(&a, &b), "a message under way is elsewhere at another moment");
    draw(anim, 800, 1, &a);
    draw(anim, 820, 1, &b);
    OK(!differ(&a, &b), "nothing moves when nothing is under way");
    draw(anim, 330, 100, &a);
    draw(anim, 330, 1, &b);
    OK(differ(&a, &b), "one that was fast is shown for a while");
    pithi_raster_prepare(&a, W, H, 0xffffff);
    OK(pithi_anim_draw(anim, 500, 1, PITHI_GRID, &a) == 1 && pithi_anim_draw(anim, 800, 1, PITHI_GRID, &a) == 0,
       "how many are under way");
    for (int size = 1; size < 200; size += 7) { /* however small */
        pithi_raster_prepare(&a, size, 200 - size, 0xffffff);
        pithi_anim_draw(anim, 450, 1, size % 2 ? PITHI_RING : PITHI_GRID, &a);
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
    OK(from == 100 + RANKS - 1 && to == 900, "the work: from the last MPI_Init to the last MPI_Finalize");
    pithlog_close(log);
    core_log_begin(&without);
    core_add(&without, core_lane(&without, 0, 0, NULL), PITHLOG_ENTER, 5,
             core_define(&without, PITHLOG_STATE, "work", ""));
    log = core_log_end(&without);
    pithi_work_window(log, &from, &to);
    OK(from == 5 && to == 6, "without them all is shown");
    pithlog_close(log);
}

int main(void)
{
    struct core_log log;
    struct pithi_anim *anim;

    write_log(&log);
    core_check(pithi_anim_open(log.path, &anim));
    while (!anim->ended)
        core_check(pithi_anim_look(anim, INT64_MIN));
    test_states(anim);
    test_picture(anim);
    test_work(log.path);
    pithi_anim_close(anim);
    unlink(log.path);
    OK(pithi_anim_open("/nowhere.pith", &anim) != PITH_OK && !anim, "no log, no animation: %s", pithlog_error());
    OK(pithi_anim_follow("/nowhere.spill", &anim) != PITH_OK && !anim, "nothing to follow: %s", pithlog_error());
    return tap_done();
}
