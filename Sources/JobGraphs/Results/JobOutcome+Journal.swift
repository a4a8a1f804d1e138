// SPDX-License-Identifier: MIT

import RestEssentials

extension JobOutcome: ComposedResult {
    static var part: Any.Type { Output.self }

    static var isComposed: Bool { true }

    static func encode(_ value: some Any, _ words: (any Error) -> String) throws -> Data? {
        switch try own(value) {
        case .success(let output):
            try Composition("success", [ResultCoding.encode(output, words: words)]).data
        case .failure(let error):
            try Composition("failure", [Data(words(error).utf8)]).data
        case .cancelled: try Composition("cancelled").data
        case .skipped: try Composition("skipped").data
        case .notRun: try Composition("notRun").data
        }
    }

    static func decode(_ data: Data) throws -> Self? {
        guard let composition = try Composition(data) else {
            return nil
        }
        let outcome: Self =
            switch composition.name {
            case "success": .success(try composition.value(Output.self))
            case "failure": .failure(JobGraphError.earlier(composition.parts.first ?? ""))
            case "cancelled": .cancelled
            case "skipped": .skipped
            case "notRun": .notRun
            default: throw composition.invalid
            }
        return outcome
    }
}
