internal import CAlsa
internal import Glibc

/// Samples as bytes, little-endian and interleaved.
package struct RawFormat: Sendable, Equatable {
    /// Frames in a second.
    package var rate: Int
    package var channels: Int
    /// Bytes of a sample: 2 or 4, with a sign.
    package var sampleBytes: Int

    package init(rate: Int, channels: Int, sampleBytes: Int) {
        (self.rate, self.channels, self.sampleBytes) = (rate, channels, sampleBytes)
    }

    package var frameBytes: Int { channels * sampleBytes }
}

/// The recording side of an ALSA device that another program plays into, such as a loopback card: as bytes, in the device's
/// own rate. Never waits. Confined to one thread.
package final class InputDevice {
    package let format: RawFormat
    private let pcm: OpaquePointer

    /// Buffer and periods, in microseconds: a reader that is half a second late loses nothing.
    private static let buffer: UInt32 = 500_000
    private static let period: UInt32 = 50_000

    /// - Parameter name: of ALSA's configuration.
    package init(_ name: String) throws(AudioDeviceError) {
        calsa_silence()
        let pcm = try ALSAStream.openPCM(name, .capture)
        do {
            format = try Self.configure(pcm, name)
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
        self.pcm = pcm
    }

    deinit { snd_pcm_close(pcm) }

    private static func configure(_ pcm: OpaquePointer, _ name: String) throws(AudioDeviceError) -> RawFormat {
        var opened: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&opened) == 0, let parameters = opened else {
            throw .from(-ENOMEM, device: name, direction: .capture, step: "memory")
        }
        defer { snd_pcm_hw_params_free(parameters) }
        func check(_ code: Int32, _ step: String) throws(AudioDeviceError) {
            if code < 0 { throw .from(code, device: name, direction: .capture, step: step) }
        }
        try check(snd_pcm_hw_params_any(pcm, parameters), "parameters")
        // The decoder converts better.
        snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
        try check(
            snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED), "access"
        )
        var sampleBytes = 2
        if snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_S16_LE) < 0 {
            sampleBytes = 4
            try check(snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_S32_LE), "format")
        }
        var channels: UInt32 = 2
        try check(snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels), "channels")
        var rate: UInt32 = 48_000
        try check(snd_pcm_hw_params_set_rate_near(pcm, parameters, &rate, nil), "rate")
        var (period, buffer) = (Self.period, Self.buffer)
        try check(snd_pcm_hw_params_set_period_time_near(pcm, parameters, &period, nil), "period")
        try check(snd_pcm_hw_params_set_buffer_time_near(pcm, parameters, &buffer, nil), "buffer")
        try check(snd_pcm_hw_params(pcm, parameters), "parameters")
        try check(snd_pcm_start(pcm), "start")
        return RawFormat(rate: Int(rate), channels: Int(channels), sampleBytes: sampleBytes)
    }

    /// The descriptors to poll: ready when there is sound, or when the device is gone.
    package var waits: [(descriptor: Int32, events: Int16)] {
        let count = max(0, snd_pcm_poll_descriptors_count(pcm))
        var list = [pollfd](repeating: pollfd(fd: -1, events: 0, revents: 0), count: Int(count))
        snd_pcm_poll_descriptors(pcm, &list, UInt32(count))
        return list.map { ($0.fd, $0.events) }
    }

    /// Reads the available bytes, as many as fit into the buffer.
    ///
    /// - Returns: the number of bytes; nil if the device is lost.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let room = snd_pcm_uframes_t(buffer.count / format.frameBytes)
        guard room > 0, let base = buffer.baseAddress else { return 0 }
        let count = snd_pcm_readi(pcm, base, room)
        if count >= 0 { return Int(count) * format.frameBytes }
        if count == -Int(EAGAIN) || count == -Int(EINTR) { return 0 }
        // An overrun, or a machine that slept.
        guard count == -Int(EPIPE) || count == -Int(ESTRPIPE), snd_pcm_prepare(pcm) >= 0, snd_pcm_start(pcm) >= 0 else {
            return nil
        }
        return 0
    }
}
