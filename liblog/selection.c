/* selection.c - decides which names and groups (PITH_ONLY, PITH_SKIP) and which ranks (PITH_RANKS) are recorded. It
 * uses no other part of the library, so that other libraries can take it from the archive alone.
 *
 *     PITH_ONLY='MPI_*, solve*'  PITH_SKIP='mpi_test*'       MPI_Send: yes; solve_x: yes; MPI_Testall: no; main: no
 *     PITH_SKIP='MPI wait'                                   all but the calls of that group
 *
 * The lists are copied at their first use, because programs that show their state in the process title overwrite their
 * environment. No lock is taken, because any thread and any signal handler may call this: one thread copies, and the
 * others read the environment until the copy is complete.
 */
#include "selection.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pith_tool.h"

/* ---- Names and groups -------------------------------------------------------------------------------------------- */

enum { ONLY, SKIP, LISTS };
enum { UNREAD, READING, READ };

static char copies[LISTS][4096]; /* bytes of a list; longer ones are read from the environment */
static const char *lists[LISTS]; /* "" for a list that is not given */
static int progress;             /* atomic: UNREAD, READING, READ */

static const char *environment(int which)
{
    const char *text = secure_getenv(which == ONLY ? "PITH_ONLY" : "PITH_SKIP");
    return text != NULL ? text : "";
}

static void copy_lists(void)
{
    int which;
    for (which = ONLY; which < LISTS; which++) {
        const char *text = environment(which);
        size_t size = strlen(text) + 1;
        lists[which] = size <= sizeof copies[which] ? memcpy(copies[which], text, size) : text;
    }
}

static const char *list_of(int which)
{
    int seen = __atomic_load_n(&progress, __ATOMIC_ACQUIRE);
    if (seen == UNREAD &&
        __atomic_compare_exchange_n(&progress, &seen, READING, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        copy_lists();
        __atomic_store_n(&progress, READ, __ATOMIC_RELEASE);
        seen = READ;
    }
    return seen == READ ? lists[which] : environment(which);
}

static int fits(const char *pattern, const char *text)
{
    return text != NULL && fnmatch(pattern, text, FNM_CASEFOLD) == 0;
}

static uint32_t matched[LISTS]; /* atomic: bit i: pattern i has matched a name or group */

/* Copies the next pattern and advances *list. Blanks around commas are ignored; blanks inside a pattern belong to it.
 * Returns 0 if there is none. */
static int next_pattern(const char **list, char *pattern, size_t room)
{
    while (**list != '\0') {
        const char *at = *list;
        size_t begin = strspn(at, " \t"), end = strcspn(at, ","), size;
        for (size = end; size > begin && (at[size - 1] == ' ' || at[size - 1] == '\t');)
            size--;
        size = size > begin ? size - begin : 0;
        *list += end + (at[end] == ',');
        if (size > 0 && size < room) {
            memcpy(pattern, at + begin, size);
            pattern[size] = '\0';
            return 1;
        }
    }
    return 0;
}

/* Returns 1 if a pattern of the list matches the name or the group. */
static int names(int which, const char *list, const char *name, const char *group)
{
    char pattern[1024];
    int any = 0, i;
    for (i = 0; next_pattern(&list, pattern, sizeof pattern); i++)
        if (fits(pattern, name) || fits(pattern, group)) {
            any = 1;
            if (i < PITHI_PATTERNS)
                __atomic_fetch_or(&matched[which], UINT32_C(1) << i, __ATOMIC_RELAXED);
        }
    return any;
}

int pithi_pattern(int is_skip, int index, char *pattern, size_t room)
{
    const char *list = list_of(is_skip ? SKIP : ONLY);
    while (next_pattern(&list, pattern, room))
        if (index-- == 0)
            return 1;
    return 0;
}

int pithi_pattern_matched(int is_skip, int index)
{
    return (int)(__atomic_load_n(&matched[is_skip ? SKIP : ONLY], __ATOMIC_RELAXED) >> index & 1);
}

int pith_selected(const char *name, const char *group)
{
    const char *only = list_of(ONLY), *skip = list_of(SKIP);
    /* the recorder's own names pass PITH_ONLY, because users do not list them */
    int own = name != NULL && strncmp(name, "pith:", 5) == 0;
    int left_out = names(SKIP, skip, name, group);
    return (names(ONLY, only, name, group) || own || only[strspn(only, ", \t")] == '\0') && !left_out;
}

int pith_messages(void)
{
    static int answer; /* atomic; 0: not known yet; else the answer plus 1 */
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (known == 0) {
        known = 1 + pith_selected("messages", NULL);
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known - 1;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

struct range {
    long first, last, step; /* the ranks first, first + step ... up to last */
};

/* Reads a number without sign or blanks. Returns -1 if there is none, or if it is too large. */
static long number(const char **at)
{
    char *end;
    long long value;
    if (!isdigit((unsigned char)**at))
        return -1;
    value = strtoll(*at, &end, 10);
    *at = end;
    return value <= INT_MAX ? (long)value : -1;
}

/* Reads the range at the front of the list, and the comma after it. Returns 0 if they are invalid, or if the list ends
 * with the comma. */
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
