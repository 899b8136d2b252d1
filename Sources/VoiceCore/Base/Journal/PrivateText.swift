package import Logging

/// Text with parts that may be about the user, marked where it is written: `"cannot open \(private: path)"`.
///
/// A marked part is between two private-use characters, which `shown` removes. In a log line, the message is public but for such parts,
/// and a value is private unless it is written as `.public(value)`.
package enum PrivateText {
    fileprivate static let begin: Unicode.Scalar = "\u{10FFF0}"
    fileprivate static let end: Unicode.Scalar = "\u{10FFF1}"
    package static let hidden = "(not shown)"

    /// The whole text, for the user.
    package static func shown(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != begin && $0 != end }))
    }

    /// The text without its private parts, for others.
    package static func shared(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isHidden = false
        for scalar in text.unicodeScalars {
            if scalar == begin { result.append(contentsOf: hidden.unicodeScalars) }
            if scalar == begin || scalar == end {
                isHidden = scalar == begin
            } else if !isHidden {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

extension DefaultStringInterpolation {
    /// Appends a value that may be about the user.
    package mutating func appendInterpolation(private value: some Any) {
        let text = PrivateText.shown("\(value)")
        appendInterpolation("\(PrivateText.begin)\(text)\(PrivateText.end)")
    }
}

/// A value of a log line that is never about the user: a number, a state, a name of the program's own.
struct PublicValue: CustomStringConvertible, Sendable {
    let description: String
}

extension Logger.MetadataValue {
    /// A value that may be shared.
    package static func `public`(_ value: some Any) -> Self { .stringConvertible(PublicValue(description: "\(value)")) }

    var isPublic: Bool {
        if case .stringConvertible(let value) = self { value is PublicValue } else { false }
    }
}
