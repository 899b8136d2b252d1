/// Every setting of the daemon, with its built-in default.
///
/// The defaults stand here and nowhere else; names, ranges and documentation stand in `ConfigurationSchema`.
/// An empty string means "not set" for every key whose documentation says so.
package struct Configuration: Sendable, Equatable {
    package var audio = Audio()
    package var echo = Echo()
    package var realtime = Realtime()
    package var jarvis = Jarvis()
    package var activation = Activation()
    package var budget = Budget()
    package var media = Media()
    package var log = Log()

    package init() {}

    /// Sound cards and the way from and to them.
    package struct Audio: Sendable, Equatable {
        package var input = "default"
        package var output = "default"
        package var inputChannel = 0
        package var inputRate = 0
        package var outputRate = 0
        package var inputChannels = ""
        package var outputBufferMS = 40
        package var startBufferMS = 60
        package var outputGainDB = 0.0
        package var masterVolume = 100
        package var voiceVolume = 100
        package var mediaVolume = 70
        package var earconVolume = 100
        package var limiterCeilingDB = -1.0
        package var mixer = ""
        package var captureGainDB = 0.0
        package var captureMixer = ""
        package var captureVolume = 100
        package var agc = false
        package var realtimePriority = 20
        package var lockMemory = true
        package var earcons = true
        package var earconsOff = ""
        package var earconFolder = ""
    }

    /// Echo cancellation and what runs beside it on the microphone signal.
    package struct Echo: Sendable, Equatable {
        package var enabled = true
        package var mode = Mode.auto
        package var duplex = Duplex.auto
        package var suppression = Suppression.low
        package var noiseSuppression = NoiseSuppression.moderate
        package var highPass = true
        package var gainControl = false

        package init() {}

        package enum Mode: String, CaseIterable, Sendable {
            case auto
            case hardware
            case software
            case both
        }

        package enum Duplex: String, CaseIterable, Sendable {
            case auto
            case full
            case half
        }

        package enum Suppression: String, CaseIterable, Sendable {
            case low
            case moderate
            case high
        }

        package enum NoiseSuppression: String, CaseIterable, Sendable {
            case off
            case low
            case moderate
            case high
            case veryHigh = "very_high"
        }
    }

    /// The service that hears and speaks.
    package struct Realtime: Sendable, Equatable {
        package var url = "wss://api.openai.com/v1/realtime"
        package var dialect = Dialect.auto
        package var model = "gpt-realtime-2.1"
        package var reasoningEffort = ReasoningEffort.auto
        package var voice = "marin"
        package var apiKeyFile = ""
        package var caFile = ""
        package var allowPlainHTTP = false
        package var turnDetection = TurnDetection.semantic
        package var eagerness = Eagerness.auto
        package var silenceMS = 500
        package var threshold = 0.5
        package var noiseReduction = NoiseReduction.farField
        package var chunkMS = 20
        package var instructionsFile = ""
        package var language = ""
        package var transcription = false
        package var transcriptionModel = "gpt-transcribe"
        package var maxOutputTokens = 1200
        package var speed = 1.0
        package var connectTimeoutS = 10
        package var deadPeerS = 12
        package var sessionAgeMin = 20
        package var rotationMarginS = 120
        package var carry = Carry.summary
        package var carryTurns = 4

        package enum ReasoningEffort: String, CaseIterable, Sendable {
            case auto
            case off
            case minimal
            case low
            case medium
            case high
            case xhigh
        }

        package enum Carry: String, CaseIterable, Sendable {
            case summary
            case turns
            case none
        }

        package enum Dialect: String, CaseIterable, Sendable {
            case auto
            case openai
            case azure
            case xai
            case speaches
            case localai
            case huggingface
        }

        package enum TurnDetection: String, CaseIterable, Sendable {
            case semantic = "semantic_vad"
            case server = "server_vad"
        }

        package enum Eagerness: String, CaseIterable, Sendable {
            case auto
            case low
            case medium
            case high
        }

        package enum NoiseReduction: String, CaseIterable, Sendable {
            case farField = "far_field"
            case nearField = "near_field"
            case off
        }
    }

    /// What is written to the journal.
    package struct Log: Sendable, Equatable {
        package var level = Level.info
        package var transcripts = false

        package enum Level: String, CaseIterable, Sendable {
            case trace
            case debug
            case info
            case notice
            case warning
            case error
            case critical
        }
    }
}
