/* analyze_iterations.c - the iterations of a program, as `pith analyze` prints them.
 *
 * If a finding occurs in every iteration, the algorithm causes it; in a single iteration it is an accident. So the page
 * says in which iterations each finding occurs: "in iterations 4 to 7 of 100"; "nearly all of it in 20 of 100
 * iterations" if the 20 are not adjacent; or "spread over all 100 iterations".
 *
 * If iterations become longer or shorter, a straight line describes their lengths. Example: if the line begins at 10 ms
 * and rises by 0.1 ms an iteration, the hundredth iteration takes 10 + 99 * 0.1 = 19.9 ms. A length on the line is
 * never printed as shorter or longer than the shortest and the longest iteration that were measured. */
#include <string.h>

#include "base/decimal.h"
#include "base/nearest.h"
#include "base/shell_word.h"
#include "tools/analyze.h"
#include "tools/table.h"
#include "tools/tools.h"

enum { SHOWN = 3, NAME = 28 }; /* the most iterations that are listed; the columns of a name */

int pithi_findings_find_iterations(struct pithi_findings *f)
{
    uint32_t state = 0, defs = pithlog_get_info(f->log)->defs;
    struct pithi_nearest nearest;

    if (!f->iterations_of)
        return pithlog_analysis_iterations(f->analysis, UINT32_MAX, &f->iterations);
    while (state < defs && (pithlog_get_def(f->log, state)->kind != PITHLOG_STATE ||
                            strcmp(pithlog_get_def(f->log, state)->name, f->iterations_of) != 0))
        state++;
    if (state == defs)
        return -pithi_tool_usage("analyze", "--iterations: the log has no state '%s'%s", f->iterations_of,
                                 pithi_tool_nearest_state(&nearest, f->log, f->iterations_of));
    return pithlog_analysis_iterations(f->analysis, state, &f->iterations);
}

const char *pithi_findings_range(const struct pithi_findings *f, const struct pithlog_finding *finding, char text[80])
{
    size_t first, last, costly, count = f->iterations->count;
    int found = pithi_finding_iterations(f->analysis, finding, &first, &last, &costly);

    *text = '\0';
    if (found <= 0)
        return text;
    if (found == 2)
        snprintf(text, 80, "nearly all of it in %zu of %zu iterations", costly, count);
    else if (first == last)
        snprintf(text, 80, "in iteration %zu of %zu", first + 1, count);
    else if (pithi_are_nearly_all(f->iterations, first, last))
        snprintf(text, 80, "spread over all %zu iterations", count);
    else
        snprintf(text, 80, "in iterations %zu to %zu of %zu", first + 1, last + 1, count);
    return text;
}

/* Returns the length that the straight line gives to the iteration `steps` after the first. The measured lengths may
 * follow a curve. Then the ends of the line can lie beyond the shortest and the longest measured length, and the result
 * is limited to these two lengths. */
static double on_line(const struct pithlog_iterations *all, double steps)
{
    double ns = all->drift_first_ns + all->drift_ns * steps;

    return ns < (double)all->min_ns ? (double)all->min_ns : ns > (double)all->max_ns ? (double)all->max_ns : ns;
}

void pithi_findings_put_iterations(const struct pithi_findings *f, FILE *out)
{
    const struct pithlog_iterations *all = f->iterations;
    char text[PITHI_NS_TEXT], low[PITHI_NS_TEXT], high[PITHI_NS_TEXT], lane[32];

    if (!all->count && f->iterations_of)
        fprintf(out, "\nIterations: %s does not begin and end in this part of the run\n", f->iterations_of);
    else if (!all->count)
        fprintf(out, "\nIterations: none found; --iterations STATE names a repeated state\n");
    if (!all->count)
        return;
    fprintf(out, "\nIterations: %zu %s %.*s", all->count, f->iterations_of ? "of" : "found by", NAME,
            pithi_state_text(f->log, all->state));
    if (!f->iterations_of)
        fprintf(out, " on %s", pithi_lane_text(f->log, all->lane, lane));
    fprintf(out, "\n  median %s", pithi_ns_text(text, (double)all->median_ns));
    fprintf(out, " (%s to %s, mean ", pithi_ns_text(low, (double)all->min_ns),
            pithi_ns_text(high, (double)all->max_ns));
    fprintf(out, "%s)\n", pithi_ns_text(text, all->mean_ns));
    double drift_ns = all->drift_ns < 0 ? -all->drift_ns : all->drift_ns, steps = (double)(all->count - 1);
    double first_ns = on_line(all, 0), last_ns = on_line(all, steps);
    const char *way = all->drift_ns < 0 ? "shorter" : "longer";
    if (drift_ns >= 1)
        fprintf(out, "  Each is %s %s than the one before: ", pithi_ns_text(text, drift_ns), way);
    else if (drift_ns > 0)
        fprintf(out, "  They get %s by %s: ", way, pithi_ns_text(text, drift_ns * steps));
    if (drift_ns > 0 && first_ns > 0)
        fprintf(out, "%+.0f %% from first to last.\n", 100 * (last_ns / first_ns - 1));
    else if (drift_ns > 0)
        fprintf(out, "the last takes %s.\n", pithi_ns_text(text, last_ns));
    struct pithi_step step = pithi_iterations_step(f->analysis);
    if (step.first)
        fprintf(out, "  From iteration %zu on, they take %s, before %s.\n", step.first + 1,
                pithi_ns_text(text, step.after_ns), pithi_ns_text(low, step.before_ns));
    if (all->slow_count)
        fprintf(out, "  %zu %s slow, compared with the median one%s\n", all->slow_count,
                all->slow_count == 1 ? "is" : "are", all->slow_count > SHOWN ? "; the slowest:" : ":");
    for (size_t i = 0; i < all->slow_count && i < SHOWN; i++) {
        const struct pithlog_slow_iteration *slow = &all->slow[i];
        const struct pithlog_iteration *iteration = &all->all[slow->index];
        char more[PITHI_NS_TEXT], word[4096];
        fprintf(out, "    number %u, %s", slow->index + 1,
                pithi_ns_text(text, (double)(iteration->to_ns - iteration->from_ns)));
        if (slow->difference_ns > 0)
            fprintf(out, ": %s more %.*s on %s", pithi_ns_text(more, (double)slow->difference_ns), NAME,
                    slow->kind ? pithlog_wait_kind_name(slow->kind) : pithi_state_text(f->log, slow->state),
                    pithi_lane_text(f->log, slow->lane, lane));
        fputs("\n", out);
        if (!f->no_commands)
            fprintf(out, "      pith view %s --at %.6fs\n", pithi_shell_word(f->path, word, sizeof word),
                    (double)iteration->from_ns / 1e9);
    }
}
