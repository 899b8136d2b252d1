extension Configuration {
    /// When a conversation begins and ends.
    package struct Activation: Sendable, Equatable {
        package var mode = Mode.always
        package var preRollMS = 1500
        package var followUpS = 8
        package var turnLimitS = 60
        package var oneShot = false
        package var warmStandby = false
        package var engine = Engine.auto
        package var wakeWords = "hey jarvis"
        package var stopWords = "stop, never mind"
        package var threshold = -20.0
        package var playingMargin = 3.0
        package var refractoryMS = 2000
        package var sphinxModel = "/usr/share/pocketsphinx/model/en-us"
        package var sherpaLibrary = "libsherpa-onnx-c-api.so"
        package var sherpaModel = ""
        package var wakeModels = ""
        package var wyomingAddress = "127.0.0.1:10400"
        package var quietHours = ""
        package var quietVolume = 40
        package var voiceGate = false
        package var stateCommand = ""
        package var led = ""
        package var buttons = ""

        package init() {}

        package enum Mode: String, CaseIterable, Sendable {
            case always
            case wake
            case push
        }

        package enum Engine: String, CaseIterable, Sendable {
            /// Models where there are some, else nothing.
            case auto
            case off
            case pocketsphinx
            case wyoming
            case sherpa = "sherpa-onnx"
            case tflite
        }
    }
}
