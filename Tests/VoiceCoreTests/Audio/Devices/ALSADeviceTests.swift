import CLinux
import Glibc
import Testing

@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

/// ALSA's own code, with cards that advance when the test says so.
struct ALSADeviceTests {
    private typealias Stream = UnsafeMutablePointer<ALSAStream>

    private func open(
        _ card: PluginCard,
        _ direction: AudioDirection,
        channels: ALSAStream.Request.Channels = .atLeast(1),
        periods: Int = 4,
        rate: Int? = nil
    ) throws -> Stream {
        let stream = Stream.allocate(capacity: 1)
        do {
            let request = ALSAStream.Request(channels: channels, periods: periods, rate: rate)
            stream.initialize(
                to: try ALSAStream(taking: card.pcm, device: "test", direction: direction, request: request)
            )
        } catch {
            stream.deallocate()
            throw error
        }
        return stream
    }

    private func write(_ count: Int, to device: inout ALSADevice) {
        let frames = [StereoFrame](repeating: .silence, count: count)
        var written = 0
        let event = device.write(frames, count: count, written: &written)
        #expect(event == .done)
        #expect(written == count)
    }

    private func close(_ slot: DeviceSlot) {
        guard let stream = slot.takeReturned()?.stream else { return }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// A channel list longer than the card's was believed behind `plug`, which fills the rest with silence; for one channel
    /// it gives the mean of all.
    @Test(arguments: [1, 2, 6]) func aMicrophoneBehindAPlugHasTheChannelsOfItsCard(own: Int) throws {
        func channels(_ wanted: ALSAStream.Request.Channels) throws -> Int {
            let card = try PluggedCard(channels: own, direction: .capture)
            let request = ALSAStream.Request(channels: wanted, periods: 4)
            return try ALSAStream(taking: card.pcm, device: "x", direction: .capture, request: request).parameters
                .channels
        }
        // The mean of two, or the one that the user's own table names.
        #expect(try channels(.atLeast(1)) == (own == 2 ? 1 : own))
        #expect(try channels(.atLeast(own)) == own)
        #expect(try channels(.all) == own)
        let refusal = #expect(throws: AudioDeviceError.self) { try channels(.atLeast(own + 1)) }
        let count = own == 1 ? "one channel" : "\(own) channels"
        let reason = "has \(count), and no channel \(own + 1): see audio.input_channel"
        #expect(refusal?.description.contains(reason) == true)
        #expect(refusal?.exitCode == .configuration)
    }

    /// Two cards joined by `multi` have the channels of both.
    @Test func plugReportsTheChannelsBehindIt() {
        func part(_ name: String, _ channels: Int) -> String {
            "\(name)\nIts setup is:\n  access       : RW_INTERLEAVED\n  channels     : \(channels)\n  rate         : 48000\n"
        }
        let joined = part("Slave: Multi PCM", 4) + part("Slave #0: Hardware PCM card 0 'A'", 2)
        #expect(
            PluginChain(part("Plug PCM: Route conversion PCM (sformat=S16_LE)", 6) + joined).channelsBehindPlug == 4
        )
        let linear = part("Plug PCM: Linear conversion PCM (S16_LE)", 2) + part("Slave: Route conversion PCM", 2)
        #expect(PluginChain(linear + part("Slave: Hardware PCM card 1", 6)).channelsBehindPlug == 6)
        #expect(PluginChain(part("Plug PCM: Hardware PCM card 1", 2)).channelsBehindPlug == 2)
        #expect(PluginChain(part("Hardware PCM card 1", 2)).channelsBehindPlug == nil)
        #expect(PluginChain("Plug PCM: Hardware PCM card 1\n").channelsBehindPlug == nil)
    }

    @Test(arguments: [(480, 480, 480), (1440, 1440, 1440), (6240, 960, 960), (1000, 100, 480), (300, 0, 300)])
    func playbackRestartsAtTheFillLevelOfAFlush(removed: Int, inBuffer: Int, expected: Int) {
        #expect(ALSADevice.startAfterFlush(removed: removed, inBuffer: inBuffer) == expected)
    }

    /// The microphone has continued while a server created a new stream: its audio is written as well.
    @Test(arguments: [(1984, 0, 1984), (1984, 1000, 984), (1984, 1800, 480), (300, 0, 1500), (300, 100, 1400)])
    func soundServerRestartsAsAtItsFirstStart(removed: Int, stoppedFor: Int, expected: Int) {
        #expect(ALSADevice.restartOfServer(removed: removed, fill: 1500, stoppedFor: stoppedFor) == expected)
    }

