import Glibc
import Testing

@testable import VoiceActivation
@testable import VoiceBase

/// sherpa-onnx, replaced by a library with its functions: what is loaded, how it is called, what is missing.
struct SherpaSpotterTests {
    /// A library that detects "HEY JARVIS" in every loud block, if it is configured as the real one requires.
    private static func source(version: String) -> String {
        """
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        typedef struct { const char *keyword; } result;
        static int ready, loud;
        const char *SherpaOnnxGetVersionStr(void) { return "\(version)"; }
        const void *SherpaOnnxCreateKeywordSpotter(const char *config) {
            int32_t rate; const char *encoder, *tokens, *keywords;
            memcpy(&rate, config, 4);
            memcpy(&encoder, config + 8, 8);
            memcpy(&tokens, config + 56, 8);
            memcpy(&keywords, config + 160, 8);
            if (rate != 16000 || !strstr(encoder, "encoder") || !strstr(tokens, "tokens.txt")) return NULL;
            return strstr(keywords, "keywords.txt") ? "spotter" : NULL;
        }
        void SherpaOnnxDestroyKeywordSpotter(const void *spotter) {}
        const void *SherpaOnnxCreateKeywordStream(const void *spotter) { ready = loud = 0; return "stream"; }
        void SherpaOnnxDestroyOnlineStream(const void *stream) {}
        void SherpaOnnxOnlineStreamAcceptWaveform(const void *s, int32_t rate, const float *x, int32_t n) {
            ready = 1;
            for (int i = 0; i < n; i++) if (x[i] > 0.5f) loud = 1;
        }
        int32_t SherpaOnnxIsKeywordStreamReady(const void *spotter, const void *stream) { return ready; }
        void SherpaOnnxDecodeKeywordStream(const void *spotter, const void *stream) { ready = 0; }
        void SherpaOnnxResetKeywordStream(const void *spotter, const void *stream) { loud = 0; }
        const result *SherpaOnnxGetKeywordResult(const void *spotter, const void *stream) {
            result *found = malloc(sizeof *found);
            found->keyword = loud ? "HEY_JARVIS" : "";
            return found;
        }
        void SherpaOnnxDestroyKeywordResult(const result *found) { free((void *)found); }
        """
    }

    /// A folder with library and model, removed with the value.
    private final class Box: Sendable {
        let folder = "/tmp/sherpa-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        var place: SherpaSpotter.Place { .init(library: folder + "/lib.so", model: folder) }

        init(without: String = "") throws {
            mkdir(folder, 0o700)
            for name in ["encoder-1.int8.onnx", "encoder-1.onnx", "decoder-1.onnx", "joiner-1.onnx", "tokens.txt"]
            where name != without {
                try StateFile.write([], to: folder + "/" + name)
            }
            let keywords = "\u{2581}HE Y \u{2581}JAR VI S :1.5 #0.35 @HEY_JARVIS\n\u{2581}ST O P\n"
            if without != "keywords.txt" { try StateFile.write(Array(keywords.utf8), to: folder + "/keywords.txt") }
        }

        /// Compiles the library, on a thread that may block.
        func compiled(version: String = "2.0.1") async throws -> Self {
            try StateFile.write(Array(SherpaSpotterTests.source(version: version).utf8), to: folder + "/lib.c")
            let script = "#!/bin/sh\nexec cc -shared -fPIC -o \(folder)/lib.so \(folder)/lib.c\n"
            let make = folder + "/make"
            try StateFile.write(Array(script.utf8), to: make)
            chmod(make, 0o700)
            await OwnThread.run("compile") {
                #expect(HookProcess.run(make, ["PATH=/usr/bin:/bin"], within: .seconds(60)) == .ended(0))
            }
            return self
        }

        deinit {
            for name in [
                "make", "lib.c", "lib.so", "encoder-1.int8.onnx", "encoder-1.onnx", "decoder-1.onnx", "joiner-1.onnx",
                "tokens.txt", "keywords.txt",
            ] { unlink(folder + "/" + name) }
            rmdir(folder)
        }
    }

    private func words(_ wake: String = "hey jarvis") throws -> WakeWords {
        try WakeWords(wake: wake, stop: "stop", threshold: 0)
    }

    @Test func itsKeywordsAreCalls() async throws {
        let box = try await Box().compiled()
        let spotter = try SherpaSpotter(try words(), at: box.place)
        func found(_ level: Int16) throws -> [WakeCandidate] {
            try [Int16](repeating: level, count: 640).withUnsafeBufferPointer { try spotter.process($0) }
        }
        #expect(try found(100).isEmpty)
        #expect(try found(30_000) == [WakeCandidate("hey jarvis", .certain)])
        #expect(try found(100).isEmpty)
        spotter.reset()
        #expect(try found(100).isEmpty)
    }

    @Test func whatIsMissingIsNamed() throws {
        for name in ["decoder-1.onnx", "tokens.txt", "keywords.txt"] {
            let box = try Box(without: name)
            let part = name.split(separator: "-")[0].split(separator: ".")[0]
            #expect { _ = try SherpaSpotter(try words(), at: box.place) } throws: { "\($0)".contains(part) }
        }
        let box = try Box()
        #expect { _ = try SherpaSpotter(try words("computer"), at: box.place) } throws: {
            "\($0)".contains("does not have \"computer\"")
        }
        let nowhere = SherpaSpotter.Place(library: "/nowhere/lib.so", model: box.folder)
        #expect { _ = try SherpaSpotter(try words(), at: nowhere) } throws: {
            "\($0)".contains("/nowhere/lib.so") && "\($0)".contains("activation.sherpa_library")
        }
        let empty = SherpaSpotter.Place(library: "lib.so", model: "/nowhere")
        #expect { _ = try SherpaSpotter(try words(), at: empty) } throws: { "\($0)".contains("no folder /nowhere") }
    }

    @Test(arguments: ["1.12.9", "1.10.46", "3.0.0", "none"])
    func aVersionOfAnotherLayoutIsRefused(version: String) async throws {
        let box = try await Box().compiled(version: version)
        #expect { _ = try SherpaSpotter(try words(), at: box.place) } throws: {
            "\($0)".contains("is sherpa-onnx \(version): 1.12.12 to 2.0 are known")
        }
    }

    @Test func theNamesOfAListAreRead() {
        let list = "\u{2581}HE Y \u{2581}SI RI :2.0 #0.6\nx i ǎo m ǐ @小米\n\n\u{2581}STOP @Never_Mind\n"
        #expect(SherpaModel.names(list) == ["hey siri", "小米", "never mind"])
    }

    /// The engine reports a detection once, so no second one can be waited for.
    @Test func oneFindIsEnoughWhileTheBoxSounds() throws {
        var rule = WakeRule(words: try words(), playingMargin: 3, refractory: .seconds(2))
        let candidate = WakeCandidate("hey jarvis", .certain)
        #expect(rule.judge(candidate, listening: .wake, isPlaying: true, at: .seconds(5)) == .call("hey jarvis"))
        let stop = WakeCandidate("stop", .certain)
        #expect(rule.judge(stop, listening: .stop, isPlaying: true, at: .seconds(6)) == .stop("stop"))
        #expect(rule.judge(candidate, listening: .stop, isPlaying: true, at: .seconds(6)) == .nothing)
    }
}
