/* code_names.c - names of functions as text in properties. A value has a line for each function, innermost first, with
 * six fields that tabs separate: name, first address (hex), line and file of its declaration, line and file of the
 * address. For address 0x1233 in norm, which the compiler put into Grid::split at line 212 (| is a tab):
 *
 *     norm|1200|40|/home/u/mesh.cc|44|/home/u/mesh.cc
 *     Grid::split|1200|198|/home/u/mesh.cc|212|/home/u/mesh.cc
 *
 * Both lines have the first address of the function that has code of its own. With these properties a log has names for
 * its functions on any machine, also after the program was removed.
 */
#include "symbols/code_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "native/defs.h"

enum { FIELDS = 6 }; /* of a line */

/* The key of an address. A build id is used rather than the path, because a file with this build id has the same names
 * wherever it is. */
static char *key_of(const char *path, const char *build, uint64_t address)
{
    char *key;
    return asprintf(&key, PITHI_CODE_NAMES "%" PRIx64 " %s", address, *build ? build : path) < 0 ? NULL : key;
}

/* Copies a text without the characters that separate fields. */
static void put_field(FILE *out, const char *text)
{
    for (; text && *text; text++)
        fputc(*text == '\t' || *text == '\n' ? ' ' : *text, out);
}

int pithi_code_names_put(struct pithi_defs *defs, const char *path, const char *build, uint64_t address,
                         const struct pithi_code_frame *frames, unsigned count)
{
    char *key = key_of(path, build, address), *value = NULL;
    size_t size;
    FILE *out = open_memstream(&value, &size);
    int err = PITH_OK;

    for (unsigned i = 0; out && i < count; i++) {
        put_field(out, frames[i].name);
        fprintf(out, "\t%" PRIx64 "\t%d\t", frames[i].begin, frames[i].line);
        put_field(out, frames[i].source);
        fprintf(out, "\t%d\t", frames[i].at_line);
        put_field(out, frames[i].at_source);
        fputc('\n', out);
    }
    if (!out || fclose(out) != 0 || !key)
        err = pithi_no_memory();
    if (!err)
        err = count ? pithi_defs_property(defs, key, value) : pithi_defs_new_property(defs, key, value);
    free(key);
    free(value);
    return err;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct pithi_code_name *)a)->key, ((const struct pithi_code_name *)b)->key);
}

int pithi_code_names_read(struct pithi_code_names *names, const struct pithlog *log)
{
    struct pithi_code_name name;

    for (uint32_t i = 0; (name.key = pithlog_get_property(log, i, &name.value)) != NULL; i++) {
        if (!pithi_is_code_name(name.key))
            continue;
        if (!pithi_grow(&names->names, names->count, &names->room, sizeof *names->names))
            return pithi_no_memory();
        if (!(name.value = strdup(name.value))) /* pithi_code_names_put replaces values */
            return pithi_no_memory();
        names->names[names->count++] = name;
    }
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, compare_names);
    return PITH_OK;
}

void pithi_code_names_free(struct pithi_code_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free((char *)(uintptr_t)names->names[i].value);
    free(names->names);
    free(names->text);
    *names = (struct pithi_code_names){.names = NULL};
}

/* Reads a line of a value, and cuts it at its tabs. 0: it has too few fields. */
static int read_line(char *line, struct pithi_code_frame *frame)
{
    char *fields[FIELDS];

    for (int i = 0; i < FIELDS; i++)
        if (!(fields[i] = strsep(&line, "\t")))
            return 0;
    *frame = (struct pithi_code_frame){.name = fields[0],
                                       .begin = strtoull(fields[1], NULL, 16),
                                       .line = atoi(fields[2]),
                                       .source = *fields[3] ? fields[3] : NULL,
                                       .at_line = atoi(fields[4]),
                                       .at_source = *fields[5] ? fields[5] : NULL};
    return 1;
}

int pithi_code_names_find(struct pithi_code_names *names, const char *path, const char *build, uint64_t address,
                          struct pithi_code_frame frames[PITHI_CODE_FRAMES])
{
    struct pithi_code_name wanted = {.key = names->count ? key_of(path, build, address) : NULL}, *found = NULL;
    char *rest, *line;
    int count = 0;

    if (wanted.key)
        found = bsearch(&wanted, names->names, names->count, sizeof *names->names, compare_names);
    free((char *)(uintptr_t)wanted.key);
    if (!found)
        return -1;
    free(names->text);
    rest = names->text = strdup(found->value);
    while (count < PITHI_CODE_FRAMES && (line = strsep(&rest, "\n")) != NULL && read_line(line, &frames[count]))
        count++;
    return count;
}
