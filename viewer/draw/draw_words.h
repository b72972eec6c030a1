/* draw_words.h - between draw_words.c, which reads the words of `-e`, and the files that do what they say. */
#ifndef PITHI_DRAW_WORDS_H
#define PITHI_DRAW_WORDS_H

#include "draw/draw.h"

enum { PITHI_MOST_ITEMS = 8 };

struct pithi_draw_word {
    char *item[PITHI_MOST_ITEMS]; /* [0] the word itself */
    int count;
};

/* "draw: -e: WORD: WHY WHAT" on stderr; exit status. */
int pithi_draw_word_wrong(const char *word, const char *why, const char *what);
/* The next item of a Tcl list in `letters`, which has room for all of the list; NULL at its end, or of no list. */
char *pithi_draw_next_item(const char **list, char *letters);

/* draw_rows.c: exit status. */
int pithi_draw_do_rows(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_group(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_expand(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_collapse(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_hide_rows(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_pin(struct pithi_draw *draw, const struct pithi_draw_word *word);
int pithi_draw_do_set_rowstate(struct pithi_draw *draw, const struct pithi_draw_word *word);

#endif
