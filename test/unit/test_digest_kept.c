/* test_digest_kept.c - a digest is kept, found again without reading records, made anew when it is damaged or another
 * log's, and does without a folder. */
#include <dirent.h>

#include "digest_log.h"
#include "tap.h"

/* ---- Kept, found, damaged ---------------------------------------------------------------------------------------- */

static char kept[800];

/* How many files the cache has; `kept` is the name of one. */
static int count_kept(void)
{
    char name[400];
    struct dirent *found;
    int count = 0;
    snprintf(name, sizeof name, "%s/pith", folder);
    DIR *dir = opendir(name);
    while (dir && (found = readdir(dir)))
        if (found->d_name[0] != '.' && ++count)
            snprintf(kept, sizeof kept, "%s/%s", name, found->d_name);
    if (dir)
        closedir(dir);
    return count;
}

static void empty_cache(void)
{
    while (count_kept())
        unlink(kept);
}

static int calls;
static int count_calls(void *context, double part)
{
    calls++;
    return context != NULL || part < 0 || part > 1;
}

/* How often the work told of its progress: 0, nothing was read. */
static int open_digest(struct pithlog **log, struct pithlog_digest **digest)
{
    must(pithlog_open(path, log));
    calls = 0;
    must(pithlog_digest_open(*log, count_calls, NULL, digest));
    return calls;
}

static void close_digest(struct pithlog *log, struct pithlog_digest *digest)
{
    pithlog_digest_close(digest);
    pithlog_close(log);
}

static void test_kept(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    empty_cache();
    write_log(8, 60000, "one");
    OK(open_digest(&log, &digest) > 0 && count_kept() == 1, "a large log is read, and its digest kept");
    close_digest(log, digest);
    OK(open_digest(&log, &digest) == 0, "the second time nothing is read");
    OK(windows_are_right(digest, pithlog_get_info(log), 40), "and it tells the same");
    close_digest(log, digest);
    must(pithlog_open(path, &log));
    OK(pithlog_digest_open(log, count_calls, log, &digest) == PITH_OK, "nothing to stop where it is kept");
    close_digest(log, digest);
    unlink(kept);
    must(pithlog_open(path, &log));
    int err = pithlog_digest_open(log, count_calls, log, &digest);
    OK(err == PITH_ERR_STOPPED && !digest && count_kept() == 0, "stopped: %s; nothing is left behind", pithlog_error());
    pithlog_close(log);
}

static void test_stale(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    char other[800], wrong[800];
    empty_cache();
    open_digest(&log, &digest);
    close_digest(log, digest);
    count_kept();
    snprintf(other, sizeof other, "%s", kept);
    write_log(8, 60000, "two");
    OK(open_digest(&log, &digest) > 0 && count_kept() == 2, "another log of that name is read");
    OK(windows_are_right(digest, pithlog_get_info(log), 20), "and has its own digest");
    snprintf(wrong, sizeof wrong, "%s/pith/%016llx%016llx.digest", folder, (unsigned long long)digest->key.hash[0],
             (unsigned long long)digest->key.hash[1]);
    close_digest(log, digest);
    OK(strcmp(wrong, other) != 0 && rename(other, wrong) == 0 && open_digest(&log, &digest) > 0,
       "a digest under the name of another log is not taken");
    OK(windows_are_right(digest, pithlog_get_info(log), 20), "but made anew");
    close_digest(log, digest);
}

static void change_byte(const char *name, long at)
{
    FILE *file = fopen(name, "r+b");
    int byte;
    fseek(file, at, SEEK_SET);
    byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (int)(1 + random_below(255)), file);
    fclose(file);
}

/* With the damage wherever it is: the right answers, or an error and after that the right answers. */
static int survives(struct pithlog *log)
{
    struct pithlog_digest *digest;
    struct pithlog_digest_window w = {INT64_MIN, INT64_MAX, NULL};
    static struct pithlog_message found[70000];
    struct pithlog_column columns[10];
    uint32_t count;
    uint64_t total;
    int err, again = 0;
    must(pithlog_digest_open(log, NULL, NULL, &digest));
    err = pithlog_digest_messages(digest, &w, found, 70000, &count, &total);
    for (uint32_t i = 0; !err && i < pithlog_digest_get_info(digest)->series; i++)
        err = pithlog_digest_columns(digest, i, INT64_MIN, INT64_MAX, columns, 10);
    if (err == PITH_ERR_DAMAGED) {
        pithlog_digest_close(digest);
        must(pithlog_digest_open(log, NULL, NULL, &digest));
        again = 1;
    }
    int right = (!err || again) && windows_are_right(digest, pithlog_get_info(log), 1);
    pithlog_digest_close(digest);
    return right;
}

