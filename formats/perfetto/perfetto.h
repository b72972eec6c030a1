/* perfetto.h - the trace format of Perfetto (ui.perfetto.dev), written only: Protocol Buffers, packet after packet. */
#ifndef PITHI_PERFETTO_H
#define PITHI_PERFETTO_H

#include "format.h"

int pithi_perfetto_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

#endif
