/* text_lines.c - prints a whole log as lines. Owns their order. */
#include "foreign/text/text_lines.h"

#include "base/error.h"
#include "foreign/walk.h"
#include "foreign/text/printer.h"

static int put_definitions(struct pithi_printer *printer, const struct pithlog *log)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    const char *key, *value;

    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        pithi_printer_property(printer, key, value);
    for (uint32_t i = 0; i < info->lanes; i++)
        CHECK(pithi_printer_lane(printer, i, pithlog_get_lane(log, i)));
    for (uint32_t i = 0; i < info->defs; i++)
        CHECK(pithi_printer_def(printer, pithlog_get_def(log, i)));
    for (uint32_t i = 0; i < info->comms; i++)
        CHECK(pithi_printer_comm(printer, i, pithlog_get_comm(log, i)));
    return PITH_OK;
}

static int put_records(struct pithi_printer *printer, struct pithlog *log, const struct pithlog_query *query)
{
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int err = pithlog_iter_open(log, query, &iter), more = 0;

    if (err)
        return err;
    while (!printer->out.failed && (more = pithlog_iter_next(iter, &record)) == 1)
        pithi_printer_record(printer, &record);
    pithlog_iter_close(iter);
    return more < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_text_print(struct pithlog *log, FILE *out, const struct pithi_text_print *how)
{
    struct pithi_printer printer;
    int err;

    TRY(pithi_printer_open(&printer, out, how->style, how->name_glob));
    TRY(put_definitions(&printer, log));
    if (how->has_end)
        pithi_printer_promise(&printer);
    pithi_printer_head(&printer);
    TRY(put_records(&printer, log, &how->query));
    if (how->has_end)
        pithi_printer_end(&printer);
out:
    return pithi_printer_close(&printer, err);
}

static int write_all(struct pithlog *log, FILE *out, const struct pithi_convert *how, enum pithi_text_style style)
{
    struct pithi_text_print text = {
        .style = style, .has_end = 1, .query = {.from_ns = how->from_ns, .to_ns = how->to_ns}};

    return pithi_text_print(log, out, &text);
}

int pithi_text_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return write_all(log, out, how, PITHI_TEXT_TABS);
}

int pithi_csv_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct pithi_losses losses;
    int err;

    TRY(pithi_losses_open(&losses, log));
    TRY(write_all(log, out, how, PITHI_TEXT_CSV));
    pithi_losses_tell(&losses, how);
out:
    pithi_losses_close(&losses);
    return err;
}

int pithi_json_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return write_all(log, out, how, PITHI_TEXT_JSON);
}
