// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A line of output: what came of one request.
struct WireAnswer: Encodable {
    private enum Outcome {
        case response(Response<Data>)
        case error(String)
    }

    private enum CodingKeys: CodingKey {
        case id, status, headers, body, body64, interim, error
    }

    private let id: Int?
    private let outcome: Outcome

    init(to id: Int?, _ response: Response<Data>) {
        self.id = id
        outcome = .response(response)
    }

    init(to id: Int?, failing error: any Error) {
        self.id = id
        outcome = .error(String(describing: error))
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        switch outcome {
        case .response(let response):
            try fields.encode(response.status.code, forKey: .status)
            try fields.encode(response.headers.map { [$0.name.rawName, $0.value] }, forKey: .headers)
            try fields.encodeIfPresent(String(validating: response.body, as: UTF8.self), forKey: .body)
            try fields.encode(response.body.base64EncodedString(), forKey: .body64)
            try fields.encode(response.raw.interimResponses.map(Interim.init), forKey: .interim)
        case .error(let text):
            try fields.encode(text, forKey: .error)
        }
    }

    /// An interim response: its status, and its header fields by name.
    private struct Interim: Encodable {
        let response: InterimResponse

        func encode(to encoder: any Encoder) throws {
            var pair = encoder.unkeyedContainer()
            try pair.encode(response.status.code)
            try pair.encode(
                Dictionary(response.headers.map { ($0.name.rawName, $0.value) }) { "\($0), \($1)" }
            )
        }
    }

    /// The response as a line of JSON.
    func line() -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let bytes = (try? encoder.encode(self)) ?? Data("{\"error\":\"the response cannot be written as JSON\"}".utf8)
        return bytes + Data("\n".utf8)
    }
}
