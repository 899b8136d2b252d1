internal import Glibc

/// A library that is used for comparison where it is installed, and missing without harm where it is not.
///
/// It stays loaded until the program ends, so functions found in it may be kept.
struct DynamicLibrary {
    private let handle: UnsafeMutableRawPointer

    /// - Parameter name: as the linker names it, with the version of its interface: "libsoxr.so.0".
    init(_ name: String) throws(BenchProblem) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw BenchProblem("\(name) is not installed: run scripts/deps bench")
        }
        self.handle = handle
    }

    /// The function of that name; the caller vouches for its type.
    func function<Function>(_ name: String, as type: Function.Type) throws(BenchProblem) -> Function {
        guard let symbol = dlsym(handle, name) else { throw BenchProblem("no \(name) in the library") }
        return unsafeBitCast(symbol, to: type)
    }
}
