@testable import VoiceAudio
@testable import VoiceBase

/// Events of a simulated card, each at a certain period.
enum SimulatedFault: Sendable, Equatable {
    case captureXrun
    case playbackXrun
    /// The thread slept this many periods too long: the loudspeaker underran, the microphone waits.
    case late(Int)
    case microphoneGone
    case microphoneBack
    case loudspeakerGone
    case loudspeakerBack
}

/// The test's side of a simulated card: what is captured, what was played, and which faults occur when.
final class SimulatedCard {
    /// Everything that the loudspeaker has played, in frames since the start, including the silence of empty buffers.
    private(set) var frames: [StereoFrame] = []
    /// The mean of both channels of `frames`.
    private(set) var played: [Float] = []
    /// The microphone signal at a frame since the start.
    var microphone: (Int) -> Float = { _ in 0 }
    /// Faults by the number of the read that they occur with.
    var faults: [Int: SimulatedFault] = [:]
    /// How much faster the loudspeaker runs than the microphone, in parts per million.
    var playbackPpm = 0.0
    var captureDelay = 0
    /// How the microphone is used, and its loopback channel at a frame since the start.
    var plan = CapturePlan()
    var loopback: ((Int) -> Float)?
    /// Frames that cannot be taken back, as on a card that can rewind.
    var rewindMargin = AudioFormat.periodFrames
    /// Frames that a sound server holds behind the buffer. A flush stops the stream but leaves them to be heard, and they
    /// enter the delay only `settling` periods after a start.
    var behindBuffer = 0
    var settling = 0
    /// How much more than the truth a sound server reports, in frames, by the number of the read.
    var reportedError: (Int) -> Int = { _ in 0 }
    /// Microphone periods that arrive while a flush stops the stream.
    var flushPeriods = 0
    /// Frames to queue in addition while there is a microphone, as for one that delivers in long steps.
    var microphoneFill = 0
    /// Periods without sound until the loudspeaker is given back, and reads from the next sound until it is open again; nil if
    /// it cannot be opened.
    var restAfter = Int.max
    var opening: Int? = 0
    /// Reads during which the loudspeaker takes nothing, like a sound server before its first step.
    var stands: Range<Int> = 0..<0
    fileprivate(set) var hasMicrophone = true
    fileprivate(set) var hasLoudspeaker = true
    private(set) var reads = 0
    /// How often a read waited, instead of finding its period there.
    private(set) var waits = 0
    /// Called with each wait, as the time passes; true interrupts it.
    var interrupts: () -> Bool = { false }
    private(set) var framesRemoved = 0
    private(set) var closed = false
    /// Microphone periods captured and not yet read.
    fileprivate private(set) var waiting = 0
    private var owed = 0.0

    /// Reads one period. Returns the frames that the loudspeaker consumes meanwhile; 0 if the period was already waiting.
    fileprivate func advance(_ count: Int) -> Int {
        reads += 1
        if waiting > 0 {
            waiting -= 1
            return 0
        }
        if stands.contains(reads) { return 0 }
        owed += Double(count) * (1 + playbackPpm / 1e6)
        let due = Int(owed)
        owed -= Double(due)
        return due
    }

    fileprivate func play(_ new: UnsafePointer<StereoFrame>, count: Int) {
        frames.append(contentsOf: UnsafeBufferPointer(start: new, count: count))
        for index in 0..<count { played.append(new[index].mean) }
    }

    fileprivate func wait() -> Bool {
        waits += 1
        return !interrupts()
    }

    fileprivate func takeFault() -> SimulatedFault? {
        faults.removeValue(forKey: reads)
    }

    fileprivate func fallBehind(_ periods: Int) {
        waiting += periods
    }

    fileprivate func noteRemoved(_ count: Int) {
        framesRemoved += count
    }

    fileprivate func close() {
        closed = true
    }
}

/// An ideal card without a clock: each read takes one period of simulated time and returns immediately, or no time if a period
/// is waiting.
///
/// Only tests open it. It still lives next to the engine, because the generic `AudioEngine` is specialised for its device
/// only within its own module. With a device in the tests' module, `scripts/realtime-check` would check other code than the
/// product runs.
struct SimulatedDevice: DuplexDevice, ~Copyable {
    var playbackPrefill: Int { fill + (card.hasMicrophone ? card.microphoneFill : 0) }
    private let fill: Int
    private let card: SimulatedCard
    private var queue: PlaybackQueue
    private var queued = 0
    private var runs = false
    var together = 1
    /// Periods that can be read without a wait.
    private var ready = 0
    /// Periods since playback started.
    private var periodsRun = 0
    private var startAt: Int
    private var restart: DeviceEvent?
    private(set) var isResting = false
    private var quietPeriods = 0
    private var heldPeriods = 0
    private let block: UnsafeMutablePointer<StereoFrame>
    private var converter = PlaybackConverter(rate: AudioFormat.deviceRate)
    private let loopback = SampleBuffer(count: AudioFormat.periodFrames)
    private var stillness = StillnessMeter()

