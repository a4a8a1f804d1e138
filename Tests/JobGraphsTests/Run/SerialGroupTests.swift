// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct SerialGroupTests {
    private let log = JobEventLog()
    private let runtime: JobRuntime

    init() {
        runtime = JobRuntime(observer: log)
    }

    @Test
    func `an empty chain ends at once`() async {
        let report = await runtime.serially([])
        #expect(report.outcomes.isEmpty)
        #expect(report.isSuccess)
        #expect(log.lines == ["groupStarted 0", "groupFinished"])
    }

    @Test
    func `the first step has nothing before it`() async {
        let first = LocalJob("first") { previous in
            #expect(previous.outcome == nil)
            return try previous.value(as: Int.self)
        }
        let report = await runtime.serially([first])
        let error = report[0].error as? JobGraphError
        #expect(error?.code == .missingPreviousResult)
        #expect(error?.message.contains("there is none") == true)
    }

    @Test
    func `an empty tuple ends at once`() async throws {
        try await runtime.serially()
    }
}
