import Glibc

@testable import VoiceMedia

/// Audio made by ffmpeg, in any of its formats.
enum TestSound {
    static let ffmpeg = ConfinedProcess.find("ffmpeg")
    static var canPlay: Bool { ffmpeg != nil }

    /// A tone at half of full scale, 480 Hz by default.
    static func tone(_ output: [String], seconds: Double = 2, hertz: Int = 480) throws -> [UInt8] {
        let source = "sine=frequency=\(hertz):sample_rate=48000:duration=\(seconds),volume=4"
        return try run(["-loglevel", "error", "-f", "lavfi", "-i", source] + output + ["pipe:1"])
    }

    static func run(_ arguments: [String]) throws -> [UInt8] {
        let process = try ConfinedProcess(ffmpeg ?? "", arguments)
        return all(process)
    }

    /// Reads a program's output until its end, at most 64 MB.
    static func all(_ process: ConfinedProcess) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 64 << 20 {
            var entry = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20_000) > 0 else { break }
            let count = read(process.output, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Upward zero crossings per second.
    static func frequency(_ samples: some Collection<Float>) -> Double {
        let samples = Array(samples)
        let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Double(crossings) * 48_000 / Double(max(1, samples.count))
    }
}
