enum ScriptFuzz {
    /// The bytes choose what happens to the pure core.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var script = EventScript(bytes)
        script.run(4096)
    }
}
