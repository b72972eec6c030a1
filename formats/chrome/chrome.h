/* chrome.h - the JSON of chrome://tracing ("Trace Event Format"), which many tools write (clang, PyTorch) and many read
 * (speedscope, Perfetto, Firefox Profiler). */
#ifndef PITHI_CHROME_H
#define PITHI_CHROME_H

#include "format.h"

int pithi_chrome_probe(const struct pithi_input *input);
int pithi_chrome_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_chrome_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
