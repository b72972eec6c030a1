/* slog2_scan.h - what is known of a SLOG-2 file before its drawables are read: header, categories, directory of the
 * tree, lines. */
#ifndef PITHI_SLOG2_SCAN_H
#define PITHI_SLOG2_SCAN_H

#include "foreign/lookup.h"
#include "format.h"
#include "slog2/slog2_layout.h"

/* A state, event or message. Values of its info are text and tokens in turn: "n=" d " s=" s. */
struct pithi_slog2_category {
    int32_t number;
    enum pithi_slog2_topology topology;
    char *name, *format, *tokens;
    uint32_t rgb;
    int tag, bytes;     /* of messages: which token tells it; -1: none */
    uint32_t def, info; /* definitions, made at first use: of it, of an event with a state's info; + 1 */
};

/* A node, as the directory tells of it. */
struct pithi_slog2_node {
    struct pithi_slog2_place place;
    uint32_t depth, number;
};

struct pithi_slog2_line {
    int32_t rank, thread;  /* rank < -1, thread < 0: it belongs nowhere */
    int32_t comm, in_comm; /* of a communicator's line: its number in the file, and the rank there; else 0, -1 */
    int has_lane;
    uint32_t lane;
    uint32_t comm_index; /* the writer's */
};

struct pithi_slog2_scan {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    int cut; /* parts of the file are missing at its end: nodes are found one behind the other */
    struct pithi_slog2_category *categories;
    uint32_t category_count, category_room;
    struct pithi_lookup category_of; /* number in the file -> place + 1 */
    struct pithi_slog2_node *nodes;  /* by place in the file */
    uint32_t node_count;
    struct pithi_slog2_line *lines;
    uint32_t line_count, line_room;
    struct pithi_lookup line_of;    /* number in the file -> place + 1 */
    struct pithi_lookup inter_comm; /* two communicators of the file -> the writer's, + 1 */
};

int pithi_slog2_scan(struct pithi_slog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer);
void pithi_slog2_scan_free(struct pithi_slog2_scan *scan);

/* One that the file does not hold is made, as an unknown one of this topology. NULL: no memory. */
struct pithi_slog2_category *pithi_slog2_category(struct pithi_slog2_scan *scan, int32_t number,
                                                  enum pithi_slog2_topology topology);
/* Its definition in the log. */
int pithi_slog2_define(struct pithi_slog2_scan *scan, struct pithi_slog2_category *category, uint32_t *id);
/* The event that has the info of a state. */
int pithi_slog2_define_info(struct pithi_slog2_scan *scan, struct pithi_slog2_category *category, uint32_t *id);

/* With its lane. NULL: no such line, or one that belongs nowhere. Of a cut file that has lost its line maps, line N is
 * rank N; then the call may move lines that it gave before. */
int pithi_slog2_line(struct pithi_slog2_scan *scan, int32_t number, const struct pithi_slog2_line **line);
/* The communicator of a message between two lines. */
int pithi_slog2_message_comm(struct pithi_slog2_scan *scan, const struct pithi_slog2_line *from,
                             const struct pithi_slog2_line *to, uint32_t *comm);

/* Part of the scan (slog2_views.c): the line maps, and the lanes and communicators that they tell of. */
int pithi_slog2_scan_views(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes);
/* "FILE: byte N: WHAT" for bytes that failed; `what` NULL: they end too early. */
int pithi_slog2_wrong(const struct pithi_slog2_scan *scan, const struct pithi_slog2_bytes *bytes, const char *what);

#endif
