/* type_parts.c - puts headers in front of messages, by a datatype or by a copy, whichever is faster (type_parts.h).
 *
 *     copy        [header, 40 bytes][the message's bytes]      one buffer of this file, sent as MPI_PACKED
 *     datatype    struct { 5 MPI_INT64_T at the header; count x type at the program's buffer }, from MPI_BOTTOM
 *
 * A datatype must be made and freed for each message, which takes longer than copying a few KiB; for larger messages,
 * copying takes longer. Only contiguous types are copied by memcpy. A message may be shorter than the receive allows;
 * the bytes of the program's buffer behind the message must then keep their values. */
#include "type_parts.h"

#include "datatype.h"
#include "real.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

/* COPY_MOST: bytes of the largest message that may be copied; COPY_ROOM: bytes of a buffer for it and its header */
enum { COPY_MOST = 4096, COPY_ROOM = (sizeof(struct pithi_header) + COPY_MOST + 15) / 16 * 16 };
static uint64_t copy_most; /* bytes of the largest messages that are copied, as measured; 0: no message is copied */

/* Each thread has a buffer for the copy of a sent message, and one for that of a received message. They are allocated,
 * because a library that is loaded late has little room for thread-local variables. */
enum { COPY_SENT, COPY_RECEIVED };
static pthread_key_t copies_key; /* its destructor frees a thread's copies */
static pthread_once_t copies_once = PTHREAD_ONCE_INIT;

static __thread char *own_copies __attribute__((tls_model("initial-exec")));

static void drop_copies(void *copies)
{
    free(copies);
    own_copies = NULL;
}

static void make_copies_key(void) { pthread_key_create(&copies_key, drop_copies); }

static char *copies(int which)
{
    if (!own_copies) {
        pthread_once(&copies_once, make_copies_key);
        own_copies = malloc(2 * COPY_ROOM);
        pthread_setspecific(copies_key, own_copies);
    }
    return own_copies ? own_copies + which * COPY_ROOM : NULL;
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

void pithi_part_user(struct pithi_part *part, void *buf, MPI_Count count, MPI_Datatype type)
{
    *part = (struct pithi_part){
        .buf = buf, .count = count, .type = type, .user_buf = buf, .user_count = count, .user_type = type};
}

int pithi_part_is_bad(const struct pithi_part *part)
{
    return part->user_count < 0 || part->user_type == MPI_DATATYPE_NULL ||
           (part->user_buf == NULL && part->user_count > 0 && pithi_type_plain_bytes(part->user_type) > 0);
}

uint64_t pithi_part_bytes(const struct pithi_part *part) { return pithi_type_bytes(part->user_count, part->user_type); }

void pithi_part_join(struct pithi_part *part, struct pithi_header *header)
{
    int lengths[2] = {sizeof *header / sizeof(int64_t), (int)part->user_count};
    MPI_Datatype types[2] = {MPI_INT64_T, part->user_type};
    MPI_Aint places[2];
    int parts = pithi_part_bytes(part) > 0 ? 2 : 1; /* leaves out empty data, with which MPICH refuses MPI_BOTTOM */
    REAL(MPI_Get_address)(header, &places[0]);
    REAL(MPI_Get_address)(part->user_buf, &places[1]);
#if MPI_VERSION >= 4
    if (part->user_count > INT_MAX) {
        MPI_Count long_lengths[2] = {lengths[0], part->user_count}, long_places[2] = {places[0], places[1]};
        REAL(MPI_Type_create_struct_c)(2, long_lengths, long_places, types, &part->type);
    } else
#endif
        REAL(MPI_Type_create_struct)(parts, lengths, places, types, &part->type);
    REAL(MPI_Type_commit)(&part->type);
    part->buf = MPI_BOTTOM;
    part->count = 1;
    part->header = header;
    part->has_header = part->has_type = 1;
}

/* Returns 1 if the message is to be copied, that is, if its type is contiguous and it has at most copy_most bytes. */
static int is_copied(const struct pithi_part *part)
{
    uint64_t size = copy_most ? pithi_type_plain_bytes(part->user_type) : 0;
    return size > 0 && (uint64_t)part->user_count <= copy_most && size * (uint64_t)part->user_count <= copy_most;
}

static void copy(struct pithi_part *part, struct pithi_header *header, char *memory)
{
    part->room = (uint64_t)part->user_count * pithi_type_plain_bytes(part->user_type);
    part->copied = memory;
    part->buf = memory;
    part->count = (MPI_Count)(sizeof *header + part->room);
    part->type = MPI_PACKED;
    part->header = header;
    part->has_header = 1;
    if (part->room) /* before a receive, too: bytes behind the message that arrives keep their values */
        memcpy(memory + sizeof *header, part->user_buf, part->room);
}

/* Packs or unpacks data of any type, by a message that this process sends to itself. The data may be shorter than the
 * room at `to`. Each thread uses a tag of its own, so that it gets its own message. NEEDSWORK: fails for more than
 * INT_MAX elements. */
static void pass(const void *from, MPI_Count from_count, MPI_Datatype from_type, void *to, MPI_Count to_count,
                 MPI_Datatype to_type)
{
    static int threads;
    static __thread int tag __attribute__((tls_model("initial-exec")));
    const struct pithi_handle *own = pithi_shadow_find(pithi_comm_key(MPI_COMM_SELF));
    MPI_Comm self = own ? pithi_shadow_of(own) : MPI_COMM_NULL;
    if (!tag)
        tag = (int)((unsigned)__atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) & 0x7fff);
    pithi_delay_copies((uint64_t)(from_type == MPI_PACKED ? from_count : to_count));
    REAL(MPI_Sendrecv)
    (from, (int)from_count, from_type, 0, tag, to, (int)to_count, to_type, 0, tag, self, MPI_STATUS_IGNORE);
}

