/// What an address says before it is read as a URL.
package enum AddressText {
    /// The address as it may be asked for: a fragment is the reader's own matter (RFC 3986 section 3.5).
    package static func withoutFragment(_ text: String) -> String { String(text.prefix { $0 != "#" }) }

    /// The path of a file, given as such or as file://; nil for anything else.
    package static func filePath(_ text: String) -> String? {
        if text.hasPrefix("file://") { return String(text.dropFirst(7)) }
        return text.hasPrefix("/") ? text : nil
    }
}
