/* serve_page.c - makes the pages of `pith serve`: the list of a folder's logs, and the page that shows a log. This is
 * the page that opens logs (viewer/wasm), with additional scripts that read a log by HTTP (far_early.js, far_worker.js,
 * far_page.js). Of all pages of Pith only this page may connect to a server, and only to the server that it came from.
 *
 * The installed page is one file, so it contains its WebAssembly program as base64, four letters for three bytes. Most
 * of the page is this program. The server takes the program out of the page and sends it separately, as bytes. So fewer
 * bytes are sent, and browsers can keep the program for the next log. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open_file.h"
#include "base/zip.h"
#include "draw/text_buffer.h"
#include "serve/serve.h"

static const char place[] = "<!--log-->", policy[] = "default-src 'none';", title[] = "<title>";
static const char wasm[] = "<script type=\"text/plain\" id=\"wasm\">";
static char *page;
static char *program; /* the page's program, decoded from base64 */
static size_t program_size;

/* Opens the installed page, share/pith/page/viewer.html, found relative to this program, libexec/pith/pith-serve. */
static FILE *open_page(void)
{
    static const char name[] = "/../../share/pith/page/viewer.html";
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);

    if (length < 0)
        return NULL;
    path[length] = '\0';
    memcpy(strrchr(path, '/'), name, sizeof name);
    int fd = pithi_open_input(path, 0);
    return fd >= 0 ? fdopen(fd, "r") : NULL;
}

/* Takes the WebAssembly program out of the page, and decodes it. Returns 0 if the page has no program. */
static int take_program(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *begin = strstr(page, wasm), *end = begin ? strstr(begin, "</script>") : NULL;
    uint32_t bits = 0;
    int count = 0;

    if (!end || !(program = malloc((size_t)(end - begin))))
        return 0;
    for (const char *p = begin + sizeof wasm - 1; p < end; p++) {
        const char *digit = strchr(digits, *p);
        if (!digit || !*p) /* skips line ends, and the = that pad the last group of letters */
            continue;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8)
            program[program_size++] = (char)(bits >> (count -= 8));
    }
    memmove(begin + sizeof wasm - 1, end, strlen(end) + 1);
    return program_size > 0;
}

const char *pithi_serve_program(size_t *size)
{
    *size = program_size;
    return program;
}

int pithi_serve_read_page(void)
{
    struct pithi_text text = {0};
    char piece[65536];
    FILE *file = open_page();

    if (!file)
        return pithi_serve_failed("this pith was built without the page; install clang, lld, wasi-libc, "
                                  "libclang-rt-dev-wasm32 and node-pako, and build it again");
    for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
        pithi_text_bytes(&text, piece, size);
    fclose(file);
    page = text.data;
    if (!page || !strstr(page, place) || !strstr(page, policy) || !strstr(page, title) || !take_program())
        return pithi_serve_failed("the page that is installed is not whole");
    return 0;
}

char *pithi_serve_page(const char *name, size_t *size)
{
    const char *rule = strstr(page, policy) + sizeof policy - 1;
    const char *head = strstr(page, title), *log = strstr(page, place);
    struct pithi_text text = {0};

    pithi_text_bytes(&text, page, (size_t)(rule - page));
    pithi_text_add(&text, " connect-src 'self';");
    pithi_text_bytes(&text, rule, (size_t)(head - rule));
    pithi_text_add(&text, "<script data-name=\"");
    pithi_text_escaped(&text, name);
    pithi_text_add(&text, "\" data-program=\"program?%08x\">\n", (unsigned)pithi_crc(program, program_size));
    pithi_text_bytes(&text, pithi_serve_early, strlen(pithi_serve_early));
    pithi_text_add(&text, "</script>\n");
    pithi_text_bytes(&text, head, (size_t)(log - head));
    pithi_text_add(&text, "<script type=\"text/plain\" id=\"served\">\n");
    pithi_text_bytes(&text, pithi_serve_worker, strlen(pithi_serve_worker));
    pithi_text_add(&text, "</script>\n<script>\n");
    pithi_text_bytes(&text, pithi_serve_script, strlen(pithi_serve_script));
    pithi_text_add(&text, "</script>\n");
    pithi_text_bytes(&text, log + sizeof place - 1, strlen(log + sizeof place - 1));
    *size = text.size;
    return text.data;
}

char *pithi_serve_pack(const char *data, size_t *size)
{
    static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    struct pithi_zip zip = {0};
    unsigned char *out = malloc(*size + 18);
    size_t packed = out ? pithi_zip_pack(&zip, data, *size, out + sizeof head, *size) : 0;

    pithi_zip_free(&zip);
    if (!packed) {
        free(out);
        return NULL;
    }
    memcpy(out, head, sizeof head);
    for (int i = 0; i < 4; i++) {
        out[sizeof head + packed + (size_t)i] = (unsigned char)(pithi_crc(data, *size) >> 8 * i);
        out[sizeof head + packed + 4 + (size_t)i] = (unsigned char)(*size >> 8 * i);
    }
    *size = sizeof head + packed + 8;
    return (char *)out;
}

char *pithi_serve_list(size_t *size)
{
    struct pithi_text text = {0};
    size_t count;
    char **names = pithi_serve_names(&count);

    pithi_text_add(&text, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width\">\n"
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                          "style-src 'unsafe-inline'\">\n<title>Logs \u2013 Pith</title>\n<style>\n"
                          ":root { color-scheme: light dark; }\n"
                          "body { font: 16px/1.6 \"DejaVu Sans\", Verdana, sans-serif; margin: 2em; }\n"
                          "h1 { font-size: 1.3em; }\n</style>\n<h1>Logs</h1>\n");
    pithi_text_add(&text,
                   count ? "<ul>\n" : "<p>There is no log in this folder. Reload the page when there is one.</p>\n");
    for (size_t i = 0; i < count; i++) {
        pithi_text_add(&text, "<li><a href=\"?log=");

        /* Writes the name as a part of an address: all but letters, digits and -._~ are written as %XX. */
        const char *name = names[i];
        for (; *name; name++)
            if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", *name))
                pithi_text_bytes(&text, name, 1);
            else
                pithi_text_add(&text, "%%%02X", (unsigned)(unsigned char)*name);

        pithi_text_add(&text, "\">");
        pithi_text_escaped(&text, names[i]);
        pithi_text_add(&text, "</a></li>\n");
    }
    pithi_text_add(&text, count ? "</ul>\n" : "");
    if (count == PITHI_SERVE_LISTED)
        pithi_text_add(&text, "<p>Only %d logs are listed; ?log=NAME behind this address opens another one.</p>\n",
                       PITHI_SERVE_LISTED);
    pithi_text_add(&text, "</html>\n");
    *size = text.size;
    return text.data;
}
