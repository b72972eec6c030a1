/* traits.c - see traits.h. */
#include "compensate/traits.h"

#include <string.h>

#include "coll_rules.h"
#include "compensate/posted_sends.h"
#include "own_cost.h"

struct pithi_trait pithi_trait(const struct pithlog_def *def)
{
    struct pithi_coll_rule rule = pithi_coll_rule(def->name);
    struct pithi_trait t = {0};
    size_t length;
    if (def->kind == PITHLOG_STATE) {
        t.wrapped = strncmp(def->group, "MPI", 3) == 0 || pithi_mpi_call(def->name, &length);
        t.posts = pithi_call_posts(def->name);
        t.waits = pithi_call_waits(def->name) || (rule.shape != PITHI_COLL_NONE && !(rule.flags & PITHI_COLL_STARTS));
    }
    t.tells_cost = pithi_own_cost_counts(def);
    t.is_cost = pithi_own_cost_lasts(def);
    return t;
}
