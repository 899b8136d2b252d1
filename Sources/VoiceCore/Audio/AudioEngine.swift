internal import CDSP
internal import CLinux
internal import VoiceBase

/// Runs the 10 ms cycle of the audio thread.
///
///     read -> flush? -> reference + canceller -> microphone ring
///          -> voice ring -> upsampler -> volumes + media + earcon + alarm -> limiter -> write -> reference line
///             mono                       both channels from here on ---------------^      mono
///
/// Voice and earcons are the same on both channels; media has its own two. The reference is exactly what was written, frame
/// by frame, as the mean of both channels. Nothing in here allocates, locks, logs or waits, except that the device waits for
/// its next period.
struct AudioEngine<Device: DuplexDevice & ~Copyable>: ~Copyable {
    /// Frames by which the upsampler and the limiter delay the voice.
    static var outputDelay: UInt64 { UInt64(2 * HalfbandFilter.half - 1 + OutputMix.delay) }

    private static var periodNanoseconds: UInt64 { 10_000_000 }
    /// How long the periods of a wait take to be processed, at most, unless the machine is slow.
    private static var processing: UInt64 { 8_000_000 }

    private let ports: AudioPorts
    private let period = AudioFormat.periodFrames
    private let wirePeriod = AudioFormat.wirePeriodSamples

    private var device: Device
    private var capturePath: CapturePath
    private var upsampler = VoiceUpsampler()
    private var reference: ReferenceLine
    private var alignment = AlignmentTap()
    private var cardReference = CardReference()
    private var plan = CapturePlan()
    private var map = PositionMap()
    private var edges = VoiceEdges()
    private var history = PlayedHistory()
    private var earcons: EarconPlayer
    private var alarm: AlarmPlayer
    private var drift: DriftControl
    private var pace = PeriodPace()
    private var mix: OutputMix
    private var media: MediaPlayback
    private var levels: CaptureLevels
    private var duplex: DuplexControl
    private var frames = AudioScratch()
    /// Frames written to the card and not taken back.
    private var written: UInt64 = 0
    private var heard: UInt64 = 0
    private var flushed: UInt64 = 0
    private var quietPeriods = 0
    /// Newest order of silence that was obeyed for the voice, whether one is in force, and the newest of all seen.
    private var silenced: UInt64
    private var isSilenced = false
    private var seenOrder: UInt64 = 0
    /// Frames written when media and ringing last sounded.
    private var mediaUntil: UInt64 = 0
    private var ringUntil: UInt64 = 0
    private var restarts = 0
    /// The figures published at the end of the cycle.
    private var snapshot: EngineSnapshot
    private var delay = (playback: 0, capture: 0)
    /// Latest fill target of the playback buffer, in frames.
    private var filledTo = 0

    init(device: consuming Device, ports: AudioPorts, configuration: AudioConfiguration) throws(AudioDeviceError) {
        let capturePath: CapturePath
        do {
            capturePath = try CapturePath(options: configuration.echoCanceller)
        } catch {
            throw AudioDeviceError.processing("the echo canceller does not start: \(error)")
        }
        // Delegates: Swift 6.2 miscompiles a noncopyable type's initializer that throws when half is initialized, and lets it
        // call no mutating method.
        self.init(device: device, ports: ports, configuration: configuration, capturePath: capturePath)
        adoptPlan()
        duplex.status.beginnings += 1
        publish()
    }

    private init(
        device: consuming Device,
        ports: AudioPorts,
        configuration: AudioConfiguration,
        capturePath: consuming CapturePath
    ) {
        self.capturePath = capturePath
        // Positions and counters continue from an earlier engine on the same ports.
        snapshot = ports.gauges.snapshot
        drift = DriftControl(nominal: device.playbackPrefill - AudioFormat.periodFrames)
        reference = ReferenceLine(keep: EchoCanceller.referenceLead, epoch: ports.alignment.nextEpoch)
        self.device = device
        self.ports = ports
        mix = OutputMix(volumes: ports.volumes)
        media = MediaPlayback(ports.media)
        levels = CaptureLevels(
            gain: configuration.captureGain, isAutomatic: configuration.automaticGain, volumes: ports.volumes,
            resuming: snapshot.levels
        )
        earcons = EarconPlayer(plays: configuration.earcons, requests: ports.earcons, volumes: ports.volumes)
        alarm = AlarmPlayer(requests: ports.earcons)
        duplex = DuplexControl(
            microphone: ports.microphone, resuming: snapshot.echo, volumes: ports.volumes,
            setting: configuration.duplex, hasCanceller: configuration.echoCanceller.echoCancellation
        )
        flushed = ports.voice.progress.flushDone
        silenced = ports.silence.voice
        heard = ports.voice.ring.readPosition
        _ = map.cut(at: 0, resume: heard)
    }

