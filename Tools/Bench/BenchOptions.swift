/// What to measure, from the command line.
struct BenchOptions {
    static let usage =
        "usage: VoiceBench [--quick] [--plot FILE.svg] [\(Benchmarks.all.map(\.name).joined(separator: "|")) ...]"

    private(set) var isQuick = false
    /// Where the plot goes, if one is wanted.
    private(set) var plot: String?
    private var names: [String] = []

    /// Those named, or all; in the order of the table.
    var benchmarks: [Benchmark] { Benchmarks.all.filter { names.isEmpty || names.contains($0.name) } }

    /// Returns nil if the arguments are wrong.
    init?(_ arguments: [String]) {
        var arguments = arguments[...]
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--plot":
                guard let file = arguments.popFirst(), !file.hasPrefix("-") else { return nil }
                plot = file
            default:
                guard Benchmarks.all.contains(where: { $0.name == argument }) else { return nil }
                names.append(argument)
            }
        }
    }
}
