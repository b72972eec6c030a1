/* code_names.c - stores names of functions in properties of a log, and finds them there. The value of a property has a
 * line for each function at an address, innermost first. A line has six fields, separated by tabs: name, first address
 * (hex), line and file of the declaration, line and file of the address. For example, address 0x1233 is in norm, which
 * the compiler inlined into Grid::split at line 212 (| is a tab):
 *
 *     norm|1200|40|/home/u/mesh.cc|44|/home/u/mesh.cc
 *     Grid::split|1200|198|/home/u/mesh.cc|212|/home/u/mesh.cc
 *
 * Both lines have the first address of Grid::split, because norm has no code of its own here. With these properties, a
 * log has names for its functions on any machine, even after the program was removed.
 */
#include "symbols/code_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "native/defs.h"

enum { FIELDS = 6 }; /* fields of a line */

/* Returns the key of the property of an address, from malloc; NULL if there is no memory. The key has the build id
 * rather than the path of the file, because a file with this build id has the same names in any place. */
static char *key_of(const char *path, const char *build, uint64_t address)
{
    char *key;
    return asprintf(&key, PITHI_CODE_NAMES "%" PRIx64 " %s", address, *build ? build : path) < 0 ? NULL : key;
}

/* Writes a field. The characters that separate fields and lines become blanks. */
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
        if (!(name.value = strdup(name.value))) /* copies the value, because pithi_code_names_put replaces values */
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

/* Reads a line of a property's value into *frame, and cuts the line into fields. Returns 0 if it has too few fields. */
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
