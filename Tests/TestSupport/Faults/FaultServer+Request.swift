// SPDX-License-Identifier: MIT

public import RestClient
import RestEssentials

extension FaultServer {
    /// The head of a request.
    public struct Request: Sendable, Hashable {
        /// The method.
        public let method: String
        /// The path with the query.
        public let path: String
        private let lines: [Substring]

        init(head: String) {
            let lines = head.split(separator: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            method = words.first.map(String.init) ?? ""
            path = words.dropFirst().first.map(String.init) ?? ""
            self.lines = Array(lines.dropFirst())
        }

        /// Returns the value of a header field; `nil` if the request has none.
        ///
        /// - Parameter name: The name; letter case does not matter.
        /// - Returns: The value of the first line with that name.
        public func value(of name: String) -> String? {
            for line in lines {
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                    return String(parts[1].drop { $0 == " " })
                }
            }
            return nil
        }
    }
}

extension FaultServer.Request: MirroredByDescription {
    /// The method and the path, with secrets masked.
    public var description: String { MessageText.of("\(method) \(Redaction.url(path))") }
}
