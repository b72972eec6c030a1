/* nearest.h - the known name that an unknown one probably means: "PITH_MAXMB; did you mean PITH_MAX_MB?". It includes
 * no header of the tree and allocates nothing, so that every folder of the tree can use it (the Makefile copies it to
 * the build's include folder).
 *
 *     struct pithi_nearest nearest;
 *     pithi_nearest_begin(&nearest, given, strlen(given));
 *     for (...)
 *         pithi_nearest_try(&nearest, names[i]);
 *     ... "no such thing: %s%s", given, pithi_nearest_ask(&nearest)
 *
 * The distance is the number of letters to add, remove, replace or swap with the next one, regardless of case (optimal
 * string alignment). A name is suggested if at most a quarter of the letters differ (in a word of fewer than eight
 * letters, one letter), or if it contains the whole given word: "send" means MPI_Send. */
#ifndef PITHI_NEAREST_H
#define PITHI_NEAREST_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* LONGEST: the most bytes of a name that are compared; FAR: a number of edits larger than any two names need */
enum { PITHI_NEAREST_LONGEST = 63, PITHI_NEAREST_FAR = 1000 };

struct pithi_nearest {
    const char *name; /* the nearest name so far, as it was given to pithi_nearest_try; NULL: no name is similar */
    char given[PITHI_NEAREST_LONGEST + 1];    /* cut if longer */
    char question[2 * PITHI_NEAREST_LONGEST]; /* "; did you mean NAME?" */
    int edits;                                /* number of edits that turn `given` into `name`; 0: they are equal */
};

static inline int pithi_nearest_letter(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

/* Begins a search for the name of `size` bytes at `given`. It copies the name without `*`, because the name may be a
 * pattern. */
static inline void pithi_nearest_begin(struct pithi_nearest *nearest, const char *given, size_t size)
{
    size_t used = 0;

    *nearest = (struct pithi_nearest){.edits = PITHI_NEAREST_FAR};
    for (size_t i = 0; i < size && used < PITHI_NEAREST_LONGEST; i++)
        if (given[i] != '*')
            nearest->given[used++] = given[i];
}

/* Returns the distance of two names. In the table of distances, row i, column j has the distance between the first i
 * letters of `a` and the first j letters of `b`. Only the last three rows are kept. */
static inline int pithi_nearest_edits(const char *a, const char *b)
{
    int rows[3][PITHI_NEAREST_LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    size_t size = strlen(b);

    if (size > PITHI_NEAREST_LONGEST)
        return PITHI_NEAREST_FAR;
    for (size_t j = 0; j <= size; j++)
        row[j] = (int)j;
    for (size_t i = 1; a[i - 1]; i++) {
        int *oldest = before;
        before = last, last = row, row = oldest;
        row[0] = (int)i;
        for (size_t j = 1; j <= size; j++) {
            int x = pithi_nearest_letter(a[i - 1]), y = pithi_nearest_letter(b[j - 1]);
            int least = last[j - 1] + (x != y);
            least = last[j] + 1 < least ? last[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            if (i > 1 && j > 1 && x == pithi_nearest_letter(b[j - 2]) && y == pithi_nearest_letter(a[i - 2]) &&
                before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            row[j] = least;
        }
    }
    return row[size];
}

/* Compares a known name with the given one. If several known names have the same distance, the first one stays. The
 * string `known` must live as long as `nearest`. */
static inline void pithi_nearest_try(struct pithi_nearest *nearest, const char *known)
{
    size_t size = strlen(nearest->given);
    int edits = pithi_nearest_edits(nearest->given, known), most = size < 8 ? 1 : (int)size / 4, contains = 0;

    if (edits == 0 && strcmp(nearest->given, known) != 0)
        edits = 1;
    for (const char *at = known; size > 2 && *at && !contains; at++)
        contains = strncasecmp(at, nearest->given, size) == 0;
    if (edits < nearest->edits && (contains || (edits <= most && edits < (int)size && edits < (int)strlen(known)))) {
        nearest->edits = edits;
        nearest->name = known;
    }
}

/* Returns "; did you mean NAME?", or "" if no known name is similar. The text lives as long as `nearest`. */
static inline const char *pithi_nearest_ask(struct pithi_nearest *nearest)
{
    if (nearest->name)
        snprintf(nearest->question, sizeof nearest->question, "; did you mean %s?", nearest->name);
    return nearest->question;
}

#endif
