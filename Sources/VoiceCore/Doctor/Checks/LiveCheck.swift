internal import Logging
internal import Synchronization
internal import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceNetwork
internal import VoiceSession

/// One real turn with the voice service and the agent, in a room without a sound card. It costs money.
package enum LiveCheck {
    static let limit = Duration.seconds(100)
    /// From the question to the end of the spoken answer.
    private static let turnLimit = Duration.seconds(80)

    /// The expected cost of the turn, as a sentence; nil if no turn can be held.
    package static func price(_ context: DoctorContext) -> String? {
        guard let values = context.loaded?.values, let settings = context.settings else { return nil }
        let prices = settings.budget.prices
        // Two responses over instructions, tools and question, and ten seconds of speech in half a minute.
        let tokens = 8000 * prices.textIn + 400 * prices.audioOut + 300 * prices.textOut
        let dollars = tokens / 1_000_000 + 0.5 * prices.sessionMinute
        let cents = Int((dollars * 100).rounded(.up))
        let service = context.service(values).name.rawValue
        let cost = cents == 0 ? "nothing" : "about \(cents) cents"
        return "A real turn costs \(cost) at the voice service (\(service)), and what the agent's own model costs."
    }

    static func findings(_ context: DoctorContext) async -> [DoctorFinding] {
        func skipped(_ why: MarkedText) -> [DoctorFinding] { [DoctorFinding("live-turn", .skipped, why)] }
        guard let settings = settings(context) else {
            return skipped("needs a configuration that can be used, and a key")
        }
        guard settings.service.capabilities.work != .theirs else {
            return skipped("this service has an agent of its own")
        }
        var generator = SystemRandomNumberGenerator()
        let riddle = LiveRiddle(&generator)
        let record = LiveRecord()
        let silent = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        let daemon = VoiceDaemon(settings, logger: silent, observer: record.observer)
        do { try await daemon.start() } catch { return [DoctorFinding("live-turn", .fail, "\(error)")] }
        let opening = await daemon.opening { daemon.mailbox.post(activation: .ask(TypedQuestion(riddle.question))) }
        var finding: DoctorFinding
        if case .failed(let trouble) = opening {
            finding = DoctorFinding("live-turn", .fail, "\(trouble.reason)", advice: "see the finding \"session\"")
        } else {
            await record.wait(turnLimit)
            let can = settings.service.capabilities
            finding = riddle.judge(record.seen, rewords: can.rewords, hasText: can.tellsSaidText)
            if let spent = await daemon.session.spending?.hour.micros, spent > 0 {
                finding.append(", for \(max(1, Int((spent / 10_000).rounded(.up)))) cents")
            }
        }
        await daemon.stop()
        return [finding]
    }

    /// The daemon's settings without sound card, state, wake words and greeting.
    private static func settings(_ context: DoctorContext) -> DaemonSettings? {
        guard var values = context.loaded?.values, let secrets = context.secrets, context.settings != nil else {
            return nil
        }
        values.activation = .init()
        values.activation.mode = .push
        values.media.enabled = false
        values.audio.realtimePriority = 0
        values.audio.earconVolume = 0
        let silent = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }
        guard var settings = try? DaemonSettings(values, secrets: secrets, logger: silent),
            let room = try? FileRoom()
        else { return nil }
        settings.audio.source = .file(room)
        return settings
    }
}

/// The events of the turn, as an observer saw them.
private final class LiveRecord: Sendable {
    private let state = Mutex(LiveRiddle.Seen())
    private let ended = Promise<Void>()

    var seen: LiveRiddle.Seen { state.withLock { $0 } }

    /// Returns at the end of the turn.
    func wait(_ limit: Duration) async {
        _ = await TimeLimit.run(limit) { [ended] in await ended.wait() }
        ended.give(())
    }

    var observer: ConversationSession.Observer {
        .init(effect: { [self] effect, _ in note(effect) })
    }

    private func note(_ effect: ConversationEffect) {
        let isEnded = state.withLock { seen in
            switch effect {
            case .note(.callStarted(let call)): seen.queries.append(call.arguments)
            case .note(.spoken(let text)): seen.spoken += " " + text
            case .send(.answer(_, let output)) where !output.isEmpty:
                seen.answers.append(output.forModel)
                seen.spoken = ""
            case .send(.inform(_, let report)):
                seen.answers.append(report.output.forModel)
                seen.spoken = ""
            case .turnEnded(let report):
                seen.firstSample = report.firstSample
                return true
            default: break
            }
            return false
        }
        if isEnded { ended.give(()) }
    }
}
