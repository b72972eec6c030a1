/* posted_recvs.c - keeps a small ring of calls for each rank. If more receives are under way at once, only the latest
 * calls are known. */
#include "analysis/posted_recvs.h"

#include <stdlib.h>

enum { MOST = 512 };

void pithi_posts_free(struct pithi_posts *posts) { free(posts->calls); }

int pithi_posts_add(struct pithi_posts *posts, const struct pithi_post *post)
{
    if (posts->next - posts->first == posts->room && posts->room < MOST) {
        uint32_t room = posts->room ? posts->room * 2 : 8;
        struct pithi_post *calls = malloc(room * sizeof *calls);
        if (!calls)
            return 0;
        for (uint64_t i = posts->first; i < posts->next; i++)
            calls[i & (room - 1)] = posts->calls[i & (posts->room - 1)];
        free(posts->calls);
        posts->calls = calls;
        posts->room = room;
    }
    posts->first += posts->next - posts->first == posts->room;
    posts->calls[posts->next++ & (posts->room - 1)] = *post;
    return 1;
}

void pithi_posts_drop(struct pithi_posts *posts)
{
    if (posts->next > posts->first)
        posts->next--;
}

/* No receive is under way, so the next call posts receive `end`. */
static void begin_anew(struct pithi_posts *posts)
{
    posts->first = posts->next;
    posts->shift = posts->next - posts->end;
    posts->base = posts->end;
    posts->seen = 0;
    posts->is_known = 1;
}

static int all_complete(const struct pithi_posts *posts)
{
    return !posts->is_known || posts->seen == posts->end - posts->base;
}

void pithi_posts_none_left(struct pithi_posts *posts)
{
    if (all_complete(posts))
        begin_anew(posts);
}

static const struct pithi_post not_known = {.time_ns = PITHI_NOT_KNOWN};

/* The earliest call that can have posted the receive. */
static const struct pithi_post *post_of(const struct pithi_posts *posts, uint64_t number)
{
    uint64_t last = number + posts->shift;

    if (!posts->is_known || last - posts->first >= MOST)
        return &not_known;
    for (uint64_t i = posts->first; i < posts->next && i <= last; i++)
        if (i == last || posts->calls[i & (posts->room - 1)].is_many)
            return &posts->calls[i & (posts->room - 1)];
    return &not_known;
}

const struct pithi_post *pithi_posts_complete(struct pithi_posts *posts, uint64_t number, const uint64_t *by)
{
    const struct pithi_post *post = by ? &not_known : post_of(posts, number);

    if (by)
        posts->shift = *by - number;
    posts->seen++;
    if (number >= posts->end)
        posts->end = number + 1;
    if (posts->is_known && all_complete(posts) && posts->next - posts->shift == posts->end)
        begin_anew(posts);
    return post;
}
