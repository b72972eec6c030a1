/* log_files.h - the file or files of a native log, read by position. An offset is a volume's number times 2^48 plus the
 * position in it (segment.h); further volumes are opened at the first read from them. Any number of threads may read.
 *
 * Files are never mapped. If a file is cut meanwhile, a read gives an error, while a missing page of a mapping raises
 * SIGBUS. If a file is changed, the bytes of a mapping may change after they were checked. */
#ifndef PITHI_FILES_H
#define PITHI_FILES_H

#include "native/chunk.h"
#include "native/segment.h"

struct pithi_files {
    const char *path;           /* path of the first file; not owned */
    int fd;                     /* of the first */
    uint64_t size;              /* of the first */
    struct pithi_volume volume; /* from the first file's header: the number of volumes, the id of the log */
    struct pithi_more_file {
        int fd;        /* -1: not opened yet */
        uint64_t size; /* bytes */
    } * more;          /* [volume.count] */
};

static inline uint64_t pithi_place(uint64_t offset) { return offset & ((UINT64_C(1) << PITHI_VOLUME_SHIFT) - 1); }
static inline uint32_t pithi_place_volume(uint64_t offset) { return (uint32_t)(offset >> PITHI_VOLUME_SHIFT); }

/* Takes the number of volumes from `volume`, which is from the header of the first file, and looks up their sizes. A
 * missing volume is an error; with `any`, it counts as empty. */
int pithi_files_begin(struct pithi_files *files, const struct pithi_volume *volume, int any);
/* Closes the volumes (not the first file). */
void pithi_files_end(struct pithi_files *files);
/* Returns the sum of the sizes of all files. */
uint64_t pithi_files_bytes(const struct pithi_files *files);
/* Writes the name of the file that an offset is in to `name`. */
void pithi_files_name(const struct pithi_files *files, uint64_t offset, char *name, size_t size);
/* Finds the file of an offset. Returns PITH_OK, or an error with pithlog_error(). */
int pithi_files_find(struct pithi_files *files, uint64_t offset, int *fd, uint64_t *size);

/* Reads `size` bytes. Returns PITH_ERR_DAMAGED if the file is too short. */
int pithi_files_read(struct pithi_files *files, uint64_t offset, void *data, size_t size);

/* Announces that these bytes will be read soon (base/far.h). */
void pithi_files_soon(struct pithi_files *files, uint64_t offset, uint64_t size);

/* Reads the chunk at `offset` and its payload. If it returns PITH_ERR_DAMAGED, *why is the reason, and payload->size is
 * 0 if nothing could be read. Other errors set pithlog_error(), and *why is NULL. */
int pithi_files_chunk(struct pithi_files *files, uint64_t offset, struct pithi_chunk_head *head,
                      struct pithi_buffer *payload, const char **why);

/* Reads the header of a file of a log. Returns 1; 0 if the header is damaged or not that of a log. The version is not
 * checked. */
int pithi_volume_get(const unsigned char header[PITHI_HEADER_SIZE], struct pithi_volume *volume);

/* ---- All chunks of a file ---------------------------------------------------------------------------------------- */

/* Goes through a file chunk by chunk without its index. Where there is no chunk, it searches for the next. */
struct pithi_scan {
    struct pithi_files *files;
    uint64_t at, end;   /* where the bytes not searched yet begin and end, as offsets in the whole log */
    uint64_t bare;      /* offset of bytes without a chunk, before the last chunk found; UINT64_MAX: none */
    uint64_t buffered;  /* offset of the bytes in `buffer` */
    size_t buffer_size; /* bytes of `buffer` */
    unsigned char buffer[16384];
};

/* Begins a scan from `from` up to `end`, both in the same volume. */
void pithi_scan_begin(struct pithi_scan *scan, struct pithi_files *files, uint64_t from, uint64_t end);

/* Finds the next chunk with a valid header and a payload that ends before `end`. Returns 1; 0 if there are no more; -1
 * if the file cannot be read (see pithlog_error()). */
int pithi_scan_next(struct pithi_scan *scan, uint64_t *offset, struct pithi_chunk_head *head);

#endif
