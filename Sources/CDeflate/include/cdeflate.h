// Compression by zlib, loaded at run time if it is installed.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writes `count` bytes in the format of gzip (RFC 1952) and returns their length; 0 if the library is missing or `capacity` is
// too small. 64 bytes more than a thousandth above `count` are always enough.
size_t cdeflate_gzip(const uint8_t *bytes, size_t count, uint8_t *packed, size_t capacity);

#ifdef __cplusplus
}
#endif
