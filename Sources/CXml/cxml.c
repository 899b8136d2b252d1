#include "cxml.h"

#include <errno.h>
#include <iconv.h>
#include <libxml/HTMLparser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// MARK: Markup

struct cxml_parser {
    htmlParserCtxtPtr context;
    cxml_events events;
};

static void initialise(void) { xmlInitParser(); }

static void parser_open(void *context, const xmlChar *name, const xmlChar **attributes) {
    const cxml_events *events = &((cxml_parser *)context)->events;
    events->open(events->context, (const char *)name, (const char *const *)attributes);
}

static void parser_close(void *context, const xmlChar *name) {
    const cxml_events *events = &((cxml_parser *)context)->events;
    (void)name;
    events->close(events->context);
}

static void parser_text(void *context, const xmlChar *bytes, int count) {
    const cxml_events *events = &((cxml_parser *)context)->events;
    events->text(events->context, (const char *)bytes, count);
}

cxml_parser *cxml_parser_new(cxml_events events) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
    cxml_parser *parser = calloc(1, sizeof *parser);
    if (!parser) return NULL;
    parser->events = events;
    // Without handlers for declarations and entities, the document's own have no effect.
    htmlSAXHandler sax = {0};
    sax.startElement = parser_open;
    sax.endElement = parser_close;
    sax.characters = parser_text;
    sax.ignorableWhitespace = parser_text;
    parser->context = htmlCreatePushParserCtxt(&sax, parser, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!parser->context) {
        free(parser);
        return NULL;
    }
    htmlCtxtUseOptions(parser->context, HTML_PARSE_RECOVER | HTML_PARSE_NONET | HTML_PARSE_NOERROR |
                                            HTML_PARSE_NOWARNING | HTML_PARSE_NOIMPLIED | HTML_PARSE_IGNORE_ENC);
    return parser;
}

void cxml_parser_push(cxml_parser *parser, const char *bytes, int count, int is_last) {
    htmlParseChunk(parser->context, bytes, count, is_last);
}

void cxml_parser_free(cxml_parser *parser) {
    if (!parser) return;
    if (parser->context->myDoc) xmlFreeDoc(parser->context->myDoc);
    htmlFreeParserCtxt(parser->context);
    free(parser);
}

// MARK: Encodings

enum { longest_tail = 16 };

struct cxml_text {
    iconv_t converter;
    // An incomplete character at the end of the piece before.
    char tail[longest_tail];
    size_t count;
};

cxml_text *cxml_text_new(const char *encoding) {
    iconv_t converter = iconv_open("UTF-8", encoding);
    if (converter == (iconv_t)-1) return NULL;
    cxml_text *text = calloc(1, sizeof *text);
    if (!text) {
        iconv_close(converter);
        return NULL;
    }
    text->converter = converter;
    return text;
}

// Writes a byte of windows-1252 as UTF-8 and returns the end.
static char *write_byte(unsigned char byte, char *out) {
    static const unsigned short upper[32] = {
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    };
    unsigned code = byte >= 0x80 && byte < 0xA0 ? upper[byte - 0x80] : byte;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

// Converts until the end or an incomplete character, and returns how many bytes are left over.
static size_t convert(cxml_text *text, char *in, size_t left, int is_last, char **out, size_t *room) {
    while (left > 0) {
        if (iconv(text->converter, &in, &left, out, room) != (size_t)-1) return 0;
        if (errno == E2BIG || *room < 4) return 0;
        if (errno == EINVAL && !is_last && left < longest_tail) break;
        char *end = write_byte((unsigned char)*in++, *out);
        *room -= (size_t)(end - *out);
        *out = end;
        left--;
    }
    return left;
}

size_t cxml_text_decode(cxml_text *text, const char *bytes, size_t count, int is_last, char *out) {
    size_t room = 4 * (count + longest_tail);
    char *end = out;
    // Completes the character that the piece before began, a byte at a time.
    while (text->count > 0 && (count > 0 || is_last)) {
        if (count > 0 && text->count < longest_tail) {
            text->tail[text->count++] = *bytes++;
            count--;
        }
        size_t left = convert(text, text->tail, text->count, is_last && count == 0, &end, &room);
        memmove(text->tail, text->tail + text->count - left, left);
        text->count = left;
    }
    size_t left = convert(text, (char *)bytes, count, is_last, &end, &room);
    memcpy(text->tail + text->count, bytes + count - left, left);
    text->count += left;
    if (is_last) iconv(text->converter, NULL, NULL, &end, &room);
    return (size_t)(end - out);
}

void cxml_text_free(cxml_text *text) {
    if (!text) return;
    iconv_close(text->converter);
    free(text);
}
