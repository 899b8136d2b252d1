#include "cdeflate.h"

#include <dlfcn.h>
#include <string.h>

// gzip is a header, the deflated bytes, their checksum and length. zlib's one-call function makes the deflated bytes between a
// header of 2 bytes and a checksum of 4 that gzip does not want.
enum { head = 10, foot = 8, zlib_head = 2, zlib_foot = 4, best = 9 };

static void put(uint8_t *place, unsigned long value) {
    for (int index = 0; index < 4; index++) place[index] = (uint8_t)(value >> 8 * index);
}

size_t cdeflate_gzip(const uint8_t *bytes, size_t count, uint8_t *packed, size_t capacity) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || capacity < head + foot || count > UINT32_MAX) return 0;
    int (*compress)(uint8_t *, unsigned long *, const uint8_t *, unsigned long, int) =
        (int (*)(uint8_t *, unsigned long *, const uint8_t *, unsigned long, int))dlsym(library, "compress2");
    unsigned long (*checksum)(unsigned long, const uint8_t *, unsigned) =
        (unsigned long (*)(unsigned long, const uint8_t *, unsigned))dlsym(library, "crc32");
    // Its header ends where the deflated bytes of gzip begin.
    unsigned long length = capacity - (head - zlib_head);
    uint8_t *made = packed + head - zlib_head;
    if (!compress || !checksum || compress(made, &length, bytes, count, best) != 0) return 0;
    if (length < zlib_head + zlib_foot) return 0;
    size_t end = head - zlib_head + length - zlib_foot;
    if (end + foot > capacity) return 0;
    // Deflate, no name, no time, any system.
    static const uint8_t start[head] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255};
    memcpy(packed, start, head);
    put(packed + end, checksum(0, bytes, (unsigned)count));
    put(packed + end + 4, count);
    return end + foot;
}
