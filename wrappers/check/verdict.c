/* verdict.c - finds out how calls differ. Each process sends its description of the call to the first process of the
 * team, which compares the descriptions and reports the error. This takes time and memory, but happens only after an
 * error.
 *
 *     rank 0: MPI_Bcast(buf, 10, MPI_INT, 0)      facts: name, root = 0; gives 10 MPI_INT
 *     rank 1: MPI_Bcast(buf, 10, MPI_INT, 0)
 *     rank 2: MPI_Bcast(buf, 10, MPI_INT, 1)      root = 1
 *
 *     pith check: rank 2: MPI_Bcast: root is 1, but 0 on rank 0 (communicator MPI_COMM_WORLD, 3rd collective call)
 *
 * The sum of agree.c shows only that something differs. Here, each process's facts are compared with those of the first
 * process that states them. Errors that a process has found alone (problems) are reported first; then the functions are
 * compared, then their facts, and then their data. If the functions differ, nothing else is compared, because different
 * functions have different facts. */
#include "agree.h"
#include "base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most lines in a report: GROUPS about facts or problems, PARTS about parts. A job of 1,000 ranks must not print
 * 1,000 lines. */
enum { GROUPS = 4, PARTS = 2 };
enum { STATEMENT, SAID, KINDS }; /* kinds of messages */

/* A description consists of a head, facts and parts. It can be sent as bytes, because the fields have fixed sizes and
 * all processes have the same architecture. */
struct fact {
    char argument[40];        /* the argument's name; a longer name is cut */
    int32_t index, is_stated; /* index: index in a list, or -1; is_stated: 0: this process does not state this fact */
    uint64_t value;
    char text[120]; /* the value as the report shows it */
};
struct part {
    int32_t peer, is_got; /* peer: the other end's rank; is_got: 1: the data are expected, 0: given */
    uint64_t hash;
    char text[48]; /* the data as the report shows them */
};
struct head {
    int32_t rank, facts, parts;                   /* rank: the sender's rank; facts, parts: how many of each follow */
    char prefix[12], problem[PITHI_VERDICT_TEXT]; /* prefix: pithi_where_prefix; problem: "" if there is none */
    struct pithi_source source;
    struct fact name, only; /* name: the function's name, as a fact; only: the value of pithi_check_number_if */
};
/* The description that one process sent; head NULL: no description arrived. */
struct statement {
    struct head *head;
    struct fact *facts; /* [head->facts], in the received message */
    struct part *parts;
};
struct verdict {
    int count, lines;     /* lines: number of reported errors */
    struct statement *of; /* [count] */
    char where[128];      /* the call as the report shows it */
    char *text;           /* the report so far, malloc'ed */
    size_t size, room;
};

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Appends to the report. If there is no memory, the report stays as it is, because half a report is better than
 * none. */
__attribute__((format(printf, 2, 3))) static void add(struct verdict *verdict, const char *format, ...)
{
    char piece[512];
    va_list args;

    va_start(args, format);
    int size = vsnprintf(piece, sizeof piece, format, args); /* cut at 511 bytes */
    va_end(args);
    if (size < 0)
        return;
    if (size >= (int)sizeof piece)
        size = sizeof piece - 1;
    if (verdict->size + (size_t)size + 1 > verdict->room) {
        size_t room = 2 * verdict->room + sizeof piece;
        char *larger = realloc(verdict->text, room);
        if (!larger)
            return;
        verdict->text = larger;
        verdict->room = room;
    }
    memcpy(verdict->text + verdict->size, piece, (size_t)size + 1);
    verdict->size += (size_t)size;
}

/* Writes all lines by one call of write, if the system allows this, so that the lines of several processes do not
 * mix. */
void pithi_check_say(const char *lines)
{
    /* a set-user-ID program must not write to a file that its user names */
    const char *name = secure_getenv("PITH_CHECK_FILE");
    int fd = STDERR_FILENO;
    size_t size = strlen(lines);

    if (name && *name && (fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) < 0) {
        static int said;
        if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
            pithi_say("PITH_CHECK_FILE: %s: %s; messages go to standard error", name, strerror(errno));
        fd = STDERR_FILENO;
    }
    while (size && !(fd == STDERR_FILENO && pithi_no_stderr)) {
        ssize_t put = write(fd, lines, size);
        if (put <= 0)
            break;
        lines += put;
        size -= (size_t)put;
    }
    if (fd != STDERR_FILENO)
        close(fd);
}

