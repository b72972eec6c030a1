/* format_names.c - looks up formats by name and suffix. */
#include "base/format_names.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const struct pithi_format_name pithi_format_names[] = {
#define FORMAT(name_, suffixes_, recorded_, ...) {#name_, suffixes_, recorded_},
#include "base/formats.def"
#undef FORMAT
    {NULL, NULL, PITHI_NOT_RECORDED},
};

/* 1: the word of `size` bytes is in the blank-separated list `words`. */
static int word_among(const char *words, const char *word, size_t size)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        if (length == size && strncasecmp(words, word, size) == 0)
            return 1;
        words += length + strspn(words + length, " ");
    }
    return 0;
}

int pithi_format_name_find(const char *name)
{
    for (int i = 0; pithi_format_names[i].name; i++)
        if (strcasecmp(pithi_format_names[i].name, name) == 0 ||
            word_among(pithi_format_names[i].suffixes, name, strlen(name)))
            return i;
    return -1;
}

/* Tries the longest suffix first: "run.trace.json" as trace.json, then as json. */
int pithi_format_name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');

    for (; dot; dot = strchr(dot + 1, '.'))
        for (int i = 0; dot[1] && pithi_format_names[i].name; i++)
            if (word_among(pithi_format_names[i].suffixes, dot + 1, strlen(dot + 1)))
                return i;
    return -1;
}
