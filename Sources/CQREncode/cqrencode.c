#include "cqrencode.h"

#include <dlfcn.h>

// As in qrencode.h of version 4.
typedef struct {
    int version;
    int width;
    unsigned char *data;
} code;
enum { any_version = 0, level_low = 0, mode_bytes = 2, case_sensitive = 1 };

size_t cqrencode_modules(const char *text, uint8_t *modules, size_t capacity) {
    // Stays loaded: the program ends soon.
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    code *(*encode)(const char *, int, int, int, int) =
        (code * (*)(const char *, int, int, int, int)) dlsym(library, "QRcode_encodeString");
    void (*release)(code *) = (void (*)(code *))dlsym(library, "QRcode_free");
    if (!encode || !release) return 0;
    code *made = encode(text, any_version, level_low, mode_bytes, case_sensitive);
    if (!made) return 0;
    size_t width = made->width > 0 ? (size_t)made->width : 0;
    size_t count = width * width;
    if (count > capacity) width = count = 0;
    for (size_t index = 0; index < count; index++) modules[index] = made->data[index] & 1;
    release(made);
    return width;
}
