/* fuzz_native.c - any bytes as a log: opened, checked, iterated in several ways, messages matched, recovered.
 *
 * CRCs would stop nearly all that a fuzzer makes up, so they are put right first, as a hostile writer would. One bit
 * that readers do not look at, in the file header's reserved bytes, leaves them as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "native/bytes.h"
#include "native/check.h"
#include "native/layout.h"
#include "native/native.h"
#include "native/segment.h"
#include "native/zip.h"
#include "pithlog.h"

enum { LARGEST = 1 << 20 };

/* ---- CRCs -------------------------------------------------------------------------------------------------------- */

static void mend_table(unsigned char *payload, uint64_t size)
{
    for (uint64_t at = 32; at + PITHI_RANK_ENTRY_SIZE <= size; at += PITHI_RANK_ENTRY_SIZE)
        pithi_put32(payload + at + 60, pithi_crc(payload + at, 60));
}

static void mend(unsigned char *data, size_t size)
{
    pithi_put32(data + 60, pithi_crc(data, 60));
    if (size >= 64 + PITHI_FOOTER_SIZE)
        pithi_put32(data + size - 4, pithi_crc(data + size - PITHI_FOOTER_SIZE, 124));
    for (size_t at = 64; at + PITHI_CHUNK_HEAD <= size;) {
        unsigned char *head = data + at;
        uint64_t payload = pithi_get64(head + 8), left = size - at - PITHI_CHUNK_HEAD;
        if (pithi_get32(head) != PITHI_CHUNK_MAGIC_LE || payload > left) {
            at += 8;
            continue;
        }
        int own = pithi_get16(head + 6) & PITHI_CHUNK_OWN_CRC;
        if (pithi_get16(head + 4) == PITHI_C_TABLE)
            mend_table(head + PITHI_CHUNK_HEAD, payload);
        pithi_put32(head + 20, own ? 0 : pithi_crc(head + PITHI_CHUNK_HEAD, payload));
        pithi_put32(head + 28, pithi_crc(head, 28));
        at += PITHI_CHUNK_HEAD + (payload + 7) / 8 * 8;
    }
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static uint64_t sum; /* of all that was read, so that no compiler leaves the reading out */

static void iterate(struct pithlog *log, const struct pithlog_query *query)
{
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int status, errors = 0;
    char text[64];
    if (pithlog_iter_open(log, query, &iter) != 0)
        return;
    while ((status = pithlog_iter_next(iter, &r)) != 0 && errors < 100) {
        if (status < 0) {
            errors++;
            continue;
        }
        sum += (uint64_t)r.time_ns + r.id + r.depth + (uint64_t)r.nested_ns;
        if (r.kind == PITHLOG_EVENT)
            sum += pithlog_payload_text(log, &r, text, sizeof text);
        if (r.kind < PITHLOG_ENTER || r.kind > PITHLOG_LOST || !pithlog_get_lane(log, r.lane) ||
            (r.kind <= PITHLOG_COUNTER && !pithlog_get_def(log, r.id)) || !pithlog_get_comm(log, r.comm))
            abort(); /* a record of what is not there */
    }
    pithlog_iter_close(iter);
}

static void match(struct pithlog *log)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message m;
    int status, errors = 0;
    if (pithlog_matcher_open(log, &matcher) != 0)
        return;
    while ((status = pithlog_matcher_next(matcher, &m)) != 0 && errors < 100) {
        errors += status < 0;
        sum += m.bytes;
    }
    pithlog_matcher_close(matcher);
}

static void read_log(const char *path)
{
    struct pithlog *log;
    if (pithlog_open(path, &log) != 0)
        return;
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t third = (int64_t)(((uint64_t)info->end_ns - (uint64_t)info->start_ns) / 3);
    iterate(log, NULL);
    iterate(log, &(struct pithlog_query){.from_ns = (int64_t)((uint64_t)info->start_ns + (uint64_t)third),
                                         .to_ns = (int64_t)((uint64_t)info->end_ns - (uint64_t)third),
                                         .flags = PITHLOG_CLIP});
    uint32_t lanes[] = {info->lanes - 1};
    iterate(log,
            &(struct pithlog_query){INT64_MIN, INT64_MAX, lanes, info->lanes > 0, 1u << PITHLOG_LEAVE, PITHLOG_NEST});
    match(log);
    pithlog_close(log);
}

static void recover(const char *path)
{
    struct pithi_writer *writer;
    uint64_t damages;
    int fd = memfd_create("recovered", MFD_CLOEXEC);
    if (fd >= 0 && pithi_writer_open(&writer, "recovered", fd) == 0) {
        if (pithi_native_recover(path, writer, &damages) == 0)
            pithi_writer_finish(writer);
        pithi_writer_close(writer);
    }
    if (fd >= 0)
        close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char path[64];
    static unsigned char data[LARGEST];
    if (size < PITHI_HEADER_SIZE || size > LARGEST)
        return 0;
    memcpy(data, input, size);
    memcpy(data, PITHI_FILE_MAGIC, 8);
    if (!(data[16] & 1))
        mend(data, size);
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        perror("memfd_create");
        exit(1);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    pithi_check(path, NULL, NULL, NULL);
    read_log(path);
    if (data[16] & 2)
        recover(path);
    close(fd);
    return 0;
}
