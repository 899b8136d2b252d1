import Testing

extension Tag {
    /// Whole conversations over loopback, at the speed of speech.
    @Tag static var endToEnd: Self
}

@Suite(.serialized, .tags(.endToEnd), .stallsMeasured)
enum EndToEnd {}
