/// A parser of outside bytes, with properties that must hold for any input; a violation ends the process.
///
/// Used by the fuzzer and by a test that feeds it the files of `Tests/Corpus/<name>`.
package struct FuzzTarget: Sendable {
    package let name: String
    /// Feeds the parser. The first byte of the input often determines how the rest is split.
    package let run: @Sendable (UnsafeRawBufferPointer) -> Void

    package init(name: String, run: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        self.name = name
        self.run = run
    }
}