    /// Fills the card with silence and starts it.
    mutating func start() {
        filledTo = device.playbackPrefill
        prefill(filledTo)
        device.start()
    }

    /// Runs one cycle. Returns whether another one is due.
    mutating func cycle() -> Bool {
        if let began = exchangePeriod() { finishPeriod(began) }
        publish()
        return !stopIsDue()
    }

    /// Exchanges one period in each direction. Returns its start on CLOCK_MONOTONIC, or nil if the device had no period.
    private mutating func exchangePeriod() -> UInt64? {
        switch device.read(into: frames.microphone, count: period) {
        case .done:
            break
        case .interrupted:
            take(together: pace.step(isNeeded: true))
            return nil
        case .captureRestarted, .playbackRestarted, .playbackRested:
            snapshot.counters.captureXruns += 1
            realign()
            return nil
        case .captureChanged, .playbackChanged:
            adoptPlan()
            beginLearning()
            realign(to: device.playbackPrefill - period)
            // A microphone that delivers more frames in one step needs more in the playback buffer. Behind a sound
            // server the buffer fills without a correction, as the loudspeaker continues until the first of those
            // frames arrive; a correction would leave out periods, because the reported delays contain the server's.
            if device.playbackPrefill > filledTo {
                filledTo = device.playbackPrefill
                if !device.settlesSlowly { drift.discontinuity() }
            }
            return nil
        }
        if duplex.captureWasMissing { beginLearning() }
        let began = clinux_monotonic_ns()
        delay = device.delays()
        publishHeard()
        obeySilence()
        flushIfAsked()

        let buffered = device.buffered(of: delay)
        clinux_realtime_enter()
        processMicrophone(capturedAt: began)
        let measured = buffered ?? delay
        var count = 1
        // A loudspeaker that comes back still has the same clock.
        if !device.isResting {
            count = drift.step(
                total: measured.playback + measured.capture, playback: measured.playback,
                reported: buffered == nil ? nil : delay.playback + delay.capture
            )
            device.follow(drift.step)
            if drift.moved {
                reference.discontinuity()
                duplex.discontinuity()
            }
            if drift.slipped { snapshot.counters.slips += 1 }
        }
        earcons.receive()
        let sound = hasSound
        clinux_realtime_exit()
        take(together: pace.step(isNeeded: sound || !device.isResting || !ports.playback.mayRest), after: began)
        let rest = device.expect(sound: sound)
        if rest.emptiedPlayback { fillAgain(after: rest) }

        // A restart refills the card, so periods meant to make up for a loss would then be too many.
        let restartsBefore = restarts
        for _ in 0..<count where restarts == restartsBefore {
            clinux_realtime_enter()
            let voice = device.isResting ? renderSilence() : render()
            let isMedia = media.isSounding && quietPeriods > 2 && !earcons.isPlaying && !alarm.isSounding
            duplex.wrote(frames.output.samples, count: 2 * period, delay: delay.playback, isMedia: isMedia)
            clinux_realtime_exit()
            writePeriod(voice)
        }
        return began
    }

    private mutating func take(together: Int, after began: UInt64 = 0) {
        device.together = together
        ports.waker.isArmed = together > 1
        ports.words.due = together > 1 ? began + UInt64(together) * Self.periodNanoseconds + Self.processing : 0
    }

    mutating func close() {
        ports.waker.isArmed = false
        ports.words.due = 0
        device.close()
    }

    mutating func stopIsDue() -> Bool {
        switch ports.requests.stop {
        case .none: false
        case .afterVoice: ports.voice.ring.availableToRead == 0 && !map.isPending && !earcons.isPlaying
        case .atOnce: true
        }
    }

    // MARK: Microphone

