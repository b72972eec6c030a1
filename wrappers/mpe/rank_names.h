/* rank_names.h - which rank ran where, as a list beside the log (MPE_LOG_RANK2PROCNAME). */
#ifndef PITHI_RANK_NAMES_H
#define PITHI_RANK_NAMES_H

#include "pith_tool.h"

/* Where rank 0 has MPE_LOG_RANK2PROCNAME=yes, it writes LOG.pnm, a line "Rank 3 : host" for each. Collective; `log`
 * counts on rank 0. */
void pithi_rank_names(const struct pith_transport *transport, const char *log);

#endif
