/* serve_main.c - `pith serve`: reads the options, prints the link, and waits for the signal that ends it.
 *
 *     http://127.0.0.1:40211/0f3c...9a/       32 digits that nobody can guess; without them nothing is served
 *
 * Only this machine can connect, unless --listen names another address, because HTTP is not encrypted, and a log may be
 * confidential. A user at another machine forwards the port by ssh; then the same link works there. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "serve/serve.h"

static int usage(const char *what)
{
    pithi_say("serve: %s; see `pith help serve`", what);
    return 2;
}

static int read_options(int argc, char **argv, struct pithi_serve_place *place)
{
    static const struct option options[] = {
        {"listen", required_argument, NULL, 'l'}, {"port", required_argument, NULL, 'p'}, {NULL, 0, NULL, 0}};
    char text[200], *end;
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1)
        switch (option) {
        case 'l':
            place->address = optarg;
            break;
        case 'p':
            place->port = (int)strtol(optarg, &end, 10);
            if (*end || end == optarg || place->port < 1 || place->port > 65535) {
                snprintf(text, sizeof text, "--port: not a number from 1 to 65535: %.100s", optarg);
                return usage(text);
            }
            break;
        case ':':
            snprintf(text, sizeof text, "%.100s: a value is missing", argv[optind - 1]);
            return usage(text);
        default:
            snprintf(text, sizeof text, "no such option: %.100s", argv[optind - 1]);
            return usage(text);
        }
    return argc - optind == 1 ? 0 : usage(argc == optind ? "LOG or FOLDER is missing" : "one LOG or FOLDER only");
}

/* Makes a token of 128 random bits, which nobody can guess. */
static int make_token(char token[PITHI_SERVE_TOKEN + 1])
{
    unsigned char bytes[PITHI_SERVE_TOKEN / 2];

    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return pithi_serve_failed("no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

int main(int argc, char **argv)
{
    struct pithi_serve_place place = {.port = 0};
    struct sigaction hangup;
    sigset_t ends;
    if (argc == 6 && strcmp(argv[1], "--legend") == 0)
        return pithi_serve_put_legend(argv + 2);
    int caught, status = read_options(argc, argv, &place);

    if (status)
        return status;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* if the parent had set SIGCHLD to be ignored, the exit statuses of child processes
                               * would be lost */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler != SIG_IGN) /* if nohup has set SIGHUP to be ignored, it stays ignored */
        sigaddset(&ends, SIGHUP);
    /* Blocks these signals before threads are made, so that all threads have them blocked and the main thread can wait
     * for them. */
    sigprocmask(SIG_BLOCK, &ends, NULL);
    if (pithi_serve_begin(argv[optind]) || pithi_serve_read_page() || make_token(place.token) ||
        pithi_serve_listen(&place))
        return 1;

    int is_ipv6 = place.address && strchr(place.address, ':') != NULL;
    char host[256] = "HOST";
    const char *shown = place.address ? place.address : "127.0.0.1";
    gethostname(host, sizeof host - 1);
    /* 0.0.0.0 and :: mean "all addresses of this machine" and lead nowhere, so the link has the host's name instead. */
    if (strcmp(shown, "0.0.0.0") == 0 || strcmp(shown, "::") == 0) {
        shown = host;
        is_ipv6 = 0;
    }
    printf("http://%s%s%s:%d/%s/\n", is_ipv6 ? "[" : "", shown, is_ipv6 ? "]" : "", place.port, place.token);
    fflush(stdout);
    if (place.address)
        pithi_say("serve: whoever has the link can read what is served; it is sent without encryption");
    else
        pithi_say("serve: open the link on this machine; or on another one, after: ssh -L %d:127.0.0.1:%d %s",
                  place.port, place.port, host);

    sigwait(&ends, &caught);
    pithi_serve_stop();
    pithi_serve_end();
    return 0;
}