static void test_damage(void)
{
    struct pithlog *log;
    struct stat st;
    int right = 1;
    write_log(8, 60000, "three");
    must(pithlog_open(path, &log));
    struct pithlog_digest *digest;
    must(pithlog_digest_open(log, NULL, NULL, &digest));
    snprintf(kept, sizeof kept, "%s/pith/%016llx%016llx.digest", folder, (unsigned long long)digest->key.hash[0],
             (unsigned long long)digest->key.hash[1]);
    pithlog_digest_close(digest);
    if (stat(kept, &st) != 0)
        st.st_size = 0;
    long size = (long)st.st_size, entries = size > 8000 ? size - 8000 : 0;
    OK(size > 100000, "a digest of %ld bytes", size);
    for (int i = 0; i < 45 && right && size; i++) {
        change_byte(kept, i < 15   ? (long)random_below(128)
                          : i < 30 ? entries + (long)random_below(8000)
                                   : (long)random_below((uint32_t)size));
        right = survives(log);
    }
    OK(right, "one byte changed, anywhere: the right answer, at the second try at the latest");
    for (int i = 0; i < 12 && right && size; i++)
        right =
            truncate(kept, i < 4 ? i * 40 : size - 1 - (long)random_below((uint32_t)size / 2)) == 0 && survives(log);
    OK(right, "cut short");
    pithlog_close(log);
}

/* Head and entries whose CRCs are right, and what they say is not: someone made them so. No crash, no endless work. */
static void test_malice(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest, forged;
    struct pithlog_digest_window w = {INT64_MIN, INT64_MAX, NULL};
    static struct pithlog_message found[100];
    uint32_t count;
    uint64_t total;
    int good = 1;
    must(pithlog_open(path, &log));
    for (int round = 0; round < 80; round++) {
        must(pithlog_digest_open(log, NULL, NULL, &digest));
        forged = *digest;
        unsigned char *entry = (unsigned char *)&digest->nodes[random_below(digest->node_count)];
        if (random_below(3) == 0 && digest->value_node_count)
            entry = (unsigned char *)&digest->values[random_below(digest->value_node_count)];
        else if (random_below(3) == 0)
            entry = (unsigned char *)&digest->series[random_below(digest->info.series)];
        entry[random_below(40)] ^= (unsigned char)(1u << random_below(8));
        char name[800];
        snprintf(name, sizeof name, "%s/pith/%016llx%016llx.digest", folder, (unsigned long long)forged.key.hash[0],
                 (unsigned long long)forged.key.hash[1]);
        FILE *file = fopen(name, "r+b");
        struct stat st;
        if (file && fstat(fileno(file), &st) == 0) {
            uint64_t size = (uint64_t)forged.node_count * 80 + forged.info.series * 40u + forged.value_node_count * 56u;
            int fd = digest->fd;
            digest->fd = fileno(file);
            must(pithi_digest_write(digest, (uint64_t)st.st_size - size));
            digest->fd = fd;
            fclose(file);
        }
        pithlog_digest_close(digest);
        must(pithlog_digest_open(log, NULL, NULL, &digest));
        int err = pithlog_digest_messages(digest, &w, found, 100, &count, &total);
        good &= err == PITH_OK || err == PITH_ERR_DAMAGED;
        for (uint32_t i = 0; i < count; i++)
            good &= found[i].send_lane < 8 && found[i].recv_lane < 8;
        for (uint32_t i = 0; i < pithlog_digest_get_info(digest)->series; i++) {
            struct pithlog_column columns[7];
            err = pithlog_digest_columns(digest, i, -5, 100000000, columns, 7);
            good &= err == PITH_OK || err == PITH_ERR_DAMAGED;
        }
        pithlog_digest_close(digest);
        unlink(name);
    }
    OK(good, "entries made to mislead: lanes stay in range");
    pithlog_close(log);
}

static void test_without_folder(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    char nowhere[400];
    snprintf(nowhere, sizeof nowhere, "%s/file", folder);
    fclose(fopen(nowhere, "w"));
    setenv("XDG_CACHE_HOME", nowhere, 1);
    OK(open_digest(&log, &digest) > 0 && windows_are_right(digest, pithlog_get_info(log), 10),
       "no folder for it: it is made each time");
    close_digest(log, digest);
    OK(open_digest(&log, &digest) > 0, "and again");
    close_digest(log, digest);
    setenv("XDG_CACHE_HOME", folder, 1);
    write_log(3, 500, "small");
    int before = count_kept();
    OK(open_digest(&log, &digest) > 0 && count_kept() == before, "of a small log nothing is kept");
    OK(windows_are_right(digest, pithlog_get_info(log), 100), "what it tells is right");
    close_digest(log, digest);
}

int main(void)
{
    begin_folder();
    test_kept();
    test_stale();
    test_damage();
    test_malice();
    test_without_folder();
    end_folder();
    return tap_done();
}
