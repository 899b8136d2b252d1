internal import FoundationEssentials

/// All findings, in the order of the checks.
package struct DoctorReport: Sendable, Equatable {
    package var findings: [DoctorFinding]

    package init(_ findings: [DoctorFinding]) {
        self.findings = findings
    }

    /// The most severe verdict; skipped checks do not count.
    package var verdict: DoctorFinding.Verdict {
        let gravest = findings.map(\.verdict).max() ?? .ok
        return gravest == .skipped ? .ok : gravest
    }

    /// The exit status: 0 if all is well, 1 if something could be better, 2 if something does not work.
    package var exitStatus: Int32 {
        switch verdict {
        case .ok, .skipped: 0
        case .warn: 1
        case .fail: 2
        }
    }

    /// One line for each finding, followed by its remedy, and a summary.
    package var text: String {
        let width = findings.map(\.check.count).max() ?? 0
        var lines: [String] = []
        for finding in findings {
            lines.append(
                Self.padded(finding.verdict.rawValue, 9) + Self.padded(finding.check, width + 2) + finding.message
            )
            if let advice = finding.advice {
                lines.append(String(repeating: " ", count: width + 11) + "-> " + advice)
            }
        }
        return lines.joined(separator: "\n") + "\n\n" + summary + "\n"
    }

    /// "12 ok, 1 warn, 2 fail, 3 skipped"
    package var summary: String {
        let counts = [DoctorFinding.Verdict.ok, .warn, .fail, .skipped].map { verdict in
            (verdict, findings.count { $0.verdict == verdict })
        }
        return counts.filter { $0.0 == .ok || $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", ")
    }

    /// For programs: `{"format": 1, "program": VERSION, "verdict": "warn", "checks": [...]}`.
    package func json(version: String) -> String {
        struct Document: Encodable {
            let format = 1
            let program: String
            let verdict: DoctorFinding.Verdict
            let checks: [DoctorFinding]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding strings and integers cannot fail.
        let bytes = try? encoder.encode(Document(program: version, verdict: verdict, checks: findings))
        return String(decoding: bytes ?? Data(), as: UTF8.self) + "\n"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
