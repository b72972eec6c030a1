/* hold.h - encoded bytes kept until it is known where in the log they stand: in memory, what is beyond its bound in a
 * nameless file in the spill folder. One thread at a time. */
#ifndef PITHI_HOLD_H
#define PITHI_HOLD_H

#include <stddef.h>
#include <stdint.h>

struct pithi_hold {
    const char *folder;
    unsigned char *memory; /* what came last */
    size_t used, room, most;
    uint64_t filed; /* bytes before it, in the file */
    int fd;
};

/* At most `most` bytes are kept in memory, unless one piece is larger. */
void pithi_hold_open(struct pithi_hold *hold, const char *folder, size_t most);
/* Appends; the signature is that of struct pithi_sink. Gives PITH_OK or an error. */
int pithi_hold_append(void *hold, const void *data, size_t size, uint64_t *offset);
static inline uint64_t pithi_hold_size(const struct pithi_hold *hold) { return hold->filed + hold->used; }
/* Copies out what is held from `offset` on: as much as there is, up to `size`. Gives how much, 0: it cannot be read. */
size_t pithi_hold_read(const struct pithi_hold *hold, uint64_t offset, void *data, size_t size);
void pithi_hold_close(struct pithi_hold *hold);

#endif
