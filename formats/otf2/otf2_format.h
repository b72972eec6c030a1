/* otf2_format.h - OTF2, the archives of Score-P and eztrace, through libotf2, which is loaded when first needed. Where
 * its headers were not there at build (otf2_none.c), or it is not there at run, reading and writing say so in one line.
 *
 * An archive is a file NAME.otf2, the anchor, with NAME.def and NAME/ beside it; the folder in which these stand, if it
 * has one anchor, stands for them. README.md tells what becomes of what. */
#ifndef PITHI_OTF2_FORMAT_H
#define PITHI_OTF2_FORMAT_H

#include "format.h"

int pithi_otf2_probe(const struct pithi_input *input);
/* The one anchor in a folder, malloc'ed; NULL: there is none, or more than one. */
char *pithi_otf2_anchor_in(const char *folder);
/* Nothing else is in the folder: it may be replaced. (Score-P has files of its own beside.) */
int pithi_otf2_alone(const char *folder);
/* Of all files of the archive that the input is the anchor or the folder of. */
uint64_t pithi_otf2_bytes(const struct pithi_input *input);
/* The name that a folder will have which is made as NAME.part, malloc'ed. */
char *pithi_otf2_final_name(const char *folder);
/* Its name ends as libotf2 wants it: with .otf2. */
int pithi_otf2_named(const char *name);
int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_otf2_write(struct pithlog *log, const char *folder, const struct pithi_convert *how);

#endif
