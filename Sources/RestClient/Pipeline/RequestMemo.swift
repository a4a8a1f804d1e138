// SPDX-License-Identifier: MIT

import Synchronization

/// Remembers the requests that nodes describe: a program sends equal nodes again and again, and making their request is
/// a pure function of node and registries.
///
/// What is remembered holds for one snapshot of the registries; any change of them makes another snapshot, and all is
/// forgotten. A call in surroundings of its own, such as a scope of dummies, is neither remembered nor served.
final class RequestMemo: Sendable {
    /// How many requests are remembered before the older half is forgotten.
    static let limit = 2_048

    private final class Entry: Sendable {
        let description: RequestDescription
        let request: SettledRequest

        init(_ description: RequestDescription, _ request: SettledRequest) {
            self.description = description
            self.request = request
        }
    }

    private struct State {
        var registries: RegistrySnapshot?
        /// The requests by the hash of their description, those that were used of late and those before them.
        ///
        /// Requests of one hash take turns.
        var recent: [Int: Entry] = [:]
        var older: [Int: Entry] = [:]

        /// Returns the entry of a hash, which counts as used.
        mutating func entry(_ hash: Int, _ snapshot: RegistrySnapshot) -> Entry? {
            guard registries === snapshot else {
                return nil
            }
            if let entry = recent[hash] {
                return entry
            }
            guard let entry = older[hash] else {
                return nil
            }
            insert(entry, hash)
            return entry
        }

        mutating func insert(_ entry: Entry, _ hash: Int) {
            if recent.count >= RequestMemo.limit / 2 {
                older = recent
                recent = [:]
            }
            recent[hash] = entry
        }
    }

    private let state = Mutex(State())

    /// Returns the request that a node describes.
    ///
    /// - Parameters:
    ///   - specification: The node.
    ///   - registries: The registries that the call sees.
    ///   - surroundings: The surroundings of the call.
    /// - Returns: The request, and true if an equal node described it before.
    /// - Throws: The defect of the node or the registries, which is not remembered.
    func request(
        _ specification: RequestSpecification,
        _ registries: RegistrySnapshot,
        _ surroundings: CallSurroundings
    ) throws -> (request: SettledRequest, isKnown: Bool) {
        let builder = RequestBuilder(registries: registries, surroundings: surroundings)
        guard surroundings.arePlain, let description = RequestDescription(specification) else {
            return (try builder.build(specification), false)
        }
        let hash = description.hash
        if let entry = state.withLock({ $0.entry(hash, registries) }), entry.description.isEqual(to: description),
            entry.request.isCurrent
        {
            return (entry.request, true)
        }
        let request = try builder.build(specification)
        guard request.isRepeatable else {
            return (request, false)
        }
        let entry = Entry(description, request)
        state.withLock { state in
            if state.registries !== registries {
                state = State(registries: registries)
            }
            state.insert(entry, hash)
        }
        return (request, false)
    }
}

extension SettledRequest {
    /// True if another call can use the request: nothing in it was made for one call alone.
    fileprivate var isRepeatable: Bool { body == nil && call.policy.pass == nil && call.policy.dummies == nil }

    /// True if the dogma, which is the user's code, still asks for the same media type.
    fileprivate var isCurrent: Bool { coding.dogma.acceptedContentType == acceptedContentType }
}
