// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

extension CallRunner {
    /// Starts a call from synchronous code: it is running from now on, although its task begins later.
    func start<Model>(
        _ node: RequestNode<Model>,
        priority: TaskPriority?,
        _ operation: @escaping @Sendable (CallBeginning) async -> Void
    ) -> RequestCall {
        let beginning = announce(node, nil)
        let call = RequestCall(priority: priority) { [core] in
            await operation(beginning)
            core.calls.close(beginning.id)
        }
        core.calls.attach(call, to: beginning.id)
        return call
    }

    /// Begins a call, and lists it among the running calls until it is closed.
    func announce<Model>(_ node: RequestNode<Model>, _ groupID: GroupID?) -> CallBeginning {
        let specification = node.specification
        let environment = EnvironmentScope.innermost(for: core.registries)
        let beginning = begin(groupID, isAnnounced: true)
        core.calls.announce(beginning.id) { [core] in
            let registries = core.registries.snapshot(in: environment)
            let call = Self.announcement(of: specification, beginning, registries)
            return RunningCall(model: Model.self, source: .announced(call))
        }
        return beginning
    }

    func begin(_ groupID: GroupID?, isAnnounced: Bool = false) -> CallBeginning {
        var beginning = CallBeginning(id: .next(), groupID: groupID, start: core.clock.now())
        beginning.isAnnounced = isAnnounced
        return beginning
    }

    /// Describes a call by its node and the registries; its path is not expanded, and its body not encoded.
    private static func announcement(
        of specification: RequestSpecification,
        _ beginning: CallBeginning,
        _ registries: RegistrySnapshot
    ) -> RunningCall.Announcement {
        let target = try? TargetResolver.resolve(specification.target, in: registries)
        let levels = target.map { registries.options(for: $0).overlaid(with: specification.options) }
        let options = levels ?? specification.options
        let unresolved = RequestSummary(of: specification)
        let summary = RequestSummary(
            method: specification.method ?? target?.api?.value.method ?? unresolved.method,
            url: unresolved.url,
            api: unresolved.api,
            server: target?.serverAlias ?? unresolved.server,
            template: target?.template.map { Redaction.url($0.source) } ?? unresolved.template,
            callIdentifier: options[.callIdentifier],
            isMuted: options[.isMuted] ?? false
        )
        return RunningCall.Announcement(
            id: beginning.id,
            groupID: beginning.groupID,
            summary: summary,
            api: specification.target.api,
            server: target?.serverAlias,
            options: options
        )
    }
}
