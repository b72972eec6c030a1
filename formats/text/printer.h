/* printer.h - the lines of a log one by one, for who knows what comes: a whole log (text_lines.c) or a running program
 * (text_follow.c). What a line looks like in each style is in man/pith-print.1.
 *
 *     pithi_printer_open(&printer, stdout, style, glob);
 *     pithi_printer_lane(&printer, 0, lane);       what records will name, ahead of them
 *     pithi_printer_def(&printer, def);
 *     pithi_printer_comm(&printer, 0, comm);
 *     pithi_printer_head(&printer);
 *     pithi_printer_record(&printer, &record);
 *     err = pithi_printer_close(&printer, err);
 */
#ifndef PITHI_PRINTER_H
#define PITHI_PRINTER_H

#include "text/out.h"
#include "text/text_lines.h"

/* A piece of a line made ahead. */
struct pithi_piece {
    char *text;
    size_t size;
};

struct pithi_printer {
    struct pithi_out out; /* to be flushed when lines are to be seen at once; `failed`: no use to go on */
    enum pithi_text_style style;
    enum pithi_quote quote;
    const char *glob;
    struct pithi_piece *names; /* of definitions, quoted */
    char **formats;            /* of their payloads */
    unsigned char *wanted;     /* by definition: its name matches the glob; NULL: all */
    struct pithi_piece *comm_names;
    struct pithi_piece *lanes; /* between the time and the kind */
    uint32_t name_count, comm_count, lane_count;
    int field; /* CSV: the next column to fill */
    char *payload;
    size_t payload_size;
};

/* `glob` NULL: all; else only states, events and counters whose name matches. The file stays the caller's. */
int pithi_printer_open(struct pithi_printer *printer, FILE *file, enum pithi_text_style style, const char *glob);
/* Frees, and gives `err`, or what went wrong in writing when that is 0. */
int pithi_printer_close(struct pithi_printer *printer, int err);

/* Lines of definitions (none in CSV), which are then known to records. Definitions come in the order of their ids; a
 * lane or communicator is new when its index is one more than the last, else it is told anew. PITH_OK or no memory. */
int pithi_printer_def(struct pithi_printer *printer, const struct pithlog_def *def);
int pithi_printer_lane(struct pithi_printer *printer, uint32_t index, const struct pithlog_lane *lane);
int pithi_printer_comm(struct pithi_printer *printer, uint32_t index, const struct pithlog_comm *comm);
void pithi_printer_property(struct pithi_printer *printer, const char *key, const char *value);
/* The names of the columns. */
void pithi_printer_head(struct pithi_printer *printer);
/* For finished logs, so that a reader can find a cut: a line before the names of the columns that announces the last
 * line, and the last line. CSV and JSON have neither. */
#define PITHI_TEXT_PROMISE "# the last line is \"# end\""
#define PITHI_TEXT_END "# end"
void pithi_printer_promise(struct pithi_printer *printer);
void pithi_printer_end(struct pithi_printer *printer);

/* Nothing when it is not wanted. */
void pithi_printer_record(struct pithi_printer *printer, const struct pithlog_record *record);

#endif