void pithi_part_send(struct pithi_part *part, struct pithi_header *header, enum pithi_piggyback_call call,
                     void **memory)
{
    if (call == PITHI_PIGGYBACK_BOTH) {
        uint64_t room = pithi_part_bytes(part);
        char *place = *memory = malloc(sizeof *header + room);
        if (place) {
            memcpy(place, header, sizeof *header);
            pass(part->user_buf, part->user_count, part->user_type, place + sizeof *header, (MPI_Count)room,
                 MPI_PACKED);
            part->buf = place;
            part->count = (MPI_Count)(sizeof *header + room);
            part->type = MPI_PACKED;
            part->has_header = 1;
        }
        return;
    }
    char *place = call == PITHI_PIGGYBACK_BLOCKING && is_copied(part) ? copies(COPY_SENT) : NULL;
    if (call == PITHI_PIGGYBACK_REQUEST && is_copied(part))
        *memory = place = malloc(sizeof *header + COPY_MOST);
    if (!place) {
        pithi_part_join(part, header);
        return;
    }
    copy(part, header, place);
}

void pithi_part_recv(struct pithi_part *part, struct pithi_header *header)
{
    char *place = is_copied(part) ? copies(COPY_RECEIVED) : NULL;
    if (place)
        copy(part, header, place);
    else
        pithi_part_join(part, header);
}

void pithi_part_received(struct pithi_part *part, uint64_t size_bytes)
{
    if (!part->copied)
        return;
    memcpy(part->header, part->copied, sizeof *part->header);
    if (size_bytes > part->room)
        size_bytes = part->room;
    if (size_bytes)
        memcpy(part->user_buf, part->copied + sizeof *part->header, size_bytes);
}

void pithi_part_end(struct pithi_part *part)
{
    if (part->has_type)
        REAL(MPI_Type_free)(&part->type);
    part->has_type = 0;
}

/* ---- Copies of any datatype -------------------------------------------------------------------------------------- */

