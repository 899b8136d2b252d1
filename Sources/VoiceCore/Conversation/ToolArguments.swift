internal import VoiceBase

/// Decodes the arguments of a call, which the model wrote and which may be anything.
package enum ToolArguments {
    /// Upper limit for any tool, in UTF-8 bytes.
    static let maximumBytes = 32 << 10

    /// Returns nil if they are too long or not of this shape.
    package static func decode<Arguments: Decodable>(_ type: Arguments.Type, from text: String) -> Arguments? {
        OutsideJSON.decode(type, from: text.utf8, atMost: maximumBytes)
    }

    /// The schema of a tool without arguments.
    package static let none = #"{"type":"object","properties":{},"additionalProperties":false}"#
}