    private mutating func processMicrophone(capturedAt now: UInt64) {
        levels.measure(frames.microphone, count: period, isPlaying: mix.isAudible)

        if let bias = capturePath.recall(from: ports.echoPath) { reference.expect(bias: bias) }
        // While the loudspeaker is closed, several periods are read together, and the capture delay says nothing about the echo.
        var aligned = reference.next(
            playbackDelay: delay.playback, captureDelay: device.isResting ? 0 : delay.capture, step: drift.step,
            correction: alignment.correction(from: ports.alignment), into: frames.reference
        )
        alignment.push(
            periodOf: reference, microphone: frames.microphone, reference: frames.reference, to: ports.alignment
        )
        duplex.status.locate(aligned, drift: alignment.drift, worker: plan.worker)
        let isHeldBack = useCardReference(&aligned)
        capturePath.follow(aligned)
        capturePath.isResting = device.isResting && ports.playback.mayRest
        capturePath.process(
            microphone: frames.microphone, reference: frames.reference,
            streamDelayMilliseconds: aligned.leadMilliseconds, into: frames.clean, unsuppressed: frames.unsuppressed
        )
        duplex.status.isRecalled = capturePath.reading.hasRecalled
        capturePath.handOver(to: ports.echoPath, bias: isHeldBack ? nil : reference.confirmedBias)
        levels.level(frames.clean, count: wirePeriod, isPlaying: mix.isAudible)
        if ports.requests.isMicrophoneMuted {
            frames.clean.update(repeating: 0, count: wirePeriod)
            frames.unsuppressed.update(repeating: 0, count: wirePeriod)
        }
        if ports.words.isWanted { ports.words.ring.write(frames.unsuppressed, count: wirePeriod) }

        // The newest sample of the period is `delay.capture` frames old.
        let position = duplex.nextPosition
        let age = UInt64(delay.capture + (isHeldBack ? period : 0)) * 62_500 / 3
        ports.microphone.notes.originNanoseconds = now &- age &- position * 125_000 / 3
        let isWhole = duplex.process(
            frames.clean,
            reading: capturePath.reading,
            peak: cdsp_peak(frames.microphone, period),
            // An echo path that was recalled and fits is still where it was.
            isAligned: aligned.isConfirmed || capturePath.reading.hasRecalled,
            isLive: device.isCaptureLive && !device.isCaptureConstant
        )
        if !isWhole { snapshot.counters.microphoneOverruns += 1 }
        if plan.mayTakeOver, plan.worker == .hardware, duplex.leavesTooMuch {
            plan.worker = .both
            applyPlan()
        }
    }

    /// Replaces the reference with the loopback channel of the microphone's card. Returns whether it did: the voice is then
    /// one period older.
    private mutating func useCardReference(_ aligned: inout ReferencePeriod) -> Bool {
        guard plan.worker != .hardware, let card = device.captureReference else { return false }
        let before = cardReference.isUsed
        let isUsed = cardReference.step(card: card, microphone: frames.microphone, reference: frames.reference)
        if isUsed != before { capturePath.resetEchoPath() }
        guard isUsed else { return false }
        aligned = ReferencePeriod()
        aligned.leadMilliseconds = CardReference.lead
        aligned.isConfirmed = cardReference.isSure
        return true
    }

    /// Adopts the device's capture plan: another microphone may need another one.
    private mutating func adoptPlan() {
        plan = device.capturePlan
        cardReference.reset()
        applyPlan()
    }

    private mutating func applyPlan() {
        capturePath.isBypassed = plan.worker == .hardware
        duplex.setCanceller(isOfDevice: plan.worker == .hardware)
    }

    // MARK: Loudspeaker

    /// Renders the next period of output; returns the voice in it.
    private mutating func render() -> (position: UInt64, samples: Int) {
        let position = ports.voice.ring.readPosition
        let samples = isSilenced ? 0 : ports.voice.ring.read(into: frames.voice, count: wirePeriod)
        if edges.fill(frames.voice, voice: samples, count: wirePeriod), !isSilenced {
            snapshot.counters.voiceUnderruns += 1
        }
        // Two more periods flush the upsampler's filter.
        quietPeriods = samples > 0 || !edges.isQuiet ? 0 : quietPeriods + 1
        if quietPeriods <= 2 {
            upsampler.process(frames.voice, count: wirePeriod, into: frames.speech)
        } else {
            frames.speech.update(repeating: 0, count: period)
        }
        mix.scaleVoice(frames.speech, count: period)
        cdsp_spread(frames.speech, frames.output.samples, period)
        media.mix(
            into: frames.output, count: period, isVoice: samples > 0, isSilenced: ports.silence.isMediaSilenced,
            now: clinux_monotonic_ns(), volumes: &mix
        )
        earcons.mix(into: frames.output, count: period)
        alarm.mix(into: frames.output, count: period, isSilenced: ports.silence.isRingSilenced)
        mix.finish(frames.output, count: period)
        snapshot.outputLevel = LevelMeter.tenths(cdsp_rms(frames.output.samples, period * 2))
        return (position, samples)
    }

