import VoiceBase

enum Base64Fuzz {
    /// Any bytes come back from their text; text that is taken stands for as many bytes as there is room for.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let output = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count / 4 * 3)
        defer { output.deallocate() }
        if let count = Base64.decode(bytes, into: output) { precondition(count <= bytes.count / 4 * 3) }
        let text = Base64.text(Array(bytes))
        let back = UnsafeMutablePointer<UInt8>.allocate(capacity: text.utf8.count / 4 * 3)
        defer { back.deallocate() }
        let count = Array(text.utf8).withUnsafeBytes { Base64.decode($0, into: back) }
        precondition(count == bytes.count, "another length")
        precondition(UnsafeRawBufferPointer(start: back, count: bytes.count).elementsEqual(bytes), "other bytes")
    }
}
