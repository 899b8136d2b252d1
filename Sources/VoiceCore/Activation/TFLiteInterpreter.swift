internal import CTFLite

/// A TensorFlow Lite model with one input and one output; the library is loaded at run time.
final class TFLiteInterpreter {
    /// Format of the input or output.
    struct Tensor: Equatable {
        enum Value: Equatable {
            case float32
            case uint8
            case int8
            case other(Int)
        }

        var value: Value
        var shape: [Int]
        var bytes: Int
        /// Quantisation: value = scale * (stored - zero).
        var scale: Double
        var zero: Int
    }

    let input: Tensor
    let output: Tensor
    private let interpreter: OpaquePointer
    /// The library keeps using these bytes, so they must not move.
    private let model: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - library: path of libtensorflowlite_c.so.
    ///   - bytes: a .tflite file. A malicious one may crash the process: see `ModelTrial`.
    /// - Throws: what failed; follows a file's name in a message, unless the library failed.
    init(library: String, model bytes: [UInt8]) throws(WakeWordError) {
        model = .allocate(byteCount: max(1, bytes.count), alignment: 64)
        model.copyBytes(from: bytes)
        var error = [CChar](repeating: 0, count: 512)
        var isLibrarysFault = false
        let opened = ctflite_open(
            library, model.baseAddress, bytes.count, &isLibrarysFault, &error, error.count
        )
        guard let opened else {
            model.deallocate()
            let text = String(decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw WakeWordError(text, cause: isLibrarysFault ? .library : .other)
        }
        interpreter = opened
        input = Tensor(ctflite_input(opened))
        output = Tensor(ctflite_output(opened))
    }

    deinit {
        ctflite_close(interpreter)
        model.deallocate()
    }

    /// Runs the model once.
    ///
    /// - Returns: false if the sizes are not those of the tensors, or if the model fails.
    func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        guard let from = input.baseAddress, let to = output.baseAddress else { return false }
        return ctflite_run(interpreter, from, input.count, to, output.count)
    }

    /// Clears the state the model keeps between runs; returns false if it can no longer run.
    func restart() -> Bool { ctflite_restart(interpreter) }
}

extension TFLiteInterpreter.Tensor {
    init(_ tensor: ctflite_tensor) {
        value =
            switch Int(tensor.type) {
            case ctflite_float32: .float32
            case ctflite_uint8: .uint8
            case ctflite_int8: .int8
            case let other: .other(other)
            }
        shape = withUnsafeBytes(of: tensor.dimensions) { bytes in
            bytes.bindMemory(to: Int32.self).prefix(max(0, Int(tensor.rank))).map(Int.init)
        }
        bytes = tensor.bytes
        scale = Double(tensor.scale)
        zero = Int(tensor.zero)
    }
}
