/* check.c - `pith check LOG`: verifies everything, says what is damaged. */
#include <inttypes.h>
#include <stdio.h>

#include "error.h"
#include "tools/tools.h"

int pithi_tool_check(int argc, char **argv)
{
    static const struct option options[] = {{NULL, 0, NULL, 0}};
    static const char *const names[] = {"LOG", NULL};
    struct pithlog *log = NULL;
    struct pithlog_iter *iter = NULL;
    struct pithlog_record record;
    uint64_t records = 0;
    int err, more;

    if (pithi_tool_option(argc, argv, ":", options) != -1 || pithi_tool_arguments(argc, argv, names))
        return 2;
    TRY(pithlog_open(argv[optind], &log));
    TRY(pithlog_iter_open(log, NULL, &iter));
    while ((more = pithlog_iter_next(iter, &record)) == 1)
        records++;
    if (more < 0) {
        err = PITH_ERR_DAMAGED;
        goto out;
    }
    printf("%s: %" PRIu64 " records, no damage found\n", argv[optind], records);
out:
    if (err)
        pithi_tool_failed();
    if (iter)
        pithlog_iter_close(iter);
    if (log)
        pithlog_close(log);
    return err != PITH_OK;
}
