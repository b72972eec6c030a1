/* otf2_probe.c - recognises an archive without libotf2, which may be missing.
 *
 * The probe of each format is called for each file. If this probe needed libotf2, reading a log of any format would
 * take the time to load libotf2. And if libotf2 were missing, the error for an archive would be "no known format"
 * instead of "install libotf2". The anchor file, NAME.otf2, begins with six bytes that no other format has:
 *
 *     03 42 4f 54 46 32     kind 3, a length of 66 bytes, "OTF2"
 *
 * A folder is an archive if it contains exactly one such file. */
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "foreign/otf2/otf2_probe.h"

/* Every anchor file begins with a record of kind 3 and 66 bytes, which starts with these four letters. */
static const unsigned char start[] = {3, 0x42, 'O', 'T', 'F', '2'};

static int is_anchor(const char *path)
{
    unsigned char bytes[sizeof start];
    int fd = pithi_open_input(path, 0);
    int is = fd >= 0 && read(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes && !memcmp(bytes, start, sizeof start);

    if (fd >= 0)
        close(fd);
    return is;
}

int pithi_otf2_named(const char *name)
{
    size_t size = strlen(name);
    return size > 5 && strcmp(name + size - 5, ".otf2") == 0;
}

char *pithi_otf2_anchor_in(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char *found = NULL, *path;
    int count = 0;

    while (dir && (entry = readdir(dir))) {
        if (!pithi_otf2_named(entry->d_name) || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
            continue;
        if (is_anchor(path) && ++count == 1)
            /* If a folder has two anchors, the result is NULL, because it is not clear which archive is meant. */
            found = path;
        else
            free(path);
    }
    if (dir)
        closedir(dir);
    if (count == 1)
        return found;
    free(found);
    return NULL;
}

char *pithi_otf2_final_name(const char *folder)
{
    size_t size = strlen(folder);

    /* an archive is written as NAME.part first */
    return strndup(folder, size > 5 && strcmp(folder + size - 5, ".part") == 0 ? size - 5 : size);
}

int pithi_otf2_probe(const struct pithi_input *input)
{
    char *anchor;

    if (input->data)
        /* a file: the caller has read its begin */
        return input->size >= sizeof start && memcmp(input->data, start, sizeof start) == 0;
    anchor = pithi_otf2_anchor_in(input->path);
    free(anchor);
    return anchor != NULL;
}

/* The parts of an archive: NAME.otf2, NAME.def, NAME.marker, and the folder NAME. */
enum { ENDINGS = 4 };
static const char *const endings[ENDINGS] = {"", ".otf2", ".def", ".marker"};

uint64_t pithi_otf2_bytes(const struct pithi_input *input)
{
    char *anchor = input->data ? strdup(input->path) : pithi_otf2_anchor_in(input->path);
    char *paths[ENDINGS + 1] = {0};
    uint64_t bytes = 0;
    int named = anchor && pithi_otf2_named(anchor);

    for (int i = 0; named && i < ENDINGS; i++) /* all files of the archive, whose sizes are added up for progress */
        /* the name without ".otf2", then the ending */
        if (asprintf(&paths[i], "%.*s%s", (int)strlen(anchor) - 5, anchor, endings[i]) < 0)
            paths[i] = NULL;
    FTS *tree = paths[0] ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    for (FTSENT *entry; tree && (entry = fts_read(tree));)
        bytes += entry->fts_info == FTS_F ? (uint64_t)entry->fts_statp->st_size : 0;
    if (tree)
        fts_close(tree);
    for (int i = 0; i < ENDINGS; i++)
        free(paths[i]);
    free(anchor);
    return bytes;
}

static int belongs(const char *entry, const char *name, size_t size)
{
    for (size_t i = 0; strncmp(entry, name, size) == 0 && i < ENDINGS; i++)
        if (strcmp(entry + size, endings[i]) == 0)
            return 1;
    return strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0;
}

int pithi_otf2_alone(const char *folder)
{
    char *anchor = pithi_otf2_anchor_in(folder);
    const char *name = anchor ? strrchr(anchor, '/') + 1 : NULL;
    DIR *dir = anchor ? opendir(folder) : NULL;
    struct dirent *entry;
    int alone = dir != NULL;

    while (alone && (entry = readdir(dir)))
        alone = belongs(entry->d_name, name, strlen(name) - 5);
    if (dir)
        closedir(dir);
    free(anchor);
    return alone;
}
