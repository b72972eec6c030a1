/* length_map.h - pictures of a list of lengths (lengths.h), which show when the instances begin, or on which lanes they
 * are.
 *
 *     over time: time from left to right, duration from bottom to top, a dot for each instance
 *     by lane:   duration from left to right, in the bins of the histogram, a line for each lane
 *
 * Either picture consists of tiles, one for each place (an interval, or some lanes) and bin of lengths. A
 * tile's colour shows how many instances it has, so that drawing a million instances costs no more than the pixels of
 * the picture. */
#ifndef PITHI_LENGTH_MAP_H
#define PITHI_LENGTH_MAP_H

#include "core/measure/lengths.h"
#include "core/raster/painter.h"

struct pithi_length_tile {
    uint64_t count;
    uint32_t longest; /* index of its longest instance in the map's `entries` */
};

struct pithi_length_map {
    /* Set before pithi_length_map_make. */
    enum pithi_lengths_over over;
    int64_t low_ns, high_ns; /* low <= high: lengths that are shown */
    int logarithmic;
    /* the most places and bins; pithi_length_map_make lowers them if there are fewer lanes or values */
    uint32_t places, bins;
    uint32_t width, height; /* pixels of the picture */

    const struct pithi_length_list *list;
    /* the instances or cells of the list; entries [first, end) have lengths from low_ns to high_ns */
    const struct pithi_length *entries;
    uint32_t first, end;
    struct pithi_length_tile *tiles; /* [place * bins + bin] */
    uint64_t most;                   /* the most instances in a tile; 0: there is no instance */
};

/* Makes the tiles of a list, which must live as long as the map. map->tiles must be NULL or from an earlier call. */
void pithi_length_map_make(const struct pithi_length_list *list, struct pithi_length_map *map);
void pithi_length_map_free(struct pithi_length_map *map);
void pithi_length_map_draw(const struct pithi_length_map *map, const struct pithi_painter *painter);

/* Where a tile is drawn. */
struct pithi_length_box {
    uint32_t x, y, width, height;
};
struct pithi_length_box pithi_length_map_box(const struct pithi_length_map *map, uint32_t place, uint32_t bin);

/* Finds the nearest tile with instances to a pixel, at most `reach` pixels away. Returns 1 if there is such a tile. */
int pithi_length_map_hit(const struct pithi_length_map *map, double x, double y, double reach, uint32_t *place,
                         uint32_t *bin);
/* Finds the next place with instances, forwards (`by` is 1) or backwards (-1), and the bin of the longest instance
 * there. `place` may be -1 or the number of places. Returns 1 if there is such a place. */
int pithi_length_map_next(const struct pithi_length_map *map, int64_t *place, int by, uint32_t *bin);
/* Returns the entry of a tile with the `number`th longest length (from 0), or NULL if the tile has fewer. */
const struct pithi_length *pithi_length_map_nth(const struct pithi_length_map *map, uint32_t place, uint32_t bin,
                                                uint32_t number);

#endif
