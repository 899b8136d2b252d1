import FoundationEssentials

extension JarvisClient.Surroundings {
    /// The clocks of this machine and random ids.
    package static let system: JarvisClient.Surroundings = {
        let start = ContinuousClock.now
        return JarvisClient.Surroundings(
            now: { ContinuousClock.now - start },
            sleep: { try? await Task.sleep(for: $0) },
            makeID: { UUID().uuidString.lowercased() },
            wallClock: { Int(Date().timeIntervalSince1970) }
        )
    }()
}
