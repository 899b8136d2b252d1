internal import Glibc

/// A library used for comparison if it is installed; comparisons are left out if it is not.
///
/// It stays loaded until the program ends, so that its functions remain valid.
struct DynamicLibrary {
    private let handle: UnsafeMutableRawPointer

    /// - Parameter name: file name with the ABI version, as the linker knows it: "libsoxr.so.0".
    init(_ name: String) throws(BenchProblem) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw BenchProblem("\(name) is not installed: run scripts/deps bench")
        }
        self.handle = handle
    }

    /// Returns the function of that name; the caller is responsible for its type.
    func function<Function>(_ name: String, as type: Function.Type) throws(BenchProblem) -> Function {
        guard let symbol = dlsym(handle, name) else { throw BenchProblem("no \(name) in the library") }
        return unsafeBitCast(symbol, to: type)
    }
}
