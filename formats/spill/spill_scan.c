/* spill_scan.c - finds the parts of a spill file: page, chunks, lanes, definitions. It does not read records.
 *
 * Chunks of all lanes are mixed in the file, in the order in which the threads needed them. They are sorted by lane and
 * `seq`. If two chunks have the same lane and `seq`, one is a window and the other a copy of it (spill.h); the window
 * is dropped:
 *
 *     in the file      lane 0 seq 2 (window) | lane 0 seq 3 (window) | definitions | lane 1 seq 0 | lane 0 seq 2 (copy)
 *     lane 0           seq 2 (the copy: it never changes), seq 3
 *     lane 1           seq 0
 *
 * The file of a running process changes while it is read. pithi_spill_open_still therefore maps it privately and stores
 * into each page of the chunks that may change: the system then gives this process its own copy of the page. After
 * that, the lane and `seq` of the chunk in the file show whether the program has reused the chunk meanwhile; if so,
 * everything is scanned again. The program is not stopped while its chunks are copied, because even a short stop would
 * change its measurements. */
#include "spill/spill_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/file_at.h"
#include "base/map.h"
#include "base/open_file.h"
#include "spill/spill_chunk.h"

enum { SEEN_MOST = 4 << 20 }; /* bytes: after scanning this much, a mapped file's pages are dropped from memory */

#define END_STRING(array) ((array)[sizeof(array) - 1] = '\0')

/* Compares only "PSPILL", because the two digits that follow in the magic are the version. */
int pithi_spill_is_any(const void *data, size_t size)
{
    return size >= PITHI_SPILL_PAGE && memcmp(data, "PSPILL", 6) == 0;
}

/* Reads the process page of a file that may be in use. The process may store page->last at any time; while it does,
 * last_version is odd. If that happens during the reading, page->last becomes a copy of page->first. */
int pithi_spill_page_read(struct pithi_spill_page *page, const char *path, const void *data, size_t size)
{
    const struct pithi_spill_page *mapped = data;
    uint64_t version;
    if (size < PITHI_SPILL_PAGE || __atomic_load_n(&mapped->magic, __ATOMIC_ACQUIRE) != PITHI_SPILL_MAGIC) {
        /* Finds out whether the version is newer or older: magics differ in two digits, the version, and are compared
         * byte by byte. */
        static const uint64_t own = PITHI_SPILL_MAGIC;
        if (!pithi_spill_is_any(data, size))
            return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: not a spill file of Pith", path);
        return pithi_fail(PITH_ERR_UNSUPPORTED,
                          "%s: byte 6: a spill file of %s version of Pith; recover it with that version", path,
                          memcmp(data, &own, sizeof own) > 0 ? "a newer" : "an older");
    }
    version = __atomic_load_n(&mapped->last_version, __ATOMIC_ACQUIRE);
    memcpy(page, data, sizeof *page);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* also makes sure that chunks are read after their count in the page */
    if ((version & 1) != 0 || __atomic_load_n(&mapped->last_version, __ATOMIC_RELAXED) != version)
        page->last = page->first; /* `last` was being stored */
    /* a damaged page may have no NUL in its texts */
    END_STRING(page->host);
    END_STRING(page->boot_id);
    END_STRING(page->program);
    END_STRING(page->log);
    return PITH_OK;
}

