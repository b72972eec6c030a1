/* serve_http.c - the HTTP server of `pith serve`, made with libmicrohttpd. The parts of a request are checked in this
 * order; after a failed check the answer has the status on the right:
 *
 *     Host       this machine, by a number or as localhost. If the name of another site was made to lead
 *                here (DNS rebinding), Host has that name                                      else 403
 *     token      the address begins with /TOKEN/, which only the printed link has              else 403
 *     method     GET or HEAD; nothing can be changed                                           else 405
 *     what       "program" of the page; "" page or list; "facts", "first", "bytes", "answer",
 *                "legend" of ?log=NAME                                                         else 404
 *     version    If-Match: the log is still as when the page opened it                         else 412
 *     range      of `bytes`, bytes=0-99,200-299: at most 256 ranges of a MiB together          else 400 or 416
 *
 * The bytes of an answer are first read into memory and then sent. So if the file has become shorter, this is noticed
 * before the answer begins. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_at.h"
#include "base/put_json.h"
#include "serve/serve.h"

#if MHD_VERSION < 0x00097002
#define MHD_Result int
#endif

enum {
    CLIENTS_MOST = 256,
    UNKNOWN_MOST = 64, /* clients that have not sent the token yet */
    IDLE_S = 60,
    REQUEST_BYTES_MOST = 32 << 10, /* the first line and the headers of a request */
    RANGES_MOST = 256,
    BYTES_MOST = 1 << 20,
    ANSWER_MOST = 256 << 20
};

static struct MHD_Daemon *server;
static const char *token;
static char our_name[256]; /* name of this machine if the server listens to the network; otherwise "" */

/* ---- Sending a response ------------------------------------------------------------------------------------------ */

