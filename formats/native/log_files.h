/* log_files.h - the file or files that a native log stands in, read by position. An offset is a volume's number times
 * 2^48 plus the place in it (segment.h); volumes beside the first are opened when something of them is first read. Any
 * number of threads may read.
 *
 * Never through a mapping: a file that is cut or changed meanwhile is an error here, where there a page gone is a
 * SIGBUS, and bytes checked may be others when used. */
#ifndef PITHI_FILES_H
#define PITHI_FILES_H

#include "native/chunk.h"
#include "native/segment.h"

struct pithi_files {
    const char *path; /* of the first; not owned */
    int fd;           /* of the first */
    uint64_t size;    /* of the first */
    struct pithi_volume volume;
    struct pithi_more_file {
        int fd; /* -1: not opened yet */
        uint64_t size;
    } * more; /* [volume.count] */
};

static inline uint64_t pithi_place(uint64_t offset) { return offset & ((UINT64_C(1) << PITHI_VOLUME_SHIFT) - 1); }
static inline uint32_t pithi_place_volume(uint64_t offset) { return (uint32_t)(offset >> PITHI_VOLUME_SHIFT); }

/* Learns from the first file's header how many there are. One that is missing is an error, unless what there is will do
 * (`any`). */
int pithi_files_begin(struct pithi_files *files, const struct pithi_volume *volume, int any);
/* Closes the volumes (not the first file). */
void pithi_files_end(struct pithi_files *files);
/* All bytes together. */
uint64_t pithi_files_bytes(const struct pithi_files *files);
/* The name of the file that an offset is in. */
void pithi_files_name(const struct pithi_files *files, uint64_t offset, char *name, size_t size);
/* The file of an offset; 0 or an error, with pithlog_error(). */
int pithi_files_find(struct pithi_files *files, uint64_t offset, int *fd, uint64_t *size);

/* Reads so many bytes. PITH_ERR_DAMAGED: the file ends before. */
int pithi_files_read(struct pithi_files *files, uint64_t offset, void *data, size_t size);

/* Reads the chunk at `offset`, its payload into `payload`. PITH_ERR_DAMAGED with *why (payload->size is 0 if it could
 * not be read at all); all other errors with pithlog_error(), *why then is NULL. */
int pithi_files_chunk(struct pithi_files *files, uint64_t offset, struct pithi_chunk_head *head,
                      struct pithi_buffer *payload, const char **why);

/* A header of a volume of version 1: 1; 0: it is none. */
int pithi_volume_get(const unsigned char header[PITHI_HEADER_SIZE], struct pithi_volume *volume);

#endif
