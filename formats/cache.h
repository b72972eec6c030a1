/* cache.h - what was made of a log and can be made again: files in ${XDG_CACHE_HOME:-~/.cache}/pith, found again by the
 * log's content.
 *
 *     struct pithi_cache_part part;
 *     int fd = pithi_cache_find(&key, "digest");             it was made before: check all that is read from it
 *     if (fd < 0 && pithi_cache_begin(&part, &key, "digest")) {
 *         write part.fd ...
 *         pithi_cache_end(&part, whole);                     whole: it can be found from now on
 *     }
 *
 * A file appears under its name when it is whole. Where the folder cannot be written it is a nameless temporary one.
 * All files together have at most PITHI_CACHE_BYTES; those not used for longest go first.
 */
#ifndef PITHI_CACHE_H
#define PITHI_CACHE_H

#include <stdint.h>

#define PITHI_CACHE_BYTES (UINT64_C(1) << 30)

struct pithlog;

struct pithi_cache_key {
    uint64_t hash[2];
};

struct pithi_cache_part {
    int fd;           /* the caller's from then on */
    int unnamed;      /* 1: it gets its name at the end */
    char name[4096];  /* while it is written; "": nameless */
    char final[4096]; /* from then on */
};

/* Of an open log: its size, its front with the definitions, its end with the footer, and what stands at places between.
 * 0: it cannot be read, or is what a running program has recorded so far: a folder. */
int pithi_cache_key(struct pithlog *log, struct pithi_cache_key *key);

/* Of a file of another format: the same, when it was last changed, and the version of Pith, whose reader may change. */
int pithi_cache_key_file(int fd, struct pithi_cache_key *key);

int pithi_cache_find(const struct pithi_cache_key *key, const char *kind); /* a descriptor to read; -1: there is none */
int pithi_cache_begin(struct pithi_cache_part *part, const struct pithi_cache_key *key,
                      const char *kind); /* 0: errno */
/* The same, nameless from the start. */
int pithi_cache_begin_nameless(struct pithi_cache_part *part);
/* 1: it can be found from now on; 0: it goes when fd is closed. */
int pithi_cache_end(struct pithi_cache_part *part, int whole);
/* It was found to be damaged. */
void pithi_cache_remove(const struct pithi_cache_key *key, const char *kind);

#endif