static const char *const always[][2] = {
    {"Cache-Control", "no-store"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Content-Security-Policy", "frame-ancestors 'self'"},
};

/* Sends `data`, malloc'ed, and frees it. If `header` is not NULL, the answer gets this header with `value`. `data` is
 * NULL if the caller had no memory; then the connection ends. The data are packed if the client accepts gzip and
 * packing makes them smaller. */
static enum MHD_Result send_data(struct MHD_Connection *client, unsigned status, const char *type, char *data,
                                 size_t size, const char *header, const char *value)
{
    enum { PACK_LEAST = 1024 };
    const char *accepts = MHD_lookup_connection_value(client, MHD_HEADER_KIND, "Accept-Encoding");
    int may_pack = data && size >= PACK_LEAST && accepts && strstr(accepts, "gzip");
    char *packed = may_pack ? pithi_serve_pack(data, &size) : NULL;
    if (packed) {
        free(data);
        data = packed;
    }
    struct MHD_Response *response = data ? MHD_create_response_from_buffer(size, data, MHD_RESPMEM_MUST_FREE) : NULL;

    if (!response) {
        free(data);
        return MHD_NO; /* makes libmicrohttpd end the connection */
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i][0], always[i][1]);
    MHD_add_response_header(response, "Content-Type", type);
    if (header)
        MHD_add_response_header(response, header, value);
    if (packed)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    enum MHD_Result result = MHD_queue_response(client, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Sends the WebAssembly program of the page. This is the only answer that browsers may keep: it contains nothing of a
 * log, and another version of the program has another address. The program is always packed, because all browsers with
 * WebAssembly accept gzip. */
static enum MHD_Result send_program(struct MHD_Connection *client)
{
    size_t size;
    const char *data = pithi_serve_program(&size);
    struct MHD_Response *response = MHD_create_response_from_buffer(size, (void *)data, MHD_RESPMEM_PERSISTENT);

    if (!response)
        return MHD_NO;
    for (size_t i = 1; i < sizeof always / sizeof *always; i++)
        MHD_add_response_header(response, always[i][0], always[i][1]);
    MHD_add_response_header(response, always[0][0], "private, max-age=31536000, immutable");
    MHD_add_response_header(response, "Content-Type", "application/wasm");
    MHD_add_response_header(response, "Content-Encoding", "gzip");
    enum MHD_Result result = MHD_queue_response(client, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

/* Sends an answer that is a line of text, or that is empty if `text` is "". */
static enum MHD_Result say(struct MHD_Connection *client, unsigned status, const char *text)
{
    size_t size = strlen(text);
    char *data = malloc(size + 2);

    if (data)
        snprintf(data, size + 2, "%s%s", text, size ? "\n" : "");
    return send_data(client, status, "text/plain; charset=utf-8", data, size + (size > 0), NULL, NULL);
}

/* ---- Checks of a request ----------------------------------------------------------------------------------------- */

/* Returns 1 if the header Host has an address of this machine. Always accepted are localhost and the numbers of the
 * loopback network; if the server listens to the network, also all other numbers and our_name. Other names are refused,
 * because the owner of another site can make the name of this site lead to this machine (DNS rebinding). */
static int is_our_host(struct MHD_Connection *client)
{
    const char *given = MHD_lookup_connection_value(client, MHD_HEADER_KIND, "Host");
    unsigned char number[16];
    char host[256];
    size_t length = given ? strcspn(given, *given == '[' ? "]" : ":") : 0;
    int is_loopback;

    if (!length || length >= sizeof host)
        return 0;
    snprintf(host, sizeof host, "%.*s", (int)length, given);
    if (strcasecmp(host, "localhost") == 0)
        return 1;
    if (*host == '[') {
        is_loopback = strcmp(host + 1, "::1") == 0;
        return is_loopback || (*our_name && inet_pton(AF_INET6, host + 1, number) == 1);
    }
    if (inet_pton(AF_INET, host, number) == 1)
        return number[0] == 127 || *our_name;
    return *our_name && strcasecmp(host, our_name) == 0;
}

/* Returns the WHAT in an address "/TOKEN/WHAT", or NULL if the token is wrong. Always compares all letters of the
 * token, so that the time that this takes does not reveal how many letters are right. */
static const char *behind_token(const char *url)
{
    unsigned differs = 0;

    if (strlen(url) < PITHI_SERVE_TOKEN + 2 || url[0] != '/' || url[PITHI_SERVE_TOKEN + 1] != '/')
        return NULL;
    for (int i = 0; i < PITHI_SERVE_TOKEN; i++)
        differs |= (unsigned char)url[i + 1] ^ (unsigned char)token[i];
    return differs ? NULL : url + PITHI_SERVE_TOKEN + 2;
}

/* ---- Facts about a log ("facts") --------------------------------------------------------------------------------- */

static void version_text(const struct pithi_serve_log *log, char text[24])
{
    snprintf(text, 24, "\"%016llx\"", (unsigned long long)log->version);
}

/* Sends JSON with the state of the log. If the log is ready, its sizes and version follow. */
static enum MHD_Result send_facts(struct MHD_Connection *client, struct pithi_serve_log *log)
{
    static const char *const states[] = {"working", "working", "ready", "failed"};
    enum pithi_serve_state state = pithi_serve_look(log);
    struct pithi_json_out json = {.is_first = 1};
    char *text = NULL, version[24];
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file || pithi_out_open(&json.out, file)) {
        if (file)
            fclose(file);
        free(text);
        return MHD_NO;
    }
    pithi_json_put_begin(&json, NULL, '{');
    pithi_json_put_text(&json, "name", log->name);
    pithi_json_put_text(&json, "state", states[state]);
    if (state == PITHI_SERVE_FAILED)
        pithi_json_put_text(&json, "why", log->why);
    if (state == PITHI_SERVE_READY) {
        version_text(log, version);
        pithi_json_put_text(&json, "version", version);
        pithi_json_put_integer(&json, "size", (int64_t)log->size);
        pithi_json_put_integer(&json, "digest", (int64_t)log->digest_size);
    }
    pithi_json_put_end(&json, '}');
    int err = pithi_out_close(&json.out, 0);
    if (fclose(file) || err) {
        free(text);
        return MHD_NO;
    }
    return send_data(client, MHD_HTTP_OK, "application/json", text, size, NULL, NULL);
}

/* ---- Bytes of a log ("bytes", "first") --------------------------------------------------------------------------- */

struct range {
    uint64_t from, end;
};

/* Reads ranges such as "0-99,200-299". Returns the count of ranges; -1 if the text has another form; -2 if a range
 * begins after the end of the file, or there are too many ranges or bytes. A range may end after the end of the file,
 * or have no last byte, as in "200-"; then it ends at the end of the file. */
static int read_ranges(const char *text, uint64_t size, struct range ranges[RANGES_MOST])
{
    uint64_t sum = 0;
    int count = 0, is_beyond = 0;

    for (;; text++) {
        char *end;
        if (*text < '0' || *text > '9' || count == RANGES_MOST)
            return *text < '0' || *text > '9' ? -1 : -2;
        errno = 0;
        uint64_t from = strtoull(text, &end, 10), last = UINT64_MAX - 1;
        if (errno || *end != '-')
            return -1;
        text = end + 1;
        if (*text >= '0' && *text <= '9') {
            last = strtoull(text, &end, 10);
            if (errno || last < from)
                return -1;
            text = end;
        }
        is_beyond |= from >= size;
        ranges[count] = (struct range){from, last < size ? last + 1 : size};
        if (from < size)
            sum += ranges[count].end - from;
        is_beyond |= sum > BYTES_MOST;
        count++;
        if (!*text)
            return is_beyond ? -2 : count;
        if (*text != ',')
            return -1;
    }
}

/* Returns the bytes of all ranges, one range after the other, malloc'ed. On an error returns NULL and sets *status to
 * an HTTP status. */
static char *read_parts(int fd, const struct range *ranges, int count, size_t *size, unsigned *status)
{
    size_t room = 0, at = 0;
    char *data;

    for (int i = 0; i < count; i++)
        room += (size_t)(ranges[i].end - ranges[i].from);
    *status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (!(data = malloc(room + 1)))
        return NULL;
    for (int i = 0; i < count; i++) {
        size_t part = (size_t)(ranges[i].end - ranges[i].from);
        if (pithi_read_at(fd, data + at, part, ranges[i].from) != part) {
            free(data);
            *status = errno ? MHD_HTTP_INTERNAL_SERVER_ERROR : MHD_HTTP_PRECONDITION_FAILED;
            return NULL;
        }
        at += part;
    }
    *size = at;
    return data;
}

static enum MHD_Result send_bytes(struct MHD_Connection *client, struct pithi_serve_log *log)
{
    const char *range = MHD_lookup_connection_value(client, MHD_GET_ARGUMENT_KIND, "bytes");
    const char *match = MHD_lookup_connection_value(client, MHD_HEADER_KIND, "If-Match");
    enum pithi_serve_state state;
    const char *file = MHD_lookup_connection_value(client, MHD_GET_ARGUMENT_KIND, "file");
    int is_digest = file && strcmp(file, "digest") == 0;
    struct range ranges[RANGES_MOST];
    char text[24];
    unsigned status;
    size_t size;

    version_text(log, text);
    if (pithi_serve_has_changed(log) || (match && strcmp(match, text) != 0))
        return say(client, MHD_HTTP_PRECONDITION_FAILED, "the log has changed");
    /* The server keeps only some logs prepared and may have forgotten this one. Then pithi_serve_look prepares the log
     * again. */
    if ((state = pithi_serve_look(log)) == PITHI_SERVE_FAILED)
        return say(client, MHD_HTTP_INTERNAL_SERVER_ERROR, log->why);
    if (state != PITHI_SERVE_READY)
        return say(client, MHD_HTTP_ACCEPTED, "");
    int fd = is_digest ? log->digest_fd : log->fd;
    uint64_t file_size = is_digest ? log->digest_size : log->size;
    int count = range ? read_ranges(range, file_size, ranges) : -1;
    if (count == -1)
        return say(client, MHD_HTTP_BAD_REQUEST, "give a range of bytes");
    if (count < 0)
        return say(client, MHD_HTTP_RANGE_NOT_SATISFIABLE, "no such bytes, or too many");
    char *data = read_parts(fd, ranges, count, &size, &status);
    if (!data)
        return say(client, status, "the log has changed");
    return send_data(client, MHD_HTTP_OK, "application/octet-stream", data, size, NULL, NULL);
}

/* Sends what the page needs for its first picture: the version of the log, then the parts that `pith --prepare` has
 * chosen. While `pith --prepare` is at work, sends status 202 instead. */
static enum MHD_Result send_first(struct MHD_Connection *client, struct pithi_serve_log *log)
{
    enum { VERSION = 18 };
    struct stat st;
    char version[24], *data;

    if (pithi_serve_look(log) != PITHI_SERVE_READY)
        return say(client, MHD_HTTP_ACCEPTED, "");
    if (fstat(log->first_fd, &st) != 0 || st.st_size > ANSWER_MOST || !(data = malloc(VERSION + (size_t)st.st_size)))
        return MHD_NO;
    version_text(log, version);
    memcpy(data, version, VERSION);
    size_t size = pithi_read_at(log->first_fd, data + VERSION, (size_t)st.st_size, 0);
    return send_data(client, MHD_HTTP_OK, "application/octet-stream", data, VERSION + size, NULL, NULL);
}

/* ---- Results of other processes ("answer", "legend") ------------------------------------------------------------- */

/* Reads the argument `name` of the address as a number. Returns 1, or 0 if it is missing or is no number. */
static int read_number(struct MHD_Connection *client, const char *name, int64_t *number)
{
    const char *text = MHD_lookup_connection_value(client, MHD_GET_ARGUMENT_KIND, name);
    char *end;

    if (!text || !*text)
        return 0;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return !*end && !errno;
}

/* Sends the analysis or, if `is_legend`, a legend. A process makes this answer as JSON; while the process is at work,
 * sends status 202 instead. */
static enum MHD_Result send_answer(struct MHD_Connection *client, struct pithi_serve_log *log, int is_legend)
{
    const char *theme = MHD_lookup_connection_value(client, MHD_GET_ARGUMENT_KIND, "theme");
    const struct pithi_serve_answer *answer;
    int64_t from_ns = 0, to_ns = 0, farthest_ns = INT64_MAX / 2;
    struct stat st;
    char *data;

    if (is_legend && (!read_number(client, "from", &from_ns) || !read_number(client, "to", &to_ns)))
        return say(client, MHD_HTTP_BAD_REQUEST, "give the time, from and to, in ns");
    if (is_legend && (from_ns >= to_ns || from_ns < -farthest_ns || to_ns > farthest_ns))
        return say(client, MHD_HTTP_BAD_REQUEST, "give a time from before to");
    if (pithi_serve_look(log) != PITHI_SERVE_READY)
        return say(client, MHD_HTTP_PRECONDITION_FAILED, "the log has changed");
    theme = theme && strcmp(theme, "dark") == 0 ? "dark" : "light";
    answer = is_legend ? pithi_serve_legend(log, from_ns, to_ns, theme) : pithi_serve_analyze(log);
    if (!answer || answer->state == PITHI_SERVE_WORKING)
        return say(client, MHD_HTTP_ACCEPTED, "");
    if (answer->state == PITHI_SERVE_FAILED)
        return say(client, MHD_HTTP_INTERNAL_SERVER_ERROR, answer->why);
    if (fstat(answer->fd, &st) != 0 || st.st_size > ANSWER_MOST || !(data = malloc((size_t)st.st_size + 1)))
        return MHD_NO;
    size_t size = pithi_read_at(answer->fd, data, (size_t)st.st_size, 0);
    return send_data(client, MHD_HTTP_OK, "application/json", data, size, NULL, NULL);
}

/* ---- The server -------------------------------------------------------------------------------------------------- */

/* Connections that have not sent the token yet, the oldest first. The list is limited, because anybody who can reach
 * the port can open many connections and send nothing. If the list is full, its oldest connection is closed. */
static struct MHD_Connection *unknown[UNKNOWN_MOST];
static int unknown_count;

static void forget_unknown(const struct MHD_Connection *client)
{
    int i = 0;

    while (i < unknown_count && unknown[i] != client)
        i++;
    if (i < unknown_count)
        memmove(unknown + i, unknown + i + 1, (size_t)(--unknown_count - i) * sizeof *unknown);
}

static void note_connection(void *context, struct MHD_Connection *client, void **of_socket,
                            enum MHD_ConnectionNotificationCode what)
{
    (void)context, (void)of_socket;
    if (what != MHD_CONNECTION_NOTIFY_STARTED) {
        forget_unknown(client);
        return;
    }
    if (unknown_count == UNKNOWN_MOST) {
        const union MHD_ConnectionInfo *of = MHD_get_connection_info(unknown[0], MHD_CONNECTION_INFO_CONNECTION_FD);
        if (of)
            shutdown(of->connect_fd, SHUT_RDWR); /* makes libmicrohttpd end the connection */
        forget_unknown(unknown[0]);
    }
    unknown[unknown_count++] = client;
}

/* Answers a request. libmicrohttpd calls this function when the head of the request has arrived, and again at the
 * request's end. If an answer is sent at the first call, the connection ends after it. */
static enum MHD_Result answer(void *context, struct MHD_Connection *client, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    static const char html[] = "text/html; charset=utf-8";
    const char *what, *name;
    struct pithi_serve_log *log;
    size_t size;

    (void)context, (void)version, (void)upload, (void)upload_size;
    if (!is_our_host(client) || !(what = behind_token(url)))
        return say(client, MHD_HTTP_FORBIDDEN, "");
    forget_unknown(client);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_data(client, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", strdup(""), 0, "Allow", "GET, HEAD");
    if (!*state) {
        *state = &server; /* any pointer but NULL: by it the next call knows that the request has ended */
        return MHD_YES;
    }
    if (strcmp(what, "program") == 0)
        return send_program(client);
    name = MHD_lookup_connection_value(client, MHD_GET_ARGUMENT_KIND, "log");
    if (!name && !*what && pithi_serve_is_folder()) {
        char *list = pithi_serve_list(&size);
        return send_data(client, MHD_HTTP_OK, html, list, size, NULL, NULL);
    }
    if (!name && !*what)
        name = pithi_serve_only();
    if (!name || !(log = pithi_serve_find(name)))
        return say(client, MHD_HTTP_NOT_FOUND, "there is no such log");
    if (!*what) {
        pithi_serve_retry(log);
        char *page = pithi_serve_page(log->name, &size);
        return send_data(client, MHD_HTTP_OK, html, page, size, NULL, NULL);
    }
    if (strcmp(what, "facts") == 0)
        return send_facts(client, log);
    if (strcmp(what, "first") == 0)
        return send_first(client, log);
    if (strcmp(what, "bytes") == 0)
        return send_bytes(client, log);
    if (strcmp(what, "answer") == 0 || strcmp(what, "legend") == 0)
        return send_answer(client, log, *what == 'l');
    return say(client, MHD_HTTP_NOT_FOUND, "there is no such page");
}

int pithi_serve_listen(struct pithi_serve_place *place)
{
    struct addrinfo how = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char port[16];

    snprintf(port, sizeof port, "%d", place->port);
    int err = getaddrinfo(place->address ? place->address : "127.0.0.1", port, &how, &found);
    if (err)
        return pithi_serve_failed("--listen: not the number of an address: %s: %s", place->address, gai_strerror(err));
    token = place->token;
    if (place->address)
        gethostname(our_name, sizeof our_name - 1);
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_storage got;
    socklen_t length = sizeof got;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, CLIENTS_MOST) != 0 ||
        getsockname(fd, (struct sockaddr *)&got, &length) != 0) {
        int why = errno;
        freeaddrinfo(found);
        if (fd >= 0)
            close(fd);
        return pithi_serve_failed("%s, port %d: %s", place->address ? place->address : "127.0.0.1", place->port,
                                  strerror(why));
    }
    freeaddrinfo(found);
    /* This works for IPv6, too: the port is at the same place in sockaddr_in and sockaddr_in6. */
    place->port = ntohs(((const struct sockaddr_in *)&got)->sin_port);
    /* Uses poll, not epoll. With epoll, libmicrohttpd 0.9.75 has an error: after CLIENTS_MOST connections have ended,
     * it accepts no new one for IDLE_S seconds. */
    server = MHD_start_daemon(MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, NULL,
                              MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, CLIENTS_MOST,
                              MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                              (size_t)REQUEST_BYTES_MOST, MHD_OPTION_NOTIFY_CONNECTION, note_connection, NULL,
                              MHD_OPTION_END);
    if (server)
        return 0;
    close(fd);
    return pithi_serve_failed("the HTTP server does not start: %s", strerror(errno));
}

void pithi_serve_stop(void) { MHD_stop_daemon(server); }
