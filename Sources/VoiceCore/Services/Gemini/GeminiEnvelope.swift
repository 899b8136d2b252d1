internal import VoiceBase

/// A message with its sound taken out, so that the general decoder reads little.
///
/// One pass over the strings of the message. A long string without escapes under the name `data` is sound: "@0" takes the
/// place of the first one, "@1" of the second; base64 has no "@". It does not judge whether the message is JSON.
struct GeminiEnvelope {
    private static let quote = UInt8(ascii: "\"")
    /// Shorter strings stay where they are.
    private static let shortest = 64
    /// A message has one; more are left to the general decoder, which has a limit of its own.
    private static let most = 16

    private(set) var json: [UInt8] = []
    /// Ranges of the message: base64.
    private(set) var sounds: [Range<Int>] = []

    init(_ message: UnsafeRawBufferPointer) {
        var (place, kept) = (0, 0)
        var name = 0..<0
        while let open = Self.find(message, from: place) {
            guard let close = Self.end(of: message, from: open + 1) else { break }
            let content = open + 1..<close
            place = close + 1
            if Self.isName(message, before: place) {
                name = content
            } else if content.count >= Self.shortest, sounds.count < Self.most,
                message[name].elementsEqual("data".utf8),
                message.firstPlace(of: UInt8(ascii: "\\"), in: content) == nil
            {
                json += message[kept...open]
                json += "@\(sounds.count)".utf8
                kept = close
                sounds.append(content)
            }
        }
        json += message[kept...]
    }

    private static func find(_ message: UnsafeRawBufferPointer, from place: Int) -> Int? {
        place < message.count ? message.firstPlace(of: quote, in: place..<message.count) : nil
    }

    /// Where the string ends that begins at `start`.
    private static func end(of message: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while let quote = find(message, from: place) {
            var escapes = 0
            while quote - escapes > start, message[quote - escapes - 1] == UInt8(ascii: "\\") { escapes += 1 }
            if escapes.isMultiple(of: 2) { return quote }
            place = quote + 1
        }
        return nil
    }

    /// Whether a colon follows.
    private static func isName(_ message: UnsafeRawBufferPointer, before place: Int) -> Bool {
        var place = place
        while place < message.count, [0x20, 0x09, 0x0A, 0x0D].contains(message[place]) { place += 1 }
        return place < message.count && message[place] == UInt8(ascii: ":")
    }
}