    /// For PulseAudio, what it reported after the drop; for PipeWire, everything that has left the buffer; never more
    /// than there was.
    @Test(arguments: [(6159, 1, 4741 as Int?, 4741), (1572, 1184, nil, 388), (1962, 2336, nil, 0), (900, 0, 4741, 900)])
    func framesInsideAServerAreStillPlayed(delay: Int, inBuffer: Int, reported: Int?, expected: Int) {
        #expect(ALSADevice.stillPlayed(delay: delay, inBuffer: inBuffer, reported: reported) == expected)
    }

    /// The stream continues as it was.
    private func expectNothingFlushed(_ device: inout ALSADevice, of card: PluginCard, delay: Int) {
        let flushed = device.flushPlayback()
        #expect(flushed == .nothing)
        #expect(card.isRunning)
        #expect(card.starts == 1)
        let after = device.delays().playback
        #expect(after == delay)
    }

    /// A server with 100 ms behind its plugin plays those whatever happens. A restart for the 41 ms in the buffer would move
    /// the echo, and the box would hear itself.
    @Test(arguments: ["ALSA <-> PulseAudio PCM I/O Plugin", "ALSA <-> PipeWire PCM I/O Plugin"])
    func theShortBufferOfASoundServerIsPlayed(name: String) throws {
        let card = try PluginCard(.playback, buffer: 200, name: name)
        card.latency = 4800
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        loudspeaker.offer(try open(card, .playback))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        let prefill = device.playbackPrefill
        write(prefill, to: &device)
        for _ in 0..<20 {
            card.advance(480)
            write(480, to: &device)
        }
        let delay = device.delays().playback
        #expect(delay == 4800 + prefill)
        expectNothingFlushed(&device, of: card, delay: delay)
        device.close()
        close(loudspeaker)
    }

