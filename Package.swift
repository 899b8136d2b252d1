// swift-tools-version: 6.2

import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Debian 12 ships version 0.3 of the WebRTC audio processing library, Debian 13 version 1.3 under another name and
/// with another API. Their pkg-config files carry -D flags that the package manager drops with a warning, so the
/// include path is named here; the shim tells the two apart by the headers it finds.
let webrtc13 = FileManager.default.fileExists(atPath: "/usr/include/webrtc-audio-processing-1")
let webrtcInclude =
    webrtc13 ? "/usr/include/webrtc-audio-processing-1" : "/usr/include/webrtc_audio_processing"
let webrtcLibrary = webrtc13 ? "webrtc-audio-processing-1" : "webrtc_audio_processing"

let package = Package(
    name: "jarvis-voiced",
    products: [
        .executable(name: "jarvis-voiced", targets: ["JarvisVoiced"])
    ],
    // Exact versions: Package.resolved names commits, and a mirror of these packages may have others, so it is not kept.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // C libraries
        .systemLibrary(name: "CAlsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CCmark", providers: [.apt(["libcmark-dev"])]),
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CLinux"),
        // Load a keyword spotter at run time: nothing is linked.
        .target(name: "CSphinx", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CSherpa", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CDSP"),
        .target(
            name: "CAEC",
            dependencies: ["CKissFFT"],
            cxxSettings: [
                .define("WEBRTC_POSIX"),
                .define("WEBRTC_LINUX"),
                .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
                .unsafeFlags(["-I\(webrtcInclude)"]),
            ],
            linkerSettings: [.linkedLibrary(webrtcLibrary), .linkedLibrary("kissfft-float")]
        ),
        .target(
            name: "CToml",
            cxxSettings: [.define("TOML_HEADER_ONLY", to: "0"), .define("TOML_SHARED_LIB", to: "1")],
            linkerSettings: [.linkedLibrary("tomlplusplus")]
        ),

        // The product
        .target(
            name: "VoiceCore",
            dependencies: [
                "CAlsa", "CAEC", "CCmark", "CCurl", "CDSP", "CLinux", "CSherpa", "CSphinx", "CToml",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "VoiceSimulator",
            dependencies: [
                "CLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "JarvisVoiced",
            dependencies: [
                "CLinux", "VoiceCore", "VoiceSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),

        // Tools of the project: they are not installed
        .executableTarget(name: "WebSocketEcho", dependencies: ["VoiceCore"], swiftSettings: settings),
        .executableTarget(
            name: "VoiceBench",
            dependencies: [
                "VoiceCore", "VoiceSimulator", "FuzzTargets", "CAEC", "CDSP", "CLinux",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),

        // What reads bytes from outside, for the fuzzer and for a test over its corpus
        .target(name: "FuzzTargets", dependencies: ["VoiceCore"], swiftSettings: settings),

        .testTarget(
            name: "VoiceCoreTests",
            dependencies: ["VoiceCore", "VoiceSimulator", "FuzzTargets", "CLinux", "COpus", "CAEC", "CDSP"],
            exclude: ["Speech/Golden"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11,
    cxxLanguageStandard: .gnucxx17
)

/// The fuzzer needs a build of its own (scripts/fuzz): coverage counters everywhere and libFuzzer's main.
if ProcessInfo.processInfo.environment["VOICE_FUZZ"] != nil {
    package.targets.append(.executableTarget(name: "Fuzz", dependencies: ["FuzzTargets"], swiftSettings: settings))
}
