import Testing

@testable import VoiceAudio
@testable import VoiceBase

/// What is heard when a timer rings.
struct AlarmPlayerTests {
    /// The loudest sample of each second.
    private func peaks(_ player: inout AlarmPlayer, seconds: Int) -> [Float] {
        let period = AudioFormat.periodFrames
        let frames = UnsafeMutablePointer<StereoFrame>.allocate(capacity: period)
        defer { frames.deallocate() }
        var peaks: [Float] = []
        for _ in 0..<seconds {
            var peak: Float = 0
            for _ in 0..<100 {
                frames.initialize(repeating: .silence, count: period)
                player.mix(into: frames, count: period)
                for index in 0..<period { peak = max(peak, abs(frames[index].left), abs(frames[index].right)) }
            }
            peaks.append(peak)
        }
        return peaks
    }

    @Test func alarmRisesForHalfAMinute() {
        let requests = EarconRequests()
        requests.rings = true
        // Neither quiet hours nor disabled earcons silence it.
        requests.areOff = true
        var player = AlarmPlayer(requests: requests)
        let peaks = peaks(&player, seconds: 40)
        #expect(peaks[0] > 0.01 && peaks[0] < 0.06, "it does not frighten: \(peaks[0])")
        for second in 0..<29 { #expect(peaks[second + 1] > peaks[second], "\(peaks)") }
        #expect(peaks[35] > 0.2 && peaks[35] < 0.45)
        #expect(abs(peaks[39] - peaks[31]) < 0.01, "then it stays")
    }

    @Test func restartedAlarmBeginsSoftly() {
        let requests = EarconRequests()
        var player = AlarmPlayer(requests: requests)
        let before = peaks(&player, seconds: 1)
        #expect(before == [0])
        requests.rings = true
        let loud = peaks(&player, seconds: 20)
        requests.rings = false
        _ = peaks(&player, seconds: 1)
        let isSounding = player.isSounding
        let after = peaks(&player, seconds: 1)
        #expect(!isSounding && after == [0])
        requests.rings = true
        let again = peaks(&player, seconds: 1)
        #expect(again[0] < loud[19] / 4)
    }

    @Test func alarmIsSoftDuringSpeech() {
        let requests = EarconRequests()
        var player = AlarmPlayer(requests: requests)
        requests.rings = true
        let loud = peaks(&player, seconds: 31)[30]
        requests.isRingLow = true
        let soft = peaks(&player, seconds: 2)[1]
        #expect(soft > 0 && soft < loud / 8)
        requests.isRingLow = false
        let back = peaks(&player, seconds: 2)[1]
        #expect(abs(back - loud) < 0.02)
    }
}
