/* slog2_scan.h - what must be known of a SLOG-2 file before its drawables are read: header, categories, directory of
 * the tree, lines. */
#ifndef PITHI_SLOG2_SCAN_H
#define PITHI_SLOG2_SCAN_H

#include "base/map.h"
#include "foreign/slog2/slog2_layout.h"
#include "reader/read/format.h"

/* A category of states, events or messages. */
struct pithi_slog2_category {
    int32_t number;
    enum pithi_slog2_topology topology;
    char *name, *format, *tokens; /* format: of the infos (payloads) of its drawables, such as "n=%d s=%s"; tokens: the
                                     letters of the format's tokens, here "ds" */
    uint32_t rgb;
    int tag, bytes;     /* of messages: indexes in `tokens` of the tag and of the size of the message; -1: none */
    uint32_t def, info; /* ids + 1 of definitions in the log, 0 before their first use; info: the event that holds the
                           info of a state */
};

/* A node, as the directory describes it. */
struct pithi_slog2_node {
    struct pithi_slog2_place place;
    uint32_t depth, number;
};

struct pithi_slog2_line {
    int32_t rank, thread;  /* rank < -1 or thread < 0: the line belongs to no lane */
    int32_t comm, in_comm; /* comm: communicator of the line in the file; in_comm: rank of the line in it; 0 and -1 if
                              there is none */
    int has_lane;
    uint32_t lane;
    uint32_t comm_index; /* communicator of the log, as the writer numbers it */
};

struct pithi_slog2_scan {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    int cut; /* 1: the end of the file is missing, so nodes were found without a directory */
    struct pithi_slog2_category *categories;
    uint32_t category_count, category_room;
    struct pithi_map category_of;   /* number in the file -> index + 1 */
    struct pithi_slog2_node *nodes; /* in the order of the file */
    uint32_t node_count;
    struct pithi_slog2_line *lines;
    uint32_t line_count, line_room;
    struct pithi_map line_of;    /* number in the file -> index + 1 */
    struct pithi_map inter_comm; /* two communicators of the file -> the writer's intercommunicator + 1 */
};

int pithi_slog2_scan(struct pithi_slog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer);
void pithi_slog2_scan_free(struct pithi_slog2_scan *scan);

/* Finds a category by number. A number that the file does not define gets an unknown category of this topology. Returns
 * NULL if memory runs out. */
struct pithi_slog2_category *pithi_slog2_category(struct pithi_slog2_scan *scan, int32_t number,
                                                  enum pithi_slog2_topology topology);
/* Gets the definition of a category in the log. */
int pithi_slog2_define(struct pithi_slog2_scan *scan, struct pithi_slog2_category *category, uint32_t *id);
/* Gets the definition of the event that holds the infos (payloads) of a category's states, because states of a log have
 * no payload. */
int pithi_slog2_define_info(struct pithi_slog2_scan *scan, struct pithi_slog2_category *category, uint32_t *id);

/* Finds a line and makes its lane. *line becomes NULL if there is no such line, or if the line has no lane. If a cut
 * removed the line maps, adds line N as rank N. Such a call may make pointers invalid that earlier calls returned. */
int pithi_slog2_line(struct pithi_slog2_scan *scan, int32_t number, const struct pithi_slog2_line **line);
/* Finds the communicator of a message between two lines. */
int pithi_slog2_message_comm(struct pithi_slog2_scan *scan, const struct pithi_slog2_line *from,
                             const struct pithi_slog2_line *to, uint32_t *comm);

/* Reads the line maps, and makes their lanes and communicators. Called only by pithi_slog2_scan (slog2_views.c). */
int pithi_slog2_scan_views(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes);
/* Reports the error "FILE: byte N: WHAT" and returns its error code. N is the next byte of `bytes`. If `what` is NULL,
 * the message says that the bytes end too early. */
int pithi_slog2_wrong(const struct pithi_slog2_scan *scan, const struct pithi_slog2_bytes *bytes, const char *what);

#endif