    /// Whether there is anything to render but silence.
    private var hasSound: Bool {
        ports.voice.ring.availableToRead > 0 || quietPeriods <= 2 || earcons.hasSound || alarm.hasSound
            || media.hasSound
    }

    /// Renders silence: all sound waits for the loudspeaker.
    private mutating func renderSilence() -> (position: UInt64, samples: Int) {
        frames.output.update(repeating: .silence, count: period)
        snapshot.outputLevel = LevelMeter.floor
        media.rest()
        return (ports.voice.ring.readPosition, 0)
    }

    private mutating func writePeriod(_ voice: (position: UInt64, samples: Int)) {
        let before = written
        var event = put(frames.output, count: period)
        var taken = Int(written - before)
        var start = before
        if event.emptiedPlayback {
            fillAgain(after: event)
            start = written - UInt64(taken)
            event = put(frames.output + taken, count: period - taken)
            taken = Int(written - start)
        }
        // The loss of silence is inaudible: a sound server takes nothing at first, while the microphone continues.
        if taken < period && event == .done && isHeard(from: taken) { snapshot.counters.lostPeriods += 1 }
        if media.isSounding { mediaUntil = written }
        if alarm.isSounding { ringUntil = written }
        if voice.samples > 0 {
            map.append(
                frame: start + Self.outputDelay, frames: min(taken, 2 * voice.samples), voice: voice.position,
                samples: voice.samples
            )
        }
    }

    /// Whether the rest of the period is anything but silence.
    private func isHeard(from first: Int) -> Bool {
        cdsp_peak((frames.output + first).samples, 2 * (period - first)) > 0
    }

    /// Refills the card with silence. Its former contents are lost and count as heard.
    private mutating func fillAgain(after event: DeviceEvent) {
        restarts += 1
        if event == .playbackRestarted || event == .playbackRested {
            if event == .playbackRestarted { snapshot.counters.playbackXruns += 1 }
            realign()
            if device.settlesSlowly { drift.restarted() }
        } else {
            beginLearning()
            realign(to: device.playbackPrefill - period)
        }
        // If the thread woke late, microphone periods are waiting and each adds one period of output. The prefill leaves room
        // for them.
        let waiting = device.delays().capture / period * period
        filledTo = device.playbackPrefill
        prefill(max(0, device.playbackPrefill - period - waiting))
    }

    /// Forgets the echo path and starts learning again: the microphone or the loudspeaker may be another one.
    private mutating func beginLearning() {
        capturePath.resetEchoPath()
        duplex.beginLearning()
        duplex.status.beginnings += 1
    }

    /// Resets the alignment after frames were lost between the two sides.
    ///
    /// - Parameter nominal: the new expected sum of both delays, in frames; nil if it has not changed.
    private mutating func realign(to nominal: Int? = nil) {
        reference.discontinuity()
        duplex.discontinuity()
        if let nominal { drift = DriftControl(nominal: nominal) } else { drift.discontinuity() }
    }

    private mutating func prefill(_ count: Int) {
        frames.silence.update(repeating: .silence, count: period)
        var left = count
        while left > 0 {
            let before = written
            let event = put(frames.silence, count: min(left, period))
            if event != .done || written == before { return }
            left -= period
        }
    }

    private mutating func put(_ samples: UnsafePointer<StereoFrame>, count: Int) -> DeviceEvent {
        var taken = 0
        let event = device.write(samples, count: count, written: &taken)
        reference.append(samples, count: taken)
        history.append(samples, count: taken)
        written += UInt64(taken)
        return event
    }

    // MARK: Silence and flush

