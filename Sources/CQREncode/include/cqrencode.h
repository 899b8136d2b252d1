// QR codes by libqrencode, loaded at run time if it is installed.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writes the code of a text, row by row, one byte per module (1: dark), and returns its width in modules; 0 if the library is
// missing, the text too long, or `capacity` too small. 177 x 177 modules are always enough.
size_t cqrencode_modules(const char *text, uint8_t *modules, size_t capacity);

#ifdef __cplusplus
}
#endif
