import CAlsa
import CLinux
import Glibc

@testable import VoiceAudio

/// A sound card for ALSA within this process: an I/O plugin whose hardware advances when the test says so.
///
/// The PCM keeps it alive until it is closed.
final class PluginCard {
    private let plugin = UnsafeMutablePointer<snd_pcm_ioplug_t>.allocate(capacity: 1)
    /// ALSA keeps the pointer.
    private let name: UnsafeMutablePointer<CChar>?
    private let callbacks = UnsafeMutablePointer<snd_pcm_ioplug_callback_t>.allocate(capacity: 1)
    /// To be passed to `ALSAStream`, which closes it.
    let pcm: OpaquePointer
    /// Number of frames that the hardware has played or captured.
    private(set) var position = 0
    /// Number of frames that the application has written or read.
    private(set) var transferred = 0
    /// Frames after the buffer that count towards the delay, as with a sound server.
    var latency = 0
    /// How often it was started, and whether it runs.
    private(set) var starts = 0
    private(set) var isRunning = false
    /// The S16 sample that each channel captures at a frame.
    var capture: (_ frame: Int, _ channel: Int) -> Int16 = { _, _ in 0 }

    /// Errors with which the next parameters are refused, as errno.
    var refusals: [Int32] = []

    struct Refusal: Error { var code: Int32 }

    /// S16, periods of up to 10 ms.
    ///
    /// - Parameters:
    ///   - rates: all supported rates, in Hz.
    ///   - buffer: the longest supported buffer, in ms.
    ///   - name: of the plugin.
    init(
        _ direction: AudioDirection,
        rates: [UInt32] = [48_000],
        channels: ClosedRange<UInt32> = 2...2,
        buffer: UInt32 = 40,
        name: String = "card of a test"
    ) throws {
        self.name = strdup(name)
        plugin.initialize(to: snd_pcm_ioplug_t())
        callbacks.initialize(to: snd_pcm_ioplug_callback_t())
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        plugin.pointee.version = 1 << 16 | 2
        plugin.pointee.poll_fd = clinux_eventfd()
        plugin.pointee.poll_events = UInt32(POLLIN)
        Self.answer(callbacks)
        plugin.pointee.callback = UnsafePointer(callbacks)
        let plugin = plugin
        plugin.pointee.name = UnsafePointer(self.name)
        let code = snd_pcm_ioplug_create(plugin, "test", stream, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let pcm = plugin.pointee.pcm else { throw Refusal(code: code) }
        self.pcm = pcm
        plugin.pointee.private_data = Unmanaged.passRetained(self).toOpaque()
        try limit(SND_PCM_IOPLUG_HW_ACCESS, [UInt32(SND_PCM_ACCESS_RW_INTERLEAVED.rawValue)])
        try limit(SND_PCM_IOPLUG_HW_FORMAT, [UInt32(SND_PCM_FORMAT_S16_LE.rawValue)])
        try limit(SND_PCM_IOPLUG_HW_RATE, rates)
        try limit(SND_PCM_IOPLUG_HW_CHANNELS, channels)
        let most = (rates.max() ?? 48_000) * 2 * channels.upperBound
        try limit(SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64...most / 100)
        try limit(SND_PCM_IOPLUG_HW_BUFFER_BYTES, 128...most / 1000 * buffer)
        try limit(SND_PCM_IOPLUG_HW_PERIODS, 2...1024)
    }

    deinit {
        close(plugin.pointee.poll_fd)
        free(name)
        plugin.deallocate()
        callbacks.deallocate()
    }

    /// Lets the hardware play or capture so many frames.
    func advance(_ frames: Int) { if isRunning { position += frames } }

    private func limit(_ what: Int, _ values: [UInt32]) throws {
        let code = snd_pcm_ioplug_set_param_list(plugin, Int32(what), UInt32(values.count), values)
        if code < 0 { throw Refusal(code: code) }
    }

    private func limit(_ what: Int, _ span: ClosedRange<UInt32>) throws {
        let code = snd_pcm_ioplug_set_param_minmax(plugin, Int32(what), span.lowerBound, span.upperBound)
        if code < 0 { throw Refusal(code: code) }
    }

    private static func card(_ plugin: UnsafeMutablePointer<snd_pcm_ioplug_t>?) -> PluginCard? {
        guard let card = plugin?.pointee.private_data else { return nil }
        return Unmanaged<PluginCard>.fromOpaque(card).takeUnretainedValue()
    }

    private static func answer(_ callbacks: UnsafeMutablePointer<snd_pcm_ioplug_callback_t>) {
        callbacks.pointee.hw_params = { plugin, _ in
            guard let card = PluginCard.card(plugin), !card.refusals.isEmpty else { return 0 }
            return -card.refusals.removeFirst()
        }
        callbacks.pointee.start = { plugin in
            let card = PluginCard.card(plugin)
            card?.starts += 1
            card?.isRunning = true
            return 0
        }
        callbacks.pointee.stop = { plugin in
            guard let card = PluginCard.card(plugin) else { return 0 }
            card.isRunning = false
            // Frames that were written but not played are lost.
            if plugin?.pointee.stream == SND_PCM_STREAM_PLAYBACK { card.transferred = card.position }
            return 0
        }
        callbacks.pointee.prepare = { plugin in
            let card = PluginCard.card(plugin)
            card?.position = 0
            card?.transferred = 0
            return 0
        }
        callbacks.pointee.pointer = { plugin in
            guard let plugin, let card = PluginCard.card(plugin) else { return -Int(ENODEV) }
            return card.position % Int(max(1, plugin.pointee.buffer_size))
        }
        callbacks.pointee.delay = { plugin, delay in
            guard let plugin, let card = PluginCard.card(plugin) else { return -ENODEV }
            let isCapture = plugin.pointee.stream == SND_PCM_STREAM_CAPTURE
            let queued = isCapture ? card.position - card.transferred : card.transferred - card.position
            delay?.pointee = queued + card.latency
            return 0
        }
        callbacks.pointee.transfer = { plugin, areas, offset, size in
            guard let plugin, let card = PluginCard.card(plugin), let areas else { return -Int(ENODEV) }
            if plugin.pointee.stream == SND_PCM_STREAM_CAPTURE {
                for channel in 0..<Int(plugin.pointee.channels) {
                    let area = areas[channel]
                    for frame in 0..<Int(size) {
                        let place = (Int(area.first) + Int(area.step) * (Int(offset) + frame)) / 8
                        let value = card.capture(card.transferred + frame, channel)
                        area.addr.storeBytes(of: value.littleEndian, toByteOffset: place, as: Int16.self)
                    }
                }
            }
            card.transferred += Int(size)
            return Int(size)
        }
        callbacks.pointee.close = { plugin in
            guard let data = plugin?.pointee.private_data else { return 0 }
            Unmanaged<PluginCard>.fromOpaque(data).release()
            return 0
        }
    }
}
