/// The version of the program and of the tools beside it.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
