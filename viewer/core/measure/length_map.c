/* length_map.c - counts instances in tiles, by place and length. The list's entries are sorted by length. So each entry
 * is in the same bin as the entry before it or in a later bin, and its bin is found without a search. */
#include "core/measure/length_map.h"

#include <math.h>
#include <stdlib.h>

#include "core/cells/memory.h"
#include "core/measure/matrix.h"
#include "core/raster/palette.h"

/* In the map over time, the scale of colours begins at this fraction, so that a tile with a single instance is visible.
 * Often the single instance is the one that matters. */
#define LEAST_OF_DOT 0.55

void pithi_length_map_make(const struct pithi_length_list *list, struct pithi_length_map *map)
{
    uint64_t span = (uint64_t)map->high_ns - (uint64_t)map->low_ns;
    uint32_t bin = 0;

    map->list = list;
    map->entries = list->exact ? list->items : list->cells;
    uint32_t count = list->exact ? list->count : list->cell_count;
    map->first = pithi_lengths_first(map->entries, count, map->low_ns);
    map->end = map->high_ns == INT64_MAX ? count : pithi_lengths_first(map->entries, count, map->high_ns + 1);
    if (span < map->bins)
        map->bins = (uint32_t)span + 1;
    if (map->over == PITHI_OVER_LANES && list->lane_count < map->places)
        map->places = list->lane_count;
    free(map->tiles);
    map->tiles = pithi_alloc((size_t)map->places * map->bins, sizeof *map->tiles);
    map->most = 0;
    int64_t edge = pithi_lengths_edge(map->low_ns, map->high_ns, map->logarithmic, 1.0 / map->bins);
    for (uint32_t i = map->first; i < map->end; i++) {
        const struct pithi_length *entry = &map->entries[i];
        while (bin + 1 < map->bins && entry->length_ns >= edge) {
            bin++;
            edge = pithi_lengths_edge(map->low_ns, map->high_ns, map->logarithmic, (bin + 1.0) / map->bins);
        }
        uint32_t place = pithi_length_place(list, entry, map->over, map->places);
        struct pithi_length_tile *tile = &map->tiles[(size_t)place * map->bins + bin];
        tile->count += entry->count;
        tile->longest = i; /* entries are sorted by length, so the last is the longest */
        if (tile->count > map->most)
            map->most = tile->count;
    }
}

void pithi_length_map_free(struct pithi_length_map *map)
{
    free(map->tiles);
    map->tiles = NULL;
}

struct pithi_length_box pithi_length_map_box(const struct pithi_length_map *map, uint32_t place, uint32_t bin)
{
    int is_of_time = map->over == PITHI_OVER_TIME;
    uint32_t column = is_of_time ? place : bin, columns = is_of_time ? map->places : map->bins;
    uint32_t line = is_of_time ? map->bins - 1 - bin : place, lines = is_of_time ? map->bins : map->places;
    uint32_t x = pithi_tile_begin(column, columns, map->width), y = pithi_tile_begin(line, lines, map->height);

    return (struct pithi_length_box){x, y, pithi_tile_begin(column + 1, columns, map->width) - x,
                                     pithi_tile_begin(line + 1, lines, map->height) - y};
}

void pithi_length_map_draw(const struct pithi_length_map *map, const struct pithi_painter *painter)
{
    /* The scale covers at least a factor of ten, so that counts that differ little look alike. */
    double most = log(map->most > 10 ? (double)map->most : 10);
    double least = map->over == PITHI_OVER_TIME ? LEAST_OF_DOT : 0;

    for (uint32_t place = 0; place < map->places; place++)
        for (uint32_t bin = 0; bin < map->bins; bin++) {
            uint64_t count = map->tiles[(size_t)place * map->bins + bin].count;
            if (!count)
                continue;
            double part = log((double)count) / most;
            struct pithi_length_box box = pithi_length_map_box(map, place, bin);
            /* Leaves a line free between lanes that are high enough. */
            uint32_t gap = map->over == PITHI_OVER_LANES && box.height >= 6;
            painter->rect(painter->context, box.x, box.y, box.width, box.height - gap,
                          pithi_heat_colour(least + (1 - least) * part), 1);
        }
}

int pithi_length_map_hit(const struct pithi_length_map *map, double x, double y, double reach, uint32_t *place,
                         uint32_t *bin)
{
    double nearest = INFINITY;

    for (uint32_t p = 0; p < map->places; p++)
        for (uint32_t b = 0; b < map->bins; b++) {
            if (!map->tiles[(size_t)p * map->bins + b].count)
                continue;
            struct pithi_length_box box = pithi_length_map_box(map, p, b);
            double dx = fmax(0, fmax(box.x - x, x - (box.x + box.width - 1.0)));
            double dy = fmax(0, fmax(box.y - y, y - (box.y + box.height - 1.0)));
            if (dx * dx + dy * dy < nearest) {
                nearest = dx * dx + dy * dy;
                *place = p;
                *bin = b;
            }
        }
    return nearest <= reach * reach;
}

int pithi_length_map_next(const struct pithi_length_map *map, int64_t *place, int by, uint32_t *bin)
{
    for (*place += by; *place >= 0 && *place < map->places; *place += by)
        for (uint32_t b = map->bins; b-- > 0;)
            if (map->tiles[(size_t)*place * map->bins + b].count) {
                *bin = b;
                return 1;
            }
    return 0;
}

const struct pithi_length *pithi_length_map_nth(const struct pithi_length_map *map, uint32_t place, uint32_t bin,
                                                uint32_t number)
{
    const struct pithi_length_tile *tile = &map->tiles[(size_t)place * map->bins + bin];

    if (!tile->count)
        return NULL;
    /* the first bin begins at low_ns, also on a logarithmic scale, where lengths below 1 belong to it */
    int64_t least = map->low_ns;
    if (bin)
        least = pithi_lengths_edge(map->low_ns, map->high_ns, map->logarithmic, (double)bin / map->bins);
    for (uint32_t i = tile->longest + 1; i-- > map->first && map->entries[i].length_ns >= least;)
        if (pithi_length_place(map->list, &map->entries[i], map->over, map->places) == place && number-- == 0)
            return &map->entries[i];
    return NULL;
}
