import FoundationEssentials
import Testing

@testable import VoiceActivation

/// Our features compared with those of the reference, written with pymicro-features 2.0.2 (PyPI).
struct MicroFrontendTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden/micro-frontend.txt")

    /// The reference's result for a signal: number of steps, a digest of all of them, and some in full.
    struct Golden: CustomTestStringConvertible, Sendable {
        var name: String
        var count: Int
        var digest: String
        var steps: [Int: [UInt16]] = [:]
        var testDescription: String { name }
    }

    static let golden: [Golden] = {
        guard let text = try? String(contentsOf: path, encoding: .utf8) else { return [] }
        var all: [Golden] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            if parts[0].hasSuffix(":") {
                all[all.count - 1].steps[Int(parts[0].dropLast()) ?? -1] = parts.dropFirst().compactMap { UInt16($0) }
            } else {
                all.append(Golden(name: String(parts[0]), count: Int(parts[1]) ?? 0, digest: String(parts[2])))
            }
        }
        return all
    }()

    private func features(_ samples: [Int16], by frontend: MicroFrontend) -> [[UInt16]] {
        stride(from: 0, through: samples.count - MicroFrontend.step, by: MicroFrontend.step).compactMap { start in
            samples[start..<start + MicroFrontend.step].withUnsafeBufferPointer {
                frontend.features($0).map(Array.init)
            }
        }
    }

    @Test func everySignalHasItsReference() {
        #expect(Set(Self.golden.map(\.name)) == Set(GoldenSignal.allCases.map(\.rawValue)))
    }

    @Test(arguments: golden)
    func theFeaturesAreThoseOfTheReferenceToTheBit(golden: Golden) throws {
        let signal = try #require(GoldenSignal(rawValue: golden.name))
        let found = features(signal.samples, by: try #require(MicroFrontend()))
        try #require(found.count == golden.count)
        #expect(golden.steps.count == 4)
        for (step, expected) in golden.steps { #expect(found[step] == expected, "step \(step)") }
        #expect(Self.digest(found) == golden.digest)
    }

    @Test func resetClearsTheFrontend() throws {
        let frontend = try #require(MicroFrontend())
        let first = features(GoldenSignal.syllables.samples, by: frontend)
        _ = features(GoldenSignal.loudNoise.samples, by: frontend)
        frontend.reset()
        #expect(features(GoldenSignal.syllables.samples, by: frontend) == first)
    }

    /// 26/255 of 25.6 features is one step; values outside are clamped.
    @Test(arguments: [(0, -128), (1, -128), (2, -127), (260, -28), (660, 126), (666, 127), (1000, 127), (65_535, 127)])
    func featureIsRoundedLikeOnTheDevices(feature: Int, expected: Int) {
        #expect(MicroFrontend.quantized(UInt16(feature)) == Int8(expected))
    }

    private static func digest(_ vectors: [[UInt16]]) -> String {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for feature in vectors.joined() {
            for byte in [feature & 255, feature >> 8] { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The signals whose features are in Golden/micro-frontend.txt, one second at 16 kHz each, as integers.
enum GoldenSignal: String, CaseIterable {
    case silence
    case constant
    case lowest
    case square
    case loudNoise = "loud-noise"
    case noise
    case faintNoise = "faint-noise"
    case afterSilence = "after-silence"
    case triangle
    case syllables

    private static let second = 16_000

    var samples: [Int16] {
        let all = 0..<Self.second
        return switch self {
        case .silence: all.map { _ in 0 }
        case .constant: all.map { _ in 12_000 }
        case .lowest: all.map { _ in -32_768 }
        case .square: all.map { $0 / 40 % 2 == 0 ? -32_768 : 32_767 }
        case .loudNoise: Self.noise(shift: 0)
        case .noise: Self.noise(shift: 4)
        case .faintNoise: Self.noise(shift: 13)
        case .afterSilence:
            [Int16](repeating: 0, count: Self.second / 2) + Self.noise(shift: 0).prefix(Self.second / 2)
        case .triangle: Self.triangle()
        case .syllables: Self.syllables()
        }
    }

    private static func noise(shift: Int) -> [Int16] {
        var state: UInt32 = 0x2545_F491
        return (0..<second).map { _ in
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            return Int16((Int(state >> 16) - 32_768) >> shift)
        }
    }

    private static func triangle() -> [Int16] {
        var phase: UInt32 = 0
        return (0..<second).map { index in
            phase &+= UInt32(truncatingIfNeeded: 134_217 * index)
            let level = Int(phase >> 15)
            return Int16(level < 65_536 ? level - 32_768 : 98_303 - level)
        }
    }

    private static func syllables() -> [Int16] {
        var (first, second) = ((0, 0), (0, 0))
        var wait = 0
        return (0..<Self.second).map { index in
            var pulse = 0
            if wait == 0 {
                wait = 100 + index / 200
                pulse = index % 4000 < 3200 ? 8000 : 0
            }
            wait -= 1
            first = (pulse + ((31_000 * first.0 - 15_900 * first.1) >> 14), first.0)
            second = ((first.0 >> 2) + ((22_000 * second.0 - 15_200 * second.1) >> 14), second.0)
            return Int16(clamping: second.0)
        }
    }
}
