// SPDX-License-Identifier: MIT

public import RestClient

extension RestClientManager {
    /// Returns the dummies that can never respond, that respond only by the order of registration, or that name an
    /// alias which is not registered.
    ///
    /// ```swift
    /// #expect(manager.lintDummies().isEmpty)
    /// ```
    ///
    /// - Returns: The issues, in the order of the dummies' registration.
    public func lintDummies() -> [LintIssue] {
        let lint = DummyLint(
            context: DummyContext(directory: dummyDirectory),
            servers: Set(servers.all.keys.map(\.rawValue)),
            apis: Set(apis.all.keys)
        )
        return lint.issues(of: dummies.all)
    }
}
