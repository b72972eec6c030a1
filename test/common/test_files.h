/* test_files.h - files of a C test: an own folder, whole files, and an end if the test cannot go on. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "pithlog.h"

/* Ends the program if something failed that is not what the test is about. */
static inline void must(int err)
{
    if (err == PITH_OK)
        return;
    printf("Bail out! %s\n", pithlog_error());
    exit(1);
}

/* FOLDER/NAME in an own folder for the test's files; valid until the next call. */
static inline const char *scratch_path(const char *name)
{
    static char folder[64], path[128];
    if (!*folder) {
        snprintf(folder, sizeof folder, "/dev/shm/pith-unit-XXXXXX"); /* thousands of files are written and read */
        if (!mkdtemp(folder)) {
            snprintf(folder, sizeof folder, "/tmp/pith-unit-XXXXXX");
            if (!mkdtemp(folder))
                exit(1);
        }
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void scratch_remove(void)
{
    char command[160], folder[128];
    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        perror(command);
}

/* All bytes of a file, and a zero behind them; malloc'ed. */
static inline unsigned char *read_whole_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    unsigned char *data = NULL;
    if (in && fseek(in, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(in);
        rewind(in);
        data = calloc(1, *size + 1);
    }
    if (!data || fread(data, 1, *size, in) != *size) {
        printf("Bail out! %s cannot be read\n", path);
        exit(1);
    }
    fclose(in);
    return data;
}

static inline void write_whole_file(const char *path, const unsigned char *data, size_t size)
{
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) {
        printf("Bail out! %s cannot be written\n", path);
        exit(1);
    }
}

#endif
