// SPDX-License-Identifier: MIT

import RestEssentials

extension CallOptions {
    /// An option in force for a call, and the levels that set it.
    public struct Explanation: Sendable, Hashable, CustomStringConvertible {
        /// The name of the option.
        public let name: String

        /// The levels from which the value comes, outermost first; more than one only if the option adds up.
        public let levels: [CallOptions.Level]

        /// The value; `nil` when it may be a secret.
        public let value: String?

        /// The environment of the call.
        let environment: EnvironmentOrigin?

        /// A Boolean value that is true if the environment of the call, or a server or an API registered in it, set the
        /// option.
        public var isFromEnvironment: Bool {
            levels.contains { environment?.levels.contains($0) ?? false }
        }

        /// The option in words, as in `timeout: 5.0 seconds (API)` or `timeout: 5.0 seconds (server of 'staging')`.
        public var description: String {
            let origins = levels.map { environment?.text(of: $0) ?? $0.description }
            let origin = "(\(origins.joined(separator: ", ")))"
            return MessageText.of(value.map { "\(name): \($0) \(origin)" } ?? "\(name) \(origin)")
        }
    }
}
