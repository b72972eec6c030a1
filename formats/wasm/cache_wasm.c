/* cache_wasm.c - the cache (reader/read/cache.h) in a web page. It stores no new entries. The only entries that it can
 * find are the files LOG.digest and LOG.sketch beside LOG, if another machine has made them. The caller has checked
 * that both files belong to this log. So the key of the log is not computed from the log, but read from LOG.digest. */
#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file_at.h"
#include "base/open_file.h"
#include "base/temporary.h"
#include "native/log.h"
#include "reader/index/digest_file.h"
#include "reader/read/cache.h"

static char asked[4096]; /* the path of the log for which pithi_cache_key was called last */

static int open_beside(const char *kind)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.%s", asked, kind);
    return pithi_open_input(path, 0);
}

int pithi_cache_key(struct pithlog *log, struct pithi_cache_key *key)
{
    unsigned char head[PITHI_DIGEST_HEAD];
    snprintf(asked, sizeof asked, "%.4000s", log->path);
    int fd = open_beside("digest"), is_there = 0;
    if (fd >= 0) {
        is_there = pithi_read_at(fd, head, sizeof head, 0) == sizeof head;
        close(fd);
    }
    if (is_there)
        *key = (struct pithi_cache_key){{pithi_get64(head + 16), pithi_get64(head + 24)}};
    return is_there;
}

int pithi_cache_key_file(int fd, struct pithi_cache_key *key) { return (void)fd, (void)key, 0; }

int pithi_cache_find(const struct pithi_cache_key *key, const char *kind)
{
    (void)key;
    return strcmp(kind, "digest") == 0 || strcmp(kind, "sketch") == 0 ? open_beside(kind) : -1;
}

int pithi_cache_begin_nameless(struct pithi_cache_part *part)
{
    *part = (struct pithi_cache_part){.fd = pithi_temporary_file()};
    return part->fd >= 0;
}

int pithi_cache_begin(struct pithi_cache_part *part, const struct pithi_cache_key *key, const char *kind)
{
    return (void)key, (void)kind, pithi_cache_begin_nameless(part);
}

int pithi_cache_end(struct pithi_cache_part *part, int whole) { return (void)part, (void)whole, 0; }

void pithi_cache_remove(const struct pithi_cache_key *key, const char *kind) { (void)key, (void)kind; }
