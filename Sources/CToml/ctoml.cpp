#include "ctoml.h"

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <toml++/toml.h>

namespace {

// Tables are freed recursively, so their depth is bounded before parsing. The parser itself bounds nested arrays and
// inline tables; a dotted key is the other way to nest.
constexpr size_t maximumDotsPerLine = 64;
constexpr size_t maximumEntries = 65536;

struct Entry {
    std::string path;
    ctoml_type type = CTOML_OTHER;
    uint32_t line = 0;
    uint32_t column = 0;
    std::string text;
    int64_t integer = 0;
    double number = 0;
    bool flag = false;
    std::vector<std::string> elements;
};

}  // namespace

struct ctoml_document {
    std::vector<Entry> entries;
    bool failed = false;
    std::string message;
    uint32_t line = 0;
    uint32_t column = 0;
};

namespace {

void fail(ctoml_document &document, std::string_view message, uint32_t line, uint32_t column) {
    document.failed = true;
    document.message.assign(message);
    document.line = line;
    document.column = column;
    document.entries.clear();
}

// Returns the first line with more dotted names than any sensible text has, or 0.
uint32_t lineThatIsTooDeep(std::string_view text) {
    uint32_t line = 1;
    size_t dots = 0;
    for (size_t at = 0; at < text.size(); at++) {
        const char byte = text[at];
        if (byte == '\n') {
            line++;
            dots = 0;
        } else if (byte == '.' && at + 1 < text.size() && text[at + 1] != '.') {
            if (++dots > maximumDotsPerLine) return line;
        }
    }
    return 0;
}

void addStrings(Entry &entry, const toml::array &array) {
    for (const toml::node &element : array) {
        const auto *text = element.as_string();
        if (!text) {
            entry.elements.clear();
            return;
        }
        entry.elements.push_back(text->get());
    }
    entry.type = CTOML_STRINGS;
}

void addTable(ctoml_document &document, const toml::table &table, const std::string &prefix) {
    for (auto &&[key, node] : table) {
        if (document.entries.size() >= maximumEntries) return;
        Entry entry;
        const std::string_view name = key.str();
        entry.path = prefix.empty() ? std::string(name) : prefix + "." + std::string(name);
        // A value is best reported at its key; tables know only their own position.
        const toml::source_region &place = key.source().begin ? key.source() : node.source();
        entry.line = static_cast<uint32_t>(place.begin.line);
        entry.column = static_cast<uint32_t>(place.begin.column);
        if (const auto *text = node.as_string()) {
            entry.type = CTOML_STRING;
            entry.text = text->get();
        } else if (const auto *integer = node.as_integer()) {
            entry.type = CTOML_INTEGER;
            entry.integer = integer->get();
        } else if (const auto *number = node.as_floating_point()) {
            entry.type = CTOML_FLOAT;
            entry.number = number->get();
        } else if (const auto *flag = node.as_boolean()) {
            entry.type = CTOML_BOOLEAN;
            entry.flag = flag->get();
        } else if (const auto *array = node.as_array()) {
            addStrings(entry, *array);
        } else if (const auto *inner = node.as_table()) {
            entry.type = CTOML_TABLE;
            const std::string path = entry.path;
            document.entries.push_back(std::move(entry));
            addTable(document, *inner, path);
            continue;
        }
        document.entries.push_back(std::move(entry));
    }
}

void parse(ctoml_document &document, std::string_view text) {
    if (const uint32_t line = lineThatIsTooDeep(text)) {
        fail(document, "too many dotted names in one line", line, 1);
        return;
    }
    try {
        const toml::table table = toml::parse(text);
        addTable(document, table, "");
        if (document.entries.size() >= maximumEntries) return fail(document, "too many values", 1, 1);
        // A table sorts before its contents, as its path is a prefix of theirs.
        std::sort(document.entries.begin(), document.entries.end(), [](const Entry &a, const Entry &b) {
            return std::tie(a.line, a.column, a.path) < std::tie(b.line, b.column, b.path);
        });
    } catch (const toml::parse_error &error) {
        const auto &place = error.source().begin;
        fail(document, error.description(), static_cast<uint32_t>(place.line), static_cast<uint32_t>(place.column));
    }
}

const Entry *entryAt(const ctoml_document *document, size_t index) {
    return index < document->entries.size() ? &document->entries[index] : nullptr;
}

const char *bytes(const std::string *text, size_t *length) {
    *length = text ? text->size() : 0;
    return text ? text->data() : "";
}

}  // namespace

extern "C" {

ctoml_document *ctoml_parse(const char *text, size_t length) {
    auto *document = new (std::nothrow) ctoml_document;
    if (!document) return nullptr;
    try {
        parse(*document, std::string_view(text, length));
    } catch (...) {
        delete document;
        return nullptr;
    }
    return document;
}

void ctoml_free(ctoml_document *document) { delete document; }

const char *ctoml_error_message(const ctoml_document *document) {
    return document->failed ? document->message.c_str() : nullptr;
}

uint32_t ctoml_error_line(const ctoml_document *document) { return document->line; }

uint32_t ctoml_error_column(const ctoml_document *document) { return document->column; }

size_t ctoml_count(const ctoml_document *document) { return document->entries.size(); }

const char *ctoml_path(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->path.c_str() : "";
}

ctoml_type ctoml_entry_type(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->type : CTOML_OTHER;
}

uint32_t ctoml_line(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->line : 0;
}

uint32_t ctoml_column(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->column : 0;
}

const char *ctoml_string(const ctoml_document *document, size_t index, size_t *length) {
    const Entry *entry = entryAt(document, index);
    return bytes(entry ? &entry->text : nullptr, length);
}

int64_t ctoml_integer(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->integer : 0;
}

double ctoml_float(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->number : 0;
}

bool ctoml_boolean(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry && entry->flag;
}

size_t ctoml_element_count(const ctoml_document *document, size_t index) {
    const Entry *entry = entryAt(document, index);
    return entry ? entry->elements.size() : 0;
}

const char *ctoml_element(const ctoml_document *document, size_t index, size_t element, size_t *length) {
    const Entry *entry = entryAt(document, index);
    const bool there = entry && element < entry->elements.size();
    return bytes(there ? &entry->elements[element] : nullptr, length);
}

}
