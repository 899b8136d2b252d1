/// Runs models over a recording of a word, to see whether they work and hear it.
package enum SampleRun {
    package enum Result: Equatable, Sendable {
        /// The word was found, with the engine's score.
        case heard(Double?)
        /// The model ran over a recording of its word and did not find it; with its highest score.
        case unheard(Double)
        /// The model ran without a recording of its word.
        case ran
        case failed(WakeWordError)
        /// The model was not run: the time was up.
        case late
    }

    private static let block = 640

    /// Runs an engine, which must not be in use.
    ///
    /// - Parameter sample: a recording of the word; empty for none.
    package static func result(
        _ detector: any WakeWordDetector,
        of word: WakeWords.Word,
        over sample: [Int16]
    ) -> Result {
        detector.listen(for: .stop)
        let sound = WakeRecording.padding + sample + WakeRecording.padding
        var best = 0.0
        for start in stride(from: 0, through: sound.count - block, by: block) {
            let found: [WakeCandidate]
            do throws(WakeWordError) {
                found = try sound[start..<start + block].withUnsafeBufferPointer {
                    (piece) throws(WakeWordError) in try detector.process(piece)
                }
            } catch {
                return .failed(error)
            }
            for candidate in found where candidate.word == word.text {
                switch candidate.finding {
                case .score(let score) where score < word.threshold: break
                case .doubtful: break
                case .score, .certain, .repeated: return .heard(candidate.score)
                }
            }
            best = max(best, detector.scores.first { $0.word == word.text }?.score ?? 0)
        }
        return sample.isEmpty ? .ran : .unheard(best)
    }

    /// Runs the installed model of a word, after its trial.
    package static func result(
        of word: String,
        in folder: WakeModelFolder,
        over sample: [Int16],
        trial: ModelTrial
    ) -> Result {
        do throws(WakeWordError) {
            let words = try WakeWords(wake: word, stop: "", threshold: 0)
            return result(try TFLiteSpotter(words, in: folder, trial: trial), of: words.words[0], over: sample)
        } catch {
            return .failed(error)
        }
    }
}
