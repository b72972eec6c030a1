/* film_row.h - one row of a film (film.h): its cells, and how good they are, moved and mended. Internal to the film. */
#ifndef PITHI_FILM_ROW_H
#define PITHI_FILM_ROW_H

#include "core/query.h"

struct pithi_film_row {
    uint32_t *lanes, lane_count;
    uint32_t first_lane;           /* among those of the work under way */
    uint32_t known_from, known_to; /* columns that belong to this view; others are stale, or empty */
    uint32_t exact_from, exact_to; /* of these, columns that are right */
    uint32_t depth;                /* levels from here on are empty */
};

/* Nothing is in any column. `cells` has nothing allocated. */
void pithi_film_row_empty(struct pithi_cells *cells, uint32_t width);
/* The window moves to the right by so many columns, less than the width. */
void pithi_film_row_shift(struct pithi_film_row *row, struct pithi_cells *cells, int64_t by);
/* The window is another: where its columns were before, for all rows. */
struct pithi_film_map {
    double offset, scale; /* its column c shows what was in column offset + (c + 0.5) * scale */
    uint32_t width, old_width;
    uint32_t *from;           /* [width] the old column; PITHI_NONE: outside */
    struct pithi_cell *spare; /* room for a row's cells */
    uint32_t spare_depth;     /* levels from here on are empty in it */
};
void pithi_film_map_make(struct pithi_film_map *map, uint32_t width, uint32_t old_width, double offset, double scale);
void pithi_film_map_free(struct pithi_film_map *map);
void pithi_film_row_stretch(struct pithi_film_row *row, struct pithi_cells *cells, struct pithi_film_map *map);
/* Columns from `from` on become those of `part`, a row too, whose contents may be taken away. */
void pithi_film_row_put(struct pithi_film_row *row, struct pithi_cells *cells, uint32_t from, struct pithi_cells *part,
                        int exact);

#endif
