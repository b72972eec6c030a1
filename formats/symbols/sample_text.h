/* sample_text.h - makes text of the functions of samples and call sites, for `pith print` and for other formats. */
#ifndef PITHI_SAMPLE_TEXT_H
#define PITHI_SAMPLE_TEXT_H

#include "reader/read/format.h"

struct pithi_sample_text;

/* If the log has samples or call sites, makes *text and sets *naming, which is valid until *text is closed. Else leaves
 * *text and *naming unchanged. */
int pithi_sample_text_open(struct pithlog *log, struct pithi_sample_text **text, struct pithi_naming *naming);
void pithi_sample_text_close(struct pithi_sample_text *text); /* NULL is allowed */

#endif