    /// A server with 100 ms behind its plugin: only what is in the long buffer is taken back, the rest counts as heard.
    @Test(arguments: ["ALSA <-> PulseAudio PCM I/O Plugin", "ALSA <-> PipeWire PCM I/O Plugin"])
    func flushRemovesOnlyFramesOutsideTheServer(name: String) throws {
        let card = try PluginCard(.playback, buffer: 200, name: name)
        card.latency = 4800
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        loudspeaker.offer(try open(card, .playback, periods: 16))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 16, waker: stop)
        let settles = device.settlesSlowly
        #expect(settles)
        let prefill = device.playbackPrefill
        write(prefill, to: &device)
        for _ in 0..<20 {
            card.advance(480)
            write(480, to: &device)
        }
        let delays = device.delays()
        #expect(delays.playback == 4800 + prefill)
        // What the server says of itself does not count towards what the buffer must hold.
        let buffered = device.buffered(of: delays)?.playback
        #expect(buffered == prefill)
        let flushed = device.flushPlayback()
        #expect(flushed.removed == prefill)
        #expect(flushed.replaced <= prefill && flushed.replaced >= 480)
        write(flushed.replaced, to: &device)
        #expect(card.starts == 2)
        device.close()
        close(loudspeaker)
    }

    /// Once, as some cards do after they were plugged in or opened; twice, it is an error.
    @Test(arguments: [EBUSY, EINVAL, EIO, EPIPE], [AudioDirection.capture, .playback])
    func cardRefusingItsFirstParametersIsRetried(errno: Int32, direction: AudioDirection) throws {
        let card = try PluginCard(direction)
        card.refusals = [errno]
        let request = ALSAStream.Request(channels: .atLeast(1), periods: 4)
        let stream = try ALSAStream(taking: card.pcm, device: "x", direction: direction, request: request)
        #expect(stream.parameters.rate == 48_000)
        let other = try PluginCard(direction)
        other.refusals = [errno, errno]
        let refusal = #expect(throws: AudioDeviceError.self) {
            _ = try ALSAStream(taking: other.pcm, device: "x", direction: direction, request: request)
        }
        #expect(refusal?.isOfTheConfiguration == false, "it is waited for")
    }

    /// The loudspeaker is given back only if that is allowed, after a minute without sound, and asked for with the next sound.
    @Test func theLoudspeakerIsGivenBackAfterAQuietMinute() throws {
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        let card = try PluginCard(.playback)
        loudspeaker.offer(try open(card, .playback))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        func pass(_ periods: Int, sound: Bool = false) -> Int? {
            (0..<periods).first { _ in device.expect(sound: sound) == .playbackRested }
        }
        #expect(pass(20_000) == nil, "always")
        loudspeaker.mayRest = true
        #expect(pass(1, sound: true) == nil)
        #expect(pass(6000) == 5999)
        var isResting = device.isResting
        #expect(isResting && !loudspeaker.isWanted && loudspeaker.losses == 0)
        close(loudspeaker)
        #expect(pass(3000) == nil)
        #expect(!loudspeaker.isWanted)
        #expect(pass(1, sound: true) == nil)
        #expect(loudspeaker.isWanted)
        // It comes back as it was, or as another one.
        for isSame in [true, false] {
            loudspeaker.isSame = isSame
            loudspeaker.offer(try open(try PluginCard(.playback), .playback))
            var written = 0
            let event = device.write([StereoFrame](repeating: .silence, count: 480), count: 480, written: &written)
            #expect(event == (isSame ? .playbackRested : .playbackChanged))
            isResting = device.isResting
            #expect(!isResting && !loudspeaker.isWanted)
            #expect(pass(6000) == 5999)
            close(loudspeaker)
        }
        // Sound does not wait for ever.
        #expect(pass(ALSADevice.longestHold, sound: true) == nil)
        isResting = device.isResting
        #expect(isResting)
        _ = device.expect(sound: true)
        isResting = device.isResting
        #expect(!isResting)
        device.close()
    }

    /// `status` shows no figures of an echo between devices that were never there.
    @Test func echoIsUnknownBeforeBothDevicesAreOpen() throws {
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        func hasHeardEcho() -> Bool {
            DaemonStatus(
                EngineGauges(), microphone: microphone, loudspeaker: loudspeaker, conversation: .idle
            ).hasHeardEcho
        }
        #expect(!hasHeardEcho())
        loudspeaker.offer(try open(try PluginCard(.playback), .playback))
        #expect(!hasHeardEcho())
        microphone.offer(try open(try PluginCard(.capture), .capture))
        #expect(hasHeardEcho())
        for slot in [microphone, loudspeaker] {
            guard let stream = slot.withdraw() else { continue }
            stream.deinitialize(count: 1)
            stream.deallocate()
        }
    }

    /// A sound server delivers only once it has linked the microphone: the loudspeaker continues meanwhile, and the first
    /// frames are taken as they come, without another start.
    @Test func slowMicrophoneDoesNotBlockPlayback() throws {
        let card = try PluginCard(.capture)
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        microphone.offer(try open(card, .capture))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        device.start()
        var frames = [Float](repeating: 1, count: 480)
        let first = device.read(into: &frames, count: 480)
        let isLiveAtFirst = device.isCaptureLive
        #expect(first == .done && !isLiveAtFirst)
        #expect(frames.allSatisfy { $0 == 0 })
        card.advance(480)
        let second = device.read(into: &frames, count: 480)
        let isLiveThen = device.isCaptureLive
        #expect(second == .done && isLiveThen)
        #expect(card.starts == 1)
        device.close()
        close(microphone)
    }

    /// A card with a delay of 130 ms and a buffer of 40 ms: playback that waited for 130 ms would never restart.
    @Test func longDelayCardPlaysOnAfterAFlush() throws {
        let card = try PluginCard(.playback)
        card.latency = 6240
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        loudspeaker.offer(try open(card, .playback))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        let prefill = device.playbackPrefill
        #expect(prefill == 1440)
        for _ in 0..<3 { write(480, to: &device) }
        #expect(card.starts == 1)
        for _ in 0..<20 {
            card.advance(480)
            write(480, to: &device)
        }
        let delay = device.delays().playback
        #expect(delay == 6240 + 1440)
        let flushed = device.flushPlayback()
        #expect(flushed == PlaybackFlush(removed: 6240 + 1440, replaced: 1440))
        #expect(!card.isRunning)
        // Audio written in its place starts the card as soon as the buffer is filled as usual.
        for _ in 0..<2 { write(480, to: &device) }
        #expect(card.starts == 1)
        write(480, to: &device)
        #expect(card.starts == 2)
        let again = device.delays().playback
        #expect(again == delay)
        device.close()
        close(loudspeaker)
    }

    /// Stopping and restarting a card moves the echo: a short rest is played to its end.
    @Test func unrewindableShortBufferIsPlayed() throws {
        let card = try PluginCard(.playback)
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        loudspeaker.offer(try open(card, .playback))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        for _ in 0..<3 { write(480, to: &device) }
        let delay = device.delays().playback
        #expect(delay == 1440)
        expectNothingFlushed(&device, of: card, delay: delay)
        device.close()
        close(loudspeaker)
    }

    /// A sound server does not report its step: room is made for 1024 frames in one step.
    @Test(arguments: [("ALSA <-> PipeWire PCM I/O Plugin", 1024 + 480 + 480), ("card of a test", 1440)])
    func soundServerGetsAnExtraPeriod(name: String, prefill: Int) throws {
        let card = try PluginCard(.playback, buffer: 200, name: name)
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        loudspeaker.offer(try open(card, .playback))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        let filled = device.playbackPrefill
        #expect(filled == prefill)
        device.close()
        close(loudspeaker)
    }

    /// Eight periods are read without a wait, and the next wait ends when the thread is needed.
    @Test func aNeedInterruptsAWaitForSeveralPeriods() throws {
        let card = try PluginCard(.capture, buffer: 200)
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        microphone.offer(try open(card, .capture, periods: 16))
        let waker = clinux_eventfd()
        defer { Glibc.close(waker) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: waker)
        device.start()
        device.together = 8
        var frames = [Float](repeating: 0, count: 480)
        card.advance(8 * 480)
        for _ in 0..<8 {
            let event = device.read(into: &frames, count: 480)
            #expect(event == .done)
        }
        clinux_eventfd_signal(waker)
        let event = device.read(into: &frames, count: 480)
        #expect(event == .interrupted)
        #expect(!clinux_eventfd_take(waker))
        device.close()
        close(microphone)
    }

    /// Even room that is not worth a wake-up is used: otherwise 5 ms of 20 would stay empty.
    @Test func aTinyBufferIsKeptFull() throws {
        let card = try PluginCard(.playback, buffer: 20)
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        loudspeaker.offer(try open(card, .playback))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        let prefill = device.playbackPrefill
        #expect(prefill == 1200)
        for count in [480, 480, 240] { write(count, to: &device) }
        #expect(card.starts == 1)
        for _ in 0..<10 {
            card.advance(480)
            write(480, to: &device)
            #expect(card.transferred - card.position == 960)
            let delay = device.delays().playback
            #expect(delay == 1200)
        }
        device.close()
        close(loudspeaker)
    }

    /// A mute switch of the device that delivers a constant other than zero: after a filter it is no longer constant.
    @Test(arguments: [16_000, 44_100, 48_000])
    func aConstantIsAMuteAtAnyRate(rate: Int) throws {
        let card = try PluginCard(.capture, rates: [UInt32(rate)], channels: 1...1)
        let live = 30 * rate / 100
        card.capture = { frame, _ in frame < live ? Int16(truncatingIfNeeded: frame &* 7919 % 2000) : 1234 }
        let (microphone, loudspeaker) = (DeviceSlot(), DeviceSlot())
        microphone.offer(try open(card, .capture, periods: 16))
        let stop = clinux_eventfd()
        defer { Glibc.close(stop) }
        var device = ALSADevice(microphone: microphone, loudspeaker: loudspeaker, bufferPeriods: 4, waker: stop)
        device.start()
        let frames = SampleBuffer(count: AudioFormat.periodFrames)
        for period in 0..<60 {
            card.advance(rate / 100)
            let event = device.read(into: frames.base, count: AudioFormat.periodFrames)
            #expect(event == .done)
            let isConstant = device.isCaptureConstant
            #expect(isConstant == (period >= 30), "period \(period)")
        }
        #expect(microphone.stillPeriods == 29)
        device.close()
        close(microphone)
    }

    @Test func probeReadsAllChannelsAtTheConfiguredRate() throws {
        let card = try PluginCard(.capture, rates: [16_000, 48_000], channels: 1...6)
        let stream = try open(card, .capture, channels: .all, rate: 16_000)
        #expect(stream.pointee.parameters.channels == 6)
        #expect(stream.pointee.parameters.rate == 16_000)
        stream.deinitialize(count: 1)
        stream.deallocate()
        // A plugin grants any number. How many of them its card has is known once it is set up (see above).
        func wanted(_ most: Int, _ direction: AudioDirection = .capture) -> Int {
            ALSAStream.Request.Channels.all.wanted(
                of: DeviceAbilities(rates: [48_000], formats: ["S16_LE"], channels: 1...most), direction
            )
        }
        #expect(wanted(8) == 8)
        #expect(wanted(10_000) == ChannelMap.most)
        #expect(wanted(10_000, .playback) == 2)
    }

    @Test func missingChannelIsNamedAsConfigured() throws {
        let card = try PluginCard(.capture)
        #expect {
            let stream = try open(card, .capture, channels: .atLeast(3))
            stream.deinitialize(count: 1)
        } throws: {
            "\($0)".contains("has 2 channels, and no channel 3")
        }
    }
}