/* Prints, for example, "(communicator MPI_COMM_WORLD, tag 7, group of 3: 0,2,4)". */
static void print_members(const struct pithi_check *check, const char *team, char *text, size_t size)
{
    const struct pithi_fact *tag = check->fact_count ? &check->facts[0] : NULL;
    char ranks[48] = "";

    for (int i = 0, at = 0; i < check->member_count && at < 32; i++)
        at += snprintf(ranks + at, sizeof ranks - (size_t)at, i ? ",%d" : "%d",
                       pithi_team_rank(check->team, check->members[i]));
    if (tag && tag->kind == PITHI_FACT_TEXT)
        snprintf(text, size, "(%s, stringtag %.20s, group of %d: %s)", team, tag->text, check->member_count, ranks);
    else if (tag)
        snprintf(text, size, "(%s, tag %d, group of %d: %s)", team, (int)tag->value, check->member_count, ranks);
    else
        snprintf(text, size, "(%s, group of %d: %s)", team, check->member_count, ranks);
}

void pithi_verdict_where(const struct pithi_check *check, char *text, size_t size)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"}; /* 21st, but 11th */
    uint64_t call = check->call, last = call % 100 / 10 == 1 ? 0 : call % 10;
    char team[80];

    pithi_team_print(check->team, team, sizeof team);
    if (check->members) {
        print_members(check, team, text, size);
        return;
    }
    snprintf(text, size, "(%s, %" PRIu64 "%s collective call)", team, call, ends[last < 4 ? last : 0]);
}

/* ---- the description from one process ---------------------------------------------------------------------------- */

/* Fills in *to, which is all 0 before. */
static void put_fact(struct fact *to, const struct pithi_fact *fact)
{
    snprintf(to->argument, sizeof to->argument, "%s", fact->argument);
    to->index = fact->index;
    to->is_stated = 1;
    to->value = fact->value;
    if (fact->kind == PITHI_FACT_TEXT)
        snprintf(to->text, sizeof to->text, "%s", fact->text);
    else if (fact->kind == PITHI_FACT_DATA)
        pithi_signature_print(to->text, sizeof to->text, fact->elements, fact->text);
    else
        snprintf(to->text, sizeof to->text, "%" PRId64, (int64_t)fact->value);
}

static void put_head(struct head *head, const struct pithi_check *check)
{
    head->rank = pithi_where_rank;
    head->facts = check->fact_count;
    head->parts = check->part_count;
    head->name = (struct fact){.index = -1, .is_stated = 1, .value = pithi_fact_hash_name(check->name)};
    snprintf(head->name.text, sizeof head->name.text, "%s", check->name);
    snprintf(head->prefix, sizeof head->prefix, "%s", pithi_where_prefix);
    snprintf(head->problem, sizeof head->problem, "%s", check->problem ? check->problem : "");
    pithi_source_of(check->caller, &head->source);
    if (check->has_only)
        put_fact(&head->only, &check->only);
}

/* Returns this process's description as one block of bytes, which has the head, then the facts, then the parts. Returns
 * NULL if there is no memory. */
