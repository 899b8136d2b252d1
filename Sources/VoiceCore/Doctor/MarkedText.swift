internal import VoiceBase

/// A sentence whose literal parts and integers may be shared; what is interpolated into it otherwise is private.
package struct MarkedText: ExpressibleByStringInterpolation, Sendable {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ value: some BinaryInteger) { text += "\(value)" }
        package mutating func appendInterpolation(_ value: MarkedText) { text += value.text }
        package mutating func appendInterpolation(_ value: some Any) { text += "\(private: value)" }
        package mutating func appendInterpolation(public value: some Any) { text += "\(value)" }
    }

    fileprivate var text: String

    package init(stringLiteral value: String) { text = value }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package static func + (one: Self, other: Self) -> Self { "\(one)\(other)" }
    package static func += (one: inout Self, other: Self) { one.text += other.text }

    /// The whole sentence, for the user.
    package var shown: String { PrivateText.shown(text) }
    /// The sentence without its private parts.
    package var shared: String { PrivateText.shared(text) }
}
