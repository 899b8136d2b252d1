/// News of the media player for the speaking model.
package struct MediaRemark: Sendable, Equatable {
    /// What happened, as a JSON object. Titles in it come from outside: it is told as the output of a tool.
    package var report: String
    /// What the model is to say about it, in fixed words of ours; nil where it only has to know.
    package var wish: String?

    package init(report: String, wish: String?) {
        self.report = report
        self.wish = wish
    }
}
