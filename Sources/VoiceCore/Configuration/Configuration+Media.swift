extension Configuration {
    /// Music, radio and podcasts.
    package struct Media: Sendable, Equatable {
        package var enabled = true
        package var decoder = "ffmpeg"
        package var stereo = true
        package var duckedLevel = 0.6
        package var duckedLevelUser = 0.25
        package var releaseMS = 300
        package var maximumVolume = 100
        package var stallS = 20
        package var allowHosts = ""
        package var folders = ""
        package var caFile = ""
        package var stationsFile = "/etc/jarvis-voiced/stations.toml"
        package var tell = Tell.session
        package var interludeEvery = 0

        /// When the model is told of ends and failures.
        package enum Tell: String, Sendable, CaseIterable {
            case never
            /// In a session that is open.
            case session
            /// A session is opened for it.
            case always
        }

        package init() {}
    }
}
