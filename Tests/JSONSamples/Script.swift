// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Synchronization

/// The steps of a scripted model, decided by a seed, and what came of them.
package final class Script: Sendable {
    private struct State {
        var generator: SeededGenerator
        var transcript: [String] = []
        var budget = 120
    }

    private let state: Mutex<State>
    /// A Boolean value that tells whether the decoder converts keys, but not those of dictionaries from strings.
    let hasKeyStrategy: Bool

    package init(seed: UInt64, hasKeyStrategy: Bool = false) {
        self.hasKeyStrategy = hasKeyStrategy
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    package var transcript: [String] { state.withLock(\.transcript) }

    func note(_ text: String) {
        state.withLock { $0.transcript.append(text) }
    }

    /// Returns a random number below a limit.
    func random(_ limit: Int) -> Int {
        state.withLock { Int.random(in: 0..<limit, using: &$0.generator) }
    }

    func chance(_ part: Int, of whole: Int) -> Bool { random(whole) < part }

    func number() -> String {
        state.withLock { RandomNumbers.text(using: &$0.generator) }
    }

    func double() -> Double {
        state.withLock { RandomNumbers.finite(using: &$0.generator) }
    }

    /// Takes a step, unless there were enough.
    func step() -> Bool {
        state.withLock {
            $0.budget -= 1
            return $0.budget > 0
        }
    }

    /// Notes a result, or the error; passes some of the errors on.
    func attempt<Value>(_ name: String, passesOn: Bool = true, _ work: () throws -> Value) throws {
        do {
            note("\(name) = \(text(try work()))")
        } catch {
            note("\(name): \(ErrorText.describe(error))")
            if passesOn, chance(1, of: 6) {
                throw error
            }
        }
    }

    /// The parts of a value; `String(reflecting:)` traps on some dates.
    private func text(_ value: Any) -> String {
        switch value {
        case let value as Double: "double \(value.isNaN ? "nan" : String(value.bitPattern))"
        case let value as Float: "float \(value.isNaN ? "nan" : String(value.bitPattern))"
        case let value as Date: "date \(text(value.timeIntervalSinceReferenceDate))"
        case let value as Data: "data \(Array(value))"
        case let value as [Any]: "[\(value.map { text($0) })]"
        default: parts(value)
        }
    }

    private func parts(_ value: Any) -> String {
        guard value is Date? || value is SampleCase else {
            return String(reflecting: value)
        }
        return Mirror(reflecting: value).children.map { "\($0.label ?? ""): \(text($0.value))" }.joined(separator: ", ")
    }
}
