/* ctf.h - the Common Trace Format, version 1.8, that babeltrace2 and Trace Compass read: a folder with `metadata`, text
 * that tells how the streams are laid out (README.md), and a stream a lane. */
#ifndef PITHI_CTF_H
#define PITHI_CTF_H

#include "format.h"

int pithi_ctf_probe(const struct pithi_input *input); /* for a folder that is to be replaced */
int pithi_ctf_write(struct pithlog *log, const char *folder, const struct pithi_convert *how);

/* ---- Between ctf_write.c and ctf_metadata.c ---------------------------------------------------------------------- */

/* Events by number: the kind of the record less one. Those without a payload are a kind of their own: for an empty
 * string babeltrace2 2.0 shows what an earlier one held. */
enum { PITHI_CTF_BARE = 64 };
enum { PITHI_CTF_COMPACT = 255, PITHI_CTF_UUID = 16, PITHI_CTF_HEADER = 80 };
#define PITHI_CTF_MAGIC UINT32_C(0xc1fc1fc1)
#define PITHI_CTF_START "/* CTF 1.8 */\n"

struct pithi_ctf {
    struct pithlog *log;
    unsigned char uuid[PITHI_CTF_UUID];
    int64_t base_ns; /* time that the clock shows as 0; not above 0 */
};

/* Sets uuid and base_ns. */
void pithi_ctf_begin(struct pithi_ctf *ctf, struct pithlog *log);
int pithi_ctf_metadata(const struct pithi_ctf *ctf, FILE *out);

#endif
