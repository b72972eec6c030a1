/* piggyback.c - begins and ends PITH_COMPENSATE, and counts calls that send no header (own costs only).
 *
 * A mode is a value of PITH_COMPENSATE, as a number. All processes must have the same mode before the first header is
 * sent, because a process that does not expect a header would read it as data. To learn the modes of the others, all
 * processes take part in a reduction, also those in which PITH_COMPENSATE is not set. If the modes differ, nothing is
 * compensated. One reduction finds both the largest and the smallest mode x, because the maximum of -x is the negated
 * minimum of x:
 *
 *     modes 4, 4, 0              maximum of x: 4, of -x: 0      largest 4, smallest 0: they differ
 *
 * The same reduction finds out whether all processes share a clock, and whether their clocks were compared.
 */
#include "piggyback.h"

#include "base/say.h"
#include "rendezvous.h"
#include "base/launcher.h"
#include "own.h"
#include "pith_tool.h"
#include "real.h"
#include "type_parts.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int pithi_piggyback_on;

static int64_t local_only_counts[PITHI_LOCAL_ONLY_KINDS]; /* atomic */

void pithi_piggyback_local_only(enum pithi_piggyback_local_only why)
{
    __atomic_add_fetch(&local_only_counts[why], 1, __ATOMIC_RELAXED);
}

/* ---- Beginning --------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"off", "local", "message", "datatype", "auto"};

#ifdef PITHI_STATIC /* in the static library, the wrappers of Fortran calls cannot replace arguments */
enum { IS_STATIC = 1 };
#else
enum { IS_STATIC = 0 };
#endif

/* Returns the mode that PITH_COMPENSATE asks for; -1 if its value is invalid. */
static int asked(void)
{
    const char *value = secure_getenv("PITH_COMPENSATE");
    if (!value || !*value || strcmp(value, "0") == 0)
        return PITHI_COMPENSATE_OFF;
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        if (strcmp(value, names[i]) == 0)
            return IS_STATIC && i > PITHI_COMPENSATE_LOCAL ? PITHI_COMPENSATE_LOCAL : i;
    return -1;
}

/* Returns a hash of the machine's boot id, which is the same number in all processes that share CLOCK_MONOTONIC. */
static int64_t clock_key(void)
{
    uint64_t key = UINT64_C(1469598103934665603); /* FNV-1a */
    unsigned char id[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, id, sizeof id);
    for (ssize_t i = 0; i < size; i++)
        key = (key ^ id[i]) * UINT64_C(1099511628211);
    if (fd >= 0)
        close(fd);
    return (int64_t)(key >> 1);
}