static void *state(const struct pithi_check *check, size_t *size)
{
    char *memory;

    *size = sizeof(struct head) + (size_t)check->fact_count * sizeof(struct fact) +
            (size_t)check->part_count * sizeof(struct part);
    if (!(memory = calloc(1, *size)))
        return NULL;
    struct fact *facts = (struct fact *)(void *)(memory + sizeof(struct head));
    struct part *parts = (struct part *)(void *)(facts + check->fact_count);
    put_head((struct head *)(void *)memory, check);
    for (int i = 0; i < check->fact_count; i++)
        put_fact(&facts[i], &check->facts[i]);
    for (int i = 0; i < check->part_count; i++) {
        const struct pithi_fact_part *part = &check->parts[i];
        parts[i].peer = part->peer;
        parts[i].is_got = part->is_got;
        parts[i].hash = part->hash;
        pithi_signature_print(parts[i].text, sizeof parts[i].text, part->elements, part->element);
    }
    return memory;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* A function that returns a fact of the process `who`; NULL if this process does not state the fact. */
typedef const struct fact *asked(const struct verdict *verdict, int who, int which);

static const struct fact *ask_fact(const struct verdict *verdict, int who, int which)
{
    const struct statement *statement = &verdict->of[who];

    return statement->head && which < statement->head->facts ? &statement->facts[which] : NULL;
}

static const struct fact *ask_name(const struct verdict *verdict, int who, int which)
{
    (void)which;
    return verdict->of[who].head ? &verdict->of[who].head->name : NULL;
}

static const struct fact *ask_only(const struct verdict *verdict, int who, int which)
{
    const struct head *head = verdict->of[who].head;

    (void)which;
    return head && head->only.is_stated ? &head->only : NULL;
}

/* Returns the first process that states this fact; verdict->count if no process states it. */
static int first_with(const struct verdict *verdict, asked *ask, int which)
{
    int who = 0;

    while (who < verdict->count && !ask(verdict, who, which))
        who++;
    return who;
}

static void add_rank(struct verdict *verdict, int who)
{
    const struct head *head = verdict->of[who].head;

    add(verdict, "%srank %d", head->prefix, head->rank);
}

/* See agree.h. */
void pithi_check_ranks(const int *ranks, int count, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "rank%s ", count > 1 ? "s" : "");

    for (int i = 0, last; i < count; i = last + 1) {
        char more[48];
        int length;
        for (last = i; last + 1 < count && ranks[last + 1] == ranks[last] + 1;)
            last++;
        if (last == i + 1) /* two successive ranks are shown as "1,2", not as "1-2" */
            last = i;
        length = last == i ? snprintf(more, sizeof more, i ? ",%d" : "%d", ranks[i])
                           : snprintf(more, sizeof more, i ? ",%d-%d" : "%d-%d", ranks[i], ranks[last]);
        if (at + (size_t)length + 20 > size) { /* leaves room for " and N more" */
            snprintf(text + at, size - at, " and %d more", count - i);
            return;
        }
        memcpy(text + at, more, (size_t)length + 1);
        at += (size_t)length;
    }
}

/* Adds the source lines of the calls of the two processes to the report. */
static void add_places(struct verdict *verdict, int who, int other)
{
    char one[256], two[256] = "";

    pithi_source_print(&verdict->of[who].head->source, one, sizeof one);
    if (other >= 0)
        pithi_source_print(&verdict->of[other].head->source, two, sizeof two);
    if (!*one)
        return;
    add(verdict, "pith check:   ");
    if (*two && strcmp(one, two) != 0) {
        add_rank(verdict, who);
        add(verdict, " at %s, ", one);
        add_rank(verdict, other);
        add(verdict, " at %s\n", two);
    } else {
        add(verdict, "at %s\n", one);
    }
}

/* Reports the processes whose fact differs from that of the first process. Processes with equal facts share a line.
 * Returns the number of lines. */
