// SPDX-License-Identifier: MIT

import Testing

@testable import JobGraphs

/// The rule by which a life counts as over: its row did not change for a whole lease, by the observer's clock.
@Suite
struct LifeObserverTests {
    /// A lease of 30 s, and a beat each 10 s.
    private let timing = RunTiming()

    struct Scene: Sendable, CustomTestStringConvertible {
        var testDescription: String { name }
        let name: String
        /// When the observer looks, in seconds, and the version that it sees; `nil` for no row.
        let looks: [(at: Int, version: UInt64?)]
        let isOver: Bool
    }

    @Test(arguments: [
        Scene(name: "a life that is seen once", looks: [(100, 1)], isOver: false),
        Scene(name: "one that beats", looks: [(0, 1), (10, 2), (20, 3), (30, 4), (40, 5)], isOver: false),
        Scene(name: "one that is silent for less than a lease", looks: [(0, 1), (10, 1), (29, 1)], isOver: false),
        Scene(name: "one that is silent for a lease", looks: [(0, 1), (10, 1), (20, 1), (30, 1)], isOver: true),
        Scene(name: "one that beats late", looks: [(0, 1), (10, 1), (29, 2), (40, 2), (50, 2)], isOver: false),
        Scene(name: "one that is silent after that", looks: [(29, 2), (40, 2), (50, 2), (59, 2)], isOver: true),
        Scene(name: "an observer that was suspended", looks: [(0, 1), (1000, 1)], isOver: false),
        Scene(name: "one that was suspended for long", looks: [(0, 1), (1000, 1), (2000, 1)], isOver: true),
        Scene(name: "a clock that goes back", looks: [(50, 1), (10, 1), (30, 1)], isOver: false),
        Scene(name: "a row that was away", looks: [(0, 1), (20, 1), (25, nil), (35, 1), (45, 1)], isOver: false),
    ])
    func `a silent life is over after a lease`(scene: Scene) {
        var observer = LifeObserver()
        var isOver = false
        for look in scene.looks {
            let lives = look.version.map { [(id: "life", version: $0)] } ?? []
            isOver = !observer.look(at: lives, now: .seconds(look.at), timing).isEmpty
        }
        #expect(isOver == scene.isOver)
    }

    @Test
    func `the times are those of the documentation`() {
        let lives = [timing.lease, timing.beat, timing.margin, timing.look, timing.grace]
        let documented: [Duration] = [.seconds(30), .seconds(10), .seconds(5), .seconds(1), .seconds(30)]
        #expect(lives == documented)
        #expect(timing.keep == .seconds(604_800))
        #expect(timing.sweep == .seconds(3_600))
    }
}
