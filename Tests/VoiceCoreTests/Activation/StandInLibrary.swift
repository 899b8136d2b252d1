import FoundationEssentials
import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceBase

/// Libraries of our own with TensorFlow Lite's functions, for models that are a few letters.
enum StandInLibrary {
    /// Once it has received loud audio, its models are certain until they are created anew. A model is "GOOD", the
    /// number of steps it takes at a time, and a letter for its defect; with "h" it is half certain at most.
    static let micro = source(
        interpreter: "const char *model; int heard; int8_t in[1280];",
        """
        static void say(report *r, void *d, const char *f, ...) { va_list a; va_start(a, f); r(d, f, a); va_end(a); }
        void *TfLiteModelCreateWithErrorReporter(const char *b, size_t n, report *r, void *d) {
            if (n >= 6 && !memcmp(b, "GOOD", 4)) return (void *)b;
            say(r, d, "no %s", "flatbuffer");
            return NULL;
        }
        void *TfLiteInterpreterCreate(const char *m, const void *o) {
            interpreter *made = calloc(1, sizeof *made);
            made->model = m;
            return made;
        }
        int32_t TfLiteInterpreterGetInputTensorCount(const interpreter *i) { return i->model[5] == '2' ? 2 : 1; }
        int TfLiteInterpreterResizeInputTensor(interpreter *i, int32_t n, const int *d, int32_t c) { return 1; }
        int TfLiteInterpreterAllocateTensors(interpreter *i) { return i->model[5] == 'a'; }
        static int steps(const tensor *t) { return t->of->model[4] - '0'; }
        int TfLiteTensorType(const tensor *t) { return t->isOutput ? 3 : t->of->model[5] == 'f' ? 1 : 9; }
        int32_t TfLiteTensorNumDims(const tensor *t) { return t->isOutput ? 2 : 3; }
        int32_t TfLiteTensorDim(const tensor *t, int32_t n) {
            return t->isOutput || n == 0 ? 1 : n == 1 ? steps(t) : 40;
        }
        size_t TfLiteTensorByteSize(const tensor *t) { return t->isOutput ? 1 : 40 * steps(t); }
        quantization TfLiteTensorQuantizationParams(const tensor *t) {
            if (t->isOutput) return (quantization){1.0f / 256, 0};
            return (quantization){0.1019608f, t->of->model[5] == 'q' ? 0 : -128};
        }
        int TfLiteTensorCopyFromBuffer(tensor *t, const void *b, size_t n) {
            memcpy(t->of->in, b, n);
            return 0;
        }
        int TfLiteTensorCopyToBuffer(const tensor *t, uint8_t *b, size_t n) {
            *b = !t->of->heard ? 0 : t->of->model[5] == 'h' ? 128 : t->of->model[5] == 'l' ? 26 : 255;
            return 0;
        }
        int TfLiteInterpreterInvoke(interpreter *i) {
            int sum = 0;
            for (int n = 0; n < 40; n++) sum += i->in[n];
            if (sum > 0) i->heard = 1;
            return i->model[5] == 'x';
        }
        """
    )

    /// What does not depend on the model, followed by what a model does.
    private static func source(interpreter: String, _ rest: String) -> String {
        """
        #include <math.h>
        #include <stdarg.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        typedef void report(void *, const char *, va_list);
        typedef struct { float scale; int32_t zero; } quantization;
        typedef struct { \(interpreter) } interpreter;
        typedef struct { interpreter *of; int isOutput; } tensor;
        void TfLiteModelDelete(void *m) {}
        void *TfLiteInterpreterOptionsCreate(void) { return malloc(1); }
        void TfLiteInterpreterOptionsSetNumThreads(void *o, int32_t n) {}
        void TfLiteInterpreterOptionsSetErrorReporter(void *o, report *r, void *d) {}
        void TfLiteInterpreterOptionsDelete(void *o) { free(o); }
        void TfLiteInterpreterDelete(void *i) { free(i); }
        int32_t TfLiteInterpreterGetOutputTensorCount(const interpreter *i) { return 1; }
        static tensor tensors[2];
        void *TfLiteInterpreterGetInputTensor(interpreter *i, int32_t n) {
            tensors[0] = (tensor){i, 0};
            return &tensors[0];
        }
        const void *TfLiteInterpreterGetOutputTensor(interpreter *i, int32_t n) {
            tensors[1] = (tensor){i, 1};
            return &tensors[1];
        }
        \(rest)
        """
    }
}

/// A folder with models and a library, removed with the value.
final class WakeModelBox: Sendable {
    let path = "/tmp/tflite-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    var folder: WakeModelFolder { WakeModelFolder(path: path) }

    init(_ models: [String: String] = ["hey_jarvis": "GOOD3."]) throws {
        for (name, model) in models { try add(name, model) }
    }

    func add(_ name: String, _ model: String, manifest: String? = nil) throws {
        let ordinary = """
            {"type": "micro", "wake_word": "x", "model": "\(name).tflite", "version": 2, "micro":
            {"probability_cutoff": 0.97, "feature_step_size": 10, "sliding_window_size": 5}}
            """
        try StateFile.write(Array((manifest ?? ordinary).utf8), to: path + "/\(name).json")
        try StateFile.write(Array(model.utf8), to: path + "/\(name).tflite")
    }

    /// Compiles the library, on a thread that may block.
    func compiled(_ source: String = StandInLibrary.micro) async throws -> Self {
        try StateFile.write(Array(source.utf8), to: path + "/lib.c")
        let arguments = ["-shared", "-fPIC", "-o", folder.library, path + "/lib.c"]
        let path = ["PATH=/usr/bin:/bin"]
        await OwnThread.run("compile") {
            let result = HookProcess.run("/usr/bin/cc", path, arguments: arguments, within: .seconds(60))
            #expect(result == .ended(0))
        }
        return self
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
