// SPDX-License-Identifier: MIT

import Foundation
import RestClient

extension HotPath {
    /// A hundred jobs that do almost nothing.
    static func jobs() throws -> [HotPath] {
        let manager = try manager()
        var graph = JobGraph("chain")
        var last = graph.local("0") { 1 }
        for number in 1..<100 {
            last = graph.local("\(number)", after: last) { value async in value &+ 1 }
        }
        let (chain, end) = (graph, last)
        let group = (0..<100).map { number in LocalJob("job") { number } }
        return [
            HotPath(name: "graph, a chain of 100") { _ in
                expect(try await manager.run(chain)[end] == 100)
            },
            HotPath(name: "group, 100 jobs") { _ in
                expect(await manager.concurrently(group).outcomes.count == 100)
            },
        ]
    }
}
