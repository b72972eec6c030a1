/* selection.c - which names and groups are recorded: PITH_ONLY and PITH_SKIP. Knows nothing of the rest of the library,
 * so that others can take it out of the archive alone.
 *
 * The lists are copied at the first question: programs that show their state in the title of the process write over
 * their environment. No lock, for a question may come from anywhere: one thread copies, and who asks meanwhile reads
 * the environment itself. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "pith_tool.h"

enum { ONLY, SKIP, LISTS };
enum { UNREAD, READING, READ };

static char copies[LISTS][4096];
static const char *lists[LISTS]; /* "" where not given */
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

/* Whether a pattern of the list fits the name or the group. Blanks around commas do not count, those inside do. */
static int names(const char *list, const char *name, const char *group)
{
    char pattern[1024];
    while (*list != '\0') {
        size_t begin = strspn(list, " \t"), end = strcspn(list, ","), size;
        for (size = end; size > begin && (list[size - 1] == ' ' || list[size - 1] == '\t');)
            size--;
        size = size > begin ? size - begin : 0;
        if (size > 0 && size < sizeof pattern) {
            memcpy(pattern, list + begin, size);
            pattern[size] = '\0';
            if (fits(pattern, name) || fits(pattern, group))
                return 1;
        }
        list += end + (list[end] == ',');
    }
    return 0;
}

int pith_selected(const char *name, const char *group)
{
    const char *only = list_of(ONLY), *skip = list_of(SKIP);
    int own = name != NULL && strncmp(name, "pith:", 5) == 0; /* of the recorder, which nobody would think to list */
    return (own || only[strspn(only, ", \t")] == '\0' || names(only, name, group)) && !names(skip, name, group);
}

int pith_messages(void)
{
    static int answer; /* atomic; 0: not known yet, else 1 more */
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (known == 0) {
        known = 1 + pith_selected("messages", NULL);
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known - 1;
}