/* Prepares to receive a message of any type into new memory, and returns that memory; NULL if there is none. The
 * program may free its datatype before the message arrives, so this function makes and keeps a type of its own from
 * it. */
static char *make_copy(struct pithi_part *part, struct pithi_arriving *arriving)
{
    arriving->room = pithi_part_bytes(part);
    if (!(arriving->memory = malloc(sizeof(struct pithi_header) + arriving->room)))
        return NULL;
    arriving->buf = part->user_buf;
    REAL(MPI_Type_contiguous)((int)part->user_count, part->user_type, &arriving->type);
    REAL(MPI_Type_commit)(&arriving->type);
    part->buf = arriving->memory;
    part->count = (MPI_Count)(sizeof(struct pithi_header) + arriving->room);
    part->type = MPI_PACKED;
    part->has_header = 1;
    return arriving->memory;
}

void pithi_part_arriving(struct pithi_part *part, struct pithi_arriving *arriving) { make_copy(part, arriving); }

void pithi_part_replace(struct pithi_part *part, struct pithi_header *header, struct pithi_arriving *arriving)
{
    char *memory = make_copy(part, arriving);
    if (!memory)
        return;
    memcpy(memory, header, sizeof *header);
    pass(part->user_buf, part->user_count, part->user_type, memory + sizeof *header, (MPI_Count)arriving->room,
         MPI_PACKED);
}

void pithi_part_arrived(const struct pithi_arriving *arriving, struct pithi_header *header)
{
    memcpy(header, arriving->memory, sizeof *header);
    uint64_t data = (uint64_t)header->size_bytes;
    pass(arriving->memory + sizeof *header, (MPI_Count)(data < arriving->room ? data : arriving->room), MPI_PACKED,
         arriving->buf, 1, arriving->type);
}

void pithi_part_arriving_end(struct pithi_arriving *arriving)
{
    REAL(MPI_Type_free)(&arriving->type);
    free(arriving->memory);
    arriving->memory = NULL;
}

void pithi_status_without_header(MPI_Status *status)
{
    uint64_t bytes = pithi_status_bytes(status);
    if (bytes >= sizeof(struct pithi_header))
        REAL(MPI_Status_set_elements_x)(status, MPI_BYTE, (MPI_Count)(bytes - sizeof(struct pithi_header)));
}

/* ---- Which way is faster ----------------------------------------------------------------------------------------- */

/* Returns the size in bytes of the largest message for which copying is faster than making and freeing a type. Measures
 * how long it takes to make and free a type and to copy COPY_MOST bytes, and takes the shortest of several runs. */
static uint64_t measure_copy_most(void)
{
    int64_t type_ns = INT64_MAX, copy_ns = INT64_MAX;
    char *to = copies(COPY_SENT), *of = copies(COPY_RECEIVED);
    if (!to)
        return 0;
    memset(of, 0, COPY_MOST);
    for (int i = 0; i < 20; i++) {
        struct pithi_header header = {0};
        struct pithi_part part;
        int64_t from = pithi_delay_clock();
        pithi_part_user(&part, to, 1, MPI_BYTE);
        pithi_part_join(&part, &header);
        pithi_part_end(&part);
        int64_t between = pithi_delay_clock();
        memcpy(to, of, COPY_MOST);
        __asm__ volatile("" ::: "memory");
        int64_t end = pithi_delay_clock();
        type_ns = between - from < type_ns ? between - from : type_ns;
        copy_ns = end - between < copy_ns ? end - between : copy_ns;
    }
    uint64_t most = copy_ns > 0 ? (uint64_t)(type_ns * COPY_MOST / copy_ns) : COPY_MOST;
    return most > COPY_MOST ? COPY_MOST : most < 64 ? 64 : most;
}

void pithi_part_begin(int mode) { copy_most = mode == PITHI_COMPENSATE_AUTO ? measure_copy_most() : 0; }
