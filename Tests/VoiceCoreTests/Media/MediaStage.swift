import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceMedia
@testable import VoiceNetwork

/// A media player with a web server and a loudspeaker that records everything it plays, several times faster than real
/// time.
final class MediaStage: Sendable {
    let server = MediaServer()
    let ports = AudioPorts()
    let log = LineLog()
    let port: Int
    let player: MediaPlayer
    private let network = NetworkThread()
    private let listening: Task<Void, Never>
    private let audio: AudioThread?
    private let mostTaken: Limit
    /// Frames that the loudspeaker takes before it waits, counted as `frames` are.
    var limit: Int {
        get { mostTaken.frames.load(ordering: .acquiring) }
        set { mostTaken.frames.store(newValue, ordering: .releasing) }
    }

    /// - Parameters:
    ///   - isFast: whether the loudspeaker takes audio as fast as it can, or at about real time.
    ///   - limit: how many frames the loudspeaker takes until a test raises `limit`.
    ///   - room: played to by a separate audio thread, instead of the recording loudspeaker.
    ///   - onItsPort: whether only the web server's port may be requested of this machine, or any.
    init(
        isFast: Bool = true,
        limit: Int = .max,
        room: FileRoom? = nil,
        onItsPort: Bool = false,
        adjust: (inout MediaSettings) -> Void = { _ in }
    ) async throws {
        let mostTaken = Limit(limit)
        self.mostTaken = mostTaken
        port = try await server.start()
        var settings = MediaSettings()
        settings.policy = MediaPolicy(hosts: onItsPort ? "127.0.0.1:\(port)" : "127.0.0.1")
        // Long enough for a busy machine to start ffmpeg.
        settings.patience = .seconds(20)
        settings.machine.reconnectFirst = .milliseconds(50)
        adjust(&settings)
        try network.start()
        ports.volumes.set(Volumes(media: 100))
        let (reported, heard, ports) = (Gathered<MediaNews>(1000), Gathered<StereoFrame>(5_000_000), ports)
        player = MediaPlayer(
            settings: settings,
            feed: ports.media,
            loudspeaker: ports.playback,
            network: network,
            volumes: VolumeController(settings: VolumeSettings(), controls: ports.volumes, logger: log.logger),
            stateDirectory: nil,
            logger: log.logger
        ) { news in reported.append(news) }
        self.reportedList = reported
        self.heardList = heard
        if let room {
            let configuration = AudioConfiguration(source: .file(room), realtimePriority: 0)
            audio = try await AudioThread.start(configuration: configuration, ports: ports)
        } else {
            audio = nil
        }
        let isHere = room == nil
        listening = Task.detached {
            guard isHere else { return }
            var playback = MediaPlayback(ports.media)
            var mix = OutputMix(volumes: ports.volumes)
            var now: UInt64 = 0
            while !Task.isCancelled {
                for _ in 0..<(isFast ? 20 : 1) {
                    // At this pace it waits for a decoder that is behind, as of a busy machine: a gap would be no fault.
                    let feed = ports.media
                    let isBehind = !feed.isComplete.load(ordering: .acquiring) && feed.ring.availableToRead < 480
                    if isFast, isBehind, feed.flushRequest <= feed.flushDone.load(ordering: .acquiring) { break }
                    let isHeld = heard.count + AudioFormat.periodFrames > mostTaken.frames.load(ordering: .acquiring)
                    if isHeld { break }
                    var output = [StereoFrame](repeating: .silence, count: AudioFormat.periodFrames)
                    playback.mix(
                        into: &output, count: output.count, isVoice: false, now: now, volumes: &mix
                    )
                    now += 10_000_000
                    // Silence before the first audio is not recorded.
                    if heard.count > 0 || output.contains(where: { $0.peak > 0.01 }) {
                        heard.append(contentsOf: output)
                    }
                }
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        await player.start()
    }

    private final class Limit: Sendable {
        let frames: Atomic<Int>

        init(_ frames: Int) { self.frames = Atomic(frames) }
    }

    /// A list that several threads append to, up to its bound.
    final class Gathered<Element: Sendable>: Sendable {
        private let list = Mutex<[Element]>([])
        private let most: Int

        init(_ most: Int) { self.most = most }

        var count: Int { list.withLock { $0.count } }
        var all: [Element] { list.withLock { $0 } }
        func append(_ element: Element) { append(contentsOf: [element]) }
        func append(contentsOf elements: [Element]) {
            list.withLock { $0 += elements.prefix(max(0, most - $0.count)) }
        }
    }

    private let reportedList: Gathered<MediaNews>
    private let heardList: Gathered<StereoFrame>

    var news: [MediaNews] { reportedList.all }

    /// Number of frames heard since the first audio, including silence.
    var frames: Int { heardList.count }

    /// The mean of both channels, without the silence before and after.
    var sound: [Float] { stereo.map { $0.mean } }

    /// Both channels, without the silence before and after.
    var stereo: [StereoFrame] {
        let all = heardList.all
        guard let first = all.firstIndex(where: { $0.peak > 0.01 }), let last = all.lastIndex(where: { $0.peak > 0.01 })
        else { return [] }
        return Array(all[first...last])
    }

    func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Waits until the condition holds; throws after a minute.
    func wait(
        _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        until isSo: @Sendable () async -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if await isSo() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        let reported = "never: \(what); \(news), \(await player.snapshot()), \(server.requests.suffix(10))"
        Issue.record("\(reported)", sourceLocation: sourceLocation)
        await stop()
        throw Missed()
    }

    /// The condition was not met in time.
    struct Missed: Error {}

    func stop() async {
        await player.stop()
        listening.cancel()
        await listening.value
        await audio?.stop()
        await network.stop()
        await server.stop()
    }
}
