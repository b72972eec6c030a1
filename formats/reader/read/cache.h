/* cache.h - data derived from a log, in files in ${XDG_CACHE_HOME:-~/.cache}/pith, found by the content of the log and
 * its modification time.
 *
 *     struct pithi_cache_part part;
 *     int fd = pithi_cache_find(&key, "digest");             made before; verify everything read from it
 *     if (fd < 0 && pithi_cache_begin(&part, &key, "digest")) {
 *         write part.fd ...
 *         pithi_cache_end(&part, whole);                     whole: later calls can find it
 *     }
 *
 * A file gets its name when it is complete. If the folder is not writable, it is an unnamed temporary file.
 * All files together take at most PITHI_CACHE_BYTES; the least recently used files go first.
 */
#ifndef PITHI_CACHE_H
#define PITHI_CACHE_H

#include <stdint.h>

#define PITHI_CACHE_BYTES (UINT64_C(1) << 30)

struct pithlog;

struct pithi_cache_key {
    uint64_t hash[2]; /* 128 bits: two logs with one key are not expected */
};

struct pithi_cache_part {
    int fd;           /* the caller closes it */
    int unnamed;      /* 1: unnamed until pithi_cache_end names it */
    char name[4096];  /* the name while it is written; "": unnamed */
    char final[4096]; /* the name after that */
};

/* The key of an open log: a hash of the modification time of each of its files, its size, its front with the
 * definitions, its end with the footer, and samples in between. A copy that keeps the times has the same key. 0: it
 * cannot be read, or it is a folder that a running program is still recording. */
int pithi_cache_key(struct pithlog *log, struct pithi_cache_key *key);

/* The key of a file of another format. It includes Pith's version, as readers may change. */
int pithi_cache_key_file(int fd, struct pithi_cache_key *key);

int pithi_cache_find(const struct pithi_cache_key *key, const char *kind); /* a descriptor to read; -1: none */
int pithi_cache_begin(struct pithi_cache_part *part, const struct pithi_cache_key *key,
                      const char *kind); /* 0: errno */
/* Begins an unnamed file, which cannot be found later. 0: errno. */
int pithi_cache_begin_nameless(struct pithi_cache_part *part);
/* Ends the file, and keeps it in the cache if it is `whole`. 1: later calls can find it; 0: it disappears when fd is
 * closed. */
int pithi_cache_end(struct pithi_cache_part *part, int whole);
/* Removes a damaged file. */
void pithi_cache_remove(const struct pithi_cache_key *key, const char *kind);

#endif
