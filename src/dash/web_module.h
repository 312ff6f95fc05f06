#pragma once

#include <stdbool.h>
#include <stddef.h>

/// The table that saccade-web.so exports as `sac_web_module`: pages and streams of events on loopback, through
/// libmicrohttpd. It answers only GET and HEAD of known paths, and only requests whose host is this machine.

enum
{
    SAC_WEB_ERROR_SIZE = 256
};

typedef struct sac_web_page
{
    const char *type, *body;
    size_t size;
} sac_web_page;

/// What a server serves. Connections have threads of their own, which call these functions at once.
typedef struct sac_web_site
{
    void *user;
    /// Find a page, whose words must outlive the server. @return false: there is none of this path
    bool (*find)(void *user, const char *path, sac_web_page *page);
    /// Tell whether the path is one of a stream of server-sent events.
    bool (*streams)(void *user, const char *path);
    void *(*open)(void *user, const char *path); ///< begin a stream; NULL: there are too many
    /// Wait for at most a few seconds, then give some bytes; -1: the end. The stream's own thread calls it.
    long (*read)(void *stream, char *bytes, size_t size);
    void (*close)(void *stream);
} sac_web_site;

typedef struct sac_web_calls
{
    /// @param site  must outlive the server
    /// @param port  0: any free port
    /// @return NULL with a sentence in `error`
    void *(*create)(const sac_web_site *site, int port, char *error);
    int (*port)(void *web);
    void (*destroy)(void *web); ///< waits for the streams to end; NULL is ignored
} sac_web_calls;
