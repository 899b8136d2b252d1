/// Every setting of the daemon, one section of the file each.
///
/// Each key is declared once, in the `Keys` of its section: name, default, range, whether its change comes into force at
/// once, and the sentence that explains it. It is read and written as a property of the section
/// (`configuration.audio.masterVolume`). An empty string means "not set" for every key whose documentation says so.
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
}
