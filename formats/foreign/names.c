/* names.c - cuts and cleans names, makes them unique, and guesses groups from names.
 *
 * CLOG-2 has 32 bytes for the name of a state. Two long names may be equal after they are cut, and a viewer would take
 * them for one state. So names are cut and then made different: the second name ends with "~2". Cutting never splits a
 * UTF-8 character. Blanks at both ends are removed, as some readers would lose them. */
#include "foreign/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "native/event_numbers.h"
#include "native/log.h"

static int continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

int pithi_name_cut(char *out, size_t size, const char *name, size_t length)
{
    size_t given = length;
    int result = 0;

    while (length && (*name == ' ' || *name == '\t'))
        name++, length--;
    while (length && (name[length - 1] == ' ' || name[length - 1] == '\t'))
        length--;
    if (length != given)
        result = PITHI_NAME_CHANGED;
    /* Goes back to the begin of a UTF-8 character: bytes 10xxxxxx continue a character. */
    if (length >= size) {
        for (length = size - 1; length && continues(name[length]);)
            length--;
        result = PITHI_NAME_CUT;
    }
    for (size_t i = 0, n; i < length; i += n) {
        size_t plain = pithi_utf8_character(name + i, length - i);
        n = plain ? plain : 1;
        if (plain)
            memcpy(out + i, name + i, plain);
        else
            out[i] = '?';
        if (!plain && !result)
            result = PITHI_NAME_CHANGED;
    }
    while (length && out[length - 1] == ' ')
        length--;
    out[length] = 0;
    return result;
}

/* Returns the key of a name. If two names have the same hash, one of them gets a needless "~2"; nothing else goes
 * wrong. */
static uint64_t hash_of(const char *name) { return pithi_hash_text(PITHI_HASH, name) >> 1; }

int pithi_name_unique(struct pithi_map *used, char *out, size_t size, const char *name)
{
    int changed = pithi_name_cut(out, size, name, strlen(name)) != 0;
    uint64_t *times = pithi_map_at(used, hash_of(out));

    if (!times)
        return -1;
    /* "name~2", "name~3" ... until one is free; the name is cut further, so that the ending fits. The search begins at
     * the last number that this name got, so that many equal names stay cheap. */
    for (uint64_t n = ++*times; n > 1;) {
        char ending[24];
        size_t ending_size = (size_t)snprintf(ending, sizeof ending, "~%" PRIu64, n);

        *times = n;
        pithi_name_cut(out, size - ending_size, name, strlen(name));
        strcat(out, ending);
        changed = 1;
        if (!pithi_map_find(used, hash_of(out))) {
            uint64_t *taken = pithi_map_at(used, hash_of(out));
            if (!taken)
                return -1;
            *taken = 1;
            break;
        }
        n++;
    }
    return changed;
}

void pithi_note(const struct pithi_convert *how, uint64_t count, const char *text)
{
    char line[256];

    if (!count || !how || !how->note)
        return;
    snprintf(line, sizeof line, "%" PRIu64 " %s", count, text);
    how->note(line);
}

int pithi_say_count(struct pithi_writer *writer, const char *key, uint64_t count)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, count);
    return count ? pithi_defs_property(pithi_writer_defs(writer), key, text) : PITH_OK;
}

void pithi_sampling_text(const struct pithlog *log, char text[PITHI_SAMPLING])
{
    int wall;
    int64_t period_ns = pithi_sample_timing(log, &wall);

    *text = '\0';
    if (pithi_property(log, "sample_ns"))
        snprintf(text, PITHI_SAMPLING, "sample_ns=%" PRId64 " sample_clock=%s", period_ns, wall ? "wall" : "cpu");
}

int pithi_sampling_read(struct pithi_writer *writer, const char *text, size_t size)
{
    char copy[PITHI_SAMPLING], clock[5], number[24];
    int64_t period_ns;

    if (size >= sizeof copy)
        return PITH_OK;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (sscanf(copy, "sample_ns=%18" SCNd64 " sample_clock=%4[a-z]", &period_ns, clock) != 2 || period_ns <= 0 ||
        (strcmp(clock, "cpu") != 0 && strcmp(clock, "wall") != 0))
        return PITH_OK;
    snprintf(number, sizeof number, "%" PRId64, period_ns);
    CHECK(pithi_defs_property(pithi_writer_defs(writer), "sample_ns", number));
    return pithi_defs_property(pithi_writer_defs(writer), "sample_clock", clock);
}

char pithi_token_single(const char *format)
{
    const char *percent = strchr(format, '%');

    if (!percent || !pithi_token_size(percent[1]) || strchr(percent + 1, '%'))
        return 0;
    return percent[1];
}

const char *pithi_word_find(const char *words, const char *word)
{
    size_t size = strlen(word);
    /* A match counts only with a blank before and after it: a part of a word is no match. */
    const char *at = size && !strchr(word, ' ') ? words : NULL;

    while (at && (at = strstr(at, word)) && (at[-1] != ' ' || at[size] != ' '))
        at++;
    return at;
}

const char *pithi_name_group(const char *name)
{
    static const char collective[] = " Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan"
                                     " Gather Gatherv Reduce Reduce_scatter Reduce_scatter_block Scan Scatter"
                                     " Scatterv ";
    static const char point_to_point[] = " Bsend Ibsend Iprobe Irecv Irsend Isend Issend Probe Recv Rsend Send Sendrecv"
                                         " Sendrecv_replace Ssend Start Startall Test Testall Testany Testsome Wait"
                                         " Waitall Waitany Waitsome Mprobe Mrecv Improbe Imrecv ";

    if (strncmp(name, "MPI_", 4) != 0)
        return "user";
    if (pithi_word_find(collective, name + 4))
        return "MPI collective";
    return pithi_word_find(point_to_point, name + 4) ? "MPI point-to-point" : "MPI";
}
