/* ctf.h - the Common Trace Format, version 1.8, for babeltrace2 and Trace Compass: a folder with the text file
 * `metadata`, which describes the layout of the streams (README.md), and a stream for each lane. */
#ifndef PITHI_CTF_H
#define PITHI_CTF_H

#include "foreign/formats.h"

/* ---- Between ctf_write.c and ctf_metadata.c ---------------------------------------------------------------------- */

/* Event ids: the kind of the record minus one. An event without a payload has an id of its own, because babeltrace2 2.0
 * shows the text of an earlier event in place of an empty string. */
enum { PITHI_CTF_BARE = 64 };
enum { PITHI_CTF_COMPACT = 255, PITHI_CTF_UUID = 16, PITHI_CTF_HEADER = 80 };
#define PITHI_CTF_MAGIC UINT32_C(0xc1fc1fc1)
#define PITHI_CTF_START "/* CTF 1.8 */\n"

struct pithi_ctf {
    struct pithlog *log;
    unsigned char uuid[PITHI_CTF_UUID];
    int64_t base_ns; /* the log time that the clock shows as 0; not above 0 */
};

/* Sets uuid and base_ns. */
void pithi_ctf_begin(struct pithi_ctf *ctf, struct pithlog *log);
int pithi_ctf_metadata(const struct pithi_ctf *ctf, FILE *out);

#endif
