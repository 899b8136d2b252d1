package import VoiceAudio
internal import VoiceBase
package import VoiceConversation

/// Carries the voice of a connection to the audio thread, and reports what was heard of it. Lives on the network thread alone.
///
/// The playout outlives connections: speech already received is played to its end when a connection breaks.
package final class VoicePlayout {
    private let voice: VoiceSink
    private let volumes: VolumeControls
    private let loudspeaker: DeviceSlot?
    private let report: (ConversationEvent, Duration) -> Void
    private let uptime: () -> Duration
    private var queue: PlayoutQueue
    /// The one connection whose speech is played; nil between connections.
    private var current: (any VoiceLine)?
    /// The type of the last one: another is that of another service.
    private var service: ObjectIdentifier?
    /// Position the audio thread must reach to complete the pending cut.
    private var cutPosition: UInt64?
    /// Speech was cut, and the service has neither reported nor been asked for anything new since.
    private(set) var isCut = false
    /// The order of silence that waits for the cut.
    private var lifting: SilenceOrders.Order?
    /// The voice position at the last tick, and whether the voice was inaudible then.
    private var heardUntil: UInt64 = 0
    private var wasInaudible = false
    /// Speech samples that found no room: playback is ten minutes behind.
    private var lost = LossMeter()

    init(
        voice: VoiceSink,
        volumes: VolumeControls,
        loudspeaker: DeviceSlot?,
        startBuffer: Int,
        uptime: @escaping () -> Duration,
        report: @escaping (ConversationEvent, Duration) -> Void
    ) {
        self.voice = voice
        self.volumes = volumes
        self.loudspeaker = loudspeaker
        self.uptime = uptime
        self.report = report
        queue = PlayoutQueue(startBuffer: startBuffer)
    }

    // MARK: Connections

    /// Plays the voice of that connection only.
    func use(_ connection: any VoiceLine) {
        // Another session may use the same response IDs as the one before.
        if current !== connection { queue.admitAll() }
        current = connection
        let kind = ObjectIdentifier(type(of: connection))
        if kind != service { queue.forgetLink() }
        service = kind
    }

    func ended(_ connection: any VoiceLine) {
        if current === connection { current = nil }
    }

    /// Whether speech of this connection is to be played: false while another connection has taken its place.
    func listens(to connection: any VoiceLine) -> Bool {
        current == nil || current === connection
    }

    // MARK: Speech

    /// Whether speech is queued, playing or being cut.
    var isSpeaking: Bool { queue.isActive || cutPosition != nil }

    /// Whether speech is queued or playing.
    var isActive: Bool { queue.isActive }

    /// A cut is awaited.
    var isCutting: Bool { cutPosition != nil }

    /// When the audio thread last delivered.
    var writtenAt: Duration { Duration(nanoseconds: voice.progress.writtenNanoseconds) }

    /// Samples of speech on their way to the loudspeaker.
    var waitingVoice: Int {
        let written = voice.ring.writePosition
        return queue.waiting + Int(min(written - min(written, voice.progress.consumed), 1 << 20))
    }

    /// Queues the audio of a delta for playback.
    package func receive(_ samples: UnsafeBufferPointer<Int16>, of part: SpokenPart) {
        let now = uptime()
        let longest = AudioFormat.longestMessage * AudioFormat.wireRate
        if samples.count > longest { lost.add(samples.count - longest, at: now) }
        let samples = UnsafeBufferPointer(rebasing: samples.prefix(longest))
        switch queue.enqueue(samples, of: part, written: voice.ring.writePosition, at: now) {
        case .queued(let begins):
            if begins { report(.voiceReceived(responseID: part.responseID, itemID: part.itemID), now) }
            fillVoice(now)
        case .stale: break
        case .full(let samples): lost.add(samples, at: now)
        }
    }

    package func finish(_ part: SpokenPart) {
        queue.finish(part)
        fillVoice(uptime())
    }

    /// Silences the loudspeaker within a period. `voiceStopped` is reported once the card has reported how far it played.
    package func stop(refusing responseIDs: [String]) {
        let position = voice.requestFlush()
        queue.cut(refusing: responseIDs, at: position)
        cutPosition = position
        isCut = true
    }

    /// A new response or request begins, whose speech is wanted.
    func speechIsWanted() { isCut = false }

    /// An order of silence has been carried out: lifts it once the speech that it stopped is gone.
    package func lift(_ order: SilenceOrders.Order) {
        if cutPosition == nil { order.lift(.voice) } else { lifting = order }
    }

    /// Writes nothing to the ring while a cut is pending, so that another cut meanwhile needs no flush of its own: the
    /// audio thread keeps the account of one flush only.
    private func fillVoice(_ now: Duration) {
        guard cutPosition == nil else { return }
        _ = queue.release(at: now) { samples in
            guard let base = samples.baseAddress else { return 0 }
            return voice.ring.write(base, count: samples.count)
        }
    }

    func follow(_ now: Duration) {
        let progress = voice.progress
        let position = progress.heard
        let isFlushed = cutPosition.map { progress.flushDone >= $0 } ?? false
        let cutAt = isFlushed ? progress.flushHeard : nil
        countInaudible(upTo: position, ofCutUpTo: cutAt ?? position)
        if let heard = cutAt {
            cutPosition = nil
            for progress in queue.cutResponses(heard: heard) { reportProgress(progress, now) }
            report(.voiceStopped(queue.settle(heard: heard)), now)
            lifting?.lift(.voice)
            lifting = nil
        }
        guard queue.isActive else { return }
        fillVoice(now)
        for progress in queue.advance(heard: position, written: voice.ring.writePosition) {
            reportProgress(progress, now)
        }
    }

    /// Positions advance even while the output is inaudible. What was played since the last tick counts as heard only if it
    /// was audible both then and now.
    private func countInaudible(upTo position: UInt64, ofCutUpTo cut: UInt64) {
        let isInaudible = isInaudible
        if isInaudible || wasInaudible {
            queue.missed(heardUntil..<max(heardUntil, position))
            queue.missedOfCut(heardUntil..<max(heardUntil, cut))
        }
        wasInaudible = isInaudible
        heardUntil = max(heardUntil, position)
    }

    private var isInaudible: Bool {
        volumes.isVoiceSilent || loudspeaker?.isOpen == false
    }

    private func reportProgress(_ progress: PlayoutQueue.Progress, _ now: Duration) {
        current?.sounded(progress)
        switch progress {
        case .audible(let responseID, let ago):
            report(.voiceAudible(responseID: responseID), now - .milliseconds(ago))
        case .played(let responseID, let heard, let received):
            report(.voicePlayed(responseID: responseID, heard: heard, received: received), now)
        case .drained:
            report(.voiceDrained, now)
        }
    }

    func logLosses(_ now: Duration) {
        if let samples = lost.dequeue(at: now, isOver: true) {
            report(.lost(.voice(milliseconds: samples * 1000 / AudioFormat.wireRate)), now)
        }
    }
}
