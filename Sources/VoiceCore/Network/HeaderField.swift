/// What may stand in a header that this program sends (RFC 9110 sections 5.1 and 5.5).
package enum HeaderField {
    /// Neither names nor values can smuggle a second line in.
    static func isValid(_ header: (name: String, value: String)) -> Bool {
        isToken(header.name) && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }

    /// A method or a field name (RFC 9110 section 5.6.2).
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
