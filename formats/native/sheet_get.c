/* sheet_get.c - what stands in a sheet of a summary, see summary.h. Nothing in it is believed. */
#include "native/summary.h"
#include "native/zip.h"

int pithi_sheet_get(const unsigned char *p, uint64_t here, uint64_t size, struct pithi_sheet *sheet)
{
    if (here < PITHI_SHEET_HEAD)
        return 0;
    sheet->thread = pithi_get32(p + 4);
    sheet->records = pithi_get32(p + 8);
    sheet->exact_bytes = pithi_get32(p + 12);
    sheet->before = pithi_get64(p + 16);
    sheet->start_ns = (int64_t)pithi_get64(p + 24);
    sheet->end_ns = (int64_t)pithi_get64(p + 32);
    sheet->unit = pithi_get64(p + 40);
    if (sheet->records == 0 || sheet->records > PITHI_SHEET_RECORDS || sheet->end_ns < sheet->start_ns ||
        sheet->unit == 0)
        return 0;
    uint32_t coarse = pithi_sheet_coarse(sheet->records);
    uint64_t all = pithi_sheet_level(sheet->records, 0) +
                   (uint64_t)pithi_sheet_pieces(sheet->records, 0) * PITHI_PIECE_BYTES + sheet->exact_bytes;
    return here >= coarse && all == size && pithi_get32(p) == pithi_crc(p + 4, coarse - 4);
}

const unsigned char *pithi_exact_get(const unsigned char *p, const unsigned char *end, uint32_t def_count,
                                     struct pithi_exact_head *head,
                                     void (*tell)(void *context, const struct pithi_exact *exact), void *context)
{
    uint64_t count, id;
    if (!(p = pithi_get_varint(p, end, &head->length_ns)) || !(p = pithi_get_varint(p, end, &head->ties)) ||
        !(p = pithi_get_varint(p, end, &count)))
        return NULL;
    head->inexact = count & 1;
    for (uint64_t i = 0; i < count >> 1; i++) {
        struct pithi_exact exact;
        if (!(p = pithi_get_varint(p, end, &id)) || id >= def_count || !(p = pithi_get_varint(p, end, &exact.count)) ||
            !(p = pithi_get_varint(p, end, &exact.own_ns)) || !(p = pithi_get_varint(p, end, &exact.all_ns)))
            return NULL;
        exact.id = (uint32_t)id;
        if (tell)
            tell(context, &exact);
    }
    return p;
}
