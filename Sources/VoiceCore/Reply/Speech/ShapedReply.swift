/// A reply made for the ear.
package struct ShapedReply: Sendable, Equatable {
    /// What is to be spoken: one line without markup, at most about the wanted number of words.
    package let spoken: String
    /// The same without the cut: "tell me more" is answered from here.
    package let full: String
    /// True when `spoken` ends before `full` does; it then ends with an offer.
    package let wasCut: Bool
    /// What stands behind the cut.
    package let rest: String

    /// Of a reply that holds nothing but what is to be played.
    package static let wordless = ShapedReply(spoken: "", full: "", wasCut: false)

    package init(spoken: String, full: String, wasCut: Bool, rest: String = "") {
        self.rest = rest
        self.spoken = spoken
        self.full = full
        self.wasCut = wasCut
    }
}
