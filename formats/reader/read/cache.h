/* cache.h - files in ${XDG_CACHE_HOME:-~/.cache}/pith with data derived from logs. They are found by the contents and
 * the modification time of the log.
 *
 *     struct pithi_cache_part part;
 *     int fd = pithi_cache_find(&key, "digest");             if it was made before; verify everything read from fd
 *     if (fd < 0 && pithi_cache_begin(&part, &key, "digest")) {
 *         write part.fd ...
 *         pithi_cache_end(&part, whole);                     `whole` 1: later calls can find the file
 *     }
 *
 * A file gets its name when it is complete. If the cache folder is not writable, an unnamed temporary file is used. If
 * all files together take more than PITHI_CACHE_BYTES, the least recently used files are removed.
 */
#ifndef PITHI_CACHE_H
#define PITHI_CACHE_H

#include <stdint.h>

#define PITHI_CACHE_BYTES (UINT64_C(1) << 30)

struct pithlog;

struct pithi_cache_key {
    uint64_t hash[2]; /* 128 bits, so that two logs never have the same key in practice */
};

struct pithi_cache_part {
    int fd;           /* the caller closes it */
    int unnamed;      /* 1: `fd` has no name until pithi_cache_end */
    char name[4096];  /* name while the file is written; "": pithi_cache_end gives it none */
    char final[4096]; /* name when the file is complete */
};

/* Sets *key to the key of an open log: a hash of the modification time, the size, the begin, the end and samples in
 * between of each of the log's files. A copy that keeps the times has the same key. Returns 1; 0 if the log cannot be
 * read, or if it is a folder that a running program still records into. */
int pithi_cache_key(struct pithlog *log, struct pithi_cache_key *key);

/* Sets *key to the key of a file of another format. The key includes Pith's version, because the reader of the format
 * may change. */
int pithi_cache_key_file(int fd, struct pithi_cache_key *key);

int pithi_cache_find(const struct pithi_cache_key *key, const char *kind); /* for reading; -1: no such file */
int pithi_cache_begin(struct pithi_cache_part *part, const struct pithi_cache_key *key,
                      const char *kind); /* 0: an error, see errno */
/* Begins an unnamed file, which cannot be found later. Returns 0 on an error (errno). */
int pithi_cache_begin_nameless(struct pithi_cache_part *part);
/* Ends the file; keeps it in the cache if `whole` is 1. Returns 1 if later calls can find the file; 0 if it disappears
 * when part->fd is closed. */
int pithi_cache_end(struct pithi_cache_part *part, int whole);
/* Removes a damaged file. */
void pithi_cache_remove(const struct pithi_cache_key *key, const char *kind);

#endif
