internal import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceSimulator

/// One daemon, its user and its services, from start to end.
struct FaultLane: Sendable {
    let options: FaultOptions
    /// The seed of this lane.
    let seed: UInt64
    let turns: Int
    /// Whether the services have faults.
    let isTroubled: Bool
    let ledger: FaultLedger
    let logger: Logger

    /// Returns the violations.
    func run() async throws -> [String] {
        let services = try await services()
        let user = FaultRoom(seed: seed, options: options, ledger: ledger)
        var remains = Remains()
        var problems: [String] = []
        do {
            let room = try FileRoom(speed: options.speed, listener: user.listen)
            let daemon = try services.daemon(room: room, seed: seed, logger: logger) { effect in
                ledger.note(effect)
                user.note(effect)
            }
            remains = Remains(daemon.ports)
            try await daemon.start()
            problems = await watch(daemon, user)
            if problems.isEmpty {
                services.calmDown()
                problems = await recovers(user)
            }
            ledger.end()
            await daemon.stop()
        }
        await services.stop()
        // A port that is still referenced belongs to a task or thread that has not ended.
        for _ in 0..<100 where !remains.isGone { try await Task.sleep(for: .milliseconds(20)) }
        if !remains.isGone { problems.append("something of the daemon is still there after its end") }
        return problems
    }

    private func services() async throws -> any FaultServices {
        let seed = isTroubled ? seed : nil
        guard let simulator = options.simulator else {
            return try await RealtimeFaultServices.start(seed: seed, speed: options.speed, ledger: ledger)
        }
        return try await SocketFaultServices.start(simulator, seed: seed, ledger: ledger)
    }

    /// The ports of a daemon, as far as they are still referenced.
    private struct Remains {
        weak var microphone: MicrophoneTap?
        weak var voice: VoiceSink?
        weak var media: MediaFeed?
        weak var words: WakeWordTap?
        weak var alignment: AlignmentFeed?
        weak var gauges: EngineGauges?
        weak var earcons: EarconRequests?
        weak var volumes: VolumeControls?

        init() {}

        init(_ ports: AudioPorts) {
            microphone = ports.microphone
            voice = ports.voice
            media = ports.media
            words = ports.words
            alignment = ports.alignment
            gauges = ports.gauges
            earcons = ports.earcons
            volumes = ports.volumes
        }

        var isGone: Bool {
            microphone == nil && voice == nil && media == nil && words == nil && alignment == nil && gauges == nil
                && earcons == nil && volumes == nil
        }
    }

    private func watch(_ daemon: VoiceDaemon, _ user: FaultRoom) async -> [String] {
        let began = Monotonic.now()
        var random = SplitMix(seed: seed &+ 77)
        var nextCommand = began + .seconds(options.isRealtime ? 2 : 10)
        var lastProgress = (questions: 0, at: began)
        while true {
            try? await Task.sleep(for: .milliseconds(20))
            let now = Monotonic.now()
            let tally = user.tally
            ledger.note(tally)
            if let violation = ledger.check() { return [violation] }
            if tally.questions > lastProgress.questions {
                lastProgress = (tally.questions, now)
            } else if now - lastProgress.at > .seconds(40) {
                return ["the user was not heard for 40 s"]
            }
            if tally.questions >= turns { return [] }
            if let seconds = options.seconds, now - began > .seconds(seconds) { return [] }
            guard isTroubled else { continue }
            if now > nextCommand {
                let pause = options.isRealtime ? 500...4000 : 5000...30_000
                nextCommand = now + .milliseconds(Int.random(in: pause, using: &random))
                await command(daemon, &random)
            }
        }
    }

    /// Sends one of the user's commands, which may come at any time.
    private func command(_ daemon: VoiceDaemon, _ random: inout SplitMix) async {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            ledger.note(FaultKind.sentAway)
            daemon.post(.deactivate)
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &random)))
            daemon.post(.activate)
        case 1:
            ledger.note(FaultKind.toldToStop)
            daemon.post(.stop(isSpoken: Bool.random(using: &random)))
        default:
            ledger.note(FaultKind.commandedToBeQuiet)
            daemon.post(.interrupt)
        }
    }

    /// Once the faults have ended, questions must be answered normally and everything in progress must end.
    private func recovers(_ user: FaultRoom) async -> [String] {
        let heard = user.tally.heardOut
        // Connections whose trouble had begun keep it to their end.
        for _ in 0..<(options.isRealtime ? 1000 : 2500) where user.tally.heardOut < heard + 2 {
            if let violation = ledger.check() { return [violation] }
            try? await Task.sleep(for: .milliseconds(20))
        }
        guard user.tally.heardOut >= heard + 2 else { return ["no answer was heard after the trouble"] }
        user.leave()
        for _ in 0..<1000 where !ledger.isSettled {
            if let violation = ledger.check() { return [violation] }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return ledger.isSettled ? [] : ["calls or faults are open after 20 s of peace"]
    }
}
