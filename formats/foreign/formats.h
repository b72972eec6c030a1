/* formats.h - the functions in the table of formats (foreign/format.c), in the form of struct pithi_format
 * (reader/read/format.h). base/formats.def lists the functions of each format. The README of each folder has the rules
 * of its conversion. */
#ifndef PITHI_FORMATS_H
#define PITHI_FORMATS_H

#include "reader/read/format.h"

#define FORMAT(name, ...)                                                                                              \
    int pithi_##name##_probe(const struct pithi_input *input);                                                         \
    int pithi_##name##_read(const struct pithi_input *input, struct pithi_writer *writer);                             \
    int pithi_##name##_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);                         \
    int pithi_##name##_write_folder(struct pithlog *log, const char *folder, const struct pithi_convert *how);
#include "base/formats.def"
#undef FORMAT

/* OTF2 is read and written through libotf2, which is loaded when it is first needed. If the headers of libotf2 were
 * missing at build time (otf2_none.c), or the library is missing at run time, reading and writing fail with a message
 * of one line. An archive is an anchor NAME.otf2 with NAME.def and NAME/ beside it; the path of a folder with exactly
 * one anchor means this archive. */
/* Returns the total size of the files of the archive. */
uint64_t pithi_otf2_bytes(const struct pithi_input *input);
/* Returns 1 if the folder contains only files that Pith writes, so that it may be replaced. (Score-P adds its own
 * files.) */
int pithi_otf2_alone(const char *folder);

#endif
