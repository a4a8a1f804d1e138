// SPDX-License-Identifier: MIT

import JobGraphs

/// The style in which a phase is drawn.
///
/// The page recognizes the phases of graphs and of requests by their names, and draws every other phase like running
/// work; unknown names appear only as text.
struct PhaseStyle {
    /// The names that have a color, in the order of the legend.
    static let known = [
        "queued", "backoff", "authenticating", "connecting", "blocked", "sending", "waiting", "receiving", "decoding",
        "running",
    ]

    let name: String

    init(_ phase: RunReport.Phase) {
        let hasStyle = phase == .other || Self.known.contains(phase.rawValue)
        name = hasStyle ? phase.rawValue : RunReport.Phase.running.rawValue
    }
}

extension RunReport.Phase {
    /// The time on the critical path that no phase explains, such as that of the engine between two nodes.
    static let other = RunReport.Phase(rawValue: "other")

    var style: String { PhaseStyle(self).name }

    var text: String { ReportText.escaped(rawValue) }
}
