import CDSP
import Testing

@testable import TestSupport

struct SampleConversionTests {
    private func convert(_ input: [Float]) -> [Int16] {
        var output = [Int16](repeating: 77, count: input.count)
        cdsp_s16_from_float(input, &output, input.count)
        return output
    }

    @Test func overloadIsHeldAtFullScale() {
        let input: [Float] = [1, 1.5, 100, .infinity, -1, -1.00002, -7, -.infinity, .nan]
        #expect(convert(input) == [32_767, 32_767, 32_767, 32_767, -32_768, -32_768, -32_768, -32_768, 0])
    }

    @Test func roundsToTheNearestAndTiesToEven() {
        let input: [Float] = [0, 0.4, 0.5, 0.6, 1.5, 2.5, -0.5, -0.6, -1.5, -2.5, 32_766.4, 32_766.6, -32_767.6]
        let expected: [Int16] = [0, 0, 0, 1, 2, 2, 0, -1, -2, -2, 32_766, 32_767, -32_768]
        #expect(convert(input.map { $0 / 32_768 }) == expected)
    }

    @Test func everySampleSurvivesARoundTrip() {
        let all = (Int(Int16.min)...Int(Int16.max)).map { Int16($0) }
        var floats = [Float](repeating: 0, count: all.count)
        cdsp_float_from_s16(all, &floats, all.count)
        #expect(floats.first == -1)
        #expect(convert(floats) == all)
    }

    @Test func peakAndLevelAreMeasured() {
        let input = tone(1000, rate: 48_000, count: 4803, amplitude: 0.5)
        #expect((cdsp_peak(input, input.count) - 0.5).magnitude < 1e-4)
        #expect((cdsp_rms(input, 4800) - 0.353_553).magnitude < 1e-4)
        #expect(cdsp_peak([0.1, -0.9], 2) == 0.9)
        #expect(cdsp_peak([], 0) == 0)
        #expect(cdsp_rms([], 0) == 0)
    }
}
