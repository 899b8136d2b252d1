import FuzzTargets
import Glibc
import VoiceSimulator

// Built only by scripts/fuzz. libFuzzer supplies the main function and the options.

/// The parser named by FUZZ_TARGET.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else {
        print("FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
        exit(64)
    }
    return target
}()

/// Called by libFuzzer with inputs mutated to reach new code.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target.run(UnsafeRawBufferPointer(start: data, count: count))
    return 0
}