static int report_different(struct verdict *verdict, asked *ask, int which)
{
    int shown = 0, reference = first_with(verdict, ask, which); /* the first process that has the fact */
    size_t many = (size_t)verdict->count;
    int *ranks = reference < verdict->count ? calloc(many, sizeof *ranks + 2) : NULL;

    if (!ranks)
        return 0;
    char *is_of = (char *)(ranks + many), *done = is_of + many; /* is_of: 1: has this value; done: 1: reported */
    const struct fact *wanted = ask(verdict, reference, which);
    for (int member = reference + 1; member < verdict->count && shown < GROUPS; member++) {
        const struct fact *fact = ask(verdict, member, which);
        if (!fact || fact->value == wanted->value || done[member])
            continue; /* equal to the reference, or reported already */
        /* Finds all processes with this value. */
        memset(is_of, 0, many);
        for (int i = member; i < verdict->count; i++) {
            const struct fact *same = ask(verdict, i, which);
            if (same && same->value == fact->value)
                is_of[i] = done[i] = 1;
        }
        add(verdict, "pith check: ");
        /* Collects their ranks. */
        int count = 0, first = -1;
        char text[400];

        for (int i = 0; i < verdict->count; i++) {
            if (!is_of[i])
                continue;
            first = first < 0 ? i : first;
            ranks[count++] = verdict->of[i].head->rank;
        }
        pithi_check_ranks(ranks, count, text, sizeof text);
        add(verdict, "%s%s", verdict->of[first].head->prefix, text);
        if (*fact->argument)
            add(verdict, ": %s: %s", verdict->of[member].head->name.text, fact->argument);
        if (fact->index >= 0)
            add(verdict, "[%d]", fact->index);
        add(verdict, *fact->argument ? " is %s, but %s on " : ": %s, but %s on ", fact->text, wanted->text);
        add_rank(verdict, reference);
        add(verdict, " %s\n", verdict->where);
        add_places(verdict, member, reference);
        shown++;
    }
    free(ranks);
    verdict->lines += shown;
    return shown;
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Reports data whose two ends differ. `given`, `got`: what the giving and the expecting end state; NULL: this end does
 * not state the data. */
static void report_part(struct verdict *verdict, int from, int to, const struct part *given, const struct part *got)
{
    if (verdict->lines++ >= PARTS)
        return;
    const char *name = verdict->of[from].head->name.text, *said = given ? given->text : "nothing",
               *wanted = got ? got->text : "nothing";
    int is_number = given ? *said == '=' : *wanted == '='; /* 1: a number that both ends must state alike */

    add(verdict, "pith check: ");
    add_rank(verdict, from);
    if (is_number)
        add(verdict, ": %s: %s is not that of ", name, (given ? said : wanted) + 1);
    else
        add(verdict, ": %s: gives %s to ", name, said);
    add_rank(verdict, to);
    if (!is_number)
        add(verdict, ", which expects %s", wanted);
    add(verdict, " %s\n", verdict->where);
    add_places(verdict, from, to);
}

/* Returns how many earlier parts of the statement have the same peer and direction as the part `at`. */
static int place_among(const struct statement *statement, int at)
{
    int nth = 0;

    for (int i = 0; i < at; i++)
        nth += statement->parts[i].peer == statement->parts[at].peer &&
               statement->parts[i].is_got == statement->parts[at].is_got;
    return nth;
}

/* Reports all data whose two ends differ. */
static void report_parts(struct verdict *verdict)
{
    for (int who = 0; who < verdict->count; who++) {
        const struct statement *own = &verdict->of[who];
        for (int i = 0; own->head && i < own->head->parts; i++) {
            const struct part *part = &own->parts[i], *other;
            if (part->peer < 0 || part->peer >= verdict->count || !verdict->of[part->peer].head)
                continue;
            /* The n-th part that one process gives to another and the n-th part that the other process expects from it
             * are the two ends of the same data. */
            int nth = place_among(own, i);
            const struct statement *statement = &verdict->of[part->peer];

            other = NULL;
            for (int k = 0; statement->head && k < statement->head->parts; k++)
                if (statement->parts[k].peer == who && statement->parts[k].is_got == (!part->is_got) && nth-- == 0) {
                    other = &statement->parts[k];
                    break;
                }

            if (other && (other->hash == part->hash || part->is_got)) /* a difference is reported at the giving end */
                continue;
            if (part->is_got)
                report_part(verdict, part->peer, who, NULL, part);
            else
                report_part(verdict, who, part->peer, part, other);
        }
    }
    if (verdict->lines > PARTS)
        add(verdict, "pith check:   and %d more\n", verdict->lines - PARTS);
}

/* ---- the exchange ------------------------------------------------------------------------------------------------ */

/* Returns the rank in the shadow of the n-th process that makes the call. */
static int nth(const struct pithi_check *check, int n) { return check->members ? check->members[n] : n; }

/* Returns the tag of a message of this kind. Calls of a team that are checked at the same time get different tags. */
static int tag_of(const struct pithi_check *check, int kind)
{
    return kind + (check->members ? 0 : KINDS * (int)(check->call % (PITHI_VERDICT_TAGS / KINDS)));
}

/* Waits for a message, and returns 1 when it has come; 0 after a limit of time. The message may never come: if the
 * sender's call does not block, the sender may never test its check again, and it learns of the error only in such a
 * test. */
static int has_come(const struct pithi_check *check, int from, int kind, MPI_Status *status)
{
    int seconds = pithi_await_seconds(), there = 0;
    /* If the user switched reports of long waits off (0), the limit is 30 s. */
    int64_t until_ns = pithi_await_now_ns() + (int64_t)(seconds ? seconds : 30) * 1000000000;

    while (REAL(MPI_Iprobe)(from, tag_of(check, kind), check->team->shadow, &there, status) == MPI_SUCCESS && !there &&
           pithi_await_now_ns() < until_ns)
        sched_yield();
    return there;
}

/* Receives the description of one process. Returns NULL if it did not come in time. */
static void *receive(const struct pithi_check *check, int from)
{
    MPI_Status status;
    int size = 0;
    void *memory;

    if (!has_come(check, from, STATEMENT, &status))
        return NULL;
    REAL(MPI_Get_count)(&status, MPI_BYTE, &size);
    if ((memory = malloc((size_t)size + 1)))
        REAL(MPI_Recv)
    (memory, size, MPI_BYTE, from, tag_of(check, STATEMENT), check->team->shadow, MPI_STATUS_IGNORE);
    return memory;
}

/* Called in the first process. Collects the descriptions, reports the error, and lets the other processes go on. */
static void judge(const struct pithi_check *check, void *own)
{
    const struct pithi_team *team = check->team;
    struct verdict verdict = {.count = check->members ? check->member_count : team->size};

    if (!(verdict.of = calloc((size_t)verdict.count, sizeof *verdict.of)))
        return;
    for (int i = 0; i < verdict.count; i++) {
        struct statement *statement = &verdict.of[i];
        if (!(statement->head = i ? receive(check, nth(check, i)) : own))
            continue; /* this process did not answer; the other processes are compared */
        statement->facts = (struct fact *)(void *)(statement->head + 1);
        statement->parts = (struct part *)(void *)(statement->facts + statement->head->facts);
    }
    pithi_verdict_where(check, verdict.where, sizeof verdict.where);
    /* Errors that a process has found alone come first, such as an invalid argument. */
    for (int who = 0; who < verdict.count && verdict.lines < GROUPS; who++) {
        const struct head *head = verdict.of[who].head;
        if (!head || !*head->problem)
            continue;
        add(&verdict, "pith check: ");
        add_rank(&verdict, who);
        add(&verdict, ": %s: %s %s\n", head->name.text, head->problem, verdict.where);
        add_places(&verdict, who, -1);
        verdict.lines++;
    }
    if (!report_different(&verdict, ask_name, 0)) {
        int most = 0, least = INT32_MAX; /* how many facts a process has */
        const char *shown = "";

        for (int i = 0; i < verdict.count; i++) {
            const struct head *head = verdict.of[i].head;
            if (head && head->facts > most)
                most = head->facts;
            if (head && head->facts < least)
                least = head->facts;
        }
        /* If the processes have different numbers of facts, facts after the first difference do not correspond. For
         * example, if two lists have different lengths, the fact that has the length is reported, and the elements are
         * not compared. */
        for (int which = 0; which < most && !(verdict.lines && least < most); which++) {
            const struct fact *fact = ask_fact(&verdict, first_with(&verdict, ask_fact, which), which);
            if (strcmp(fact->argument, shown) != 0 && report_different(&verdict, ask_fact, which))
                shown = fact->argument; /* only the first difference in a list is reported */
        }
        report_different(&verdict, ask_only, 0);
        if (!verdict.lines)
            report_parts(&verdict);
    }
    if (verdict.text)
        pithi_check_say(verdict.text);
    for (int i = 1; i < verdict.count; i++)
        if (verdict.of[i].head) {
            /* The other processes keep the buffers of their descriptions until they get this message. */
            REAL(MPI_Send)(NULL, 0, MPI_BYTE, nth(check, i), tag_of(check, SAID), team->shadow);
            free(verdict.of[i].head);
        }
    free(verdict.of);
    free(verdict.text);
    __atomic_add_fetch(&pithi_agreed_errors, 1, __ATOMIC_RELAXED);
}

/* Called in the other processes. Sends the description and waits until the first process has reported. Returns 0 if the
 * first process does not answer. Then MPI may still send the description from its buffer, so the buffer must stay. */
static int hand_in(const struct pithi_check *check, void *own, size_t size)
{
    MPI_Comm shadow = check->team->shadow;
    int first = nth(check, 0);
    MPI_Request request;
    MPI_Status status;
    char line[256];

    REAL(MPI_Isend)(own, (int)size, MPI_BYTE, first, tag_of(check, STATEMENT), shadow, &request);
    if (has_come(check, first, SAID, &status)) {
        REAL(MPI_Recv)(NULL, 0, MPI_BYTE, first, tag_of(check, SAID), shadow, MPI_STATUS_IGNORE);
        REAL(MPI_Wait)(&request, MPI_STATUS_IGNORE);
        return 1;
    }
    snprintf(line, sizeof line,
             "pith check: %srank %d: %s: the processes' calls differ, but the one that should say how "
             "does not answer\n",
             pithi_where_prefix, pithi_where_rank, check->name);
    pithi_check_say(line);
    return 0;
}

/* See agree.h. */
void pithi_verdict(struct pithi_check *check)
{
    size_t size;
    void *own = state(check, &size);

    if (own && check->team->rank == nth(check, 0))
        judge(check, own);
    else if (own && !hand_in(check, own, size))
        return; /* `own` is not freed, because MPI may still send from it */
    free(own);
}
