// SPDX-License-Identifier: MIT

import Synchronization

// Without a listener no event is created.

extension GraphEngine {
    func announceStart() {
        switch program.announcement {
        case .group: emit(.groupStarted(count: program.count))
        case .graph(let name): emit(.graphStarted(name: name, count: program.count))
        }
    }

    func announceEnd(_ run: GraphRun) {
        if case .graph = program.announcement {
            emit(.graphFinished(run))
        }
    }

    func announceStart(of node: Int) {
        if announcesNodes, isReported {
            emit(.nodeStarted(name: program.name(of: node)))
        }
    }

    func announceEnd(of node: Int, _ result: NodeResult, _ note: JobNote?) {
        spans?.end(node, TracedWork.End(result.outcome, note?.all))
        if isReported {
            emit(.nodeFinished(name: program.name(of: node), status: RunReport.Status(result.outcome, note?.all)))
        }
    }

    func emit(_ kind: @autoclosure () -> JobEvent.Kind, value: @autoclosure () -> (any Sendable)? = nil) {
        runtime.emit(kind(), in: id, value: value())
    }
}
