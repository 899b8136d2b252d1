import FoundationEssentials
import FuzzTargets
import Testing
import VoiceSimulator

/// Inputs that once reached unusual places of a parser, or broke it.
struct CorpusTests {
    private static let folder = "Tests/Corpus"

    @Test(arguments: FuzzTarget.all.map(\.name)) func corpusFilesDoNotTrapTheirParser(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/\(name)")
        #expect(files.count >= 3)
        for file in files.sorted() {
            let bytes = try Data(contentsOf: URL(filePath: "\(Self.folder)/\(name)/\(file)"))
            bytes.withUnsafeBytes { target.run($0) }
        }
    }
}
