import CDSP
import VoiceAudio
import VoiceBase
import VoiceConfiguration
import VoiceCore

/// What the daemon does between card and wire: reference line, search for the delay, capture path, and duplex control.
///
/// The one place in which the benchmark knows how these stages are put together; it follows the audio thread's cycle, with
/// the search for the delay, which runs beside it there, made synchronous. What the gate does is reported and not applied, so
/// that the output can be compared with those of engines that have none.
final class ProductEngine: OfflineEngine {
    let outputRate = AudioFormat.wirePeriodSamples * 100
    var openings: [Int]? { opened }

    private let delay: ReportedDelay
    /// What of the far end is the voice; the rest is media. Nil where all of it is.
    private let voice: [Float]?
    private let ports = AudioPorts()
    private var line: ReferenceLine
    private var tap = AlignmentTap()
    private var stage = AlignmentStage()
    private var path: CapturePath
    private var duplex: DuplexControl
    private var opened: [Int] = []
    /// Of each period, whether it went upstream, at once or later.
    private(set) var sent: [Bool] = []
    /// The gate record: CSV with a line for each period. `released_ms`: how much of what was held goes upstream with it;
    /// `moves`: 1 where the canceller takes the echo path for changed.
    private(set) var gateRecord = "time_ms,open,state,released_ms,moves\n"
    /// What the last period measured, and what the policy came to.
    var reading: EchoReading { path.reading }
    var state: DuplexState { EchoStatus(ports.echo).state }
    /// Called with what goes upstream, 10 ms each, as the network thread takes it.
    var heard: ((MicrophoneChunk) -> Void)?
    private let reference = UnsafeMutablePointer<Float>.allocate(capacity: AudioFormat.periodFrames)
    private let samples = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
    private var period = 0

    /// - Parameter room: what an earlier run has remembered.
    init(
        delay: ReportedDelay,
        voice: [Float]? = nil,
        duplex setting: DuplexSetting = .auto,
        room: RememberedRoom? = nil
    ) throws {
        self.delay = delay
        self.voice = voice
        line = ReferenceLine(keep: EchoCanceller.referenceLead, epoch: ports.alignment.nextEpoch)
        path = try CapturePath(
            options: AudioConfiguration(Configuration().audio, echo: Configuration().echo).echoCanceller
        )
        duplex = DuplexControl(
            microphone: ports.microphone,
            gauges: ports.echo,
            trace: ports.trace,
            volumes: ports.volumes,
            setting: setting,
            hasCanceller: true
        )
        if let room { ports.echoPath.offer(room) }
    }

    /// What is to be remembered of the echo; nil where it was not found.
    func room() -> RememberedRoom? {
        ports.echoPath.ask()
        path.handOver(to: ports.echoPath, bias: line.confirmedBias)
        return ports.echoPath.takeAnswer().map {
            RememberedRoom(microphone: "file", loudspeaker: "file", volume: 100, bias: $0.bias, path: $0.path)
        }
    }

    deinit {
        reference.deallocate()
        samples.deallocate()
    }

    func process(
        far: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>
    ) {
        if delay.isJump(period) {
            line.discontinuity()
            duplex.discontinuity()
        }
        if let bias = path.recall(from: ports.echoPath) { line.expect(bias: bias) }
        line.append(far, count: AudioFormat.periodFrames)
        let playbackDelay = delay.frames(in: period)
        duplex.wrote(far, count: AudioFormat.periodFrames, delay: playbackDelay, isMedia: isMedia)
        let aligned = line.next(
            playbackDelay: playbackDelay,
            captureDelay: 0,
            correction: tap.correction(from: ports.alignment),
            into: reference
        )
        tap.push(periodOf: line, microphone: microphone, reference: reference, to: ports.alignment)
        stage.step(ports.alignment)
        path.follow(aligned)
        path.process(
            microphone: microphone,
            reference: reference,
            streamDelayMilliseconds: aligned.leadMilliseconds,
            into: samples
        )
        let peak = cdsp_peak(microphone, AudioFormat.periodFrames)
        _ = duplex.process(
            samples,
            reading: path.reading,
            peak: peak,
            isAligned: aligned.isConfirmed || path.reading.hasRecalled
        )
        if case .release(let periods) = duplex.step, periods > 0 { opened.append(period) }
        record()
        cdsp_float_from_s16(samples, output, AudioFormat.wirePeriodSamples)
        handOver()
        ports.microphone.ring.skip(to: ports.microphone.ring.writePosition)
        period += 1
    }

    private func handOver() {
        guard let heard else { return }
        let tap = ports.microphone
        while tap.ring.availableToRead >= AudioFormat.wirePeriodSamples {
            let position = tap.ring.readPosition
            let end = position + UInt64(tap.ring.read(into: samples, count: AudioFormat.wirePeriodSamples))
            var chunk = MicrophoneChunk(UnsafeBufferPointer(start: samples, count: AudioFormat.wirePeriodSamples))
            chunk.isVoice = tap.voices[position]
            chunk.isHeldBack = end <= tap.heldUntil
            heard(chunk)
        }
    }

    private func record() {
        let isOpen = duplex.step == .hold ? 0 : 1
        let released = if case .release(let periods) = duplex.step { periods * 10 } else { 0 }
        sent.append(isOpen == 1)
        for earlier in max(0, period - released / 10)..<period { sent[earlier] = true }
        let change = path.reading.hasPathChanged ? 1 : 0
        gateRecord += "\(period * 10),\(isOpen),\(state.reason),\(released),\(change)\n"
    }

    /// Whether media is all that is written in this period.
    private var isMedia: Bool {
        guard let voice else { return false }
        let start = min(period * AudioFormat.periodFrames, voice.count)
        let end = min(start + AudioFormat.periodFrames, voice.count)
        return voice[start..<end].allSatisfy { abs($0) < 0.001 }
    }
}
