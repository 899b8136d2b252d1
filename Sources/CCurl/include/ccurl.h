#pragma once

#include <curl/curl.h>

// libcurl's variadic calls are invisible to Swift: each door takes one type of argument.

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
/// Has every socket of this handle fail when sent data stays unacknowledged for so long (TCP_USER_TIMEOUT).
CURLcode ccurl_set_unacknowledged_limit(CURL *easy, unsigned milliseconds);

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode ccurl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value);

/// The result in a CURLMSG_DONE message.
CURLcode ccurl_message_result(const CURLMsg *message);
