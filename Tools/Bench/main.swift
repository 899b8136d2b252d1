internal import Glibc
internal import ServiceSimulators
internal import VoiceSimulator

/// Measures the program's own share of every delay and its cost, each compared with its target.
///
///     VoiceBench [--quick] [--plot FILE.svg] [name...]
///     VoiceBench soak [options]           hours of conversation with interruptions, see `Soak`
///     VoiceBench faults [options]         conversations with faulty services, see `FaultRun`
///     VoiceBench faults services          the services beside the Realtime one, for scripts
///     VoiceBench cancel [options]         one recording through an echo canceller, see `CancelCommand`
///     VoiceBench relapse                  whether people are still heard over the box, see `RelapseCheck`
///     VoiceBench wake [options]           words recognised on this machine, see `StreamCheck`
///     VoiceBench events [COUNT] [SEED]    any order of events through the pure core, see `EventRun`
let arguments = Array(CommandLine.arguments.dropFirst())
if let child = FileRoomDaemon(arguments) {
    try await child.run()
    exit(0)
}
if let services = SoakServices(arguments) {
    try await services.run()
    exit(0)
}
if arguments.first == "soak" {
    guard let soak = Soak(arguments) else {
        print(SoakOptions.usage)
        exit(64)
    }
    exit(try await soak.run() ? 0 : 1)
}
if arguments.first == "faults" {
    // For scripts.
    if arguments.dropFirst() == ["services"] {
        print(SimulatorRegistry.all.map { $0.name }.joined(separator: " "))
        exit(0)
    }
    guard let faults = FaultRun(arguments) else {
        print(FaultOptions.usage)
        exit(64)
    }
    exit(try await faults.run() ? 0 : 1)
}
if let events = EventRun(arguments) {
    events.run()
    exit(0)
}
if let command = CancelCommand(arguments) {
    do {
        try command.run()
        exit(0)
    } catch {
        print("VoiceBench cancel: \(error)")
        exit(1)
    }
}
if var relapse = RelapseCheck(arguments) {
    do {
        exit(try relapse.run() ? 0 : 1)
    } catch {
        print("VoiceBench relapse: \(error)")
        exit(1)
    }
}
if let command = StreamCheck(arguments) {
    do {
        try command.run()
        exit(0)
    } catch {
        print("VoiceBench wake: \(error)")
        exit(1)
    }
}
guard let options = BenchOptions(arguments) else {
    print(BenchOptions.usage)
    exit(64)
}
BenchTable.printHead()
var bars: [BenchPlot.Bar] = []
for benchmark in options.benchmarks {
    do {
        let figures = try await benchmark.run(options.isQuick)
        BenchTable.printSection(benchmark.title, figures)
        bars += figures.compactMap(\.bar)
    } catch {
        BenchTable.printSection(benchmark.title, [Figure("not measured", note: "\(error)")])
    }
}
if let plot = options.plot {
    guard let file = fopen(plot, "w"), fputs(BenchPlot(bars: bars).svg, file) >= 0, fclose(file) == 0 else {
        print("VoiceBench: \(plot): \(String(cString: strerror(errno)))")
        exit(1)
    }
}
