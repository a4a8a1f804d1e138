// SPDX-License-Identifier: MIT

import Foundation
import RestClient

/// Graphs of nodes that do almost nothing, compared with other ways to run them.
///
/// Graphs and queues are filled before the measurement. A task group knows no dependencies: it runs as many children.
enum GraphComparisons {
    private static let width = 64

    static func all() -> [Comparison] {
        GraphShape.allCases.map { shape in
            Comparison(
                title: "graph, \(shape)",
                count: 100_000,
                contenders: [
                    Contender(name: "TaskGroup of 64") { try await BoundedGroup.run($0, width: width) {} },
                    Contender(name: "OperationQueue", share: 100) { operations(in: shape, of: $0) },
                    Contender(name: "JobGraph") { nodes(in: shape, of: $0, waits: false) },
                    Contender(name: "JobGraph, async") { nodes(in: shape, of: $0, waits: true) },
                ]
            )
        }
    }

    private static func nodes(in shape: GraphShape, of count: Int, waits: Bool) -> Contender.Work {
        let manager = RestClientManager()
        manager.workers.size = width
        let graph = shape.graph(of: count, waits: waits)
        return {
            let run = try await manager.run(graph)
            precondition(run.isSuccess)
        }
    }

    private static func operations(in shape: GraphShape, of count: Int) -> Contender.Work {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        var operations: [Operation] = []
        for node in 0..<count {
            let operation = BlockOperation {}
            for input in shape.inputs(of: node) {
                operation.addDependency(operations[input])
            }
            operations.append(operation)
        }
        return { [operations] in
            await withCheckedContinuation { continuation in
                // An operation that waits for all of them would take longer than they do.
                queue.addOperations(operations, waitUntilFinished: false)
                queue.addBarrierBlock { continuation.resume() }
            }
        }
    }
}
