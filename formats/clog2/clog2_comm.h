/* clog2_comm.h - communicators of a CLOG-2 file being read; part of the first pass (clog2_scan.h). */
#ifndef PITHI_CLOG2_COMM_H
#define PITHI_CLOG2_COMM_H

#include "clog2/clog2_scan.h"

/* A COMMEVT record. */
int pithi_clog2_comm_take(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record);
/* After the last one: finds out which communicators have all their members. */
void pithi_clog2_comm_settle(struct pithi_clog2_scan *scan);

/* By its number in the file; NULL: no COMMEVT named it. */
struct pithi_clog2_comm *pithi_clog2_comm(const struct pithi_clog2_scan *scan, int32_t number);

#endif
