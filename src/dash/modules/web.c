#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dash/web_module.h"

/// Pages and streams on 127.0.0.1. The text of a page is in memory, so that no path of a request ever reaches the file
/// system.

enum
{
    CONNECTIONS = 24,
    TIMEOUT = 10,          // seconds without a byte
    HEADERS = 8192,        // bytes that a request's head may take
    STREAM_BUFFER = 32768, // bytes that are read from a stream at a time
    ATTEMPTS = 16,         // at a port that is free, where any will do
};

typedef struct web
{
    struct MHD_Daemon *daemon;
    const sac_web_site *site;
    int port;
} web;

// Accept "localhost", "127.0.0.1" or "[::1]", with any port. Any other name that leads here is an attack by a foreign
// page.
static int is_here(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++)
    {
        size_t length = strlen(names[i]);
        if (strncmp(host, names[i], length) != 0) continue;
        const char *rest = host + length;
        if (*rest == 0) return 1;
        if (*rest == ':' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1)) return 1;
    }
    return 0;
}

static void add_headers(struct MHD_Response *response, const char *type)
{
    if (type) MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Content-Security-Policy",
                            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

static enum MHD_Result answer_bytes(struct MHD_Connection *connection, unsigned status, const char *type,
                                    const char *body, size_t size)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, (void *)body, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    add_headers(response, type);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, "Allow", "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/// A stream, and the function that ends it.
typedef struct stream
{
    const sac_web_site *site;
    void *own;
} stream;

static ssize_t read_stream(void *user, uint64_t position, char *bytes, size_t size)
{
    (void)position;
    stream *s = user;
    long count = s->site->read(s->own, bytes, size);
    return count < 0 ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)count;
}

static void close_stream(void *user)
{
    stream *s = user;
    s->site->close(s->own);
    free(s);
}

static enum MHD_Result answer_stream(struct MHD_Connection *connection, const sac_web_site *site, const char *path)
{
    stream *s = malloc(sizeof *s);
    if (s) *s = (stream){site, site->open(site->user, path)};
    if (!s || !s->own)
    {
        free(s);
        return answer_bytes(connection, MHD_HTTP_SERVICE_UNAVAILABLE, NULL, "", 0);
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BUFFER, read_stream, s, close_stream);
    if (!response)
    {
        close_stream(s);
        return MHD_NO;
    }
    add_headers(response, "text/event-stream");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    (void)version, (void)upload;
    const web *w = user;
    static int seen;
    if (!*state)
    {
        *state = &seen;
        return MHD_YES;
    }
    // Anything that comes with a request is ignored.
    if (*upload_size > 0) return MHD_NO;
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (!is_here(host)) return answer_bytes(connection, MHD_HTTP_FORBIDDEN, NULL, "", 0);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return answer_bytes(connection, MHD_HTTP_METHOD_NOT_ALLOWED, NULL, "", 0);
    sac_web_page page;
    if (w->site->find(w->site->user, path, &page))
        return answer_bytes(connection, MHD_HTTP_OK, page.type, page.body, page.size);
    if (strcmp(method, "GET") == 0 && w->site->streams(w->site->user, path))
        return answer_stream(connection, w->site, path);
    return answer_bytes(connection, MHD_HTTP_NOT_FOUND, NULL, "", 0);
}

static void web_destroy(void *self)
{
    web *w = self;
    if (!w) return;
    if (w->daemon) MHD_stop_daemon(w->daemon);
    free(w);
}

// Paths are compared as they come, without decoding.
static size_t leave_escapes(void *user, struct MHD_Connection *connection, char *text)
{
    (void)user, (void)connection;
    return strlen(text);
}

static void log_nothing(void *user, const char *format, va_list list)
{
    (void)user, (void)format, (void)list;
}

// Open a socket that listens on the port of 127.0.0.1; -1 with errno. The socket is ours and not libmicrohttpd's,
// because two servers that ask libmicrohttpd to share an address would also share their connections.
static int listen_on_ipv4(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (listener < 0) return -1;
    // allows a port on which connections of an ended server still linger
    (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, SOMAXCONN) == 0)
        return listener;
    int error = errno;
    close(listener);
    errno = error;
    return -1;
}

static int bound_port(int listener)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    return getsockname(listener, (struct sockaddr *)&address, &size) == 0 ? ntohs(address.sin_port) : 0;
}

// Tell whether another program listens on the port of ::1, where browsers and ssh look first for "localhost". A machine
// without IPv6 has no such program.
static bool is_taken_on_ipv6(int port)
{
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (probe < 0) return false;
    (void)setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    bool taken = bind(probe, (struct sockaddr *)&address, sizeof address) != 0 && errno == EADDRINUSE;
    close(probe);
    return taken;
}

// Open a socket on a port that "localhost" leads to, whichever of its two addresses is meant; -1 with errno.
static int listen_on(int port)
{
    for (int i = 0; i < (port > 0 ? 1 : ATTEMPTS); i++)
    {
        int listener = listen_on_ipv4(port);
        if (listener < 0 || !is_taken_on_ipv6(bound_port(listener))) return listener;
        close(listener);
    }
    errno = EADDRINUSE;
    return -1;
}

static void explain(int port, char *error)
{
    const char *reason = strerror(errno);
    if (errno != EADDRINUSE)
    {
        snprintf(error, SAC_WEB_ERROR_SIZE, "port %d on 127.0.0.1: %s", port, reason);
        return;
    }
    int next = port + 1, listener = -1;
    while (next <= 65535 && (listener = listen_on(next)) < 0) next++;
    if (listener < 0)
    {
        snprintf(error, SAC_WEB_ERROR_SIZE, "port %d is in use, and so is every one above it", port);
        return;
    }
    close(listener);
    snprintf(error, SAC_WEB_ERROR_SIZE, "port %d is in use; the next one that is free is %d", port, next);
}

static void *web_create(const sac_web_site *site, int port, char *error)
{
    int listener = listen_on(port);
    if (listener < 0)
    {
        explain(port, error);
        return NULL;
    }
    web *w = calloc(1, sizeof *w);
    if (w)
    {
        w->site = site;
        w->port = bound_port(listener);
        w->daemon = MHD_start_daemon(
            MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ERROR_LOG,
            (uint16_t)port, NULL, NULL, answer, w, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
            MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS,
            MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL, MHD_OPTION_END);
    }
    if (w && w->daemon) return w;
    snprintf(error, SAC_WEB_ERROR_SIZE, "%s", w ? "libmicrohttpd does not start" : "out of memory");
    close(listener);
    web_destroy(w);
    return NULL;
}

static int web_port(void *self)
{
    return ((web *)self)->port;
}

__attribute__((visibility("default"))) extern const sac_web_calls sac_web_module;

const sac_web_calls sac_web_module = {.create = web_create, .port = web_port, .destroy = web_destroy};
