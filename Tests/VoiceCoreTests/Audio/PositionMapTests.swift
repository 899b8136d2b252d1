import Testing

@testable import VoiceAudio

struct PositionMapTests {
    @Test func followsVoiceAcrossSilence() {
        var map = PositionMap()
        map.append(frame: 1000, frames: 480, voice: 0, samples: 240)
        map.append(frame: 1480, frames: 480, voice: 240, samples: 240)
        map.append(frame: 5000, frames: 200, voice: 480, samples: 100)
        let heard = [0, 1000, 1001, 1480, 1960, 4999, 5000, 5100, 9000].map { map.heard(at: $0) }
        #expect(heard == [0, 0, 0, 240, 480, 480, 480, 530, 580])
        let pending = map.isPending
        #expect(!pending)
    }

    @Test func cutsWhereTheCardWasCut() {
        var map = PositionMap()
        for period in 0..<4 {
            let period = UInt64(period)
            map.append(frame: period * 480, frames: 480, voice: period * 240, samples: 240)
        }
        let end = map.cut(at: 900, resume: 5000)
        #expect(end == 450)
        let heard = [880, 899, 900].map { map.heard(at: $0) }
        #expect(heard == [440, 449, 5000])
    }

    @Test func positionMapStaysRightAfterAThousandPeriods() {
        var map = PositionMap()
        for period in 0..<1000 {
            let period = UInt64(period)
            map.append(frame: period * 1000, frames: 480, voice: period * 240, samples: 240)
        }
        let heard = map.heard(at: 999_480)
        #expect(heard == 240_000)
    }
}
