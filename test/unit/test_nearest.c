/* The name that a mistyped one probably means. */
#include <string.h>

#include "base/nearest.h"
#include "tap.h"

static const char *nearest_of(const char *given, const char *const *names)
{
    static struct pithi_nearest nearest;

    pithi_nearest_begin(&nearest, given, strlen(given));
    for (; *names; names++)
        pithi_nearest_try(&nearest, *names);
    return nearest.name ? nearest.name : "-";
}

int main(void)
{
    static const char *const commands[] = {"print", "stat", "sql", "cut", "convert", NULL};
    static const char *const states[] = {"MPI_Sendrecv", "MPI_Send", "MPI_Isend", "solve", NULL};
    static const char *const variables[] = {"PITH_MAX_MB", "PITH_ONLY", NULL};
    static const struct {
        const char *given, *name;
        const char *const *names;
    } cases[] = {
        {"prnit", "print", commands},
        {"PRINT", "print", commands},
        {"pritn", "print", commands},
        {"sta", "stat", commands},
        {"statt", "stat", commands},
        {"xyzzy", "-", commands},
        {"x", "-", commands},
        {"", "-", commands},
        {"record", "-", commands},
        {"convrt", "convert", commands},
        {"MPI_Sned", "MPI_Send", states},
        {"mpi_send", "MPI_Send", states},
        {"send", "MPI_Send", states},
        {"MPI_Sned*", "MPI_Send", states},
        {"slove", "solve", states},
        {"MPI_Barrier", "-", states},
        {"*", "-", states},
        {"PITH_MAXMB", "PITH_MAX_MB", variables},
        {"PITH_ONYL", "PITH_ONLY", variables},
    };
    struct pithi_nearest nearest;
    char longer[300];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        OK(strcmp(nearest_of(cases[i].given, cases[i].names), cases[i].name) == 0, "'%s' means %s", cases[i].given,
           cases[i].name);
    pithi_nearest_begin(&nearest, "prnit", 5);
    OK(strcmp(pithi_nearest_ask(&nearest), "") == 0, "no question without a name");
    pithi_nearest_try(&nearest, "print");
    OK(strcmp(pithi_nearest_ask(&nearest), "; did you mean print?") == 0 && nearest.edits == 1, "the question");
    pithi_nearest_begin(&nearest, "print it", 5);
    pithi_nearest_try(&nearest, "print");
    OK(nearest.name && nearest.edits == 0, "the given size ends the word; an equal name has no edits");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    pithi_nearest_begin(&nearest, longer, sizeof longer - 1);
    pithi_nearest_try(&nearest, longer);
    pithi_nearest_try(&nearest, "print");
    OK(!nearest.name && !*pithi_nearest_ask(&nearest), "names that are too long are no guess");
    return tap_done();
}
