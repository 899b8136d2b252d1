/// One stretch of speech of the model: the unit that is truncated.
package struct SpokenPart: Hashable, Sendable {
    package var responseID: String
    package var itemID: String
    package var contentIndex: Int

    package init(responseID: String, itemID: String, contentIndex: Int) {
        self.responseID = responseID
        self.itemID = itemID
        self.contentIndex = contentIndex
    }
}

/// How much of a part the user heard when playback was cut.
package struct HeardPart: Equatable, Sendable {
    package var part: SpokenPart
    /// Milliseconds that left the loudspeaker, rounded down.
    package var heard: Int
    /// Milliseconds received, rounded down.
    package var received: Int
    /// Whether anything of the item was heard, of this part or of another.
    package var isItemHeard: Bool

    /// - Parameter isItemHeard: nil where the item has no other part.
    package init(part: SpokenPart, heard: Int, received: Int, isItemHeard: Bool? = nil) {
        self.part = part
        self.heard = heard
        self.received = received
        self.isItemHeard = isItemHeard ?? (heard > 0)
    }
}
