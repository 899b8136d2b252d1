#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed TOML text as a flat list of values in textual order, or an error with its position. Owns every pointer
/// returned below; they are valid until ctoml_free. Read-only once parsed.
typedef struct ctoml_document ctoml_document;

typedef enum {
    CTOML_STRING = 0,
    CTOML_INTEGER = 1,
    CTOML_FLOAT = 2,
    CTOML_BOOLEAN = 3,
    CTOML_STRINGS = 4,  ///< an array of strings only, or an empty one
    CTOML_TABLE = 5,    ///< a table; its values follow as separate entries
    CTOML_OTHER = 6,    ///< dates, times and mixed arrays: listed, but without a value
} ctoml_type;

/// Parses `length` bytes of UTF-8 (`text` may be NULL if it is 0). Returns NULL only if memory runs out.
ctoml_document *ctoml_parse(const char *text, size_t length);
void ctoml_free(ctoml_document *document);

/// NULL if the text is well formed; otherwise one sentence that describes the error.
const char *ctoml_error_message(const ctoml_document *document);
uint32_t ctoml_error_line(const ctoml_document *document);
uint32_t ctoml_error_column(const ctoml_document *document);

/// Number of entries. An `index` out of range yields 0, "" or CTOML_OTHER.
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
