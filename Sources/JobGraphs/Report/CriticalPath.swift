// SPDX-License-Identifier: MIT

package enum CriticalPath {
    /// Returns the places of the nodes on the path, in the order in which they ran; of nodes that ended together, the
    /// one that was added first counts; an unknown name ends the path, as does a cycle, which only a report from
    /// elsewhere may have.
    package static func places(in nodes: [RunReport.Node]) -> [Int] {
        var walk = CriticalWalk(nodes, isDeep: false)
        var found: Set<Int> = []
        // A node that others interrupted, between two attempts, counts where it ended.
        return walk.intervals().map(\.place).filter { found.insert($0).inserted }.reversed()
    }
}

extension RunReport.Node {
    var takesSlot: Bool { status != .fromCache && status != .resumed }

    var waitedForSlot: Bool { spans.first?.phase == .queued }

    /// The time at which the node obtained the resource for which it may have waited; `nil` if it waited for none.
    var begun: Duration? {
        if let first = spans.first, first.phase == .queued {
            return first.end
        }
        // An element of a loop is ready together with the others, and begins when its turn comes.
        return dependencies.isEmpty && queued != nil ? started : nil
    }

    var furtherWaits: some BidirectionalCollection<RunReport.Span> {
        spans.dropFirst().lazy.filter { $0.phase == .queued }
    }

    var releases: [Duration] {
        var releases = zip(spans, spans.dropFirst())
            .filter { $0.holdsSlot && (!$1.holdsSlot || $1.attempt != $0.attempt) }
            .map(\.0.end)
        if let last = spans.last, last.holdsSlot {
            releases.append(last.end)
        } else if releases.isEmpty, let ended {
            releases.append(ended)
        }
        return releases
    }
}

extension RunReport.Span {
    var isPause: Bool { phase == .queued || phase == .backoff }

    /// A Boolean value that is true if the node holds a worker slot during the span, if it needs one.
    fileprivate var holdsSlot: Bool { !isPause && phase != .decoding }
}

extension RunReport {
    /// The nodes that determined the duration of the run, in the order in which they ran.
    ///
    /// Making any other node faster does not shorten the run. The path begins with a node that waited for nothing and
    /// ends with the node that ended last.
    public var criticalPath: [Node] {
        CriticalPath.places(in: nodes).map { nodes[$0] }
    }
}

extension RunReport.Node {
    /// The inner nodes that determined the duration of this one, in the order in which they ran.
    public var criticalPath: [RunReport.Node] {
        CriticalPath.places(in: children).map { children[$0] }
    }
}
