/* mpe_record.c - event numbers, their descriptions, and the records of the API.
 *
 * MPE's calls record event numbers. A number that this process has described is recorded as the state or event that the
 * description defined. Any other number N is recorded as the event "event N", or with a payload as "event N info". The
 * merge, which has the descriptions of all processes, replaces such events by what other processes have described
 * (formats/spill/spill_numbers.h).
 *
 * A number's meaning and the id of its definition are in one 32-bit integer, so that both can be read without a lock.
 */
#include "mpe_internal.h"
#include "pith_tool.h"
#include "real.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TABLE_SIZE = 65536 };                   /* count of event numbers, from 0 on, in the tables */
enum { FIRST_STATE = 600, FIRST_SOLO = 5000 }; /* the first numbers that a program gets, as in MPE */
/* NAME_BYTES: room for a name in the log; NAME_MOST: most bytes of a name in the event mpe:describe */
enum { NAME_BYTES = 256, NAME_MOST = 1024 };
enum { UNKNOWN, BEGINS, ENDS, HAPPENS }; /* meanings of a number; HAPPENS: it is an event */
enum { BYTES = sizeof(MPE_LOG_BYTES), SMALLEST_PAGE = 4096 };

#define GROUP "MPE, not described"
#define ID_BITS 20 /* low bits with the definition's id; the meaning is above them */

#define ONLY_WHILE_RUNNING                                                                                             \
    if (!pithi_mpe_running())                                                                                          \
    return MPE_LOG_NOT_INITIALIZED

/* Both tables are indexed by the event number; for a number beyond their end, the definition is looked up by name each
 * time. carriers[0] has the ids of "event N" for records with a communicator, carriers[1] those of "event N info". */
static uint32_t meanings[TABLE_SIZE], carriers[2][TABLE_SIZE];

static int next_state = FIRST_STATE, next_solo = FIRST_SOLO; /* changed by atomic additions */

/* ---- New event numbers ------------------------------------------------------------------------------------------- */

/* Starts the numbers for a new log. Numbers are given out from the first one on again, and descriptions from the
 * previous log no longer count. */
void pithi_mpe_numbers_begin(void)
{
    __atomic_store_n(&next_state, FIRST_STATE, __ATOMIC_RELAXED);
    __atomic_store_n(&next_solo, FIRST_SOLO, __ATOMIC_RELAXED);
    for (int i = 0; i < TABLE_SIZE; i++)
        __atomic_store_n(&meanings[i], 0, __ATOMIC_RELAXED);
}

int MPE_Log_get_state_eventIDs(int *start, int *final)
{
    PITHI_MPE_FORWARD(MPE_Log_get_state_eventIDs, (start, final));
    ONLY_WHILE_RUNNING;
    /* A state takes two successive numbers. */
    int first = __atomic_fetch_add(&next_state, 2, __ATOMIC_RELAXED);
    if (start)
        *start = first;
    if (final)
        *final = first + 1;
    return MPE_LOG_OK;
}

int MPE_Log_get_solo_eventID(int *event)
{
    PITHI_MPE_FORWARD(MPE_Log_get_solo_eventID, (event));
    ONLY_WHILE_RUNNING;
    int number = __atomic_fetch_add(&next_solo, 1, __ATOMIC_RELAXED);
    if (event)
        *event = number;
    return MPE_LOG_OK;
}

/* MPE's oldest interface. Programs use the number that this call gives for a state or for an event. */
int MPE_Log_get_event_number(void)
{
    PITHI_MPE_FORWARD(MPE_Log_get_event_number, ());
    return __atomic_fetch_add(&next_state, 1, __ATOMIC_RELAXED);
}

/* ---- Recording a number ------------------------------------------------------------------------------------------ */

/* Defines the event "event N" + `suffix`, for a number N that this process has not described. Returns the event's
 * id. */
static uint32_t define_undescribed(int number, const char *suffix)
{
    char name[48];

    snprintf(name, sizeof name, "event %d%s", number, suffix);
    return pith_event_define_group(name, NULL, NULL, GROUP);
}

/* Records a number without a description. Another thread may describe the number at the same time, so the meaning
 * "event" is set only if the number has no meaning yet. */
