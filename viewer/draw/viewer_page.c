/* viewer_page.c - `pith draw --viewer`: the page that opens logs (viewer/wasm), with a log in it or without. The page
 * is made when Pith is built; here a log is put into it as base64.
 *
 *     page          ... <!--log--> ...
 *     with a log    ... <script type="text/plain" id="log" data-name="a.pith">iVBpdGgN...</script> ...
 *
 * Text in a script element is not run and not shown. The page's own code finds it by its id, and reads the log as it
 * reads a file that is dropped on it. So one page serves both. */
#include "draw/draw.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "draw/text_buffer.h"

/* Base64 of more makes a page that browsers open slowly; the page without a log reads any size. */
enum { MOST_MIB = 32 };

static const char place[] = "<!--log-->"; /* in the page, replaced by the log */

struct viewer {
    char *page, *log; /* `log`: NULL, none */
    size_t page_size, log_size;
    const char *name; /* of the log */
};

/* The page of this installation: 0, or 1 after a message. */
static int find_page(char *path, size_t size)
{
    if (pithi_draw_find("share/pith/page/viewer.html", path, size))
        return 1;
    if (access(path, R_OK) == 0)
        return 0;
    return pithi_draw_failed("draw: --viewer: this pith was built without the page; install clang, lld, wasi-libc, "
                             "libclang-rt-dev-wasm32 and node-pako, and build it again");
}

/* Reads a whole file, malloc'ed; 0, or an exit status. */
static int read_whole(const char *path, char **data, size_t *size)
{
    struct stat status;
    int fd = pithi_open_input(path, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

    if (!file || fstat(fd, &status) != 0)
        return pithi_draw_failed("%s: cannot be opened: %s", path, pithi_open_why());
    *size = (size_t)status.st_size;
    *data = malloc(*size + 1);
    int failed = !*data || fread(*data, 1, *size, file) != *size;
    fclose(file);
    if (failed)
        return pithi_draw_failed("%s: cannot be read", path);
    (*data)[*size] = '\0';
    return 0;
}

/* Three bytes are four letters of six bits; the last group is filled with '='. "ab" is "YWI=". */
static void put_base64(const unsigned char *data, size_t size, FILE *file)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at < 3 ? size - at : 3; /* bytes of this group, 1 to 3 */
        uint32_t bits =
            (uint32_t)data[at] << 16 | (left > 1 ? (uint32_t)data[at + 1] << 8 : 0) | (left > 2 ? data[at + 2] : 0);
        for (size_t i = 0; i < 4; i++)
            putc(i <= left ? letters[bits >> (18 - 6 * i) & 63] : '=', file);
    }
}

/* For pithi_save. */
static const char *write_viewer(void *context, FILE *file)
{
    const struct viewer *viewer = context;
    const char *at = strstr(viewer->page, place);
    struct pithi_text name = {0};

    if (!at)
        return "the page that is installed has no place for a log";
    fwrite(viewer->page, 1, (size_t)(at - viewer->page), file);
    if (viewer->log) {
        pithi_text_escaped(&name, viewer->name);
        fprintf(file, "<script type=\"text/plain\" id=\"log\" data-name=\"%s\">", name.data ? name.data : "");
        put_base64((const unsigned char *)viewer->log, viewer->log_size, file);
        fputs("</script>", file);
        free(name.data);
    }
    at += sizeof place - 1; /* behind the mark */
    fwrite(at, 1, viewer->page_size - (size_t)(at - viewer->page), file);
    return ferror(file) ? "" : NULL;
}

/* A log that the page could not open is refused here, with the reader's error. */
static int take_log(const struct pithi_draw *draw, struct viewer *viewer)
{
    const char *slash = strrchr(draw->log_path, '/');
    struct pithlog *log;
    int status;

    if (pithlog_open(draw->log_path, &log))
        return pithi_draw_failed("%s", pithlog_error());
    const char *format = pithlog_get_info(log)->format;
    /* formats that need files beside the one that is read */
    int needs_more = strcmp(format, "otf2") == 0 || strcmp(format, "paraver") == 0 || strcmp(format, "spill") == 0;
    uint64_t bytes = pithlog_get_info(log)->bytes;
    if (needs_more)
        pithi_draw_failed("%s: the page cannot hold a log of several files; `pith convert` makes a .pith of it",
                          draw->log_path);
    else if (bytes > (uint64_t)MOST_MIB << 20)
        pithi_draw_failed(
            "%s: is larger than %d MiB, too much for a page; make the page without it and drop it there, or "
            "`pith cut` a part",
            draw->log_path, MOST_MIB);
    status = needs_more || bytes > (uint64_t)MOST_MIB << 20;
    pithlog_close(log);
    viewer->name = slash ? slash + 1 : draw->log_path;
    return status ? status : read_whole(draw->log_path, &viewer->log, &viewer->log_size);
}

int pithi_draw_viewer(const struct pithi_draw *draw)
{
    struct viewer viewer = {0};
    char path[PATH_MAX];
    int status = find_page(path, sizeof path);

    if (!status)
        status = read_whole(path, &viewer.page, &viewer.page_size);
    if (!status && draw->log_path)
        status = take_log(draw, &viewer);
    if (!status)
        status = pithi_save(draw->out_path, write_viewer, &viewer);
    free(viewer.page);
    free(viewer.log);
    return status;
}
