/* far.c - see far.h.
 *
 * The test is of the folder and not of hosts: two hosts may share a file system, and two containers on one machine,
 * with one boot id, may share none. The file has the job's number in its name, so that no cache of a network file
 * system can know it as missing.
 *
 * A far process sends a head of 16 bytes before each piece, and a head of size 0 at its end:
 *
 *     rank 0 -> 5: go    5 -> rank 0: {offset 4096, size 100000}, 65536 bytes, 34464 bytes, {0, 0}
 */
#include "far.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "descriptor.h"

enum { PIECE = 65536, WORDS = 64 };

struct head {
    uint64_t offset, size;
};

/* ---- Who is far -------------------------------------------------------------------------------------------------- */

static int opens(const char *path, int flags)
{
    int fd = pithi_descriptor_open(path, flags | O_WRONLY | O_NOFOLLOW, 0666);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Rank 0 learns who is far, 4096 ranks at a time. Without memory for the list nobody may wait to be served. */
static int collect(const struct pith_transport *t, struct pithi_far *far)
{
    uint64_t listed;
    int first, i;
    if (t->rank == 0)
        far->ranks = calloc(((size_t)t->size + 63) / 64, sizeof *far->ranks);
    listed = t->rank != 0 || far->ranks != NULL;
    if (t->reduce(t->context, &listed, 1, PITH_MIN) != 0 || !listed)
        return 0;
    for (first = 0; first < t->size; first += 64 * WORDS) {
        uint64_t words[WORDS] = {0};
        if (far->own && t->rank / (64 * WORDS) == first / (64 * WORDS))
            words[t->rank / 64 % WORDS] = UINT64_C(1) << t->rank % 64;
        if (t->reduce(t->context, words, WORDS, PITH_SUM) != 0)
            return 0;
        for (i = 0; far->ranks != NULL && i < WORDS && first + 64 * i < t->size; i++)
            far->ranks[first / 64 + i] = words[i];
    }
    return 1;
}

int pithi_far_find(const struct pith_transport *t, const char *path, struct pithi_far *far)
{
    uint64_t made = 0, any;
    int good;
    *far = (struct pithi_far){0, 0, NULL};
    if (t->size == 1)
        return 1;
    if (t->rank == 0)
        made = (uint64_t)opens(path, O_CREAT | O_EXCL);
    if (t->bcast(t->context, 0, &made, sizeof made) != 0)
        return 0;
    any = made && t->rank != 0 && !opens(path, 0);
    far->own = any != 0;
    good = t->reduce(t->context, &any, 1, PITH_MAX) == 0;
    if (t->rank == 0 && made)
        unlink(path);
    far->any = good && any != 0;
    return far->any ? collect(t, far) : good;
}

void pithi_far_close(struct pithi_far *far)
{
    free(far->ranks);
    *far = (struct pithi_far){0, 0, NULL};
}

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

int pithi_far_begin(const struct pith_transport *t)
{
    char go;
    if (t->wait != NULL && t->wait(t->context, 0, 1) != 0)
        return -1;
    return t->recv(t->context, 0, &go, sizeof go);
}

int pithi_far_put(const struct pith_transport *t, uint64_t offset, const void *data, size_t size)
{
    struct head head = {offset, size};
    size_t at;
    if (size == 0)
        return 0;
    if (t->send(t->context, 0, &head, sizeof head) != 0)
        return -1;
    for (at = 0; at < size; at += PIECE)
        if (t->send(t->context, 0, (const char *)data + at, size - at < PIECE ? size - at : PIECE) != 0)
            return -1;
    return 0;
}

int pithi_far_end(const struct pith_transport *t)
{
    struct head head = {0, 0};
    return t->send(t->context, 0, &head, sizeof head);
}

/* ---- Writing for others ------------------------------------------------------------------------------------------ */

/* After a write error it still receives all data, so that the sender does not wait for ever. `wrong` gets the first
 * error's number. -1: the transport failed. */
static int take_from(const struct pith_transport *t, int rank, void *file, int *wrong)
{
    char data[PIECE] = {0};
    struct head head;
    uint64_t at;
    if (t->send(t->context, rank, data, 1) != 0)
        return -1;
    while (t->recv(t->context, rank, &head, sizeof head) == 0) {
        if (head.size == 0)
            return 0;
        for (at = 0; at < head.size; at += PIECE) {
            size_t size = head.size - at < PIECE ? (size_t)(head.size - at) : PIECE;
            if (t->recv(t->context, rank, data, size) != 0)
                return -1;
            if (*wrong == 0 && t->file_write_at(t->context, file, head.offset + at, data, size) != 0)
                *wrong = errno != 0 ? errno : EIO;
        }
    }
    return -1;
}

int pithi_far_take(const struct pith_transport *t, const struct pithi_far *far, int step, void *file)
{
    int wrong = 0, rank;
    for (rank = step; far->ranks != NULL && rank < t->size; rank += step)
        if ((far->ranks[rank / 64] >> rank % 64 & 1) != 0 && take_from(t, rank, file, &wrong) != 0)
            return 0;
    errno = wrong;
    return wrong == 0;
}
