/* fuzz_spill.c - what a dead or running program may have left in its folder: read as a log (as `pith recover`
 * does), which is sound; and followed.
 *
 * Spill files are pages with little in them, so the input is a series of pieces, each made as many pages as it needs:
 *
 *     [size, 2 bytes][bytes]    size & 0x8000: the process page of another file; else a chunk: header, then words
 *
 * Magics are stored, and the sizes of chunks that have 0 there; the page has the fuzzer's numbers and anchors, and
 * strings that are not empty. */
#include <stddef.h>
#include <sys/stat.h>

#include "fuzz/fuzz_log.h"
#include "spill/spill_read.h"

enum { FILES = 3, ROOM = 1 << 20, IS_PAGE = 0x8000, LOOKS = 3 };

static char folder[64];
static unsigned char bytes[ROOM]; /* of the file being made */
static size_t used;
static int files;

static void remove_files(void)
{
    for (int i = 0; i < FILES; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%d.spill", folder, i);
        unlink(path);
    }
}

static void remove_folder(void)
{
    remove_files();
    rmdir(folder);
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/dev/shm/pith-fuzz-XXXXXX");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    atexit(remove_folder);
}

/* The file so far, under its name. */
static void end_file(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d.spill", folder, files++);
    FILE *out = used ? fopen(path, "wb") : NULL;
    if (used && (!out || fwrite(bytes, 1, used, out) != used || fclose(out) != 0)) {
        perror(path);
        exit(1);
    }
    used = 0;
}

static void boot_id(char id[64])
{
    FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (in && fgets(id, 64, in))
        id[strcspn(id, "\n")] = '\0';
    if (in)
        fclose(in);
}

/* The piece: clock to `finished`, then the anchors and the version. An odd process number is that of this process, on
 * this machine; no other process is ever asked for. */
static void add_page(const uint8_t *piece, size_t size)
{
    struct pithi_spill_page page = {.host = "host", .boot_id = "none", .program = "program", .log = "/tmp/log.pith"};
    const size_t numbers = offsetof(struct pithi_spill_page, host) - 8;
    size_t rest = sizeof page - offsetof(struct pithi_spill_page, first);
    memcpy((char *)&page + 8, piece, size < numbers ? size : numbers);
    if (size > numbers)
        memcpy(&page.first, piece + numbers, size - numbers < rest ? size - numbers : rest);
    page.magic = PITHI_SPILL_MAGIC;
    if (page.pid & 1) {
        page.pid = (uint32_t)getpid();
        boot_id(page.boot_id);
    }
    memset(bytes, 0, PITHI_SPILL_PAGE);
    memcpy(bytes, &page, sizeof page);
    used = PITHI_SPILL_PAGE;
}

static void add_chunk(const uint8_t *piece, size_t size)
{
    size_t pages = (size + PITHI_SPILL_PAGE) / PITHI_SPILL_PAGE * PITHI_SPILL_PAGE;
    struct pithi_chunk header = {0};
    if (pages > ROOM - used)
        return;
    memset(bytes + used, 0, pages);
    memcpy(bytes + used, piece, size);
    memcpy(&header, bytes + used, sizeof header);
    header.magic = PITHI_CHUNK_MAGIC;
    if (header.size_bytes == 0)
        header.size_bytes = pages;
    memcpy(bytes + used, &header, sizeof header);
    used += pages;
}

static void make_files(const uint8_t *data, size_t size)
{
    remove_files();
    files = 0;
    used = 0;
    while (size >= 2) {
        size_t head = data[0] | (size_t)data[1] << 8, length = head & ~(size_t)IS_PAGE;
        data += 2;
        size -= 2;
        length = length < size ? length : size;
        if (head & IS_PAGE || used == 0) {
            if (used)
                end_file();
            if (files == FILES)
                return;
            add_page(data, length);
        } else {
            add_chunk(data, length);
        }
        data += length;
        size -= length;
    }
    if (used)
        end_file();
}

static int make(struct pithi_writer *writer, void *input) { return pithi_spill_read(input, writer); }

static void follow(void)
{
    struct pithlog_follow *f;
    struct pithlog_record r;
    struct pithlog_message m;
    if (pithlog_follow_open(folder, &f) != 0)
        return;
    for (int i = 0; i < LOOKS && !pithlog_follow_get_info(f)->ended && pithlog_follow_look(f) == 0; i++)
        while (pithlog_follow_next(f, &r) == 1) {
            const unsigned char *payload = r.payload;
            fuzz_sum += (uint64_t)r.time_ns + r.kind + (r.payload_bytes ? payload[r.payload_bytes - 1] : 0);
            if (r.kind < PITHLOG_ENTER || r.kind > PITHLOG_LOST || !pithlog_follow_get_lane(f, r.lane) ||
                (r.kind <= PITHLOG_COUNTER && !pithlog_follow_get_def(f, r.id)) || !pithlog_follow_get_comm(f, r.comm))
                abort(); /* a record of what is not there */
            while (pithlog_follow_message(f, &m))
                fuzz_sum += m.bytes;
        }
    pithlog_follow_close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pithi_input input = {.path = folder};
    if (!*folder)
        make_folder();
    make_files(data, size);
    if (pithi_spill_probe(&input))
        fuzz_sound(make, &input);
    follow();
    return 0;
}
