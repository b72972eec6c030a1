/* symbols.c - `pith symbols`: finds the names of the functions in a log's call stacks, and stores them in the log. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "native/log.h"
#include "symbols/sample_names.h"
#include "tools/outfile.h"
#include "tools/tools.h"

/* Reads --search DIR. Makes DIR absolute, because libdw would look for a relative DIR in the folder of the program. */
static int add_folder(const char *command, const char *option, const char *value, void *unused)
{
    char *path = realpath(value, NULL);

    (void)option, (void)unused;
    if (!path || strchr(path, ':'))
        return pithi_tool_usage(command, "--search %s: %s", value,
                                path ? "a name with a colon is not possible" : "there is no such folder");
    return pithi_code_file_search(path) ? pithi_tool_failed() : 0; /* the function keeps `path`, so it is not freed */
}

/* Looks up the function of every address in the log's call stacks. */
static int look_up(struct pithlog *log, struct pithi_sample_names *names)
{
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_EVENT};
    struct pithi_sample *sample = malloc(sizeof *sample);
    const struct pithi_place *place;
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int err = sample ? pithlog_iter_open(log, &query, &iter) : pithi_no_memory(), more = 0;

    if (err) {
        free(sample);
        return err;
    }
    while (!err && (more = pithlog_iter_next(iter, &record)) == 1) {
        if (pithi_site_read(names, &record, &sample->addresses[0]))
            err = pithi_sample_place(names, &record, sample->addresses[0], 1, &place);
        else if (pithi_sample_read(names, &record, sample))
            for (uint32_t i = 0; !err && i < sample->count; i++)
                err = pithi_sample_place(names, &record, sample->addresses[i], i > 0, &place);
    }
    pithlog_iter_close(iter);
    free(sample);
    return !err && more < 0 ? PITH_ERR_DAMAGED : err;
}

static int write_log(void *context, FILE *out)
{
    struct pithlog *log = context;
    struct stat info;

    if (fstat(log->files.fd, &info) == 0)
        fchmod(fileno(out), info.st_mode & 0777);
    return pithi_log_redefine(log, out);
}

int pithi_tool_symbols(int argc, char **argv)
{
    static const char *const arguments[] = {"LOG", NULL};
    static const struct pithi_option options[] = {{"search", 0, PITHI_READ, NULL, NULL, add_folder}, {.name = NULL}};
    struct pithi_sample_names *names = NULL;
    struct pithi_names_sum sum;
    struct pithlog *log = NULL;
    char *path = NULL;
    int err, status;

    if ((status = pithi_tool_options(argc, argv, options)) != 0)
        return status;
    if ((status = pithi_tool_arguments(argc, argv, arguments)) != 0)
        return status;
    TRY(pithi_tool_open(argv[0], argv[optind], &log));
    if (strcmp(pithlog_get_info(log)->format, "native") != 0 || log->rebuilt || log->files.size == 0) {
        err = pithi_fail(PITH_ERR_USAGE, "%s: only an intact log in Pith's own format can keep names", argv[optind]);
        goto out;
    }
    /* Resolves links, so that the new log replaces the file to which a link points, not the link. */
    if (!(path = realpath(argv[optind], NULL)))
        path = strdup(argv[optind]);
    TRY(path ? pithi_sample_names_open(log, PITHI_NEED_ANY, &names) : pithi_no_memory());
    TRY(look_up(log, names));
    TRY(pithi_sample_names_store(names, log->defs, &sum));
    TRY(pithi_outfile_rewrite(argv[0], path, write_log, log));
    printf("%s: %" PRIu64 " places in the code, %" PRIu64 " with the name of their function, %" PRIu64
           " with a source line\n",
           argv[optind], sum.addresses, sum.named, sum.with_source);
out:
    pithi_sample_names_close(names);
    pithlog_close(log);
    free(path);
    return err ? pithi_tool_failed() : 0;
}
