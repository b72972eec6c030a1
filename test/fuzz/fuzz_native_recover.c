/* fuzz_native_recover.c - what `pith recover` makes of a damaged log: a sound one, whatever the damage. */
#include "fuzz/fuzz_log.h"
#include "fuzz/fuzz_mend.h"
#include "reader/read/native.h"

enum { LARGEST = 1 << 18, LEAVE_CRCS = 1 };

static int make(struct pithi_writer *writer, void *path)
{
    uint64_t damages;
    return pithi_native_recover(path, writer, &damages);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char path[FUZZ_PATH];
    static unsigned char data[LARGEST];
    if (size < PITHI_HEADER_SIZE || size > LARGEST)
        return 0;
    memcpy(data, input, size);
    memcpy(data, PITHI_FILE_MAGIC, 8);
    if (!(data[32] & LEAVE_CRCS))
        mend(data, size);
    int fd = fuzz_file(data, size, path);
    fuzz_sound(make, path);
    close(fd);
    return 0;
}
