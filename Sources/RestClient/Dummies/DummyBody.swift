// SPDX-License-Identifier: MIT

import RestEssentials

/// What was read of a request's body, so that it is read once for all dummies that look at it.
struct DummyBody {
    /// Why a body is no JSON.
    struct Defect: Error {
        let reason: String
    }

    private var json: Result<JSONValue, Defect>?

    /// The body as JSON, or why it is none.
    mutating func json(of request: DummyRequest) -> Result<JSONValue, Defect> {
        if let json {
            return json
        }
        let result = Self.parse(request.body)
        json = result
        return result
    }

    private static func parse(_ body: Data?) -> Result<JSONValue, Defect> {
        guard let body, !body.isEmpty else {
            return .failure(Defect(reason: "none, instead of JSON"))
        }
        do {
            return .success(try JSONDecoder().decode(JSONValue.self, from: body))
        } catch {
            return .failure(Defect(reason: "no JSON (\(body.count) bytes)"))
        }
    }
}
