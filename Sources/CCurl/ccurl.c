#define _GNU_SOURCE
#include "ccurl.h"

#include <locale.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_write(CURL *easy, ccurl_data_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode ccurl_set_header(CURL *easy, ccurl_data_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

// A quarter of a second of audio.
static const int maximum_unsent = 16 << 10;

static int prepare_live_socket(void *context, curl_socket_t socket, curlsocktype purpose) {
    ccurl_live_sockets *live = context;
    struct stat status;
    if (purpose != CURLSOCKTYPE_IPCXN) {
        return CURL_SOCKOPT_OK;
    }
    // A kernel without these options only notices a dead link later, and buffers more stale data by then.
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &live->limit_ms, sizeof live->limit_ms);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &maximum_unsent, sizeof maximum_unsent);
    if (fstat(socket, &status) == 0) {
        unsigned slot = live->count++ % CCURL_LIVE_SOCKETS;
        live->socket[slot] = socket;
        live->inode[slot] = status.st_ino;
    }
    return CURL_SOCKOPT_OK;
}

CURLcode ccurl_set_live_sockets(CURL *easy, ccurl_live_sockets *live) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, prepare_live_socket);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, live);
}

bool ccurl_is_connected(const ccurl_live_sockets *live) {
    for (unsigned slot = 0; slot < live->count && slot < CCURL_LIVE_SOCKETS; slot++) {
        struct stat status;
        struct sockaddr_storage peer;
        socklen_t size = sizeof peer;
        // libcurl closes the sockets of addresses that did not answer, so the number may belong to another file by now.
        if (fstat(live->socket[slot], &status) == 0 && status.st_ino == live->inode[slot]
            && getpeername(live->socket[slot], (struct sockaddr *)&peer, &size) == 0) {
            return true;
        }
    }
    return false;
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }

CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLcode ccurl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }

char *ccurl_ascii_host(const char *url) {
    char *host = NULL;
#if LIBCURL_VERSION_NUM >= 0x075800
    // libidn2 expects the name in the encoding of the locale, and a service has none.
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    CURLU *parts = utf8 ? curl_url() : NULL;
    if (parts) {
        locale_t before = uselocale(utf8);
        if (curl_url_set(parts, CURLUPART_URL, url, 0) ||
            curl_url_get(parts, CURLUPART_HOST, &host, CURLU_PUNYCODE)) {
            host = NULL;
        }
        uselocale(before);
        curl_url_cleanup(parts);
    }
    if (utf8) {
        freelocale(utf8);
    }
#endif
    return host;
}
