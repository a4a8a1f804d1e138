// SPDX-License-Identifier: MIT

@testable import JobGraphs

/// The rules of the worker pool in the plainest form there is: lists that are searched from end to end.
final class WorkerPoolModel {
    struct Person {
        let number: Int
        var priority = JobPriority.normal
        var server: String?
        var terms = SlotDemand.LimitTerms.waits
        /// Whose slot it may use or, while it works, uses.
        var lender: Int?
    }

    /// Those who are served one after the other: of one lender, one server with a limit (or any other), and one
    /// priority.
    struct Line: Hashable {
        let lender: Int?
        let server: String?
        let priority: JobPriority
    }

    var size: Int
    var limits: [String: Int] = [:]
    /// The servers that have or had a limit.
    var limited: Set<String> = []
    var working: [Person] = []
    /// In the order of arrival.
    var waiting: [Person] = []
    /// How often the head of a line, of that number, was overtaken.
    var overtaken: [Line: (head: Int, count: Int)] = [:]

    init(size: Int) {
        self.size = size
    }

    /// How many slots are taken: borrowers take none.
    var running: Int { working.count { $0.lender == nil } }
    var hasFreeSlot: Bool { size == 0 || running < size }

    /// The server where a person counts.
    func place(of person: Person) -> String? {
        person.terms == .covered ? nil : person.server
    }

    /// Returns true if the limit of its server lets a person begin.
    func hasRoom(_ person: Person) -> Bool {
        guard person.terms == .waits, let server = person.server, let limit = limits[server], limit > 0 else {
            return true
        }
        return working.count { place(of: $0) == server } < limit
    }

    func isLent(_ number: Int) -> Bool {
        working.contains { $0.lender == number }
    }

    func acquire(_ person: Person) -> Bool {
        var person = person
        if let lender = person.lender, !working.contains(where: { $0.number == lender }) {
            person.lender = nil
        }
        if hasFreeSlot, hasRoom(person) {
            person.lender = nil
            working.append(person)
            return true
        }
        if let lender = person.lender, !isLent(lender), hasRoom(person) {
            working.append(person)
            return true
        }
        waiting.append(person)
        return false
    }

    func release(_ number: Int, heir: Int?) -> [Int] {
        guard let index = working.firstIndex(where: { $0.number == number }) else {
            return []
        }
        let gone = working.remove(at: index)
        // Whoever used its slot has what it had.
        for index in working.indices where working[index].lender == number {
            working[index].lender = gone.lender
        }
        // Whoever waited for its slot goes to the end, and waits for the heir's.
        let heirs = waiting.filter { $0.lender == number }
        waiting.removeAll { $0.lender == number }
        waiting += heirs.map { person in
            var person = person
            person.lender = working.contains { $0.number == heir } ? heir : nil
            return person
        }
        return wake()
    }

    func cancel(_ number: Int) {
        waiting.removeAll { $0.number == number }
    }

    func setLimit(_ limit: Int, of server: String) -> [Int] {
        limits[server] = max(0, limit)
        if limit > 0 {
            limited.insert(server)
        }
        return wake()
    }

    func wake() -> [Int] {
        var woken: [Int] = []
        while hasFreeSlot, let next = next(where: { $0.lender == nil }) {
            start(next, &woken)
        }
        while let next = next(where: { $0.lender.map { hasFreeSlot || !isLent($0) } ?? false }) {
            start(next, &woken)
        }
        return woken
    }

    private func line(of person: Person) -> Line {
        let server = person.terms == .waits ? person.server.flatMap { limited.contains($0) ? $0 : nil } : nil
        return Line(lender: person.lender, server: server, priority: person.priority)
    }

    /// The first of each line that could begin, in the order of arrival.
    private func heads(where isAsked: (Person) -> Bool) -> [Person] {
        var seen: Set<Line> = []
        return waiting.filter { seen.insert(line(of: $0)).inserted }.filter { isAsked($0) && hasRoom($0) }
    }

    private func rank(_ person: Person) -> JobPriority {
        let known = overtaken[line(of: person)]
        return known?.head == person.number && (known?.count ?? 0) >= 8 ? .high : person.priority
    }

    /// The head of the highest priority; of several, the one that came first.
    private func next(where isAsked: (Person) -> Bool) -> Person? {
        let heads = heads(where: isAsked)
        let highest = heads.map(rank).max()
        return heads.first { rank($0) == highest }
    }

    private func start(_ person: Person, _ woken: inout [Int]) {
        // Those who came before it and could have begun in its stead were overtaken.
        for head in heads(where: { $0.lender == person.lender }) {
            guard head.number != person.number else {
                break
            }
            let known = overtaken[line(of: head)]
            overtaken[line(of: head)] = (head.number, (known?.head == head.number ? known?.count ?? 0 : 0) + 1)
        }
        waiting.removeAll { $0.number == person.number }
        var person = person
        if hasFreeSlot {
            person.lender = nil
        }
        working.append(person)
        woken.append(person.number)
    }
}
