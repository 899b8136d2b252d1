import FoundationEssentials
import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceBase

/// openWakeWord's chain in a library of our own that has TensorFlow Lite's functions: what is found, what is missing.
struct OpenWakeWordTests {
    /// Models are "MEL", "EMB" and "CLS": a row of features is 1 where its sound is loud, an embedding is the mean of its rows, a
    /// classifier the mean of its four newest embeddings.
    private static let source = """
        #include <math.h>
        #include <stdarg.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        typedef void report(void *, const char *, va_list);
        typedef struct { float scale; int32_t zero; } quantization;
        typedef struct { const char *model; int count, outputs; float in[40000], out[10000]; } interpreter;
        typedef struct { interpreter *of; int isOutput; } tensor;
        void *TfLiteModelCreateWithErrorReporter(const char *b, size_t n, report *r, void *d) { return (void *)b; }
        void TfLiteModelDelete(void *m) {}
        void *TfLiteInterpreterOptionsCreate(void) { return malloc(1); }
        void TfLiteInterpreterOptionsSetNumThreads(void *o, int32_t n) {}
        void TfLiteInterpreterOptionsSetErrorReporter(void *o, report *r, void *d) {}
        void TfLiteInterpreterOptionsDelete(void *o) { free(o); }
        void *TfLiteInterpreterCreate(const char *m, const void *o) {
            interpreter *made = calloc(1, sizeof *made);
            made->model = m;
            made->count = 16 * 96;
            made->outputs = 1;
            return made;
        }
        void TfLiteInterpreterDelete(void *i) { free(i); }
        int32_t TfLiteInterpreterGetInputTensorCount(const interpreter *i) { return 1; }
        int32_t TfLiteInterpreterGetOutputTensorCount(const interpreter *i) { return 1; }
        int TfLiteInterpreterResizeInputTensor(interpreter *i, int32_t n, const int *d, int32_t c) {
            i->count = 1;
            for (int32_t at = 0; at < c; at++) i->count *= d[at];
            i->outputs = c == 2 ? ((i->count - 512) / 160 + 1) * 32 : 96;
            return 0;
        }
        int TfLiteInterpreterAllocateTensors(interpreter *i) { return 0; }
        static tensor tensors[2];
        void *TfLiteInterpreterGetInputTensor(interpreter *i, int32_t n) {
            tensors[0] = (tensor){i, 0};
            return &tensors[0];
        }
        const void *TfLiteInterpreterGetOutputTensor(interpreter *i, int32_t n) {
            tensors[1] = (tensor){i, 1};
            return &tensors[1];
        }
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

    /// A folder with library and models, gone with the value.
    private final class Box: Sendable {
        let path = "/tmp/open-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        var folder: WakeModelFolder { WakeModelFolder(path: path) }

        init(_ words: [String]) async throws {
            let models = ["melspectrogram": "MEL", "embedding_model": "EMB"]
                .merging(words.map { ($0, "CLS") }) { $1 }
            for (name, model) in models {
                try StateFile.write(Array(model.utf8), to: folder.openWakeWord + "/\(name).tflite")
            }
            try StateFile.write(Array(OpenWakeWordTests.source.utf8), to: path + "/lib.c")
            let arguments = ["-shared", "-fPIC", "-o", folder.library, path + "/lib.c"]
            await OwnThread.run("compile") {
                let result = HookProcess.run(
                    "/usr/bin/cc",
                    ["PATH=/usr/bin:/bin"],
                    arguments: arguments,
                    within: .seconds(60)
                )
                #expect(result == .ended(0))
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let quiet = [Int16](repeating: 0, count: 24_000)
    private let loud = [Int16](repeating: 9000, count: 16_000)

    private func spotter(_ box: Box, _ wake: String, stop: String = "") throws -> TFLiteSpotter {
        try TFLiteSpotter(try WakeWords(wake: wake, stop: stop, threshold: -20), in: box.folder, trial: .none)
    }

    private func found(_ spotter: TFLiteSpotter, _ samples: [Int16]) throws -> [WakeCandidate] {
        try stride(from: 0, to: samples.count, by: 640).flatMap { start in
            try samples[start..<min(start + 640, samples.count)].withUnsafeBufferPointer { try spotter.process($0) }
        }
    }

    @Test func aWordOfOpenWakeWordIsFoundOnce() async throws {
        let box = try await Box(["hey_rhasspy_v0.1"])
        #expect(box.folder.allWords == ["hey rhasspy"])
        let spotter = try spotter(box, "hey rhasspy")
        #expect(try found(spotter, quiet).isEmpty)
        let finds = try found(spotter, loud)
        #expect(finds.map(\.word) == ["hey rhasspy"])
        #expect(finds.first?.finding == .certain && (finds.first?.score ?? 0) > 0.5)
    }

    @Test func eachHasItsOwnThreshold() async throws {
        let box = try await Box(["hey_rhasspy", "hey_fred"])
        let spotter = try spotter(box, "hey rhasspy:0.95, hey fred:0.3")
        // Loud for so long that the mean is between the two.
        let finds = try found(spotter, quiet + loud.prefix(8000) + quiet)
        #expect(finds.filter { $0.finding == .certain }.map(\.word) == ["hey fred"])
        #expect(finds.contains { $0.word == "hey rhasspy" && $0.finding != .certain })
    }

    /// As with the other models: what is said of the first second is not believed, and a reset forgets.
    @Test func theFirstSecondAndWhatWasBeforeAResetAreForgotten() async throws {
        let box = try await Box(["hey_rhasspy"])
        let spotter = try spotter(box, "hey rhasspy")
        #expect(try found(spotter, Array(loud.prefix(12_000))).isEmpty)
        spotter.reset()
        #expect(try found(spotter, quiet + quiet).isEmpty)
    }

    @Test func aWordThatNoModelIsOfIsNamedWithThoseThatAre() async throws {
        let box = try await Box(["hey_rhasspy"])
        #expect { _ = try spotter(box, "hey rhasspy, computer") } throws: {
            "\($0)".contains("no model of \"computer\" (it has hey rhasspy)")
        }
        unlink(box.folder.openWakeWord + "/embedding_model.tflite")
        #expect { _ = try spotter(box, "hey rhasspy") } throws: {
            "\($0)".contains("openwakeword/embedding_model.tflite: no such file")
        }
    }
}
