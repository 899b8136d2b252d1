internal import CDSP
internal import Synchronization
internal import VoiceBase
internal import VoiceConfiguration

/// Stands between the cancelled microphone and its ring: gate, quality and policy put together.
///
///     reading --> EchoQuality --> DuplexPolicy --permission--> BargeInGate --step--> UplinkLine --> ring
///                      ^               ^                           ^
///     output written --+-- PlaybackActivity (is the box heard?) ---+
///
/// Owned by the audio thread; allocates in `init` only.
package struct DuplexControl: ~Copyable {
    /// How long echo is reckoned with after the sound, in periods: 400 ms where talkers are told from echo, 500 ms where the
    /// microphone just stays shut, 800 ms while the echo may come later than the card says.
    static let guardedTail = 40
    static let shutTail = 50
    static let unknownTail = 80
    /// How long a talker who is heard over the voice keeps the gate when the policy changes to half duplex, in periods.
    static let grace = 300
    /// How much far end the canceller may take in without a live microphone before what it has learned is void, in periods.
    static let deaf = 100

    private var quality = EchoQuality()
    private var policy: DuplexPolicy
    private var gate = BargeInGate()
    /// A gate that lets nothing through and is never shut: it knows of talkers while the other one may not open for them.
    private var witness = BargeInGate()
    private var activity = PlaybackActivity()
    /// The same of periods that hold media and nothing else, and of all others.
    private var media = PlaybackActivity()
    private var speech = PlaybackActivity()
    private var mediaGuard = MediaGuard()
    private var moves = MoveWatch()
    private var levelChanges: UInt64 = 0
    private var line = UplinkLine()
    private let microphone: MicrophoneTap
    private let gauges: EchoGauges
    private let trace: EchoTrace
    private let volumes: VolumeControls
    private let hasCanceller: Bool
    private let setting: DuplexSetting
    /// Whether the device cancels its own echo, and nobody else.
    private var isOfDevice = false
    private var echoPeak: Float = 0
    private var counts: EchoGauges.Counts
    private var isPlaying = false
    /// What happened to the last period.
    package private(set) var step = BargeInGate.Step.pass
    private var wasOpen = true
    private var wasPlaying = false
    private var grace = DuplexControl.grace
    /// Periods running of far end in which the microphone delivered nothing live.
    private var deafPeriods = 0
    /// The microphone is live again after a second of far end in which it was not: what the canceller learned then is void.
    private(set) var wasDeaf = false

    package init(
        microphone: MicrophoneTap,
        gauges: EchoGauges,
        trace: EchoTrace,
        volumes: VolumeControls,
        setting: DuplexSetting,
        hasCanceller: Bool
    ) {
        policy = DuplexPolicy(setting: setting, hasCanceller: hasCanceller)
        self.microphone = microphone
        self.gauges = gauges
        self.trace = trace
        self.volumes = volumes
        self.hasCanceller = hasCanceller
        self.setting = setting
        counts = gauges.counts
        // Where an engine begins nothing has changed.
        gauges.state.store(policy.state.rawValue, ordering: .releasing)
        microphone.heldUntil = 0
        publish()
    }

    /// Position in the ring that the sample after the newest of the next period stands for.
    var nextPosition: UInt64 {
        microphone.ring.writePosition + UInt64((line.held + 1) * AudioFormat.wirePeriodSamples)
    }

    /// A period of output was written to the card, to be heard `delay` frames later: `count` samples of all channels, of which
    /// the loudest decides.
    /// - Parameter isMedia: media is all it holds.
    package mutating func wrote(_ output: UnsafePointer<Float>, count: Int, delay: Int, isMedia: Bool) {
        let peak = cdsp_peak(output, count)
        activity.wrote(peak: peak, delay: delay / AudioFormat.periodFrames)
        if isMedia {
            media.wrote(peak: peak, delay: delay / AudioFormat.periodFrames)
        } else {
            speech.wrote(peak: peak, delay: delay / AudioFormat.periodFrames)
        }
    }

    /// Tells of an xrun or a restart of either side.
    package mutating func discontinuity() {
        quality.discontinuity()
        policy.discontinuity()
        publish()
    }

    /// From now on the device alone cancels the echo, or the own canceller does: nothing is known of what is left.
    mutating func setCanceller(isOfDevice: Bool) {
        guard isOfDevice != self.isOfDevice else { return }
        self.isOfDevice = isOfDevice
        policy = DuplexPolicy(setting: setting, hasCanceller: hasCanceller, isOfDevice: isOfDevice)
        beginLearning()
    }

    /// Whether too much of the echo is left for anybody to be heard over it.
    var leavesTooMuch: Bool { policy.state == .poor || policy.state == .clipping }

    /// Another microphone or loudspeaker, perhaps: nothing is known of the echo.
    mutating func beginLearning() {
        quality = EchoQuality()
        policy.beginLearning()
        mediaGuard = MediaGuard()
        moves = MoveWatch()
        deafPeriods = 0
        wasDeaf = false
        publish()
    }

    /// Sends one cleaned period of `AudioFormat.wirePeriodSamples`, holds it back, or sends silence. Returns false when
    /// the ring was full and the period is lost.
    ///
    /// - Parameters:
    ///   - peak: of the raw microphone, full scale 1.
    ///   - isAligned: whether the place of the echo in the reference has been confirmed.
    ///   - isLive: whether the period came from a microphone that hears: not from a stand-in, and no digital silence. Others
    ///     say nothing about echo.
    package mutating func process(
        _ samples: UnsafePointer<Int16>,
        reading: EchoReading,
        peak: Float,
        isAligned: Bool,
        isLive: Bool = true
    ) -> Bool {
        activity.step()
        media.step()
        speech.step()
        let tail = tail(isAligned: isAligned)
        if reading.reference > quality.rule.faintest {
            activity.heard()
            // Where no media can be what is heard, it is the voice, whatever the card says of its delay.
            if !media.isPlaying(tail: tail) { speech.heard() }
        }
        isPlaying = activity.isPlaying(tail: tail)
        let isMediaAlone = media.isPlaying(tail: tail) && !speech.isPlaying(tail: tail)
        noteDeafness(reading, isLive: isLive)
        judge(reading, isPlaying: isPlaying, isAligned: isAligned, isLive: isLive)
        watchMoves(reading)

        step = decide(reading, isPlaying: isPlaying, isMediaAlone: isMediaAlone)
        if case .release(let before) = witness.step(reading, permission: .guarded, isPlaying: isPlaying), before > 0,
            !isOfDevice
        {
            quality.foundTalker()
        }
        markVoice(reading)
        let isWhole = line.take(samples, step, into: microphone.ring)
        microphone.heldPeriods = line.held
        noteStep()
        if trace.isWanted {
            var period = EchoPeriod(reading, step: step)
            trace.ring.write(&period, count: 1)
        }
        if reading.hasVoice, gate.isOpen {
            microphone.voiceUntil = microphone.ring.writePosition
        }
        if isPlaying && activity.quiet <= 0 && peak > echoPeak {
            echoPeak = peak
        }
        publish()
        return isWhole
    }

    /// Of the periods that are about to go out. Those that were held back and are released are the talker's.
    private func markVoice(_ reading: EchoReading) {
        let start = microphone.ring.writePosition
        let period = UInt64(AudioFormat.wirePeriodSamples)
        switch step {
        // What goes out in place of the oldest is silence.
        case .hold: microphone.voices.set(false, at: start)
        case .pass, .release:
            var kept = 0
            if case .release(let count) = step { kept = min(line.held, count) }
            for index in 0..<line.held {
                microphone.voices.set(index >= line.held - kept, at: start + UInt64(index) * period)
            }
            microphone.voices.set(reading.hasVoice && gate.isOpen, at: start + UInt64(line.held) * period)
        }
    }

    private mutating func decide(_ reading: EchoReading, isPlaying: Bool, isMediaAlone: Bool) -> BargeInGate.Step {
        if isMediaAlone && !gate.isOpen { mediaGuard.take(reading) }
        let permission = permission(isPlaying: isPlaying)
        if permission == .shut, isMediaAlone, let floor = mediaGuard.floor {
            return gate.step(reading, permission: .guarded, isPlaying: isPlaying, above: floor)
        }
        return gate.step(reading, permission: permission, isPlaying: isPlaying)
    }

    /// A talker who is being heard spoils the measurement, and is not to be cut off for it in the middle of a word.
    private mutating func permission(isPlaying: Bool) -> BargeInGate.Permission {
        let permission = policy.permission
        guard permission == .shut, policy.state == .poor || policy.state == .clipping, gate.isOpen, isPlaying,
            wasPlaying, grace > 0
        else {
            wasPlaying = isPlaying
            grace = Self.grace
            return permission
        }
        grace -= 1
        return .guarded
    }

    private func tail(isAligned: Bool) -> Int {
        guard policy.permission == .shut else { return Self.guardedTail }
        return isAligned || !hasCanceller ? Self.shutTail : Self.unknownTail
    }

    private mutating func noteDeafness(_ reading: EchoReading, isLive: Bool) {
        // A device goes on cancelling behind its mute key, and nothing is learned here.
        guard !isOfDevice else { return }
        if isLive {
            wasDeaf = deafPeriods >= Self.deaf
            deafPeriods = 0
        } else if reading.reference > quality.rule.faintest {
            deafPeriods += 1
        }
    }

    private mutating func judge(_ reading: EchoReading, isPlaying: Bool, isAligned: Bool, isLive: Bool) {
        let block = quality.step(
            reading,
            isPlaying: isPlaying,
            lasting: activity.lasting,
            isAligned: isAligned,
            // Behind the device's canceller nothing tells its leftover from a talker: for a while, both are too much.
            hasTalker: witness.isOpen && !isOfDevice,
            isLive: isLive
        )
        let isClipping = quality.clippedShare > quality.rule.clipping
        _ = policy.step(block, isAligned: isAligned, isClipping: isClipping)
        if block != nil { counts.blocks &+= 1 }
    }

    private mutating func watchMoves(_ reading: EchoReading) {
        let changes = volumes.hardwareChanges
        if changes != levelChanges { moves.levelChanged() }
        levelChanges = changes
        if moves.step(hasPathChanged: reading.hasPathChanged, isGood: policy.state == .good) { counts.moves &+= 1 }
    }

    private mutating func noteStep() {
        if gate.isOpen != wasOpen {
            wasOpen = gate.isOpen
            if wasOpen && isPlaying { counts.openings &+= 1 }
        }
        switch step {
        case .pass: break
        case .hold:
            counts.periodsShut &+= 1
            microphone.heldUntil = microphone.ring.writePosition
        case .release:
            microphone.heldUntil = microphone.ring.writePosition - UInt64(AudioFormat.wirePeriodSamples)
        }
    }

    /// The one place where the gauges get what is known here.
    private func publish() {
        gauges.publish(
            policy.state,
            quality,
            counts: counts,
            isPlaying: isPlaying,
            isOpen: gate.isOpen,
            isLearningMove: moves.isLearning,
            peak: echoPeak
        )
    }
}
