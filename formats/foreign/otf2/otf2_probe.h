/* otf2_probe.h - the names of the files of an OTF2 archive. */
#ifndef PITHI_OTF2_PROBE_H
#define PITHI_OTF2_PROBE_H

#include "foreign/formats.h"

/* Returns the path of the anchor file, malloc'ed, if the folder has exactly one, else NULL. */
char *pithi_otf2_anchor_in(const char *folder);
/* Returns the final name of a folder that is being written as NAME.part, malloc'ed. */
char *pithi_otf2_final_name(const char *folder);
/* Returns 1 if the name ends with .otf2. libotf2 requires this ending. */
int pithi_otf2_named(const char *name);

#endif
