internal import CDSP
internal import VoiceBase

/// Connects the cancelled microphone to its ring: gate, quality and policy combined.
///
///     reading --> EchoQuality --> DuplexPolicy --permission--> BargeInGate --step--> UplinkLine --> ring
///                      ^               ^                           ^
///     output written --+-- PlaybackActivity (is sound audible?) ---+
///
/// Owned by the audio thread; allocates in `init` only.
package struct DuplexControl: ~Copyable {
    /// How long echo is expected after the sound, in periods: 400 ms if talkers are distinguished from echo, 500 ms if the
    /// microphone simply stays shut, 800 ms while the echo may come later than the card says.
    static let guardedTail = 40
    static let shutTail = 50
    static let unknownTail = 80
    /// Far end without a live microphone after which the canceller's adaptation is void, in periods.
    static let deaf = 100
    /// Speech makes its echo known within this many periods. If it is unknown for longer, as of tones, or of a loudspeaker that is
    /// too late for the search, the absence of a talker is not known either.
    static let longestLearning = 600

    private var quality = EchoQuality()
    private var policy: DuplexPolicy
    private var gate = BargeInGate()
    private var activity = PlaybackActivity()
    /// As `activity`, for periods that hold only media, and for all others.
    private var media = PlaybackActivity()
    private var speech = PlaybackActivity()
    private var mediaGuard = MediaGuard()
    private var moves = MoveWatch()
    private var levelChanges: UInt64 = 0
    private var line = UplinkLine()
    private let microphone: MicrophoneTap
    private let volumes: VolumeControls
    private let hasCanceller: Bool
    private let setting: DuplexSetting
    /// Whether the device alone cancels the echo.
    private var isOfDevice = false
    private var echoPeak: Float = 0
    package internal(set) var status: EchoStatus
    /// The gate's decision on the last period.
    package private(set) var step = BargeInGate.Step.pass
    private var wasTalking = false
    /// Consecutive periods of sound whose echo is unknown, without a talker.
    private var learningPeriods = 0
    /// Consecutive far-end periods without live sound from the microphone.
    private var deafPeriods = 0
    /// Whether the microphone is live again after a second of far end without it, which voids what the canceller learned
    /// meanwhile.
    private(set) var captureWasMissing = false

    /// - Parameter status: the status whose counters continue here.
    package init(
        microphone: MicrophoneTap,
        resuming status: EchoStatus = EchoStatus(),
        volumes: VolumeControls,
        setting: DuplexSetting,
        hasCanceller: Bool
    ) {
        policy = DuplexPolicy(setting: setting, hasCanceller: hasCanceller)
        self.microphone = microphone
        self.volumes = volumes
        self.hasCanceller = hasCanceller
        self.setting = setting
        self.status = status
        // The initial state does not count as a change.
        self.status.state = policy.state
        (self.status.isPlaying, self.status.isOpen, self.status.talker) = (false, true, .heard)
        (self.status.figures, self.status.isLearningMove) = (quality.figures, moves.isLearning)
        microphone.notes.heldUntil = 0
    }

    /// Ring position of the end of the next period.
    var nextPosition: UInt64 {
        microphone.ring.writePosition + UInt64((line.held + 1) * AudioFormat.wirePeriodSamples)
    }

    /// Records a period of output written to the card, to be heard `delay` frames later: `count` samples of all channels, of
    /// which the loudest decides.
    /// - Parameter isMedia: whether it holds only media.
    package mutating func wrote(_ output: UnsafePointer<Float>, count: Int, delay: Int, isMedia: Bool) {
        let peak = cdsp_peak(output, count)
        activity.wrote(peak: peak, delay: delay / AudioFormat.periodFrames)
        if isMedia {
            media.wrote(peak: peak, delay: delay / AudioFormat.periodFrames)
        } else {
            speech.wrote(peak: peak, delay: delay / AudioFormat.periodFrames)
        }
    }

    /// Notes an xrun or a restart of either side.
    package mutating func discontinuity() {
        quality.discontinuity()
        policy.discontinuity()
        note()
    }

    /// Switches between the device's and the software canceller: what either leaves is unknown at first.
    mutating func setCanceller(isOfDevice: Bool) {
        guard isOfDevice != self.isOfDevice else { return }
        self.isOfDevice = isOfDevice
        policy = DuplexPolicy(setting: setting, hasCanceller: hasCanceller, isOfDevice: isOfDevice)
        beginLearning()
    }

    /// Whether too much echo remains for a talker to be heard over it.
    var leavesTooMuch: Bool { policy.state == .poor || policy.state == .clipping }

    /// Whether no talker can be heard while the daemon's sound is at the microphone.
    package var isShut: Bool { policy.permission == .shut }

    /// Starts over: with another microphone or loudspeaker, perhaps, nothing is known of the echo.
    mutating func beginLearning() {
        quality = EchoQuality()
        policy.beginLearning()
        mediaGuard = MediaGuard()
        moves = MoveWatch()
        deafPeriods = 0
        captureWasMissing = false
        note()
    }

    /// Sends one cleaned period of `AudioFormat.wirePeriodSamples`, holds it back, or sends silence. Returns false if the
    /// ring was full and the period is lost.
    ///
    /// - Parameters:
    ///   - peak: of the raw microphone, full scale 1.
    ///   - isAligned: whether the position of the echo in the reference is confirmed.
    ///   - isLive: whether the period holds live sound, neither substituted nor digital silence, which say nothing about
    ///     echo.
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
        if reading.reference > EchoQuality.faintest {
            activity.heard()
            // If no media can be audible, the sound is the voice, whatever delay the card reports.
            if !media.isPlaying(tail: tail) { speech.heard() }
        }
        let isPlaying = activity.isPlaying(tail: tail)
        status.isPlaying = isPlaying
        let isMediaAlone = media.isPlaying(tail: tail) && !speech.isPlaying(tail: tail)
        noteDeafness(reading, isLive: isLive)
        judge(reading, isPlaying: isPlaying, isAligned: isAligned, isLive: isLive)
        watchMoves(reading)

        step = decide(reading, isPlaying: isPlaying, isMediaAlone: isMediaAlone)
        if gate.isTalking && !wasTalking && !isOfDevice { quality.foundTalker() }
        wasTalking = gate.isTalking
        markVoice(reading)
        let isWhole = line.consume(samples, step, into: microphone.ring)
        microphone.notes.heldPeriods = line.held
        judgeTalker(isMediaAlone: isMediaAlone)
        noteStep()
        if reading.hasVoice, gate.isOpen {
            microphone.notes.voiceUntil = microphone.ring.writePosition
        }
        if isPlaying && activity.quiet <= 0 && peak > echoPeak {
            echoPeak = peak
        }
        if echoPeak > 0 { status.echoPeak = Float(LevelMeter.tenths(echoPeak)) / 10 }
        note()
        return isWhole
    }

    /// Marks the outgoing periods that hold voice. Held periods that are released are the talker's.
    private func markVoice(_ reading: EchoReading) {
        let start = microphone.ring.writePosition
        let period = UInt64(AudioFormat.wirePeriodSamples)
        switch step {
        // The oldest period goes out as silence.
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
        if isMediaAlone && !gate.isOpen { mediaGuard.receive(reading) }
        var permission = policy.permission
        var floor = -Float.infinity
        if permission == .shut, isMediaAlone, let level = mediaGuard.floor { (permission, floor) = (.guarded, level) }
        return gate.step(
            reading, permission: permission, isPlaying: isPlaying, above: floor, noise: quality.restFloor
        )
    }

    private func tail(isAligned: Bool) -> Int {
        guard policy.permission == .shut else { return Self.guardedTail }
        return isAligned || !hasCanceller ? Self.shutTail : Self.unknownTail
    }

    private mutating func noteDeafness(_ reading: EchoReading, isLive: Bool) {
        // A device keeps cancelling behind its mute key, and nothing is learned here.
        guard !isOfDevice else { return }
        if isLive {
            captureWasMissing = deafPeriods >= Self.deaf
            deafPeriods = 0
        } else if reading.reference > EchoQuality.faintest {
            deafPeriods += 1
        }
    }

    private mutating func judge(_ reading: EchoReading, isPlaying: Bool, isAligned: Bool, isLive: Bool) {
        let block = quality.step(
            reading,
            isPlaying: isPlaying,
            lasting: activity.lasting,
            isAligned: isAligned,
            // After the device's canceller, residual echo and a talker are indistinguishable: for a while, both count as too
            // much.
            hasTalker: gate.isTalking && !isOfDevice,
            isLive: isLive
        )
        let isClipping = quality.figures.clippedShare > EchoQuality.clippingShare
        policy.step(block, isAligned: isAligned, isClipping: isClipping, isPlaying: isPlaying && isLive)
        if block != nil { status.blocks &+= 1 }
    }

    private mutating func watchMoves(_ reading: EchoReading) {
        let changes = volumes.hardwareChanges
        if changes != levelChanges { moves.levelChanged() }
        levelChanges = changes
        let hasMoved = moves.step(hasPathChanged: reading.hasPathChanged, isGood: policy.state == .good)
        if hasMoved { status.moves &+= 1 }
    }

    private mutating func judgeTalker(isMediaAlone: Bool) {
        let isLearning = status.isPlaying && policy.state == .learning && !gate.isOpen
        learningPeriods = isLearning ? learningPeriods + 1 : 0
        if !status.isPlaying || policy.permission == .open {
            status.talker = .heard
        } else if policy.state == .learning {
            status.talker = gate.isOpen ? .heard : learningPeriods > Self.longestLearning ? .unknown : .absent
        } else if policy.permission == .shut, !isMediaAlone || mediaGuard.floor == nil {
            status.talker = .unknown
        } else {
            status.talker = gate.isSuspecting ? .heard : .absent
        }
    }

    private mutating func noteStep() {
        if gate.isOpen && !status.isOpen && status.isPlaying { status.openings &+= 1 }
        status.isOpen = gate.isOpen
        switch step {
        case .pass: break
        case .hold:
            status.periodsShut &+= 1
            microphone.notes.heldUntil = microphone.ring.writePosition
        case .release:
            microphone.notes.heldUntil = microphone.ring.writePosition - UInt64(AudioFormat.wirePeriodSamples)
        }
    }

    private mutating func note() {
        status.figures = quality.figures
        status.isLearningMove = moves.isLearning
        guard policy.state != status.state else { return }
        status.changes &+= 1
        status.state = policy.state
    }
}
