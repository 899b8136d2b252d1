import Glibc
import Testing

@testable import VoiceAudio

struct StillnessMeterTests {
    private static func periods(_ make: (Int) -> Float) -> Int {
        var meter = StillnessMeter()
        for period in 0..<100 { meter.note((0..<480).map { make(period * 480 + $0) }, count: 480) }
        return meter.periods
    }

    @Test(arguments: [Float(0), -0.0, 0.25, -1])
    func aConstantIsStill(value: Float) {
        #expect(Self.periods { _ in value } == 99)
    }

    /// The smallest change that a 16-bit converter can show.
    @Test(arguments: [1, 479, 480, 481, 960])
    func oneStepOfTheConverterIsNotStill(every frames: Int) {
        #expect(Self.periods { $0 % (2 * frames) < frames ? 0 : 1.0 / 32768 } <= 2)
    }

    @Test func toneIsNotStill() {
        #expect(Self.periods { sinf(Float($0) / 10) } == 0)
    }
}
