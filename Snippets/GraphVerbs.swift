// SPDX-License-Identifier: MIT

// Each method of a graph with as many inputs as it takes, for the compiler: a closure has one parameter for each handle
// that is named in 'after:', in their order.

// snippet.hide
import JobGraphs

struct Failed: Error {}

struct Double: Job {
    let number: Int

    func run(in context: JobContext) async throws -> Int { number * 2 }
}

func measure() async throws {
    // snippet.show
    var graph = JobGraph("verbs")
    let one = graph.input("one", 1)
    let two = graph.local("two") { 2 }
    let three = graph.local("three", after: one, two) { one, two in one + two }
    let four = graph.local("four", after: one, two, three) { one, two, three async throws in one * two * three - two }

    let doubled = graph.job("doubled") { Double(number: 1) }
    let again = graph.job("again", after: doubled) { number in Double(number: number) }
    let sum = graph.job("sum", after: doubled, again) { doubled, again in Double(number: doubled + again) }
    graph.job("all", after: one, two, sum) { one, two, sum in Double(number: one + two + sum) }

    // A closure that makes a job, or does the work.
    let numbers = graph.local("numbers", after: four) { four in Array(0..<four) }
    graph.forEach("jobs", in: numbers, limit: 2) { number in Double(number: number) }
    graph.forEach("jobs with one", in: numbers, after: one) { number, one in Double(number: number + one) }
    graph.forEach("work", in: numbers, onFailure: .ignore) { number in
        guard number > 1 else {
            throw Failed()
        }
        return "\(number)"
    }
    graph.forEach("work with both", in: numbers, after: one, two) { number, one, two in number + one + two }
    graph.forEachOutcome("outcomes", in: numbers) { number in Double(number: number) }
    graph.forEachGraph("graphs", in: numbers, after: one) { inner, number, one in
        let sum = inner.local("sum") { number + one }
        return inner.job("double", after: sum) { sum in Double(number: sum) }
    }

    let risky = graph.local("risky") { () throws -> Int in throw Failed() }
    graph.fallback("work instead", for: risky) { _ in 0 }
    graph.fallback("a job instead", for: risky, after: one) { _, one in Double(number: one) }
    graph.undo("forget", of: two) { two in print("forgets \(two)") }
    graph.undo("forget by a job", of: three, after: one) { three, one in Double(number: three - one) }
    // snippet.hide
    let run = try await JobRuntime().run(graph)
    print(run)
}

try await measure()
