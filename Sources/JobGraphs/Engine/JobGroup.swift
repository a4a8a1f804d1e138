// SPDX-License-Identifier: MIT

import Synchronization

struct JobGroup: Sendable {
    /// Returns true for failures to which a group does not react.
    typealias ErrorFilter = @Sendable (any Error) -> Bool

    private let engine: GraphEngine
    private let isChain: Bool
    private let member: @Sendable (Int) -> GroupEnding.Member
}

extension JobGroup {
    init(
        members: [any Job],
        host: JobHost,
        id: GroupID? = nil,
        isChain: Bool = false,
        limit: Int? = nil,
        onFailure: FailureReaction,
        ignoring isIgnored: ErrorFilter? = nil
    ) {
        // Local jobs wait for their slots in order; in a chain only one at a time waits.
        let locals = isChain ? [] : members.map { $0 as? any SlottedJob }
        let settings = Self.settings(id, limit, onFailure)
        let isRequest = { (index: Int) in members[index] is any RequestJob }
        let member = { @Sendable (index: Int) in GroupEnding.Member(members[index]) }
        self.init(
            count: members.count,
            host: host,
            isChain: isChain,
            settings: settings,
            ignoring: isIgnored,
            locals: locals,
            isRequest: isRequest,
            member: member
        ) {
            try await Self.run(members[$0], in: $1)
        }
    }

    init<Work: Job>(
        members: [Work],
        host: JobHost,
        id: GroupID? = nil,
        isChain: Bool = false,
        limit: Int? = nil,
        onFailure: FailureReaction,
        ignoring isIgnored: ErrorFilter? = nil
    ) {
        let settings = Self.settings(id, limit, onFailure)
        let member = { @Sendable (index: Int) in GroupEnding.Member(members[index]) }
        let isGuarded = onFailure == .cancel || isIgnored != nil
        if !isChain, !isGuarded, let slotted = Work.self as? any SlottedJob.Type,
            var program = Self.program(of: members, as: slotted)
        {
            program.member = member
            self.init(
                engine: GraphEngine(program, host: host, settings: settings),
                isChain: false,
                member: member
            )
            return
        }
        // Local jobs wait for their slots in order; in a chain only one at a time waits.
        let locals = !isChain && isGuarded ? members.map { $0 as? any SlottedJob } : []
        let sendsRequests = Work.self is any RequestJob.Type
        self.init(
            count: members.count,
            host: host,
            isChain: isChain,
            settings: settings,
            ignoring: isIgnored,
            locals: locals,
            isRequest: { _ in sendsRequests },
            member: member,
            run: { index, surroundings in try await members[index].run(in: surroundings) }
        )
    }

    private static func settings(
        _ id: GroupID?,
        _ limit: Int?,
        _ onFailure: FailureReaction
    ) -> GraphEngine.Settings {
        GraphEngine.Settings(onFailure: onFailure, width: limit.flatMap { $0 > 0 ? $0 : nil } ?? .max, id: id)
    }

    private static func program<Work: SlottedJob>(of members: [some Job], as type: Work.Type) -> GraphProgram? {
        // A cast between two known array types would cast each element.
        let list: Any = members
        return (list as? [Work]).map { GraphProgram(group: $0) }
    }

