/* ranks.c - see ranks.h. Lists are short and seldom asked: the text itself is read each time. */
#include "ranks.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

struct range {
    long first, last, step;
};

/* A number without sign or blanks; -1: there is none, or it is too large. */
static long number(const char **at)
{
    char *end;
    long value;
    if (!isdigit((unsigned char)**at))
        return -1;
    value = strtol(*at, &end, 10);
    *at = end;
    return value <= INT_MAX ? value : -1;
}

/* The range at the head of the list, and behind it its comma. 0: it is none. */
static int take(const char **at, struct range *range)
{
    range->first = range->last = number(at);
    range->step = 1;
    if (**at == '-') {
        (*at)++;
        range->last = number(at);
        if (**at == ':') {
            (*at)++;
            range->step = number(at);
        }
    }
    if (range->first < 0 || range->last < range->first || range->step < 1)
        return 0;
    if (**at == ',')
        return *++*at != '\0';
    return **at == '\0';
}

int pithi_ranks_good(const char *list)
{
    struct range range;
    do
        if (!take(&list, &range))
            return 0;
    while (*list != '\0');
    return 1;
}

int pithi_ranks_has(const char *list, int rank)
{
    struct range range;
    int found = list == NULL;
    while (!found && *list != '\0' && take(&list, &range))
        found = rank >= range.first && rank <= range.last && (rank - range.first) % range.step == 0;
    return found;
}

int pithi_ranks_count(const char *list, int size)
{
    int rank, count = 0;
    for (rank = 0; rank < size; rank++)
        count += pithi_ranks_has(list, rank);
    return count;
}
