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
            *b = !t->of->heard ? 0 : t->of->model[5] == 'h' ? 128 : 255;
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

    /// Models are "MEL", "EMB" and "CLS": a row of features is 1 where its sound is loud, an embedding is the mean of its
    /// rows, a classifier the mean of its four newest embeddings.
    static let open = source(
        interpreter: "const char *model; int count, outputs; float in[40000], out[10000];",
        """
        void *TfLiteModelCreateWithErrorReporter(const char *b, size_t n, report *r, void *d) { return (void *)b; }
        void *TfLiteInterpreterCreate(const char *m, const void *o) {
            interpreter *made = calloc(1, sizeof *made);
            made->model = m;
            made->count = 16 * 96;
            made->outputs = 1;
            return made;
        }
        int32_t TfLiteInterpreterGetInputTensorCount(const interpreter *i) { return 1; }
        int TfLiteInterpreterResizeInputTensor(interpreter *i, int32_t n, const int *d, int32_t c) {
            i->count = 1;
            for (int32_t at = 0; at < c; at++) i->count *= d[at];
            i->outputs = c == 2 ? ((i->count - 512) / 160 + 1) * 32 : 96;
            return 0;
        }
        int TfLiteInterpreterAllocateTensors(interpreter *i) { return 0; }
        int TfLiteTensorType(const tensor *t) { return 1; }
        int32_t TfLiteTensorNumDims(const tensor *t) { return 1; }
        int32_t TfLiteTensorDim(const tensor *t, int32_t n) { return t->isOutput ? t->of->outputs : t->of->count; }
        size_t TfLiteTensorByteSize(const tensor *t) { return 4 * TfLiteTensorDim(t, 0); }
        quantization TfLiteTensorQuantizationParams(const tensor *t) { return (quantization){0, 0}; }
        int TfLiteTensorCopyFromBuffer(tensor *t, const void *b, size_t n) {
            if (n != TfLiteTensorByteSize(t)) return 1;
            memcpy(t->of->in, b, n);
            return 0;
        }
        int TfLiteTensorCopyToBuffer(const tensor *t, void *b, size_t n) {
            if (n != 4 * (size_t)t->of->outputs) return 1;
            memcpy(b, t->of->out, n);
            return 0;
        }
        static float mean(const float *from, int count) {
            float sum = 0;
            for (int at = 0; at < count; at++) sum += fabsf(from[at]);
            return sum / count;
        }
        int TfLiteInterpreterInvoke(interpreter *i) {
            for (int at = 0; at < i->outputs; at++)
                i->out[at] = i->model[0] == 'M'   ? (mean(i->in + at / 32 * 160, 512) > 1000 ? -10 : -20)
                             : i->model[0] == 'E' ? mean(i->in, i->count)
                                                  : mean(i->in + 12 * 96, 4 * 96);
            return 0;
        }
        """
    )

    /// What both have in common, followed by what a model does.
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

    /// - Parameters:
    ///   - models: those of microWakeWord.
    ///   - open: words of openWakeWord.
    init(_ models: [String: String] = ["hey_jarvis": "GOOD3."], open: [String] = []) throws {
        for (name, model) in models { try add(name, model) }
        guard !open.isEmpty else { return }
        let files = ["melspectrogram": "MEL", "embedding_model": "EMB"].merging(open.map { ($0, "CLS") }) { $1 }
        for (name, model) in files {
            try StateFile.write(Array(model.utf8), to: folder.openWakeWord + "/\(name).tflite")
        }
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
