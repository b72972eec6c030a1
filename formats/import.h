/* import.h - logs of other formats as native ones. */
#ifndef PITHI_IMPORT_H
#define PITHI_IMPORT_H

#include "format.h"
#include "native/log.h"

/* Reads `input` by `format` into a native log in the cache or a nameless file, and loads it: it takes the place of the
 * file in log->files. A large file that was read before is not read again. */
int pithi_import(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format);

/* From now on in this process, imported logs get no summaries of their lanes (pithlog_summary makes them when it is
 * asked): for programs that draw nothing. */
void pithi_import_plain(void);

#endif