__attribute__((noinline, cold)) static void record_undescribed(int number)
{
    uint32_t id = define_undescribed(number, "");

    if (number >= 0 && number < TABLE_SIZE && id) {
        uint32_t none = 0;
        __atomic_compare_exchange_n(&meanings[number], &none, HAPPENS << ID_BITS | id, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }
    pith_event(id);
}

/* Records an event number with a communicator. `comm`: the communicator's id in the recorder. `payload` may be NULL. */
static void record_with(int number, uint32_t comm, const unsigned char payload[BYTES])
{
    int is_in_table = number >= 0 && number < TABLE_SIZE;
    uint32_t *carrier = &carriers[payload != NULL][is_in_table ? number : 0];
    uint32_t id = is_in_table ? __atomic_load_n(carrier, __ATOMIC_ACQUIRE) : 0;

    if (!id) {
        id = define_undescribed(number, payload ? " info" : "");
        if (is_in_table)
            __atomic_store_n(carrier, id, __ATOMIC_RELEASE);
    }
    pith_comm_event(comm, id, payload, payload ? BYTES : 0);
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------ */

/* Sets a number's meaning and the id of its definition by one store, so that other threads always see both. */
static void set_meaning(int number, uint32_t what, uint32_t id)
{
    if (number >= 0 && number < TABLE_SIZE)
        __atomic_store_n(&meanings[number], what << ID_BITS | id, __ATOMIC_RELEASE);
}

/* Returns the colour without the pattern that may follow it: old programs write "red:vlines". */
static const char *colour_of(const char *colour, char copy[NAME_BYTES])
{
    snprintf(copy, NAME_BYTES, "%.*s", colour ? (int)strcspn(colour, ":") : 0, colour ? colour : "");
    return copy;
}

/* In a log that becomes CLOG-2, records when a description was made, because a CLOG-2 file has the definition at that
 * place among the records (formats/foreign/clog2/clog2_numbers.h). `final` is -1 for an event. */
static void mark_description(uint32_t comm, int start, int final, const char *name)
{
    size_t length = strlen(name);
    uint32_t numbers[2] = {htonl((uint32_t)start), htonl((uint32_t) final)};
    unsigned char payload[10 + NAME_MOST];

    if (!pithi_old_is_clog2())
        return;
    if (length > NAME_MOST)
        length = NAME_MOST;
    memcpy(payload, numbers, 8);
    payload[8] = (unsigned char)(length >> 8);
    payload[9] = (unsigned char)length;
    memcpy(payload + 10, name, length);
    pith_comm_event(comm, pith_event_define("mpe:describe", NULL, "start=%d final=%d name=%s"), payload, 10 + length);
}

/* Records as a property of the log to which communicator a description belongs. Returns the communicator's id in the
 * recorder. */
static uint32_t describe_comm(MPI_Comm comm, int number)
{
    char name[48], value[24];
    uint64_t key;
    uint32_t id = pithi_mpe_comm(comm, &key);

    if (id) {
        snprintf(name, sizeof name, "mpe_comm_%d", number);
        snprintf(value, sizeof value, "%" PRIx64, key);
        pith_property(name, value);
    }
    return id;
}

static void describe_state(uint32_t comm, int start, int final, const char *name, const char *colour,
                           const char *format)
{
    char made[32], key[64], colours[NAME_BYTES], info[NAME_BYTES];

    /* A state without a name is named after its number. */
    snprintf(made, sizeof made, "state %d", start);
    if (!name || !*name)
        name = made;
    uint32_t id = pith_state_define(name, colour_of(colour, colours));
    /* The payload of a state is an event called "NAME info". */
    if (format && *format) {
        snprintf(info, sizeof info, "%s info", name);
        pith_event_define(info, colours, format);
    }
    /* From this property, the merge learns what the numbers mean in the records of other processes. */
    snprintf(key, sizeof key, "mpe_state_%d_%d", start, final);
    pith_property(key, name);
    mark_description(comm, start, final, name);
    set_meaning(start, BEGINS, id);
    set_meaning(final, ENDS, id);
}

static void describe_event(uint32_t comm, int event, const char *name, const char *colour, const char *format)
{
    char made[32], key[64], colours[NAME_BYTES];

    snprintf(made, sizeof made, "event %d", event);
    if (!name || !*name)
        name = made;
    uint32_t id = pith_event_define(name, colour_of(colour, colours), format);
    snprintf(key, sizeof key, "mpe_event_%d", event);
    pith_property(key, name);
    mark_description(comm, event, -1, name);
    set_meaning(event, HAPPENS, id);
}

int MPE_Describe_info_state(int start, int final, const char *name, const char *colour, const char *format)
{
    PITHI_MPE_FORWARD(MPE_Describe_info_state, (start, final, name, colour, format));
    ONLY_WHILE_RUNNING;
    describe_state(0, start, final, name, colour, format);
    return MPE_LOG_OK;
}

int MPE_Describe_state(int start, int final, const char *name, const char *colour)
{
    return MPE_Describe_info_state(start, final, name, colour, NULL);
}

int MPE_Describe_info_event(int event, const char *name, const char *colour, const char *format)
{
    PITHI_MPE_FORWARD(MPE_Describe_info_event, (event, name, colour, format));
    ONLY_WHILE_RUNNING;
    describe_event(0, event, name, colour, format);
    return MPE_LOG_OK;
}

int MPE_Describe_event(int event, const char *name, const char *colour)
{
    return MPE_Describe_info_event(event, name, colour, NULL);
}

int MPE_Describe_comm_state(MPI_Comm comm, int start, int final, const char *name, const char *colour,
                            const char *format)
{
    PITHI_MPE_FORWARD(MPE_Describe_comm_state, (comm, start, final, name, colour, format));
    ONLY_WHILE_RUNNING;
    describe_state(describe_comm(comm, start), start, final, name, colour, format);
    return MPE_LOG_OK;
}

int MPE_Describe_comm_event(MPI_Comm comm, int event, const char *name, const char *colour, const char *format)
{
    PITHI_MPE_FORWARD(MPE_Describe_comm_event, (comm, event, name, colour, format));
    ONLY_WHILE_RUNNING;
    describe_event(describe_comm(comm, event), event, name, colour, format);
    return MPE_LOG_OK;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* Copies a payload of 32 bytes. Programs may pass a shorter string, since MPE, too, just reads the bytes behind it. If
 * the 32 bytes extend into the next page, that page may not exist. Then the kernel copies the bytes, because it returns
 * an error where this process would crash. */
__attribute__((no_sanitize_address)) static void copy_payload(unsigned char copy[BYTES], const char *bytes)
{
    uint64_t words[BYTES / 8];
    size_t left = SMALLEST_PAGE - (uintptr_t)bytes % SMALLEST_PAGE;

    memset(copy, 0, BYTES);
    if (left < BYTES) {
        struct iovec from[2] = {{(char *)(uintptr_t)bytes, left}, {(char *)(uintptr_t)bytes + left, BYTES - left}};
        struct iovec to = {copy, BYTES};
        int saved = errno;
        ssize_t got = process_vm_readv(getpid(), &to, 1, from, 2, 0);
        errno = saved;
        if (got >= (ssize_t)left)
            return;
    }
    for (size_t i = 0; i < BYTES / 8; i++) /* not memcpy, which sanitizers watch */
        words[i] = ((const struct { uint64_t word; } __attribute__((packed, may_alias)) *)bytes)[i].word;
    memcpy(copy, words, BYTES);
}

/* Not inlined into record(), so that a record without a payload needs no stack for the copy. */
__attribute__((noinline)) static int record_payload(int event, uint32_t comm, const char *bytes)
{
    unsigned char copy[BYTES];

    copy_payload(copy, bytes);
    record_with(event, comm, copy);
    return MPE_LOG_OK;
}

/* Records an event number. Nearly all records have no payload, so another function handles those that have one, and
 * this function stays short. */
static int record(int event, const char *bytes)
{
    if (bytes != NULL)
        return record_payload(event, 0, bytes);
    uint32_t meaning = event >= 0 && event < TABLE_SIZE ? __atomic_load_n(&meanings[event], __ATOMIC_ACQUIRE) : 0;
    uint32_t id = meaning & ((1u << ID_BITS) - 1);

    switch (meaning >> ID_BITS) {
    case BEGINS:
        pith_begin(id);
        break;
    case ENDS:
        pith_end(id);
        break;
    case HAPPENS:
        pith_event(id);
        break;
    default:
        record_undescribed(event);
    }
    return MPE_LOG_OK;
}

int MPE_Log_info_event(int event, const char *bytes)
{
    PITHI_MPE_FORWARD(MPE_Log_info_event, (event, bytes));
    ONLY_WHILE_RUNNING;
    return record(event, bytes);
}

int MPE_Log_event(int event, int data, const char *bytes)
{
    (void)data;
    PITHI_MPE_FORWARD(MPE_Log_event, (event, data, bytes));
    ONLY_WHILE_RUNNING;
    return record(event, bytes);
}

int MPE_Log_bare_event(int event) { return MPE_Log_info_event(event, NULL); }

int MPE_Log_comm_event(MPI_Comm comm, int event, const char *bytes)
{
    uint64_t key;
    uint32_t id;

    PITHI_MPE_FORWARD(MPE_Log_comm_event, (comm, event, bytes));
    ONLY_WHILE_RUNNING;
    id = pithi_mpe_comm(comm, &key);
    /* An unknown communicator is left out of the record. */
    if (!id)
        return record(event, bytes);
    if (bytes)
        return record_payload(event, id, bytes);
    record_with(event, id, NULL);
    return MPE_LOG_OK;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

int MPE_Log_comm_send(MPI_Comm comm, int dest, int tag, int size)
{
    uint32_t id;
    int32_t peer;

    PITHI_MPE_FORWARD(MPE_Log_comm_send, (comm, dest, tag, size));
    ONLY_WHILE_RUNNING;
    if (pithi_mpe_peer(comm, dest, &id, &peer))
        pith_comm_send(id, peer, tag, size > 0 ? (uint64_t)size : 0);
    return MPE_LOG_OK;
}

int MPE_Log_comm_receive(MPI_Comm comm, int source, int tag, int size)
{
    uint32_t id;
    int32_t peer;

    PITHI_MPE_FORWARD(MPE_Log_comm_receive, (comm, source, tag, size));
    ONLY_WHILE_RUNNING;
    /* The record of a receive has a number that gives the order of posting. This receive counts as posted now. */
    if (pithi_mpe_peer(comm, source, &id, &peer))
        pith_comm_recv(id, peer, tag, size > 0 ? (uint64_t)size : 0, pith_recv_post());
    return MPE_LOG_OK;
}

int MPE_Log_send(int dest, int tag, int size) { return MPE_Log_comm_send(MPI_COMM_WORLD, dest, tag, size); }

int MPE_Log_receive(int source, int tag, int size) { return MPE_Log_comm_receive(MPI_COMM_WORLD, source, tag, size); }

/* ---- Payloads: values one after another, big-endian, unpadded ---------------------------------------------------- */

/* [token] size of one value of this token (pith_event_define in pith.h), for 's' of one character; 0: no such token. */
static const unsigned char token_sizes[128] = {
    ['s'] = 1, ['h'] = 2, ['d'] = 4, ['x'] = 4, ['e'] = 4, ['l'] = 8, ['X'] = 8, ['E'] = 8,
};

/* Writes a value with its most significant byte first. */
static void put(char *out, const unsigned char *value, int size)
{
    const int one = 1;
    int little = *(const char *)&one;

    for (int i = 0; i < size; i++)
        out[i] = (char)value[little ? size - 1 - i : i];
}

/* A string (token 's') is preceded by its length. If there is no room for all values, the payload stays as it is. */
int MPE_Log_pack(MPE_LOG_BYTES bytes, int *pos, char token, int count, const void *data)
{
    int size = token > 0 ? token_sizes[(int)token] : 0, head = token == 's' ? 2 : 0;

    if (!bytes || !pos || !size || count < 0 || (count > 0 && !data) || *pos < 0 ||
        *pos > (int)sizeof(MPE_LOG_BYTES) - head || count > ((int)sizeof(MPE_LOG_BYTES) - head - *pos) / size)
        return MPE_LOG_PACK_FAIL;
    if (head) {
        unsigned short length = (unsigned short)count;
        put(bytes + *pos, (const unsigned char *)&length, 2);
        *pos += 2;
    }
    for (int i = 0; i < count; i++) {
        put(bytes + *pos, (const unsigned char *)data + i * size, size);
        *pos += size;
    }
    return MPE_LOG_OK;
}
