// SPDX-License-Identifier: MIT

public import HTTPTypes

extension CallConfigurable {
    /// Tells the server, in a header field, how many seconds the call will still wait.
    ///
    /// No such field is sent when no level sets one. The field is computed for each attempt when it is sent, as in
    /// `Request-Timeout: 2.750`. A call without a ``timeout(_:)`` sends none. Calls of groups and graphs send the time
    /// that their own limit, that of their node and that of their run leave. A request that equal calls may share, as
    /// calls with a cache do, ends for none of them, and has no such field.
    ///
    /// - Parameter name: The name of the field.
    /// - Returns: A changed copy.
    public consuming func deadlineField(_ name: HTTPField.Name) -> Self {
        option(.deadlineField, name)
    }
}

extension CallOptionKey<HTTPField.Name> {
    static var deadlineField: Self {
        Self("deadline field", comparison: .byValue, needs: .deadlineField) { $0.rawName }
    }
}
