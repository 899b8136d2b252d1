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
/// include path is set here; the shim distinguishes the versions by the headers it finds.
let webrtc13 = FileManager.default.fileExists(atPath: "/usr/include/webrtc-audio-processing-1")
let webrtcInclude =
    webrtc13 ? "/usr/include/webrtc-audio-processing-1" : "/usr/include/webrtc_audio_processing"
let webrtcLibrary = webrtc13 ? "webrtc-audio-processing-1" : "webrtc_audio_processing"

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// The rooms of the core, the lowest first: each is a separate module. The rest of `Sources/VoiceCore` assembles them.
let roomFolders = ["Base", "Network", "Audio", "Reply", "Conversation", "Agent", "Media", "Activation", "Session"]
/// The voice services: each a folder and a module in `Sources/VoiceCore/Services`. None knows another.
let services = ["Datagrid", "Gemini", "Hero365", "Live"]
let serviceRooms = services.map { Target.Dependency(stringLiteral: "Voice" + $0) }
/// Their simulators, in the folders of the same names in `Tools/Services`.
let simulators = services.map { Target.Dependency(stringLiteral: "Simulated" + $0) }
let rooms = roomFolders.map { Target.Dependency(stringLiteral: "Voice" + $0) } + serviceRooms

extension Target {
    /// A folder of `Sources/VoiceCore` as a module.
    static func room(_ folder: String, _ dependencies: [Dependency]) -> Target {
        .target(
            name: "Voice" + folder,
            dependencies: dependencies,
            path: "Sources/VoiceCore/" + folder,
            swiftSettings: settings
        )
    }

    /// A voice service.
    static func service(_ name: String) -> Target {
        .target(
            name: "Voice" + name,
            dependencies: [
                "VoiceBase", "VoiceNetwork", "VoiceAudio", "VoiceReply", "VoiceConversation", "VoiceSession",
            ],
            path: "Sources/VoiceCore/Services/" + name,
            swiftSettings: settings
        )
    }

    /// Tests, or what tests share, in a folder of `Tests/VoiceCoreTests`.
    static func tests(_ folder: String, _ dependencies: [Dependency], exclude: [String] = []) -> Target {
        .testTarget(
            name: folder.hasSuffix("Support") ? folder : folder.split(separator: "/").last! + "Tests",
            dependencies: dependencies,
            path: "Tests/VoiceCoreTests/" + folder,
            exclude: exclude,
            swiftSettings: settings
        )
    }

