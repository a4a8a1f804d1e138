// SPDX-License-Identifier: MIT

extension PathTemplate {
    /// Expands the placeholders exactly as RFC 6570 specifies: a variable without a value disappears.
    ///
    /// Requests are stricter, see ``RequestNode/parameter(_:_:)``. Null, an empty array and an empty object count as
    /// undefined.
    package func expand(_ values: [String: JSONValue]) throws(RestClientError) -> String {
        do throws(ExpansionDefect) {
            return try expansion(values)
        } catch {
            throw self.error(for: error, unused: []) { _ in false }
        }
    }

    func expandForRequest(
        _ values: [String: JSONValue],
        defaults: [String: JSONValue],
        isMeantForPath: (String) -> Bool = { _ in false }
    ) throws(RestClientError) -> (path: String, used: Set<String>) {
        do throws(ExpansionDefect) {
            return try requestExpansion(values, defaults: defaults)
        } catch {
            throw self.error(for: error, unused: values.keys.filter { !hasVariable($0) }, isMeantForPath)
        }
    }

    /// Returns what to do about a missing value; unused values that may have been meant come first.
    private static func advice(_ name: String, unused: [String], _ isMeantForPath: (String) -> Bool) -> String {
        let near = NearestNames.of(name, among: unused)
        let candidates = (near + unused.filter { isMeantForPath($0) && !near.contains($0) }.sorted()).prefix(3)
        let setting = "set one with .parameter(\"\(name)\", …)"
        guard !candidates.isEmpty else {
            return setting
        }
        let names = candidates.map { "'\($0)'" }.joined(separator: ", ")
        return "the path does not use \(names): use the name '\(name)' if that was meant, or \(setting)"
    }

    private func error(
        for defect: ExpansionDefect,
        unused: [String],
        _ isMeantForPath: (String) -> Bool
    ) -> RestClientError {
        let path = Redaction.url(source)
        return switch defect {
        case .unreadable(let reason):
            RestClientError(.invalidPathTemplate, "the path template '\(path)' cannot be read: \(reason)")
        case .prefixOfList(let name):
            RestClientError(
                .invalidPathTemplate,
                "the path template '\(path)' takes a prefix of '\(name)', whose value is a list or an object"
            )
        case .missing(let name):
            RestClientError(
                .missingPathParameter,
                "the path '\(path)' has no value and no default for '\(name)'; "
                    + Self.advice(name, unused: unused, isMeantForPath)
            )
        case .empty(let names):
            RestClientError(
                .missingPathParameter,
                "the value for '\(names)' in the path '\(path)' is empty, which would drop a segment; "
                    + "make it optional with the default \"\" instead"
            )
        case .dotSegment(let segment, let names):
            RestClientError(
                .invalidPathParameter,
                "the value for '\(names)' in the path '\(path)' results in the dot segment '\(segment)', "
                    + "which would lead to another path"
            )
        }
    }
}
