/* sample_text.h - the functions of samples and call sites as text, for `pith print` and for other formats. */
#ifndef PITHI_SAMPLE_TEXT_H
#define PITHI_SAMPLE_TEXT_H

#include "reader/read/format.h"

struct pithi_sample_text;

/* If the log has samples or call sites, makes *text, and sets *naming, which is valid as long as *text; else leaves
 * both unchanged. */
int pithi_sample_text_open(struct pithlog *log, struct pithi_sample_text **text, struct pithi_naming *naming);
void pithi_sample_text_close(struct pithi_sample_text *text); /* NULL: nothing happens */

#endif
