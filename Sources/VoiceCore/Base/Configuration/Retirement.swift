/// What to do instead of a key that is no longer used; follows "is no longer used: " in a sentence.
package enum Retirement {
    package static let isFixed = "its value is fixed now"
    package static let useWSS = "use wss://, or a server in your own network"
    package static let addCertificate = "add the certificate to the system's (update-ca-certificates)"
}
