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

int pithi_log_sheets(struct pithlog *log, const struct pithi_log_lane *lane, struct pithi_lane_sheets *sheets)
{
    size_t list = (size_t)lane->sheet_count * PITHI_INDEX_SHEET;
    struct pithi_buffer bytes = {0};
    int err = PITH_OK;
    *sheets = (struct pithi_lane_sheets){.count = lane->sheet_count};
    if (lane->sheet_count == 0 || lane->path_bytes < 5)
        return damaged(log, lane);
    if (!pithi_buffer_reserve(&bytes, list + lane->path_bytes) ||
        !(sheets->places = malloc(lane->sheet_count * sizeof *sheets->places)))
        err = no_memory(log);
    if (err == PITH_OK)
        err = pithi_files_read(&log->files, lane->sheets, bytes.data, list + lane->path_bytes);
    const unsigned char *p = bytes.data + list;
    uint32_t size = lane->path_bytes - 4;
    if (err == PITH_OK &&
        (!take_places(lane, bytes.data, sheets->places) || pithi_get32(p + size) != pithi_crc(p, size) ||
         !pithi_paths_get(&sheets->paths, p, size, log->info.defs)))
        err = damaged(log, lane);
    free(bytes.data);
    if (err != PITH_OK)
        pithi_lane_sheets_free(sheets);
    return err;
}

void pithi_lane_sheets_free(struct pithi_lane_sheets *sheets)
{
    free(sheets->places);
    pithi_paths_free(&sheets->paths);
    *sheets = (struct pithi_lane_sheets){0};
}

static struct pithi_lane_sheets *load(struct pithlog *log, uint32_t number)
{
    const struct pithi_log_lane *lane;
    struct pithi_lane_sheets *sheets = NULL;
    if (pithi_log_lane(log, number, &lane) != PITH_OK || lane->sheet_count == 0 || !(sheets = malloc(sizeof *sheets)))
        return NULL;
    if (pithi_log_sheets(log, lane, sheets) == PITH_OK)
        return sheets;
    free(sheets);
    return NULL;
}

static void drop(struct pithi_lane_sheets *sheets)
{
    if (sheets)
        pithi_lane_sheets_free(sheets);
    free(sheets);
}

const struct pithi_lane_sheets *pithi_log_kept_sheets(struct pithlog *log, uint32_t lane)
{
    struct pithi_lane_sheets **at = &log->sheets[lane], *sheets = __atomic_load_n(at, __ATOMIC_ACQUIRE), *none = NULL;
    if (sheets || !(sheets = load(log, lane)))
        return sheets;
    if (__atomic_compare_exchange_n(at, &none, sheets, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return sheets;
    drop(sheets); /* another thread was first */
    return none;
}

void pithi_log_drop_sheets(struct pithlog *log)
{
    for (uint32_t i = 0; log->sheets && i < log->info.lanes; i++)
        drop(log->sheets[i]);
    free(log->sheets);
    log->sheets = NULL;
}
