#ifndef CXML_H
#define CXML_H

#include <stddef.h>

/// What a document contains, in its order. Texts are UTF-8 and valid during the call only.
typedef struct cxml_events {
    void *context;
    /// `attributes` alternates names and values and ends with a null name; it may be null, as may each value.
    void (*open)(void *context, const char *name, const char *const *attributes);
    void (*text)(void *context, const char *bytes, int count);
    void (*close)(void *context);
} cxml_events;

/// libxml2's HTML parser, which is given its document in pieces of UTF-8. It accepts anything, opens no file or
/// connection, and knows the entities of HTML but none of the document. Names come in lower case.
typedef struct cxml_parser cxml_parser;

/// Returns null if memory is exhausted.
cxml_parser *cxml_parser_new(cxml_events events);
void cxml_parser_push(cxml_parser *parser, const char *bytes, int count, int is_last);
void cxml_parser_free(cxml_parser *parser);

/// Converts text to UTF-8 as it comes, by iconv.
typedef struct cxml_text cxml_text;

/// Returns null if the encoding is unknown.
cxml_text *cxml_text_new(const char *encoding);
/// Writes at most 4 * (count + 16) bytes and returns how many. A byte that the encoding does not allow is read as
/// windows-1252.
size_t cxml_text_decode(cxml_text *text, const char *bytes, size_t count, int is_last, char *out);
void cxml_text_free(cxml_text *text);

#endif
