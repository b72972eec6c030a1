/* spill_file.h - the spill file of this process (layout: formats/spill/spill.h).
 *
 * The file is opened by its name for each chunk, and checked to be the same, because the program may close all
 * descriptors. One descriptor stays open, in case the name cannot be found (chroot) or no file can be opened
 * (RLIMIT_NOFILE). It has a high number and is closed by exec. The program may close it or reuse its number, so it is
 * checked before each use, and replaced.
 */
#ifndef PITHI_SPILL_FILE_H
#define PITHI_SPILL_FILE_H

#include <stdint.h>

#include "place.h"
#include "spill/spill.h"

struct pithi_spill_file {
    char path[PITHI_PATH_MAX];
    struct pithi_spill_page *page;  /* mapped; NULL: no file */
    uint64_t size_bytes, max_bytes; /* size_bytes: the present size; max_bytes: its limit, PITH_MAX_MB */
    uint64_t beyond_bytes;          /* the size may exceed max_bytes by this number */
    uint64_t promised_bytes;        /* allocated on the disk, at least size_bytes */
    uint64_t end_bytes;             /* the file is complete up to here; the same as in its page */
    uint64_t device, inode;         /* of the file, to detect that it was removed or replaced */
    int kept;                       /* the descriptor that stays open; 0: none */
    int full;                       /* 1: the file system had no space for it at some time */
    int cut;                        /* 1: the file was truncated: nothing more is stored, and some records are lost */
    int in_memory;                  /* 1: it is in tmpfs */
};

/* Makes the file in `folder`, with mode 0600, and maps its page with host, boot id, pid and first anchor, but without
 * the magic. When the caller has stored the magic, pithi_spill_file_appear gives the file its name, `path`. Returns 0,
 * or -1 (errno). */
int pithi_spill_file_create(struct pithi_spill_file *file, const char *folder, uint64_t max_bytes);
int pithi_spill_file_appear(const struct pithi_spill_file *file);

/* Returns `bytes` rounded up to whole pages of the system: 4 KiB on x86-64, up to 64 KiB on ARM64. The parts of the
 * file have such sizes, since a mapping must begin at a page. */
uint64_t pithi_spill_whole_pages(uint64_t bytes);

/* Adds `size_bytes` (whole pages) at the end of the file: allocated on the disk, zero and mapped. Pieces of
 * PITHI_SPILL_ALIGN or more begin at a multiple of it. Returns NULL with errno if the disk is full (ENOSPC), if the
 * file would exceed its limits (EFBIG), or on another error. */
enum pithi_spill_use {
    PITHI_FOR_RECORDS,
    PITHI_FOR_DEFINITIONS,
    PITHI_FOR_NEWEST, /* may exceed max_bytes, by at most PITHI_SPILL_BEYOND or max_bytes together */
};
#define PITHI_SPILL_BEYOND (UINT64_C(64) << 20) /* bytes */
void *pithi_spill_file_extend(struct pithi_spill_file *file, uint64_t size_bytes, enum pithi_spill_use use);
/* Returns the size of a chunk of definitions. Records leave this number of bytes free below the size limit. */
uint64_t pithi_spill_definitions_bytes(const struct pithi_spill_file *file);

/* A place at the end of the file for the copy of a chunk. */
struct pithi_spill_place {
    int fd, is_kept;
    uint64_t offset; /* where the copy goes */
};
/* Reserves `size_bytes` (whole pages) at the end of the file. On some file systems a full disk is seen only by
 * pithi_spill_place_write: pwrite returns an error, where a mapping would raise SIGBUS. Returns 0, or -1 with errno. */
int pithi_spill_file_reserve(struct pithi_spill_file *file, uint64_t size_bytes, struct pithi_spill_place *place);
/* Writes the copy into its place, once, and the first 8 bytes last: until then readers find zeros there, no chunk.
 * Returns 0 or -1. Does not use struct pithi_spill_file, so several threads may write at the same time. */
int pithi_spill_place_write(const struct pithi_spill_place *place, const void *data, uint64_t size_bytes);

/* Stores in the page that the file is complete up to `end_bytes`. */
void pithi_spill_file_reaches(struct pithi_spill_file *file, uint64_t end_bytes);

/* Returns 1 if a thread has stored beyond the end of the file, because somebody had truncated the file. */
int pithi_spill_file_cut(void);

/* Writes the file to the disk. Returns 0 or -1. */
int pithi_spill_file_sync(struct pithi_spill_file *file);

/* Returns 1 if the file exists, even if this process cannot see it under its name. */
int pithi_spill_file_is_there(const struct pithi_spill_file *file);

/* Closes the descriptor; the file stays. */
void pithi_spill_file_let_go(struct pithi_spill_file *file);

/* Removes the file. Its mappings stay, since other threads may still store. */
void pithi_spill_file_remove(struct pithi_spill_file *file);

#endif
