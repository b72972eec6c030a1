/* otf2_probe.h - the names of the files of an OTF2 archive. */
#ifndef PITHI_OTF2_PROBE_H
#define PITHI_OTF2_PROBE_H

#include "foreign/formats.h"

/* The path of the anchor file if the folder has exactly one, malloc'ed; else NULL. */
char *pithi_otf2_anchor_in(const char *folder);
/* The final name of a folder that is being written as NAME.part, malloc'ed. */
char *pithi_otf2_final_name(const char *folder);
/* 1: the name ends with .otf2, which libotf2 requires. */
int pithi_otf2_named(const char *name);

#endif
