/* sheets.c - reading the list of a lane's sheets and its paths from the index. */
#include "native/sheets.h"

#include "error.h"
#include "native/zip.h"

static int no_memory(const struct pithlog *log)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a summary", log->path);
}

static int damaged(const struct pithlog *log, const struct pithi_log_lane *lane)
{
    return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: the list of a lane's sheets is damaged", log->path,
                      (unsigned long long)pithi_place(lane->sheets));
}

/* Sheets follow each other without a gap, and have all records of the lane. */
static int take_places(const struct pithi_log_lane *lane, const unsigned char *p, struct pithi_sheet_place *places)
{
    uint64_t records = 0;
    for (uint32_t i = 0; i < lane->sheet_count; i++, p += PITHI_INDEX_SHEET) {
        if (!pithi_sheet_place_get(p, &places[i]) || (i > 0 && places[i].start_ns != places[i - 1].end_ns))
            return 0;
        records += places[i].records;
    }
    return records == lane->seen.records && places[0].start_ns == lane->seen.first_ns &&
           places[lane->sheet_count - 1].end_ns == lane->seen.last_ns;
}

int pithi_log_sheets(struct pithlog *log, const struct pithi_log_lane *lane, struct pithi_sheet_place **places,
                     struct pithi_paths *paths)
{
    size_t list = (size_t)lane->sheet_count * PITHI_INDEX_SHEET;
    struct pithi_buffer bytes = {0};
    int err = PITH_OK;
    *places = NULL;
    if (lane->sheet_count == 0 || lane->path_bytes < 5)
        return damaged(log, lane);
    if (!pithi_buffer_reserve(&bytes, list + lane->path_bytes) ||
        !(*places = malloc(lane->sheet_count * sizeof **places)))
        err = no_memory(log);
    if (err == PITH_OK)
        err = pithi_files_read(&log->files, lane->sheets, bytes.data, list + lane->path_bytes);
    const unsigned char *p = bytes.data + list;
    uint32_t size = lane->path_bytes - 4;
    if (err == PITH_OK && (!take_places(lane, bytes.data, *places) || pithi_get32(p + size) != pithi_crc(p, size) ||
                           !pithi_paths_get(paths, p, size, log->info.defs)))
        err = damaged(log, lane);
    free(bytes.data);
    if (err != PITH_OK) {
        free(*places);
        *places = NULL;
        pithi_paths_free(paths);
    }
    return err;
}
