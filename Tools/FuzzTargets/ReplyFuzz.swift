import VoiceAgent
import VoiceNetwork
import VoiceReply

/// Replies of the agent, and their conversion to speech.
enum ReplyFuzz {
    private static let types: [String?] = ["application/json", "application/json; charset=utf-8", "text/html", "", nil]
    private static let statuses = [200, 200, 200, 307, 400, 401, 404, 409, 429, 500, 502, 504]

    /// The first byte selects status and type.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        let response = HTTPResponse(
            status: statuses[Int(first >> 3) % statuses.count],
            headers: [("Location", String(decoding: body.prefix(300), as: UTF8.self))]
                + (types[Int(first & 7) % types.count].map { [("Content-Type", $0)] } ?? []),
            body: body
        )
        switch JarvisReply.content(of: .success(response)) {
        case .success(let text):
            _ = SpeechShaper(maximumWords: 40).shape(text)
            media(in: text)
        case .failure(let failure): precondition(failure.logLine.utf8.count < 8000, "an endless line for the log")
        }
    }

    /// The media named in a reply, and what a model is told about it.
    private static func media(in text: String) {
        let media = MediaInReply(text)
        precondition(media.items.count <= MediaInReply.mostItems, "too many items")
        var shelf = MediaShelf()
        let handles = shelf.keep(media.items)
        for (handle, item) in zip(handles, media.items) {
            precondition(shelf.find(handle) == item, "a handle that leads elsewhere")
            precondition(item.address.utf8.count <= 2048 && item.title.utf8.count <= 120, "too long")
        }
        let lines = MediaShelf.lines(media.items, handles: handles).split(separator: "\n")
        precondition(lines.count == media.items.count, "a title of several lines")
        precondition(lines.allSatisfy { $0.count { $0 == "\"" } % 2 == 0 }, "a title that ends its quotation")
    }
}
