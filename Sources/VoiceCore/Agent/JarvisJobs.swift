internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Detects background jobs of the agent that have ended since the last look (`GET /v2/runs`). The first look reports
/// nothing: what ended before it is old.
struct JarvisJobs: Sendable, Equatable {
    struct Ended: Sendable, Equatable {
        var jobID: String
        /// The status in the server's words: succeeded, failed, cancelled, timed_out, ...
        var status: String
        /// The job's response or output; empty for none.
        var result: String
    }

    /// Maximum number reported at a time; further ones are only marked as seen.
    static let most = 3
    private static let remembered = 500
    private static let atWork: Set<String> = ["queued", "claimed", "running", "pending", "scheduled", "waiting"]
    private var known: [String]?

    /// - Returns: jobs that have ended, oldest first; nil if the server did not report any list.
    mutating func look(_ result: JarvisResponse) -> [Ended]? {
        guard let runs: Page<Run> = Self.page(result) else { return nil }
        let ended = runs.data.filter { !Self.atWork.contains($0.status) }
        defer {
            known = Array(
                ((known ?? []) + ended.map(\.id).filter { !(known ?? []).contains($0) }).suffix(Self.remembered)
            )
        }
        guard let known else { return [] }
        let news = ended.filter { !known.contains($0.id) }.prefix(Self.most).reversed()
        return news.map { run in
            let text = [run.response, run.stdout, run.error].compactMap(\.self).first { !$0.allSatisfy(\.isWhitespace) }
            return Ended(jobID: run.job_id ?? "", status: run.status, result: text ?? "")
        }
    }

    /// The names of jobs by id.
    static func names(_ result: JarvisResponse) -> [String: String] {
        let jobs: Page<Job>? = page(result)
        return Dictionary((jobs?.data ?? []).map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// The announcement of a job. Its name and result are the server's, and only passed on.
    static func news(_ ended: Ended, name: String?, shaper: SpeechShaper) -> String {
        let title = name.map { " \"\($0.filter { $0 != "\"" }.prefix(60))\"" } ?? ""
        let how = ended.status == "succeeded" ? "has finished" : "has failed"
        let result = shaper.shape(String(ended.result.prefix(8000)))?.spoken
        return "The background job\(title) \(how)." + (result.map { " It says: \($0)" } ?? "")
    }

    private static func page<Item: Decodable>(_ result: JarvisResponse) -> Page<Item>? {
        guard case .success(let response) = result, response.status == 200, response.mediaType == "application/json"
        else { return nil }
        return OutsideJSON.decode(Page<Item>.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
    }

    private struct Page<Item: Decodable>: Decodable {
        let data: [Item]
    }

    private struct Run: Decodable {
        let id: String
        let job_id: String?
        let status: String
        let response: String?
        let stdout: String?
        let error: String?
    }

    private struct Job: Decodable {
        let id: String
        let name: String
    }
}
