#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed TOML text as a flat list of values in the order of their place in the text, or an error with its place.
/// Owns every pointer handed out below; they live until ctoml_free. Read-only once parsed.
typedef struct ctoml_document ctoml_document;

typedef enum {
    CTOML_STRING = 0,
    CTOML_INTEGER = 1,
    CTOML_FLOAT = 2,
    CTOML_BOOLEAN = 3,
    CTOML_STRINGS = 4,  ///< an array that holds strings only (or nothing)
    CTOML_TABLE = 5,    ///< a table; its values follow as entries of their own
    CTOML_OTHER = 6,    ///< dates, times and mixed arrays: named, but without a value
} ctoml_type;

/// Parses `length` bytes of UTF-8 (`text` may be NULL when it is 0). Returns NULL only when memory ran out.
ctoml_document *ctoml_parse(const char *text, size_t length);
void ctoml_free(ctoml_document *document);

/// NULL when the text is well formed; otherwise one sentence on what is wrong.
const char *ctoml_error_message(const ctoml_document *document);
uint32_t ctoml_error_line(const ctoml_document *document);
uint32_t ctoml_error_column(const ctoml_document *document);

/// Number of entries. Every `index` below this is valid; any other gives 0, "" or CTOML_OTHER.
size_t ctoml_count(const ctoml_document *document);
/// The dotted path of the entry, for instance "audio.input".
const char *ctoml_path(const ctoml_document *document, size_t index);
ctoml_type ctoml_entry_type(const ctoml_document *document, size_t index);
uint32_t ctoml_line(const ctoml_document *document, size_t index);
uint32_t ctoml_column(const ctoml_document *document, size_t index);
const char *ctoml_string(const ctoml_document *document, size_t index, size_t *length);
int64_t ctoml_integer(const ctoml_document *document, size_t index);
double ctoml_float(const ctoml_document *document, size_t index);
bool ctoml_boolean(const ctoml_document *document, size_t index);
size_t ctoml_element_count(const ctoml_document *document, size_t index);
const char *ctoml_element(const ctoml_document *document, size_t index, size_t element, size_t *length);

#ifdef __cplusplus
}
#endif