/* The modes of all processes. `agree` finds them, and also whether the machines' clocks were compared. */
struct modes {
    int rank, least, most; /* rank: this process's rank in MPI_COMM_WORLD; least, most: the smallest and largest mode */
};
static struct modes agree(void)
{
    int64_t key = clock_key(), mode = asked(), offset;
    int64_t mine[5] = {mode, -mode, key, -key, -pithi_own_clock(pithi_delay_clock(), &offset)}, all[5];
    struct modes modes = {0, PITHI_COMPENSATE_OFF, PITHI_COMPENSATE_OFF};
    if (REAL(MPI_Allreduce)(mine, all, 5, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        return modes;
    pithi_delay_several_clocks = all[2] != -all[3];
    pithi_delay_one_clock = !pithi_delay_several_clocks || all[4] == 0;
    REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &modes.rank);
    modes.most = (int)all[0];
    modes.least = (int)-all[1];
    return modes;
}

/* Returns 1 if compensation is on in all processes. Otherwise rank 0 prints why it is off, unless nobody asked for
 * it. */
static int is_good(const struct modes *modes)
{
    int is_same = modes->least == modes->most && modes->most >= 0;
    const char *value = secure_getenv("PITH_COMPENSATE");
    if (modes->rank != 0)
        return is_same && modes->most != PITHI_COMPENSATE_OFF;
    if (is_same && IS_STATIC && modes->most == PITHI_COMPENSATE_LOCAL && strcmp(value, names[modes->most]) != 0)
        pithi_say("PITH_COMPENSATE=%s: a program linked with libpith-mpi.a compensates own costs only; use "
                  "pith run",
                  value);
    if (is_same)
        return modes->most != PITHI_COMPENSATE_OFF;
    if (modes->most < 0)
        pithi_say("PITH_COMPENSATE=%s: is none of local, message, datatype, auto; nothing is compensated", value);
    else
        pithi_say("PITH_COMPENSATE is not the same in all processes (%s in some, %s in others); nothing is "
                  "compensated",
                  modes->least < 0 ? "an unknown word" : names[modes->least], names[modes->most]);
    return 0;
}

void pithi_piggyback_begin(MPI_Group members)
{
    if (members != MPI_GROUP_NULL) {
        int rank = 0;
        REAL(MPI_Group_rank)(members, &rank);
        if (rank == 0 && asked() != PITHI_COMPENSATE_OFF)
            pithi_say("PITH_COMPENSATE: not all processes were started with pith run; nothing is compensated");
        return;
    }
    struct modes modes = agree();
    int mode = modes.most;
    if (!is_good(&modes))
        return;
    pithi_shadow_begin();
    MPI_Comm ours = pithi_shadow_of(&pithi_handle_world);
    if (ours == MPI_COMM_NULL)
        return;
    if (mode > PITHI_COMPENSATE_LOCAL) {
        /* If the clocks cannot be compared in one process, no process computes delays from times. */
        int known = 1;
        if (!pithi_delay_one_clock) {
            known = pithi_own_compare() == 0;
            if (REAL(MPI_Allreduce)(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, ours) != MPI_SUCCESS)
                known = 0;
        }
        pithi_delay_one_clock = known;
        if (pithi_delay_several_clocks && known)
            pith_clocks_follow();
    }
    pithi_own_begin();
    pithi_delay_begin();
    pithi_part_begin(mode);
    if (mode > PITHI_COMPENSATE_LOCAL)
        pithi_piggyback_entry_begin();
    if (mode > PITHI_COMPENSATE_LOCAL)
        pithi_rendezvous_begin();
    __atomic_store_n(&pithi_compensate, mode, __ATOMIC_RELAXED);
    pithi_delay_ns();
    pithi_piggyback_on = mode > PITHI_COMPENSATE_LOCAL;
}

/* ---- End --------------------------------------------------------------------------------------------------------- */

static const char *const local_only_names[PITHI_LOCAL_ONLY_KINDS] = {"collectives", "communicators", "late",
                                                                     "partitioned", "one-sided",     "cancelled"};

/* Rank 0 reports how many calls of the job sent no header, and the largest delay. */
static void tell_job(const struct pithi_handle *world, int64_t delay_ns)
{
    int64_t counts[PITHI_LOCAL_ONLY_KINDS], most_ns = delay_ns;
    char text[300];
    memcpy(counts, local_only_counts, sizeof counts);
    MPI_Comm shadow = pithi_shadow_of(world);
    REAL(MPI_Reduce)(local_only_counts, counts, PITHI_LOCAL_ONLY_KINDS, MPI_INT64_T, MPI_SUM, 0, shadow);
    REAL(MPI_Reduce)(&delay_ns, &most_ns, 1, MPI_INT64_T, MPI_MAX, 0, shadow);
    if (world->rank != 0)
        return;
    /* text: for example "auto" or "auto, own costs only for 12 calls (collectives 10, one-sided 2)". */
    size_t size = sizeof text;
    int64_t sum = 0;
    const char *between = " (";
    for (int i = 0; i < PITHI_LOCAL_ONLY_KINDS; i++)
        sum += counts[i];
    int at = snprintf(text, size, "%s", names[pithi_compensate]);
    if (sum != 0) {
        at += snprintf(text + at, size - (size_t)at, ", own costs only for %lld call%s", (long long)sum,
                       sum > 1 ? "s" : "");
        for (int i = 0; i < PITHI_LOCAL_ONLY_KINDS; i++)
            if (counts[i]) {
                at += snprintf(text + at, size - (size_t)at, "%s%s %lld", between, local_only_names[i],
                               (long long)counts[i]);
                between = ", ";
            }
        snprintf(text + at, size - (size_t)at, ")");
    }
    pithi_own_fact("compensate", text);
    if (!pithi_is_quiet())
        pithi_say("compensated while running: a delay of %.6f s at most; %s", 1e-9 * (double)most_ns, text);
}

void pithi_piggyback_end(void)
{
    char key[40], value[40];
    if (!pithi_compensate)
        return;
    const struct pithi_handle *world = &pithi_handle_world;
    int64_t delay_ns = pithi_delay_total_ns();
    pithi_piggyback_on = 0;
    pithi_own_waited(delay_ns);
    pithi_own_write();
    snprintf(key, sizeof key, "delay_ns %d", world->rank);
    snprintf(value, sizeof value, "%lld", (long long)delay_ns);
    pithi_own_fact(key, value);
    tell_job(world, delay_ns);
    pithi_piggyback_entry_look(1);
    pithi_rendezvous_end();
    pithi_icoll_end();
    pithi_pcoll_end();
    pithi_second_end();
    __atomic_store_n(&pithi_compensate, PITHI_COMPENSATE_OFF, __ATOMIC_RELAXED);
}
