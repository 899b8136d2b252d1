internal import Glibc
package import VoiceBase

/// The files of word models that the configuration names and that are not there, for `config check`. The daemon starts
/// without them.
package enum ConfiguredModelFiles {
    package static func problems(_ activation: Configuration.Activation) -> [ConfigurationProblem] {
        let usesModels = activation.engine == .tflite || activation.engine == .auto
        var problems: [ConfigurationProblem] = []
        func check(_ key: String, _ path: String, _ way: String) {
            guard isAbsent(path) else { return }
            problems.append(ConfigurationProblem(place: "activation.\(key)", message: "there is no \(path): \(way)"))
        }
        guard activation.engine != .off else { return [] }
        if usesModels, !activation.wakeModels.isEmpty {
            check(
                "wake_models", activation.wakeModels,
                "name the folder of the models, or leave the key out for those of \"jarvis-voiced wake install\""
            )
        }
        if !activation.stopModel.isEmpty {
            let way = "put the model there, or leave the key out: PocketSphinx then listens for the word"
            check("stop_model", activation.stopModel, way)
            if let bytes = try? FileReader.system.read(activation.stopModel, 16 << 10).bytes,
                let manifest = try? MicroWakeWordManifest(bytes)
            {
                let folder = activation.stopModel.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                check("stop_model", (folder + [manifest.model[...]]).joined(separator: "/"), way)
            }
        }
        // The default belongs to a package that need not be installed.
        if activation.sphinxModel != Configuration.Activation.keys.sphinxModel.builtIn {
            check(
                "sphinx_model", activation.sphinxModel,
                "name a model's folder, or leave the key out for that of \"apt install pocketsphinx-en-us\""
            )
        }
        return problems
    }

    /// False if this user may not look there: the daemon may run as another user.
    private static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        guard !path.isEmpty, stat(path, &status) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }
}