    init(card: SimulatedCard, bufferPeriods: Int = 4) {
        self.card = card
        fill = (bufferPeriods - 1) * AudioFormat.periodFrames
        startAt = fill
        // A period that is a few frames longer because it follows another clock still fits.
        queue = PlaybackQueue(limit: bufferPeriods * AudioFormat.periodFrames + 32)
        block = .allocate(capacity: 2 * AudioFormat.periodFrames)
        block.initialize(repeating: .silence, count: 2 * AudioFormat.periodFrames)
    }

    deinit { block.deallocate() }

    mutating func start() {}

    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent {
        if ready == 0 {
            guard card.wait() else { return .interrupted }
            ready = together
        }
        ready -= 1
        let first = card.reads * count
        let due = card.advance(count)
        if runs {
            periodsRun += 1
            let taken = queue.pop(into: block, count: due)
            if taken < due { restart = restart ?? .playbackRestarted }
        } else {
            block.update(repeating: .silence, count: due)
        }
        if !card.hasLoudspeaker || isResting { block.update(repeating: .silence, count: due) }
        card.play(block, count: due)
        for index in 0..<count { frames[index] = card.hasMicrophone ? card.microphone(first + index) : 0 }
        stillness.note(frames, count: count)
        if let played = card.loopback {
            for index in 0..<min(count, loopback.count) { loopback.base[index] = played(first + index) }
        }
        switch card.takeFault() {
        case .captureXrun: return .captureRestarted
        case .playbackXrun: restart = .playbackRestarted
        case .late(let periods):
            for _ in 0..<periods {
                _ = queue.pop(into: block, count: count)
                card.play(block, count: count)
            }
            card.fallBehind(periods)
            restart = .playbackRestarted
        case .microphoneGone, .microphoneBack:
            card.hasMicrophone.toggle()
            return .captureChanged
        case .loudspeakerGone, .loudspeakerBack:
            card.hasLoudspeaker.toggle()
            restart = .playbackChanged
        case nil: break
        }
        return .done
    }

    var isCaptureLive: Bool { card.hasMicrophone }

    var isCaptureConstant: Bool { stillness.isConstant }

    var capturePlan: CapturePlan { card.plan }

    var captureReference: UnsafePointer<Float>? {
        card.plan.reference != nil && card.loopback != nil ? UnsafePointer(loopback.base) : nil
    }

    mutating func expect(sound: Bool) -> DeviceEvent {
        guard isResting else {
            quietPeriods = sound ? 0 : quietPeriods + 1
            guard quietPeriods >= card.restAfter else { return .done }
            isResting = true
            heldPeriods = 0
            restart = .playbackRested
            return .done
        }
        guard sound else { return .done }
        heldPeriods += 1
        guard heldPeriods > card.opening ?? 0 else { return .done }
        isResting = false
        quietPeriods = 0
        restart = card.opening == nil ? .playbackChanged : .playbackRested
        if card.opening == nil { card.hasLoudspeaker = false }
        return .done
    }

    mutating func write(_ frames: UnsafePointer<StereoFrame>, count: Int, written: inout Int) -> DeviceEvent {
        if let event = restart {
            restart = nil
            written = 0
            runs = false
            periodsRun = 0
            queued = 0
            startAt = playbackPrefill
            _ = queue.dropNewest(keeping: 0)
            converter.reset()
            return event
        }
        guard queue.count < queue.limit - 32 else {
            written = 0
            return .done
        }
        let (converted, made) = converter.process(frames, count: count)
        written = queue.push(converted, count: made) < made ? 0 : count
        queued += written
        if queued >= startAt { runs = true }
        return .done
    }

    mutating func delays() -> (playback: Int, capture: Int) {
        (
            inBuffer + (runs && periodsRun >= card.settling ? card.behindBuffer : 0) + card.reportedError(card.reads),
            card.captureDelay + (card.waiting + ready) * AudioFormat.periodFrames
        )
    }

    private var inBuffer: Int { queue.count + Int(converter.lag.rounded()) }

    func buffered(of delays: (playback: Int, capture: Int)) -> (playback: Int, capture: Int)? {
        card.behindBuffer > 0 ? (inBuffer, delays.capture) : nil
    }

    var settlesSlowly: Bool { card.behindBuffer > 0 }

    mutating func follow(_ step: Double) { converter.step = step }

    mutating func flushPlayback() -> PlaybackFlush {
        guard card.behindBuffer == 0 else {
            let inBuffer = converter.rewind(queue.dropNewest(keeping: 0))
            let period = AudioFormat.periodFrames
            let flush = PlaybackFlush(
                removed: inBuffer, replaced: max(period, max(inBuffer, playbackPrefill) - card.flushPeriods * period)
            )
            card.noteRemoved(flush.removed)
            card.fallBehind(card.flushPeriods)
            runs = false
            periodsRun = 0
            queued = 0
            startAt = flush.replaced
            return flush
        }
        let removed = converter.rewind(queue.dropNewest(keeping: card.rewindMargin))
        card.noteRemoved(removed)
        return PlaybackFlush(removed)
    }

    mutating func close() { card.close() }
}