    /// The simulator of a voice service, and the fuzzer's target.
    static func simulator(_ name: String) -> Target {
        .target(
            name: "Simulated" + name,
            dependencies: [
                "VoiceBase", "VoiceNetwork", "VoiceConversation", "VoiceSession", "VoiceSimulator",
                .byName(name: "Voice" + name),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tools/Services/" + name,
            swiftSettings: settings
        )
    }
}

/// What the tests of a room may import: they cross seams.
let testDoors: [Target.Dependency] =
    ["TestSupport", "StageSupport", "VoiceCore", "VoiceSimulator"] + rooms
    + ["CAEC", "CAlsa", "CDSP", "CLinux", "COpus", "CSphinx", "CZlib"]

let package = Package(
    name: "jarvis-voiced",
    products: [
        .executable(name: "jarvis-voiced", targets: ["JarvisVoiced"]),
        .executable(name: "jarvis-bridge", targets: ["JarvisBridge"]),
        .executable(name: "jarvis-simulator", targets: ["JarvisSimulator"]),
    ],
    // Exact versions: Package.resolved names commits, and a mirror of these packages may have others, so it is not kept.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // C libraries
        .systemLibrary(name: "CAlsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "COpus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        .systemLibrary(name: "CCmark", providers: [.apt(["libcmark-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CLinux"),
        // Takes effect by being linked in.
        .target(name: "CHeldSignals", dependencies: ["CLinux"]),
        // Load their libraries at run time, so those are not linked.
        .target(name: "CSphinx", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CTFLite", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CQREncode", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CDeflate", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CDSP"),
        .target(name: "CMicroFrontend", linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "CAEC",
            cxxSettings: [
                .define("WEBRTC_POSIX"),
                .define("WEBRTC_LINUX"),
                .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
                .unsafeFlags(["-I\(webrtcInclude)"]),
                // Vectors without optimisation are so slow that the tests would take minutes more.
                .unsafeFlags(["-O2"], .when(configuration: .debug)),
            ],
            linkerSettings: [.linkedLibrary(webrtcLibrary)]
        ),
        .target(
            name: "CToml",
            cxxSettings: [.define("TOML_HEADER_ONLY", to: "0"), .define("TOML_SHARED_LIB", to: "1")],
            linkerSettings: [.linkedLibrary("tomlplusplus")]
        ),

        .target(
            name: "CXml",
            cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])],
            linkerSettings: [.linkedLibrary("xml2")]
        ),

        // The product, room by room: a room can import only the rooms listed as its dependencies.
        .room("Base", ["CCurl", "CLinux", "CToml", "CXml", logging]),
        .room("Network", ["VoiceBase", "CCurl", "COpus", "CZlib"]),
        .room("Audio", ["VoiceBase", "CAEC", "CAlsa", "CDSP", "CLinux", "CSpeexDSP", logging]),
        .room("Reply", ["VoiceBase", "CCmark"]),
        .room("Conversation", ["VoiceBase", "VoiceReply", logging]),
        .room("Agent", ["VoiceBase", "VoiceNetwork", "VoiceReply", logging]),
        .room(
            "Media",
            ["VoiceBase", "VoiceNetwork", "VoiceAudio", "VoiceConversation", "VoiceReply", "CCurl", "CLinux", logging]
        ),
        .room(
            "Activation",
            [
                "VoiceBase", "VoiceNetwork", "VoiceAudio", "VoiceConversation",
                "CLinux", "CMicroFrontend", "CSphinx", "CTFLite", logging,
            ]
        ),
        .room(
            "Session",
            [
                "VoiceBase", "VoiceNetwork", "VoiceAudio", "VoiceReply", "VoiceConversation", "VoiceAgent",
                "VoiceMedia", "VoiceActivation", "CLinux", logging,
            ]
        ),
        .target(
            name: "VoiceCore",
            dependencies: rooms + ["CCurl", "CLinux", logging],
            exclude: roomFolders + ["Services"],
            swiftSettings: settings
        ),
        .target(
            name: "VoiceSimulator",
            dependencies: [
                "VoiceBase", "VoiceNetwork", "VoiceSession", logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            path: "Tools/Simulator",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "JarvisVoiced",
            dependencies: [
                "CHeldSignals", "CLinux", "VoiceBase", "VoiceAudio", "VoiceActivation", "VoiceSession", "VoiceCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                logging,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),

        // The page and the metrics over HTTP, the house over MQTT: a program of its own, which knows the daemon only by its socket
        .target(
            name: "BridgeCore",
            dependencies: [
                "VoiceBase", "VoiceNetwork", "CDeflate", "CLinux", "CMosquitto", "CQREncode",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Sources/JarvisBridge/Core",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "JarvisBridge",
            dependencies: [
                "BridgeCore", "VoiceBase", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/JarvisBridge",
            exclude: ["Core", "Page"],
            swiftSettings: settings
        ),

        // The demonstration, and simulated services for a daemon that runs separately
        .executableTarget(
            name: "JarvisSimulator",
            dependencies: [
                "VoiceBase", "VoiceNetwork", "VoiceAudio", "VoiceConversation", "VoiceSession", "VoiceCore",
                "VoiceSimulator", "ServiceSimulators",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tools/SimulatorProgram",
            swiftSettings: settings
        ),

        .target(
            name: "ServiceSimulators",
            dependencies: ["VoiceSimulator"] + simulators,
            path: "Tools/Services",
            exclude: services,
            swiftSettings: settings
        ),

        // Development tools, which are not installed
        .executableTarget(
            name: "WebSocketEcho",
            dependencies: ["VoiceBase", "VoiceNetwork"],
            path: "Tools/WebSocketEcho",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "VoiceBench",
            dependencies: [
                "VoiceBase", "VoiceNetwork", "VoiceAudio", "VoiceConversation", "VoiceActivation", "VoiceSession",
                "VoiceCore", "VoiceSimulator", "ServiceSimulators", "FuzzTargets", "CAEC", "CDSP", "CLinux", logging,
            ],
            path: "Tools/Bench",
            swiftSettings: settings
        ),

        // The parsers of external bytes, for the fuzzer and for a test over its corpus
        .target(
            name: "FuzzTargets",
            dependencies: [
                "VoiceBase", "VoiceNetwork", "VoiceConversation", "VoiceReply", "VoiceAgent", "VoiceMedia",
                "VoiceActivation", "VoiceCore", "VoiceSimulator", "ServiceSimulators", "BridgeCore",
            ],
            path: "Tools/FuzzTargets",
            swiftSettings: settings
        ),

        // Their tests: a target per room, since a change of a test compiles its target alone
        .tests("TestSupport", ["VoiceCore", "VoiceSimulator"] + rooms),
        .tests("StageSupport", ["TestSupport", "VoiceCore", "VoiceSimulator", "ServiceSimulators"] + rooms),
        .tests("EndToEnd", testDoors),
        .testTarget(
            name: "VoiceCoreTests",
            dependencies: testDoors + simulators + ["FuzzTargets"],
            exclude: ["TestSupport", "StageSupport", "EndToEnd", "Services"] + roomFolders,
            swiftSettings: settings
        ),
        .testTarget(
            name: "BridgeTests",
            dependencies: [
                "BridgeCore", "VoiceBase", "VoiceCore", .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11,
    cxxLanguageStandard: .gnucxx17
)

package.targets += services.flatMap { name -> [Target] in
    let doors = testDoors + [.byName(name: "Simulated" + name)]
    return [.service(name), .simulator(name), .tests("Services/" + name, doors)]
}
let recordings = ["Activation": ["Golden"], "Reply": ["Speech/Golden"]]
package.targets += roomFolders.map { .tests($0, testDoors, exclude: recordings[$0] ?? []) }

/// scripts/build builds several programs in one pass: of the targets, only those that they need are here then.
if let wanted = ProcessInfo.processInfo.environment["VOICE_PROGRAMS"] {
    let names = Set(wanted.split(separator: " ").map(String.init))
    package.products.removeAll { !names.contains($0.name) }
    var open = package.products.compactMap { $0 as? Product.Executable }.flatMap(\.targets) + names
    var needed = Set<String>()
    while let name = open.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        open += target.dependencies.compactMap { dependency in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
}

/// The fuzzer needs a separate build (scripts/fuzz), with coverage counters everywhere and libFuzzer's main.
if ProcessInfo.processInfo.environment["VOICE_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tools/Fuzz", swiftSettings: settings)
    )
}

/// So does RealtimeSanitizer (scripts/realtime-check): only the code that the audio thread runs, and its tests.
if ProcessInfo.processInfo.environment["VOICE_REALTIME"] != nil {
    let below = ["VoiceBase", "VoiceReply", "VoiceConversation", "VoiceAudio"]
    package.products = []
    package.targets.removeAll { target in
        target.type == .test || target.type != .system && !target.name.hasPrefix("C") && !below.contains(target.name)
    }
    let rooms = below.map { Target.Dependency(stringLiteral: $0) }
    package.targets += [
        .testTarget(
            name: "TestSupport",
            dependencies: rooms,
            path: "Tests/VoiceCoreTests/TestSupport",
            sources: [
                "AudioConfiguration+Source.swift", "LineLog.swift", "SeededGenerator.swift", "SignalTools.swift",
                "StereoRecording.swift",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RealtimeTests",
            dependencies: rooms + ["TestSupport", "CDSP", "CLinux"],
            path: "Tests/VoiceCoreTests/Audio",
            sources: [
                "AudioEngineTests.swift", "StereoAudioEngineTests.swift", "SimulatedDevice.swift",
                "Devices/FileDeviceTests.swift",
            ],
            swiftSettings: settings
        ),
    ]
}