int pithi_spill_page_load(struct pithi_spill_page *page, const char *path, int fd)
{
    union { /* on the stack, because a library loaded by dlopen has little room for thread-local data */
        struct pithi_spill_page page;
        unsigned char bytes[PITHI_SPILL_PAGE];
    } buffer;
    return pithi_spill_page_read(page, path, buffer.bytes, pithi_read_at(fd, buffer.bytes, sizeof buffer, 0));
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

/* Orders chunks by lane, `seq` and place in the file. So a window comes before its copy, which has the same `seq` and
 * lies after it in the file. */
static int by_lane(const void *a, const void *b)
{
    const struct pithi_spill_chunk *left = a, *right = b;
    if (left->lane != right->lane)
        return left->lane < right->lane ? -1 : 1;
    if (left->seq != right->seq)
        return left->seq < right->seq ? -1 : 1;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* Returns the size of the chunk at `offset`, at most up to the end of the file. Returns 0 if no chunk begins there. */
static uint64_t chunk_at(const struct pithi_spill *spill, uint64_t offset, struct pithi_chunk *header)
{
    const struct pithi_chunk *mapped = (const void *)(spill->data + offset);
    if (spill->size - offset < sizeof *header || __atomic_load_n(&mapped->magic, __ATOMIC_ACQUIRE) != PITHI_CHUNK_MAGIC)
        return 0;
    uint64_t words = __atomic_load_n(&mapped->words, __ATOMIC_ACQUIRE);
    memcpy(header, mapped, sizeof *header);
    if (header->words != words) /* the chunk is just being sealed, so its check value may not be there yet */
        header->words = 0;
    /* a chunk is at least a page long and ends at a page */
    if (header->size_bytes < PITHI_SPILL_PAGE || header->size_bytes % PITHI_SPILL_PAGE != 0 ||
        (header->open_bytes != 0 && header->open_bytes != sizeof(struct pithi_spill_open)))
        return 0;
    if (spill->size - offset < sizeof *header + header->open_bytes)
        return 0;
    return header->size_bytes < spill->size - offset ? header->size_bytes : (spill->size - offset) & ~UINT64_C(7);
}

/* Finds all chunks by their magic, looking at the begin of each page. It cannot go from chunk to chunk, because there
 * are pages of zeros between them where a chunk was never used. */
static int scan_chunks(struct pithi_spill *spill)
{
    uint64_t offset = PITHI_SPILL_PAGE, dropped = 0;
    while (offset < spill->size) {
        /* Releases the memory of the headers read so far, because reading a header brings the 16 pages around it into
         * memory, which is a quarter of a chunk. */
        if (spill->mapped && offset >= dropped + SEEN_MOST) {
            uint64_t seen = offset - offset % PITHI_SPILL_PAGE;
            madvise((void *)(uintptr_t)(spill->data + dropped), seen - dropped, MADV_DONTNEED);
            dropped = seen;
        }
        struct pithi_chunk header;
        struct pithi_spill_chunk *chunk;
        uint64_t size = chunk_at(spill, offset, &header);
        if (size == 0) { /* zeros or damaged bytes: tries the next page */
            offset += PITHI_SPILL_PAGE;
            continue;
        }
        if (!pithi_grow_one(&spill->chunks, spill->chunk_count, sizeof *spill->chunks) ||
            !pithi_grow_one(&spill->anchors, spill->anchor_count, sizeof *spill->anchors))
            return pithi_no_memory();
        if (header.lane != PITHI_SPILL_FREE) {
            chunk = &spill->chunks[spill->chunk_count++];
            *chunk = (struct pithi_spill_chunk){.offset = offset,
                                                .size = size,
                                                .base_ticks = header.base_ticks,
                                                .lost = header.lost,
                                                .overwritten = header.overwritten,
                                                .whole = header.size_bytes,
                                                .words_before = header.words_before,
                                                .words = header.words,
                                                .check = header.check,
                                                .lane = header.lane,
                                                .seq = header.seq,
                                                .open_bytes = (uint32_t)header.open_bytes};
            if (header.lane != PITHI_SPILL_DEFS) /* the header's anchor was taken when the chunk began */
                spill->anchors[spill->anchor_count++] = header.anchor;
        }
        offset += header.size_bytes <= spill->size - offset ? header.size_bytes : spill->size - offset;
    }
    if (spill->chunk_count > 1)
        qsort(spill->chunks, spill->chunk_count, sizeof *spill->chunks, by_lane);
    /* Drops each window of which there is a copy (spill.h). The copy is kept, because it never changes, even if the
     * process continues. It comes after the window in the sorted array. */
    struct pithi_spill_chunk *chunks = spill->chunks;
    uint32_t i, kept = 0;
    for (i = 0; i < spill->chunk_count; i++) {
        int again = kept > 0 && chunks[i].lane != PITHI_SPILL_DEFS && chunks[i].lane == chunks[kept - 1].lane &&
                    chunks[i].seq == chunks[kept - 1].seq;
        kept -= (uint32_t)again;
        chunks[kept++] = chunks[i];
    }
    spill->chunk_count = kept;
    return PITH_OK;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Returns the NUL-terminated string at *at and moves *at past it. Returns "" if the string does not end before `end`.
 */
static const char *string(const char **at, const char *end)
{
    const char *begin = *at, *stop = begin < end ? memchr(begin, '\0', (size_t)(end - begin)) : NULL;
    if (stop == NULL) {
        *at = end;
        return "";
    }
    *at = stop + 1;
    return begin;
}

/* Enlarges an array so that it has an element with index `id`. New elements are 0. */
static int extend(void *array, uint32_t *count, uint32_t id, size_t element)
{
    uint32_t want = id + 1 > *count * 2 ? id + 1 : *count * 2;
    if (id < *count)
        return PITH_OK;
    if (!pithi_resize(array, *count, want, element))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the definitions of a spill file");
    *count = want;
    return PITH_OK;
}

/* Stores a definition; its strings and other data are [at, end). Ignores an invalid definition. */
static int take(struct pithi_spill *spill, const struct pithi_spill_def *def, const char *at, const char *end)
{
    const char *key, *value;
    uint32_t i;
    switch (def->type) {
    case PITHI_D_STATE:
    case PITHI_D_EVENT:
    case PITHI_D_COUNTER: {
        /* An id is defined once, so a damaged or repeated definition is ignored. */
        struct pithlog_def *slot;
        const char *name = string(&at, end);
        if (def->id == 0 || def->id > PITHI_WORD_ID_MAX || *name == '\0')
            return PITH_OK;
        if (extend(&spill->defs, &spill->def_count, def->id, sizeof *spill->defs))
            return PITH_ERR_MEMORY;
        slot = &spill->defs[def->id];
        if (slot->name != NULL)
            return PITH_OK;
        slot->kind = def->type == PITHI_D_STATE     ? PITHLOG_STATE
                     : def->type == PITHI_D_COUNTER ? PITHLOG_COUNTER_TYPE
                                                    : PITHLOG_EVENT_TYPE;
        slot->name = name;
        slot->colour = string(&at, end);
        slot->group = string(&at, end);
        slot->format = string(&at, end);
        return PITH_OK;
    }
    case PITHI_D_COMM: {
        struct pithi_spill_comm head;
        struct pithi_spill_comm_def *slot;
        if ((size_t)(end - at) < sizeof head || def->id == 0 || def->id > PITHI_WORD_ID_MAX)
            return PITH_OK;
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        /* the members must fit into the rest of the definition */
        if (head.size < 0 || head.remote_size < 0 ||
            ((uint64_t)(uint32_t)head.size + (uint32_t)head.remote_size) * 4 > (uint64_t)(end - at))
            return PITH_OK;
        if (extend(&spill->comms, &spill->comm_count, def->id, sizeof *spill->comms))
            return PITH_ERR_MEMORY;
        slot = &spill->comms[def->id];
        slot->comm.key = head.key;
        slot->comm.size = head.size;
        slot->comm.remote_size = head.remote_size;
        slot->comm.world_ranks = (const void *)at; /* aligned, as sizes of definitions are multiples of 8 */
        slot->rank = head.rank;
        slot->defined = 1;
        at += ((size_t)head.size + (size_t)head.remote_size) * 4;
        slot->comm.name = string(&at, end);
        return PITH_OK;
    }
    /* a communicator may get its name after it was defined */
    case PITHI_D_COMM_NAME:
        if (def->id < spill->comm_count && spill->comms[def->id].defined)
            spill->comms[def->id].comm.name = string(&at, end);
        return PITH_OK;
    case PITHI_D_THREAD:
        for (i = 0; i < spill->lane_count; i++)
            if (spill->lanes[i].lane == def->id)
                spill->lanes[i].name = string(&at, end);
        return PITH_OK;
    case PITHI_D_PROPERTY:
        key = string(&at, end);
        value = string(&at, end);
        if (*key == '\0')
            return PITH_OK;
        if (!pithi_grow_one(&spill->properties, spill->property_count, sizeof *spill->properties))
            return pithi_no_memory();
        spill->properties[spill->property_count++] = (struct pithi_spill_property){key, value};
        return PITH_OK;
    case PITHI_D_SYNC:
        if ((size_t)(end - at) < sizeof *spill->syncs)
            return PITH_OK;
        if (!pithi_grow_one(&spill->syncs, spill->sync_count, sizeof *spill->syncs))
            return pithi_no_memory();
        memcpy(&spill->syncs[spill->sync_count++], at, sizeof *spill->syncs);
        /* the id of a sync point is the number of this machine's clock in the job */
        spill->clock_number = def->id;
        return PITH_OK;
    default: /* ignores a definition of an unknown type; the caller goes on after it, because its size is valid */
        return PITH_OK;
    }
}

/* Takes the complete definitions from *at on. Stops at a definition whose size is not stored yet, because the process
 * is still writing it. */
int pithi_spill_take_defs(struct pithi_spill *spill, const char **at, const char *end)
{
    while ((size_t)(end - *at) >= sizeof(struct pithi_spill_def)) {
        struct pithi_spill_def def;
        uint32_t size = __atomic_load_n((const uint32_t *)(const void *)*at, __ATOMIC_ACQUIRE);
        if (size < sizeof def || size % 8 != 0 || size > (size_t)(end - *at))
            break;
        memcpy(&def, *at, sizeof def);
        spill->definitions++;
        /* A check of 0 means that the process stored no check value. A definition with a wrong check value is counted,
         * but used all the same. */
        spill->definitions_wrong += def.check != 0 && pithi_spill_def_check((const void *)*at, size) != def.check;
        if (take(spill, &def, *at + sizeof def, *at + size))
            return PITH_ERR_MEMORY;
        *at += size;
    }
    return PITH_OK;
}

/* ---- The whole file ---------------------------------------------------------------------------------------------- */

static int add_anchor(struct pithi_spill *spill, const struct pithi_anchor *anchor)
{
    if (!pithi_grow_one(&spill->anchors, spill->anchor_count, sizeof *spill->anchors))
        return pithi_no_memory();
    spill->anchors[spill->anchor_count++] = *anchor;
    return PITH_OK;
}

/* Finds page, chunks, lanes and definitions of a file that is in memory or mapped. After an error there is nothing to
 * free. */
static int scan(struct pithi_spill *spill, const char *path, const void *data, size_t size, int mapped)
{
    int err;
    memset(spill, 0, sizeof *spill);
    spill->path = path;
    spill->data = data;
    spill->size = size;
    spill->mapped = mapped;
    TRY(pithi_spill_page_read(&spill->page, path, data, size));
    /* MPI_COMM_WORLD is always there, without a definition in the file */
    TRY(extend(&spill->comms, &spill->comm_count, 0, sizeof *spill->comms));
    spill->comms[0].comm.name = "MPI_COMM_WORLD";
    spill->comms[0].defined = 1;
    TRY(add_anchor(spill, &spill->page.first));
    TRY(add_anchor(spill, &spill->page.last));
    TRY(scan_chunks(spill));
    /* The chunks are sorted by lane, so those of a lane follow each other. */
    struct pithi_spill_lane *lane = NULL;
    uint32_t i;
    for (i = 0; i < spill->chunk_count; i++) {
        const struct pithi_spill_chunk *chunk = &spill->chunks[i];
        if (chunk->lane == PITHI_SPILL_DEFS)
            continue;
        if (lane == NULL || lane->lane != chunk->lane) {
            if (!pithi_grow_one(&spill->lanes, spill->lane_count, sizeof *spill->lanes))
                TRY(pithi_no_memory());
            lane = &spill->lanes[spill->lane_count++];
            *lane = (struct pithi_spill_lane){chunk->lane, i, 0, "", 0, 0};
        }
        lane->count++;
        lane->lost += chunk->lost;
        lane->overwritten = chunk->overwritten; /* the count of the last chunk, the newest, is for the whole lane */
    }
    for (i = 0; i < spill->chunk_count; i++) {
        const struct pithi_spill_chunk *chunk = &spill->chunks[i];
        const char *at = (const char *)spill->data + chunk->offset + sizeof(struct pithi_chunk);
        if (chunk->lane == PITHI_SPILL_DEFS &&
            pithi_spill_take_defs(spill, &at, (const char *)spill->data + chunk->offset + chunk->size))
            TRY(PITH_ERR_MEMORY);
    }
out:
    if (err)
        pithi_spill_close(spill);
    return err;
}

int pithi_spill_scan(struct pithi_spill *spill, const char *path, const void *data, size_t size)
{
    return scan(spill, path, data, size, 0);
}

/* Fits the clock of the process through its anchors, then corrects it by its sync points (clock_sync.h). */
int pithi_spill_fit(struct pithi_spill *spill, const struct pithi_anchor_pair *base)
{
    CHECK(pithi_time_fit(&spill->time, &spill->page, spill->anchors, spill->anchor_count, base));
    spill->sync_count = pithi_sync_tidy(spill->syncs, spill->sync_count);
    return pithi_sync_correct(&spill->time, spill->syncs, spill->sync_count);
}

static int open_mapped(struct pithi_spill *spill, const char *path, int protection, int flags)
{
    struct stat info;
    void *data;
    int fd = pithi_open_input(path, O_NOFOLLOW);

    memset(spill, 0, sizeof *spill);
    if (fd < 0)
        return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", path, pithi_open_why());
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size < (off_t)PITHI_SPILL_PAGE) {
        close(fd);
        return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: not a spill file", path);
    }
    errno = EFBIG; /* the error if a machine with 32-bit addresses cannot map a file of more than 4 GiB */
    data = (uint64_t)info.st_size == (size_t)info.st_size ? mmap(NULL, (size_t)info.st_size, protection, flags, fd, 0)
                                                          : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED)
        return pithi_fail(PITH_ERR_MEMORY, "%s: cannot be mapped: %m", path);
    pithi_fault_watch(data, (uint64_t)info.st_size, NULL);
    /* if the file is cut while it is read, the watch makes its missing bytes zeros */
    return scan(spill, path, data, (size_t)info.st_size, 1); /* scan() unmaps on failure */
}

int pithi_spill_open(struct pithi_spill *spill, const char *path)
{
    return open_mapped(spill, path, PROT_READ, MAP_SHARED);
}

/* ---- Files of running processes ---------------------------------------------------------------------------------- */

/* Keeps the contents of a chunk by storing into each of its pages: a store gives a private mapping its own copy of the
 * page. Returns 1 if the process has not reused the chunk meanwhile. */
static int keep_chunk(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    unsigned char *at = (unsigned char *)(uintptr_t)spill->data + chunk->offset, *end = at + chunk->size;
    static const volatile unsigned char zero = 0; /* volatile, because clang turns an "or" with a known 0 into a load */
    struct pithi_chunk header;
    for (; at < end; at += PITHI_SPILL_PAGE)
        /* an atomic "or" with 0 is a store that changes nothing, even if the process writes to the page */
        __atomic_fetch_or(at, zero, __ATOMIC_SEQ_CST);
    return pread(spill->fd, &header, sizeof header, (off_t)chunk->offset) == (ssize_t)sizeof header &&
           header.lane == chunk->lane && header.seq == chunk->seq;
}

/* Copies the contents of a chunk that a ring may reuse. Returns 0 if the process has reused the chunk meanwhile. */
int pithi_spill_keep(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    return !spill->still || chunk->kept || chunk->open_bytes == 0 || keep_chunk(spill, chunk);
}

void pithi_spill_let_go(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    if (spill->still ? !chunk->kept && chunk->open_bytes != 0 : spill->mapped)
        madvise((void *)(uintptr_t)(spill->data + chunk->offset), chunk->size, MADV_DONTNEED);
}

/* Returns the number of bytes of a chunk up to the end of its last complete record. A claimed record is not complete: a
 * thread is just storing it. */
static uint64_t stored_bytes(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    const unsigned char *data = spill->data + chunk->offset;
    const uint64_t *word = (const void *)(data + sizeof(struct pithi_chunk) + chunk->open_bytes), *stored = word;
    const uint64_t *end = (const void *)(data + chunk->size);
    while (word < end) {
        uint64_t words = pithi_spill_record_words(word, (uint64_t)(end - word));
        int claimed = (__atomic_load_n(word, __ATOMIC_ACQUIRE) & 15) == PITHI_W_CLAIMED;
        /* if no record begins here (words is 0), goes to the next word that is not 0 */
        word = words == 0 ? pithi_spill_behind_hole(word, end) : word + words;
        if (words == 0 && word < end && pithi_spill_record_words(word, (uint64_t)(end - word)) == 0)
            break;
        if (words != 0 && !claimed)
            stored = word;
    }
    return (uint64_t)((const unsigned char *)stored - data);
}

int pithi_spill_used_again(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk)
{
    const struct pithi_chunk *mapped = (const void *)(spill->data + chunk->offset);
    return __atomic_load_n(&mapped->seq, __ATOMIC_ACQUIRE) != chunk->seq ||
           __atomic_load_n(&mapped->lane, __ATOMIC_ACQUIRE) != chunk->lane;
}

/* Copies the windows of each lane, which are the two chunks into which its thread stores. Returns 1, or 0 if the caller
 * must scan again, because a chunk that was copied or reused during this scan was missed.
 *
 * A lane must have all chunks from seq 0 on, a ring from its oldest chunk on. If chunks are missing before a chunk, a
 * new scan may find them. If they are missing again in the next attempt (*lost_at), the file is damaged. A chunk may
 * also reach beyond the end of the mapping, if the file was mapped while a window was being copied to its end. If the
 * chunk still does so in the next attempt (*beyond), the file was cut. */
static int keep_windows(struct pithi_spill *spill, uint64_t *lost_at, uint64_t *beyond)
{
    uint64_t stored;
    uint32_t i, j;
    for (i = 0; i < spill->lane_count; i++) {
        const struct pithi_spill_lane *lane = &spill->lanes[i];
        for (j = 0; j < lane->count; j++) {
            struct pithi_spill_chunk *chunk = &spill->chunks[lane->first + j];
            uint32_t expected = j > 0 ? chunk[-1].seq + 1 : chunk->open_bytes == 0 ? 0 : chunk->seq;
            uint64_t here = (uint64_t)chunk->lane << 32 | chunk->seq;
            if (chunk->seq != expected && here != *lost_at) {
                *lost_at = here;
                return 0;
            }
            if (chunk->size < chunk->whole && chunk->offset != *beyond) {
                *beyond = chunk->offset;
                return 0;
            }
            if (j + 2 < lane->count) {
                /* in this case the scan found a window that is reused by now, and missed the copy of it */
                if (chunk->open_bytes == 0 && pithi_spill_used_again(spill, chunk))
                    return 0;
                continue;
            }
            /* Measures the chunk before its pages are copied. Records that are stored during the copying are ignored,
             * because only some of them would be in the copy. */
            stored = stored_bytes(spill, chunk);
            if (!keep_chunk(spill, chunk))
                return 0;
            chunk->size = stored;
            chunk->kept = 1;
        }
    }
    return 1;
}

/* Scans the file again if windows were copied or reused during the scan. With very many busy threads all 50 attempts
 * may fail; then the walk later skips the chunks that are gone (next_chunk in spill_walk.c). */
int pithi_spill_open_still(struct pithi_spill *spill, const char *path)
{
    uint64_t lost_at = UINT64_MAX, beyond = 0;
    int tries, kept = 0, err = PITH_OK, fd = pithi_open_input(path, O_NOFOLLOW);
    if (fd < 0)
        return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", path, pithi_open_why());
    /* each attempt scans the file anew */
    for (tries = 0; tries < 50 && err == PITH_OK && !kept; tries++) {
        if (tries > 0)
            pithi_spill_close(spill);
        err = open_mapped(spill, path, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE);
        spill->fd = fd;
        kept = err == PITH_OK && keep_windows(spill, &lost_at, &beyond);
        spill->still = spill->settled = kept;
    }
    if (err != PITH_OK)
        close(fd);
    else
        /* sets `still` even if no attempt succeeded, so that each chunk is checked when it is read */
        spill->still = 1;
    return err;
}

void pithi_spill_close(struct pithi_spill *spill)
{
    if (spill->mapped) {
        pithi_fault_leave(spill->data);
        munmap((void *)(uintptr_t)spill->data, spill->size);
    }
    if (spill->still)
        close(spill->fd);
    free(spill->chunks);
    free(spill->lanes);
    free(spill->defs);
    free(spill->comms);
    free(spill->properties);
    free(spill->anchors);
    free(spill->syncs);
    pithi_time_free(&spill->time);
    memset(spill, 0, sizeof *spill);
}
