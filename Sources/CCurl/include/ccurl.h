#pragma once

#include <curl/curl.h>
#include <stdbool.h>

// libcurl's variadic functions are not visible in Swift; each function below takes one type of argument.

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
/// Sets CURLOPT_WRITEFUNCTION and its context.
CURLcode ccurl_set_write(CURL *easy, ccurl_data_callback callback, void *context);
/// Sets CURLOPT_HEADERFUNCTION and its context.
CURLcode ccurl_set_header(CURL *easy, ccurl_data_callback callback, void *context);
/// Sets CURLOPT_OPENSOCKETFUNCTION and its context.
CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback callback, void *context);
enum { CCURL_LIVE_SOCKETS = 8 };

/// The latest sockets libcurl created for one connection: one for each address it tried.
typedef struct {
    /// Sent data unacknowledged for this long ends the connection (TCP_USER_TIMEOUT).
    unsigned limit_ms;
    unsigned count;
    int socket[CCURL_LIVE_SOCKETS];
    unsigned long long inode[CCURL_LIVE_SOCKETS];
} ccurl_live_sockets;

/// Prepares every socket of this handle for live data: applies the limit, and keeps little unsent data in the kernel
/// (TCP_NOTSENT_LOWAT). `live` must outlive the attempt to connect.
CURLcode ccurl_set_live_sockets(CURL *easy, ccurl_live_sockets *live);
/// Whether a TCP connection is established. libcurl itself reports that only once TLS is done too.
bool ccurl_is_connected(const ccurl_live_sockets *live);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode ccurl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value);

/// The result in a CURLMSG_DONE message.
CURLcode ccurl_message_result(const CURLMsg *message);

/// The host name in the form used in DNS: non-ASCII letters in punycode (RFC 5891), whatever the locale. `url` is UTF-8 and
/// contains the host. NULL if it is not a valid name or this libcurl lacks the feature; free it with `curl_free`.
char *ccurl_ascii_host(const char *url);
