import VoiceCore

/// Replies of the agent, and what is made of their text for the ear.
enum ReplyFuzz {
    private static let types: [String?] = ["application/json", "application/json; charset=utf-8", "text/html", "", nil]
    private static let statuses = [200, 200, 200, 307, 400, 401, 404, 409, 429, 500, 502, 504]

    /// The first byte chooses status and type.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        let response = JarvisHTTPResponse(
            status: statuses[Int(first >> 3) % statuses.count],
            contentType: types[Int(first & 7) % types.count],
            location: String(decoding: body.prefix(300), as: UTF8.self),
            body: body
        )
        switch JarvisReply.content(of: .response(response)) {
        case .success(let text): _ = SpeechShaper(maximumWords: 40).shape(text)
        case .failure(let failure): precondition(failure.logLine.utf8.count < 8000, "an endless line for the log")
        }
    }
}
