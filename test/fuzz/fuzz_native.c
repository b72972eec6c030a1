/* fuzz_native.c - any bytes as a log: opened, checked, iterated in several ways, messages matched. One bit that readers
 * do not look at, in the file header's reserved bytes, leaves the CRCs as they are. */
#include "fuzz/fuzz_log.h"
#include "fuzz/fuzz_mend.h"

enum { LARGEST = 1 << 20, LEAVE_CRCS = 1 };

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
    pithi_check(path, NULL, NULL, NULL);
    fuzz_read(path);
    close(fd);
    return 0;
}
