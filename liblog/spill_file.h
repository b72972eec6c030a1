/* spill_file.h - the file behind this process's buffers (layout: formats/spill/spill.h).
 *
 * The file is opened anew by its name, and checked to be the same, for every chunk: a program that closes its
 * descriptors must not notice. One more descriptor stays open, for when the name leads nowhere (chroot) or nothing can
 * be opened (RLIMIT_NOFILE). It has a high number and is closed by exec. The program may close it or take its number:
 * it is looked at before each use, and made again. */
#ifndef PITHI_SPILL_FILE_H
#define PITHI_SPILL_FILE_H

#include <stdint.h>

#include "place.h"
#include "spill/spill.h"

struct pithi_spill_file {
    char path[PITHI_PATH_MAX];
    struct pithi_spill_page *page; /* mapped; NULL: no file */
    uint64_t size_bytes, max_bytes;
    uint64_t promised_bytes; /* so far the disk has room, at least size_bytes */
    uint64_t end_bytes;      /* as in its page */
    uint64_t device, inode;
    int kept;      /* the descriptor that stays open; 0: none */
    int cut;       /* the file was truncated: nothing more can be stored, and some stored data are lost */
    int in_memory; /* it lies in tmpfs */
};

/* Makes the file in `folder`, mode 0600, and maps its page: host, boot id, pid and first anchor are filled in, the
 * magic is not. It gets its name, `path`, by pithi_spill_file_appear, when the magic is stored. Both give 0 or -1
 * (errno). */
int pithi_spill_file_create(struct pithi_spill_file *file, const char *folder, uint64_t max_bytes);
int pithi_spill_file_appear(const struct pithi_spill_file *file);

/* `size_bytes` more at the end (from PITHI_SPILL_ALIGN on: at a multiple of that), really there on the disk, zeroed
 * and mapped. NULL with errno: disk full (ENOSPC), the file would exceed its limits (EFBIG) ... */
enum pithi_spill_use { PITHI_FOR_RECORDS, PITHI_FOR_DEFINITIONS };
void *pithi_spill_file_extend(struct pithi_spill_file *file, uint64_t size_bytes, enum pithi_spill_use use);
/* How long a chunk of definitions had better be. Records leave as much room. */
uint64_t pithi_spill_definitions_bytes(const struct pithi_spill_file *file);

/* A piece at the end of the file, for bytes that are there already. */
struct pithi_spill_place {
    int fd, is_kept;
    uint64_t offset;
};
/* `size_bytes` more at the end (a multiple of the page). That there is room for them may be seen only when they are
 * written: a full disk is an error of pwrite's, not SIGBUS as in what is mapped. 0, or -1 as above. */
int pithi_spill_file_reserve(struct pithi_spill_file *file, uint64_t size_bytes, struct pithi_spill_place *place);
/* Writes them, the first 8 last: until then the file holds zeros there. Once for each place; 0, or -1. Touches nothing
 * of the struct pithi_spill_file, so several may be written at once. */
int pithi_spill_place_write(const struct pithi_spill_place *place, const void *data, uint64_t size_bytes);

/* The file is there up to `end_bytes`: noted in its page. */
void pithi_spill_file_reaches(struct pithi_spill_file *file, uint64_t end_bytes);

/* To the disk. 0 or -1. */
int pithi_spill_file_sync(struct pithi_spill_file *file);

/* 1: the file is there, although perhaps not under its name for this process. */
int pithi_spill_file_is_there(const struct pithi_spill_file *file);

/* Closes what stayed open; the file stays. */
void pithi_spill_file_let_go(struct pithi_spill_file *file);

/* What was mapped stays mapped, as other threads may still store; the file goes. */
void pithi_spill_file_remove(struct pithi_spill_file *file);

#endif
