/* flames.h - the functions in which the samples of a log were taken. Rows below the states of a lane show its functions
 * by depth.
 *
 * The functions are in a log of their own, which `pith stat --flame FILE.pith` makes. Its lanes have the same numbers
 * as those of the log, functions are states, and each sample is an event with the name of its innermost function. So
 * queries, hits and names work on the log of functions as on the log itself. Each call site is an event as well, with
 * its function and line as its name. */
#ifndef PITHI_FLAMES_H
#define PITHI_FLAMES_H

#include <pithlog.h>
#include <stddef.h>

#include "core/cells/query.h"

struct pithi_flames {
    struct pithlog *log;
    uint32_t *rgb;         /* [defs] */
    unsigned char *hidden; /* [defs] 1: an event */
    /* [defs] of a sample's event: the state of its function; of a state: its id; of a call site: UINT32_MAX */
    uint32_t *state;
};

/* Opens the file at `path`, to which `pith stat --flame` has written the functions in the samples of `log`. Returns
 * PITH_OK or an enum pith_err: PITH_ERR_USAGE if the file belongs to another log. */
int pithi_flames_open(const struct pithlog *log, const char *path, struct pithi_flames **flames);
void pithi_flames_close(struct pithi_flames *flames);

/* Returns 1 if `log` has samples or call sites. */
int pithi_flames_possible(const struct pithlog *log);
/* Returns the place where a function is declared, "mesh.cc:212"; else its file; "" if neither is known. */
const char *pithi_flames_place(const struct pithi_flames *flames, uint32_t id);

/* Numbers of samples by function. */
struct pithi_flames_sum {
    /* own: samples in the function itself; total: samples with the function on the stack, once or several times */
    uint64_t own, total;
};
/* Adds the samples of a lane in [from_ns, to_ns) to sums[defs of flames->log], at the ids of states. Returns 0 or an
 * enum pith_err; if the log is damaged, the readable part is added. */
int pithi_flames_sums(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      const struct pithi_watch *watch, struct pithi_flames_sum *sums);

/* The function in which most samples of a lane in [from_ns, to_ns) were taken. */
struct pithi_flames_most {
    uint32_t id;           /* of its state */
    uint64_t samples, all; /* samples in this function; all samples of the lane */
};
/* Returns 1 and sets *most; 0 if there is no sample; -1 on an error. */
int pithi_flames_most(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      struct pithi_flames_most *most);

/* Finds the first call site of a lane in [from_ns, to_ns]. Returns 1 and sets *site to its definition; 0 if there is
 * none; -1 on an error. */
int pithi_flames_site(const struct pithi_flames *flames, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      int64_t *time_ns, uint32_t *site);
/* Finds the call site of the state `id` of a lane of `log` in [from_ns, to_ns]. Returns the same values as
 * pithi_flames_site. */
int pithi_flames_site_of(const struct pithi_flames *flames, struct pithlog *log, uint32_t lane, uint32_t id,
                         int64_t from_ns, int64_t to_ns, uint32_t *site);
/* Returns 1 if the definition is a call site. */
int pithi_flames_is_site(const struct pithi_flames *flames, uint32_t id);

#endif
