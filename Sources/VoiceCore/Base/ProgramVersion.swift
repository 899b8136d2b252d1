/// The version of the program and its accompanying tools.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
