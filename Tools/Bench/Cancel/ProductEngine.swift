import CDSP
import VoiceAudio
import VoiceBase
import VoiceCore
import VoiceSession

/// The daemon's processing between card and wire: reference line, delay search, capture path and duplex control.
///
/// The only place in which the benchmark knows how these stages fit together. It follows the audio thread's cycle, but
/// runs the delay search synchronously instead of beside it. Gate decisions are reported, not applied, so that the
/// output can be compared with that of engines without a gate.
final class ProductEngine: OfflineEngine {
    let outputRate = AudioFormat.wirePeriodSamples * 100
    var openings: [Int]? { opened }

    private let delay: ReportedDelay
    /// The part of the far end that is the voice; the rest is media. Nil if all of it is voice.
    private let voice: [Float]?
    private let ports = AudioPorts()
    private var line: ReferenceLine
    private var tap = AlignmentTap()
    private var stage = AlignmentStage()
    private var path: CapturePath
    private var duplex: DuplexControl
    private var opened: [Int] = []
    /// For each period, whether it went upstream, immediately or later.
    private(set) var sent: [Bool] = []
    /// The gate record: CSV with one line per period. `released_ms`: how much held audio goes upstream with the period;
    /// `moves`: 1 if the canceller considers the echo path changed; `shut`: 1 if no one can open the gate;
    /// `talker`: raw value of `EchoTalker`.
    private(set) var gateRecord = "time_ms,open,state,released_ms,moves,shut,talker\n"
    /// The measurements of the last period, and the state of the duplex policy.
    var reading: EchoReading { path.reading }
    var state: DuplexState { duplex.status.state }
    /// Called with the audio that goes upstream, 10 ms at a time, as the network thread takes it.
    var heard: ((MicrophoneChunk) -> Void)?
    private let reference = UnsafeMutablePointer<Float>.allocate(capacity: AudioFormat.periodFrames)
    private let samples = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
    private let unsuppressed = UnsafeMutablePointer<Int16>.allocate(capacity: AudioFormat.wirePeriodSamples)
    private let isForWords: Bool
    private var period = 0

    /// - Parameters:
    ///   - room: the room stored by an earlier run.
    ///   - isForWords: whether the output is what words are recognised in, not what goes upstream.
    init(
        delay: ReportedDelay,
        voice: [Float]? = nil,
        duplex setting: DuplexSetting = .auto,
        room: RememberedRoom? = nil,
        isForWords: Bool = false
    ) throws {
        self.delay = delay
        self.isForWords = isForWords
        self.voice = voice
        line = ReferenceLine(keep: EchoCanceller.referenceLead, epoch: ports.alignment.nextEpoch)
        path = try CapturePath(
            options: AudioConfiguration(Configuration().audio, echo: Configuration().echo).echoCanceller
        )
        duplex = DuplexControl(
            microphone: ports.microphone, volumes: ports.volumes, setting: setting, hasCanceller: true
        )
        if let room { ports.echoPath.offer(room) }
    }

    /// The room to store; nil if the echo was not found.
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
        unsuppressed.deallocate()
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
            playbackDelay: playbackDelay, captureDelay: 0, correction: tap.correction(from: ports.alignment),
            into: reference
        )
        tap.push(periodOf: line, microphone: microphone, reference: reference, to: ports.alignment)
        stage.step(ports.alignment)
        path.follow(aligned)
        path.process(
            microphone: microphone, reference: reference, streamDelayMilliseconds: aligned.leadMilliseconds,
            into: samples, unsuppressed: unsuppressed
        )
        let peak = cdsp_peak(microphone, AudioFormat.periodFrames)
        _ = duplex.process(
            samples, reading: path.reading, peak: peak, isAligned: aligned.isConfirmed || path.reading.hasRecalled
        )
        if case .release(let periods) = duplex.step, periods > 0 { opened.append(period) }
        record()
        cdsp_float_from_s16(isForWords ? unsuppressed : samples, output, AudioFormat.wirePeriodSamples)
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
            chunk.isHeldBack = end <= tap.notes.heldUntil
            heard(chunk)
        }
    }

    private func record() {
        let isOpen = duplex.step == .hold ? 0 : 1
        let released = if case .release(let periods) = duplex.step { periods * 10 } else { 0 }
        sent.append(isOpen == 1)
        for earlier in max(0, period - released / 10)..<period { sent[earlier] = true }
        let change = path.reading.hasPathChanged ? 1 : 0
        gateRecord += "\(period * 10),\(isOpen),\(state.reason),\(released),\(change),\(duplex.isShut ? 1 : 0),"
        gateRecord += "\(duplex.status.talker.rawValue)\n"
    }

    /// Whether only media is written in this period.
    private var isMedia: Bool {
        guard let voice else { return false }
        let start = min(period * AudioFormat.periodFrames, voice.count)
        let end = min(start + AudioFormat.periodFrames, voice.count)
        return voice[start..<end].allSatisfy { abs($0) < 0.001 }
    }
}
