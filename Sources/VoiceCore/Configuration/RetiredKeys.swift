/// Keys of earlier configurations. A file that still has one is accepted, and the user reads once what to do instead.
enum RetiredKeys {
    /// What to do instead, by path; follows "is no longer used: " in a sentence.
    static let all: [String: String] = [
        "activation.second_look": "nothing takes its place; raise the word's threshold in activation.wake_words",
        "activation.sherpa_library": useModels,
        "activation.sherpa_model": useModels,
        "activation.similar_words": "nothing takes its place; raise the word's threshold in activation.wake_words",
    ]

    private static let useModels = "use microWakeWord models, or a Wyoming server (activation.engine)"

    /// The warning for a key, or nil if the path never was one.
    static func warning(_ path: String) -> String? {
        all[path].map { "\(path) is no longer used: \($0)" }
    }
}
