/* mpe_pack.c - payloads: values one after another, big-endian, without padding. */
#include "mpe_log.h"

#include <string.h>

static int size_of(char token)
{
    switch (token) {
    case 's':
        return 1;
    case 'h':
        return 2;
    case 'd':
    case 'x':
    case 'e':
        return 4;
    case 'l':
    case 'X':
    case 'E':
        return 8;
    default:
        return 0;
    }
}

static void put(char *out, const unsigned char *value, int size)
{
    const int one = 1;
    int little = *(const char *)&one;

    for (int i = 0; i < size; i++)
        out[i] = (char)value[little ? size - 1 - i : i];
}

int MPE_Log_pack(MPE_LOG_BYTES bytes, int *pos, char token, int count, const void *data)
{
    int size = size_of(token), head = token == 's' ? 2 : 0;

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
