/// What to do about a run in our conversation that answers none of our questions: left over from before a restart or a lost
/// connection, or begun by another program. The server lets nothing else into the conversation until it ends, and one that
/// waits for a person waits for ever.
enum StrayRun: Sendable, Equatable {
    case none
    /// Somebody may be at work there: it is given time.
    case wait
    /// Nobody will answer it, or nobody waits for its answer.
    case cancel(run: String)
    /// The same, where the run has no id to cancel it by: each prompt gets its no.
    case refuse([JarvisPrompt])

    /// - Parameters:
    ///   - state: of the conversation, while no question of ours is being answered in it.
    ///   - isLeftOver: a run of ours may have been left there.
    init(_ state: JarvisState, isLeftOver: Bool) {
        guard state.isActive else {
            self = .none
            return
        }
        let isStuck = !state.prompts.isEmpty || isLeftOver
        switch state.activeRun {
        case let run? where isStuck: self = .cancel(run: run)
        case nil where !state.prompts.isEmpty && isLeftOver: self = .refuse(state.prompts)
        default: self = .wait
        }
    }

    /// What the user is told about a run that was ended, before the next answer.
    static func notice(hadPrompt: Bool) -> String {
        hadPrompt
            ? "An earlier request was still waiting for your answer, so it was ended."
            : "An earlier request was still being worked on, so it was ended."
    }
}