    private init(
        count: Int,
        host: JobHost,
        isChain: Bool,
        settings: GraphEngine.Settings,
        ignoring isIgnored: ErrorFilter?,
        locals: [(any SlottedJob)?],
        isRequest: (Int) -> Bool,
        member: @escaping @Sendable (Int) -> GroupEnding.Member,
        run: @escaping @Sendable (Int, JobContext) async throws -> any Sendable
    ) {
        @Sendable func guarded(_ work: () async throws -> any Sendable) async throws -> any Sendable {
            do {
                return try await work()
            } catch let error where !(error is CancellationError) && isIgnored?(error) == true {
                throw IgnoredFailure(original: error)
            }
        }
        let chain: JobEdge.Need? = isChain ? (settings.onFailure.goesOn ? .end : .success) : nil
        var program = GraphProgram(group: count, chain: chain, isRequest: isRequest) { context in
            let engine = context.engine
            let previous = isChain && context.index > 0 ? engine.result(of: context.index - 1).outcome : nil
            var surroundings = JobContext(engine.host, groupID: engine.id, previous: PreviousResult(previous))
            surroundings.deadline = context.deadline
            surroundings.note = context.note
            surroundings.runStart = engine.start
            let job = surroundings
            return try await guarded { try await run(context.index, job) }
        }
        program.member = member
        for (index, job) in locals.enumerated() {
            if let job {
                program.makeLocal(index, job) { _ in try await guarded { try await Self.perform(job) } }
            }
        }
        self.init(engine: GraphEngine(program, host: host, settings: settings), isChain: isChain, member: member)
    }

    private func run() async -> [NodeResult] {
        engine.enter()
        defer { engine.leave() }
        engine.announceStart()
        let kind: TracedWork.Kind = isChain ? .chain(count: engine.program.count) : .group(count: engine.program.count)
        let span = engine.spans?.begin(isChain ? "chain" : "group", kind)
        await span.surround { await engine.run() }
        var results = engine.state.withLock(\.records.results)
        if isChain {
            results = results.map { result in
                // A chain that stops omits the remaining steps; no node was skipped for lack of an input.
                if case .skipped = result { .notRun } else { result }
            }
        }
        span?.end(TracedWork.End(engine.state.withLock(\.outcome), firstError))
        engine.emit(.groupFinished(report(of: results)))
        return results
    }

    private func report(of results: [NodeResult]) -> GroupReport<any Sendable> {
        GroupReport(results.map(\.unwrapped.outcome), ending)
    }

    private var ending: GroupEnding {
        let duration = engine.runtime.clock.now() - engine.start
        return engine.state.withLock { state in
            GroupEnding(
                id: engine.id,
                startedAt: engine.startedAt,
                start: engine.start,
                duration: duration,
                outcome: state.outcome,
                times: state.records.times,
                notes: state.records.notes,
                isChain: isChain,
                words: engine.runtime.words,
                member: member
            )
        }
    }

    func results<each Work: Job>(
        of jobs: repeat each Work,
        onEnd: (@Sendable (GroupReport<any Sendable>) -> Void)?
    ) async throws -> (repeat (each Work).Output) {
        let results = await run()
        onEnd?(report(of: results))
        if let firstError {
            throw firstError
        }
        var place = 0
        func result<Member: Job>(of job: Member) throws -> Member.Output {
            defer { place += 1 }
            return try JobOutcome<Member.Output>.of([results[place]])[0].get()
        }
        return (repeat try result(of: each jobs))
    }

    func report<Output: Sendable>(of type: Output.Type) async -> GroupReport<Output> {
        let results = await run()
        return GroupReport(JobOutcome.of(results.map(\.unwrapped)), ending)
    }

    func report() async -> GroupReport<any Sendable> {
        report(of: await run())
    }

    var firstError: (any Error)? {
        engine.state.withLock { state in
            state.machine.firstFailure.map { state.records.results[$0].error ?? CancellationError() }
        }
    }

    private static func run<Work: Job>(_ job: Work, in context: JobContext) async throws -> any Sendable {
        try await job.run(in: context)
    }

    private static func perform<Work: SlottedJob>(_ job: Work) async throws -> any Sendable {
        try await job.perform(after: PreviousResult())
    }
}

extension GroupEnding.Member {
    fileprivate init(_ job: some Job) {
        switch job {
        case let job as any RequestJob: self.init(kind: .request, name: job.label)
        case let job as any SlottedJob: self.init(kind: .local, name: job.name)
        default: self.init(kind: .job, name: "\(type(of: job))")
        }
    }
}

extension NodeResult {
    fileprivate var unwrapped: NodeResult {
        guard case .failure(let error as IgnoredFailure) = self else {
            return self
        }
        return .failure(error.original)
    }
}
