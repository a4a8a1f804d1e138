// SPDX-License-Identifier: MIT

/// The times of lives, all in the time of one clock.
package struct RunTiming: Sendable {
    /// The time after which a life whose row did not change is over.
    package var lease = Duration.seconds(30)
    /// The time between two beats of a life.
    package var beat = Duration.seconds(10)
    /// The time before the end of its lease in which a life no longer trusts itself.
    package var margin = Duration.seconds(5)
    /// The time between two looks at the queues, and at what is to be cancelled.
    package var look = Duration.seconds(1)
    /// The time that a worker that stops leaves to what runs.
    package var grace = Duration.seconds(30)
    /// The time for which a run of a queue is kept after its end, in the time of day.
    package var keep = Duration.seconds(7 * 24 * 3_600)
    /// The time between two looks of a worker for runs that ended long ago.
    package var sweep = Duration.seconds(3_600)

    package init() {}
}

/// Finds the lives whose rows did not change for a whole lease, by the clock of the observer alone.
///
/// No clock is compared with another one. An observer that was suspended itself has seen nothing meanwhile, so it
/// counts at most two beats between two looks.
struct LifeObserver {
    private struct Sighting {
        var version: UInt64
        var unchanged: Duration
    }

    private var seen: [String: Sighting] = [:]
    private var lastLook: Duration?

    mutating func look(
        at lives: [(id: String, version: UInt64)],
        now: Duration,
        _ timing: RunTiming
    ) -> [(id: String, version: UInt64)] {
        let passed = lastLook.map { min(max(.zero, now - $0), timing.beat * 2) } ?? .zero
        lastLook = now
        var sightings: [String: Sighting] = [:]
        for life in lives {
            let before = seen[life.id]
            let isUnchanged = before?.version == life.version
            let unchanged = isUnchanged ? (before?.unchanged ?? .zero) + passed : .zero
            sightings[life.id] = Sighting(version: life.version, unchanged: unchanged)
        }
        seen = sightings
        return lives.filter { sightings[$0.id].map { $0.unchanged >= timing.lease } ?? false }
    }
}