    /// Takes back the voice that the card holds, and plays none until the order is lifted. The ring keeps its contents, and the
    /// account of what was heard stands still, until the network thread drops the voice.
    private mutating func obeySilence() {
        seenOrder = ports.silence.newest
        let wanted = ports.silence.voice
        if wanted > silenced {
            silenced = wanted
            isSilenced = true
            _ = takeBack(resume: 0)
            ports.earcons.cancel()
        }
        let isInForce = ports.silence.isVoiceSilenced
        // Frames that were taken back and not dropped meanwhile count as heard, so that the account can end.
        if isSilenced, !isInForce { _ = map.cut(at: written, resume: ports.voice.ring.readPosition) }
        isSilenced = isInForce
    }

    private mutating func flushIfAsked() {
        let wanted = ports.voice.flushRequest
        guard wanted > flushed else { return }
        flushed = wanted
        ports.voice.ring.skip(to: min(wanted, ports.voice.ring.writePosition))
        let cut = takeBack(resume: ports.voice.ring.readPosition)
        var progress = ports.voice.progress
        progress.consumed = ports.voice.ring.readPosition
        (progress.flushDone, progress.flushHeard) = (wanted, cut)
        ports.voice.progress = progress
    }

    /// Removes what the card holds, if there is voice in it.
    ///
    /// - Parameter resume: the voice position that counts as heard once the rest has been played; 0 for no other.
    /// - Returns: the position up to which the voice was or will be heard.
    private mutating func takeBack(resume: UInt64) -> UInt64 {
        let flush = map.isPending ? device.flushPlayback() : .nothing
        let removed = min(flush.removed, Int(written), PlayedHistory.capacity / 2)
        written -= UInt64(removed)
        reference.dropNewest(removed)
        let last = history.dropNewest(removed)
        let cut = max(heard, map.cut(at: written, resume: resume))
        if removed > 0 {
            upsampler.reset()
            mix.reset()
            edges.reset()
            if device.settlesSlowly { drift.restarted() }
            replace(min(flush.replaced, PlayedHistory.capacity), fadingFrom: last)
        }
        return cut
    }

    /// Writes `count` frames in place of those taken back: a 5 ms fade from the last remaining frame, then silence.
    private mutating func replace(_ count: Int, fadingFrom last: StereoFrame) {
        let fade = period / 2
        for index in 0..<period {
            let x = max(0, 1 - Float(index + 1) / Float(fade))
            frames.silence[index] = last
            frames.silence[index] *= x * x * (3 - 2 * x)
        }
        var left = count
        while left > 0 {
            let event = put(frames.silence, count: min(left, period))
            if event.emptiedPlayback { return fillAgain(after: event) }
            left -= period
            frames.silence.update(repeating: .silence, count: period)
        }
    }

    // MARK: Publishing

    private mutating func publish() {
        let before = snapshot.echo
        snapshot.levels = levels.reading
        snapshot.echo = duplex.status
        (snapshot.playbackDelayFrames, snapshot.captureDelayFrames) = delay
        ports.gauges.snapshot = snapshot
        // The delay search follows sound, the memory of rooms new devices.
        let begins = snapshot.echo.isPlaying && !before.isPlaying
        if begins || snapshot.echo.beginnings != before.beginnings { ports.bell.ring() }
    }

    private mutating func publishHeard() {
        let played = written - min(written, UInt64(delay.playback))
        heard = max(heard, map.heard(at: played))
        ports.voice.progress.heard = heard
    }

    private mutating func finishPeriod(_ began: UInt64) {
        let now = clinux_monotonic_ns()
        snapshot.longestCycleMicroseconds = max(snapshot.longestCycleMicroseconds, Int((now &- began) / 1000))
        snapshot.counters.cycles += 1
        publishSilence()
        var progress = ports.voice.progress
        (progress.writtenNanoseconds, progress.consumed) = (now, ports.voice.ring.readPosition)
        ports.voice.progress = progress
    }

    private func publishSilence() {
        let played = written - min(written, UInt64(delay.playback))
        var sounding: SilenceOrders.Sounds = map.isPending ? .voice : []
        if mediaUntil > played { sounding.insert(.media) }
        if ringUntil > played { sounding.insert(.ring) }
        ports.silence.publish(seen: seenOrder, sounding: sounding)
    }
}
