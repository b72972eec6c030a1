/* fuzz_clog2.c - any bytes as a CLOG-2 file: read into a log, and that log is sound.
 *
 * So that most inputs get beyond the preamble, it is made here: byte 0 says how the file was left and in which order
 * its numbers are, byte 1 how big a block is. Bit 7 of byte 0 leaves a preamble to the fuzzer. */
#include "foreign/clog2/clog2_layout.h"
#include "foreign/formats.h"
#include "fuzz/fuzz_log.h"

enum { BIG = 1, FINAL = 2, OWN_PREAMBLE = 128, LARGEST = 1 << 18 };

static int make(struct pithi_writer *writer, void *input) { return pithi_clog2_read(input, writer); }

/* Words, each ended by a NUL. */
static void put_preamble(char *preamble, unsigned char flags, unsigned block)
{
    char text[PITHI_CLOG2_PREAMBLE];
    int size = snprintf(text, sizeof text,
                        PITHI_CLOG2_VERSION
                        "\nis_big_endian=\n%s\nis_finalzed=\n%s\nblock_size=\n%u\nnum_buffered_blocks=\n128\n"
                        "max_comm_world_size=\n3\nmax_thread_count=\n2\nknown_eventID_start=\n0\n"
                        "user_eventID_start=\n600\nknown_solo_eventID_start=\n-10\n"
                        "user_solo_eventID_start=\n5000\nknown_stateID_count=\n300\nuser_stateID_count=\n2\n"
                        "known_solo_eventID_count=\n2\nuser_solo_eventID_count=\n2\ncommtable_fptr=\n"
                        "0\n1073741824\n%u\n",
                        flags & BIG ? "TRUE " : "FALSE", flags & FINAL ? "TRUE " : "FALSE", block, 1024 + 4 * block);
    for (int i = 0; i < size; i++)
        preamble[i] = text[i] == '\n' ? '\0' : text[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    if (size < 2 || size > LARGEST)
        return 0;
    size_t head = input[0] & OWN_PREAMBLE ? 0 : PITHI_CLOG2_PREAMBLE, all = head + size - 2;
    unsigned char *data = calloc(all + 1, 1);
    unsigned char *exact = data ? realloc(data, all ? all : 1) : NULL; /* its end is watched by the sanitizer */
    if (!exact)
        return 0;
    memcpy(exact + head, input + 2, size - 2);
    if (head)
        put_preamble((char *)exact, input[0], 64u * (input[1] + 4u));
    struct pithi_input file = {.path = "fuzz.clog2", .data = exact, .size = all};
    if (pithi_clog2_probe(&file))
        fuzz_sound(make, &file);
    free(exact);
    return 0;
}
