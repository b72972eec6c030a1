/* mpe_record.c - descriptions and records, as the API has them. */
#include "mpe_log.h"
#include "mpe_aside.h"
#include "mpe_comm.h"
#include "mpe_numbers.h"
#include "mpe_session.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define ONLY_WHILE_RUNNING                                                                                             \
    if (!pithi_mpe_running())                                                                                          \
    return MPE_LOG_NOT_INITIALIZED

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

int MPE_Describe_info_state(int start, int final, const char *name, const char *colour, const char *format)
{
    PITHI_MPE_ASIDE(MPE_Describe_info_state, (start, final, name, colour, format));
    ONLY_WHILE_RUNNING;
    pithi_mpe_describe_state(start, final, name, colour, format);
    return MPE_LOG_OK;
}

int MPE_Describe_state(int start, int final, const char *name, const char *colour)
{
    return MPE_Describe_info_state(start, final, name, colour, NULL);
}

/* `result`: of the description. */
static int said_of(MPI_Comm comm, int number, int result)
{
    uint64_t key;

    if (result == MPE_LOG_OK && pithi_mpe_comm(comm, &key))
        pithi_mpe_describe_comm(number, key);
    return result;
}

int MPE_Describe_comm_state(MPI_Comm comm, int start, int final, const char *name, const char *colour,
                            const char *format)
{
    PITHI_MPE_ASIDE(MPE_Describe_comm_state, (comm, start, final, name, colour, format));
    return said_of(comm, start, MPE_Describe_info_state(start, final, name, colour, format));
}

int MPE_Describe_info_event(int event, const char *name, const char *colour, const char *format)
{
    PITHI_MPE_ASIDE(MPE_Describe_info_event, (event, name, colour, format));
    ONLY_WHILE_RUNNING;
    pithi_mpe_describe_event(event, name, colour, format);
    return MPE_LOG_OK;
}

int MPE_Describe_event(int event, const char *name, const char *colour)
{
    return MPE_Describe_info_event(event, name, colour, NULL);
}

int MPE_Describe_comm_event(MPI_Comm comm, int event, const char *name, const char *colour, const char *format)
{
    PITHI_MPE_ASIDE(MPE_Describe_comm_event, (comm, event, name, colour, format));
    return said_of(comm, event, MPE_Describe_info_event(event, name, colour, format));
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

enum { BYTES = sizeof(MPE_LOG_BYTES), SMALLEST_PAGE = 4096 };

/* Programs give strings shorter than that too, and have since MPE's first version: what is behind them is read as well,
 * as MPE does, but not across the end of a page that may be the last; the kernel is asked to. */
__attribute__((no_sanitize_address)) static void take_bytes(unsigned char taken[BYTES], const char *bytes)
{
    uint64_t words[BYTES / 8];
    size_t left = SMALLEST_PAGE - (uintptr_t)bytes % SMALLEST_PAGE;

    memset(taken, 0, BYTES);
    if (left < BYTES) {
        struct iovec from[2] = {{(char *)(uintptr_t)bytes, left}, {(char *)(uintptr_t)bytes + left, BYTES - left}};
        struct iovec to = {taken, BYTES};
        int saved = errno;
        ssize_t got = process_vm_readv(getpid(), &to, 1, from, 2, 0);
        errno = saved;
        if (got >= (ssize_t)left)
            return;
    }
    for (size_t i = 0; i < BYTES / 8; i++) /* not memcpy, which sanitizers watch */
        words[i] = ((const struct { uint64_t word; } __attribute__((packed, may_alias)) *)bytes)[i].word;
    memcpy(taken, words, BYTES);
}

/* Apart, so that the records without a payload, nearly all, need none of its room on the stack. */
__attribute__((noinline)) static int record_bytes(int event, uint32_t comm, const char *bytes)
{
    unsigned char taken[BYTES];

    take_bytes(taken, bytes);
    pithi_mpe_record_more(event, comm, taken);
    return MPE_LOG_OK;
}

static int record(int event, const char *bytes)
{
    if (bytes != NULL)
        return record_bytes(event, 0, bytes);
    pithi_mpe_record(event);
    return MPE_LOG_OK;
}

int MPE_Log_info_event(int event, const char *bytes)
{
    PITHI_MPE_ASIDE(MPE_Log_info_event, (event, bytes));
    ONLY_WHILE_RUNNING;
    return record(event, bytes);
}

int MPE_Log_event(int event, int data, const char *bytes)
{
    (void)data;
    PITHI_MPE_ASIDE(MPE_Log_event, (event, data, bytes));
    ONLY_WHILE_RUNNING;
    return record(event, bytes);
}

int MPE_Log_bare_event(int event) { return MPE_Log_info_event(event, NULL); }

int MPE_Log_comm_event(MPI_Comm comm, int event, const char *bytes)
{
    uint64_t key;
    uint32_t id;

    PITHI_MPE_ASIDE(MPE_Log_comm_event, (comm, event, bytes));
    ONLY_WHILE_RUNNING;
    id = pithi_mpe_comm(comm, &key);
    if (!id)
        return record(event, bytes);
    if (bytes)
        return record_bytes(event, id, bytes);
    pithi_mpe_record_more(event, id, NULL);
    return MPE_LOG_OK;
}
