import CToml

/// The values of a TOML document, each with its position.
package struct ConfigurationDocument {
    package struct Entry: Equatable {
        package let path: String
        package let value: ConfigurationValue
        package let line: Int
    }

    /// The text is not TOML.
    package struct SyntaxError: Error, Equatable {
        package let message: String
        package let line: Int
        package let column: Int
    }

    /// In document order. Tables are entries too: an unknown table is an error even if it is empty.
    package let entries: [Entry]

    package init(parsing bytes: [UInt8]) throws(SyntaxError) {
        guard let handle = Handle(bytes) else { throw SyntaxError(message: "out of memory", line: 0, column: 0) }
        if let error = handle.error { throw error }
        entries = handle.entries
    }

    /// Owns the memory the C library allocated.
    private struct Handle: ~Copyable {
        private let document: OpaquePointer

        init?(_ bytes: [UInt8]) {
            let parsed = bytes.withUnsafeBytes { raw in
                ctoml_parse(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
            }
            guard let parsed else { return nil }
            document = parsed
        }

        deinit { ctoml_free(document) }

        var error: SyntaxError? {
            guard let message = ctoml_error_message(document) else { return nil }
            return SyntaxError(
                message: String(cString: message), line: Int(ctoml_error_line(document)),
                column: Int(ctoml_error_column(document))
            )
        }

        var entries: [Entry] {
            (0..<ctoml_count(document)).map { index in
                Entry(
                    path: String(cString: ctoml_path(document, index)), value: value(at: index),
                    line: Int(ctoml_line(document, index))
                )
            }
        }

        private func value(at index: Int) -> ConfigurationValue {
            switch ctoml_entry_type(document, index) {
            case CTOML_STRING:
                var length = 0
                return .text(Self.text(ctoml_string(document, index, &length), length))
            case CTOML_INTEGER: return .integer(Int(ctoml_integer(document, index)))
            case CTOML_FLOAT: return .number(ctoml_float(document, index))
            case CTOML_BOOLEAN: return .flag(ctoml_boolean(document, index))
            case CTOML_TABLE: return .table
            case CTOML_STRINGS:
                return .texts(
                    (0..<ctoml_element_count(document, index)).map { element in
                        var length = 0
                        return Self.text(ctoml_element(document, index, element, &length), length)
                    }
                )
            default: return .other
            }
        }

        private static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
            guard let start else { return "" }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
        }
    }
}

extension ConfigurationDocument {
    /// Parses a state file.
    ///
    /// - Throws: the line number and what is wrong with the line.
    package init(ofState bytes: [UInt8]) throws(Unreadable) {
        do {
            try self.init(parsing: bytes)
        } catch {
            throw Unreadable("line \(error.line): \(error.message)")
        }
    }

    /// By path.
    package var values: [String: ConfigurationValue] {
        Dictionary(entries.map { ($0.path, $0.value) }) { _, last in last }
    }
}
