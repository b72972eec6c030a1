/* near.c - the nearest known word to one that is not known, for "did you mean". */
#include "wrappergen.h"

#include <string.h>

enum { LONGEST = 63 };

/* How many letters must be changed, added or taken away to make b of a (Levenshtein), row by row. */
static int distance(const char *a, size_t a_size, const char *b)
{
    size_t b_size = strlen(b);
    int row[LONGEST + 1];

    if (a_size > LONGEST || b_size > LONGEST)
        return 999;
    for (size_t j = 0; j <= b_size; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int best = corner + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[b_size];
}

void near_begin(struct near *near, const struct word *word) { *near = (struct near){*word, "", 1000}; }

void near_try(struct near *near, const char *known)
{
    int d = distance(near->word.at, near->word.size, known);

    if (d < near->distance)
        near->distance = d, near->best = known;
}

void near_try_all(struct near *near, const char *const *known)
{
    for (; *known; known++)
        near_try(near, *known);
}

const char *near_hint(const struct near *near)
{
    struct text hint = {0};
    int most = (int)near->word.size / 4;

    text_puts(&hint, "");
    if (near->distance <= (most ? most : 1))
        text_printf(&hint, "; nearest known: %s", near->best);
    return hint.at;
}
