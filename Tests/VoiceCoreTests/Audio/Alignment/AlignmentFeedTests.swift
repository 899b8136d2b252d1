import Testing

@testable import VoiceAudio

struct AlignmentFeedTests {
    private func correction(_ number: Int) -> AlignmentCorrection {
        var result = AlignmentCorrection()
        result.epoch = UInt64(number)
        result.position = number * 3
        result.offset = Double(number) / 7
        result.drift = Double(number) * 1e-9
        return result
    }

    @Test func theNewestCorrectionArrivesOnce() {
        let feed = AlignmentFeed()
        var seen: UInt64 = 0
        #expect(feed.correction(newerThan: &seen) == nil)
        feed.publish(correction(1))
        feed.publish(correction(2))
        #expect(feed.correction(newerThan: &seen) == correction(2))
        #expect(feed.correction(newerThan: &seen) == nil)
        feed.publish(correction(3))
        #expect(feed.correction(newerThan: &seen) == correction(3))
    }

    @Test func withoutAReaderTheNewestBlocksAreDropped() {
        let feed = AlignmentFeed()
        let samples = [Float](repeating: 1, count: 80)
        var accepted = 0
        for turn in 0..<500 {
            var block = AlignmentBlock()
            block.position = turn * 480
            block.epoch = 7
            accepted += feed.push(block, microphone: samples, reference: samples) ? 1 : 0
        }
        #expect(accepted == 256)
        #expect(feed.nextEpoch == 8)
        var a = samples
        var b = samples
        var popped = 0
        while let block = feed.pop(microphone: &a, reference: &b) {
            #expect(block.position == popped * 480)
            popped += 1
        }
        #expect(popped == accepted)
    }

    /// The audio thread and the search at full speed: blocks stay whole and in order, corrections are never torn.
    @Test func concurrentBlocksAndCorrectionsStayWhole() async {
        let ports = AudioPorts()
        let reader = Task.detached {
            var microphone = [Float](repeating: 0, count: 80)
            var reference = [Float](repeating: 0, count: 80)
            var next = 0
            var wrong = 0
            var result = AlignmentCorrection()
            while next < 20_000 {
                guard let block = ports.alignment.pop(microphone: &microphone, reference: &reference) else {
                    await Task.yield()
                    continue
                }
                let value = Float(block.position)
                if block.position != next || !microphone.allSatisfy({ $0 == value })
                    || !reference.allSatisfy({ $0 == -value })
                {
                    wrong += 1
                }
                result.epoch = UInt64(next)
                result.position = next * 3
                result.offset = Double(next) / 7
                result.drift = Double(next) * 1e-9
                ports.alignment.publish(result)
                next += 1
            }
            return wrong
        }
        var seen: UInt64 = 0
        var last: UInt64 = 0
        var torn = 0
        var sent = 0
        while sent < 20_000 {
            var block = AlignmentBlock()
            block.position = sent
            let value = Float(sent)
            let microphone = [Float](repeating: value, count: 80)
            let reference = [Float](repeating: -value, count: 80)
            if ports.alignment.push(block, microphone: microphone, reference: reference) {
                sent += 1
            } else {
                await Task.yield()
            }
            if let got = ports.alignment.correction(newerThan: &seen) {
                if got != correction(Int(got.epoch)) || got.epoch < last { torn += 1 }
                last = got.epoch
            }
        }
        #expect(await reader.value == 0)
        #expect(torn == 0)
    }

    /// A stage that lags, and one that is called after every block, yield the same result.
    @Test func callRateOfTheStageDoesNotChangeItsFinds() {
        func changes(every: Int) -> [DelayTracker.Change] {
            let source = placeNoise(1)
            let room = SimulatedEcho(air: 70.5, source: source)
            for turn in 1...300 {
                room.cycle(searching: false)
                if turn.isMultiple(of: every) { room.changes += room.stage.step(room.ports.alignment) }
            }
            return room.changes
        }
        // Corrections within 4 ms change the reference slightly later: only the first one is identical to the last bit.
        let often = changes(every: 1)
        let seldom = changes(every: 100)
        #expect(often.first != nil)
        #expect(often.first == seldom.first)
    }
}
