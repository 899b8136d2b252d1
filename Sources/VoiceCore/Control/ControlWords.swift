/// The words of `jarvis-voiced ctl`, without the options that stand behind the command.
package struct ControlWords: Sendable, Equatable {
    package let words: [String]
    /// "--json" stood at their end.
    package let printsJSON: Bool

    /// - Parameter captured: as they were written; behind "--" nothing is an option.
    package init(_ captured: [String]) {
        let mark = captured.firstIndex(of: "--") ?? captured.endIndex
        var words = Array(captured[..<mark])
        printsJSON = words.last == "--json"
        if printsJSON { words.removeLast() }
        self.words = words + captured[mark...].dropFirst()
    }
}
