extension ControlCommand {
    static let media = ControlCommand(
        "media",
        arguments: [ControlArgument("action", .text(longest: 2000), "what to do")],
        "Music, radio and podcasts."
    ) { (_, _) throws(ControlProblem) in
        throw ControlProblem(.notAvailable, "this build plays no media")
    }
}
