internal import VoiceBase
internal import VoiceReply

/// A podcast as JSON Feed (jsonfeed.org/version/1.1).
package enum JSONFeed {
    /// Each episode has about twenty values.
    private static let mostValues = 100_000

    private struct Document: Decodable {
        let version: String
        let title: String?
        let items: [Item]?
    }

    private struct Item: Decodable {
        let id: JSONValue?
        let title: String?
        let date_published: String?
        let attachments: [Attachment]?
    }

    private struct Attachment: Decodable {
        let url: String
        let mime_type: String?
    }

    /// - Parameter base: the address of the feed.
    /// - Returns: nil if the text is not such a feed.
    package static func read(_ bytes: [UInt8], atMost limit: Int, base: String) -> EpisodeList? {
        guard let feed = OutsideJSON.decode(Document.self, from: bytes, atMost: limit, values: mostValues),
            feed.version.contains("jsonfeed.org/version/")
        else { return nil }
        var list = EpisodeList()
        list.title = PodcastFeed.words(feed.title ?? "")
        for item in feed.items ?? [] where !list.isFull {
            var sound = EpisodeSound()
            for attachment in item.attachments ?? [] {
                sound.consider(attachment.url, type: attachment.mime_type ?? "", base: base)
            }
            var episode = EpisodeList.Episode()
            (episode.address, episode.title) = (sound.address, PodcastFeed.words(item.title ?? ""))
            episode.id = PodcastFeed.identifier(item.id?.stringValue ?? item.id?.intValue.map { "\($0)" } ?? "") ?? ""
            episode.date = item.date_published.flatMap { FeedDate($0) }
            episode.hasOddDate = item.date_published != nil && episode.date == nil
            list.append(episode)
        }
        return list
    }
}
