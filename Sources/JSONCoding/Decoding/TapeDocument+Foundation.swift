// SPDX-License-Identifier: MIT

internal import RestEssentials

extension TapeDocument {
    func date(at decoder: ValueDecoder, owner: Int) throws -> Date {
        let word = decoder.word
        guard !word.isNull else {
            throw absent(Date.self) { decoder.codingPath }
        }
        switch options.dates {
        case .deferred:
            return try Date(from: decoder)
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try double(word) { decoder.codingPath })
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try double(word) { decoder.codingPath } / 1000)
        case .iso8601:
            if word.isPlainString, let date = unsafe InternetDate.date(bytes(word)) {
                return date
            }
            let text = try string(word) { decoder.codingPath }
            guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
                // Like Foundation, give the path of the value that contains the date, not that of the date.
                throw corrupted(
                    "Expected date string to be ISO8601-formatted.",
                    owner == decoder.index ? decoder.codingPath : codingPath(of: owner)
                )
            }
            return date
        case .custom(let decode):
            return try decode(decoder)
        }
    }

    func data(at decoder: ValueDecoder) throws -> Data {
        let word = decoder.word
        guard !word.isNull else {
            throw absent(Data.self) { decoder.codingPath }
        }
        switch options.data {
        case .deferredToData:
            return try Data(from: decoder)
        case .base64:
            guard let data = Data(base64Encoded: try string(word) { decoder.codingPath }) else {
                throw corrupted("Encountered Data is not valid Base64.", decoder.codingPath)
            }
            return data
        case .custom(let decode):
            return try decode(decoder)
        }
    }

    func url(at decoder: ValueDecoder) throws -> URL {
        guard !decoder.word.isNull else {
            throw absent(URL.self) { decoder.codingPath }
        }
        guard let url = URL(string: try string(decoder.word) { decoder.codingPath }) else {
            throw corrupted("Invalid URL string.", decoder.codingPath)
        }
        return url
    }

    func decimal(at decoder: ValueDecoder) throws -> Decimal {
        let word = decoder.word
        guard !word.isNull else {
            throw absent(Decimal.self) { decoder.codingPath }
        }
        guard isNumber(word) else {
            throw DecodingError.typeMismatch(Decimal.self, .init(codingPath: decoder.codingPath, debugDescription: ""))
        }
        return try Decimal(string: string(word)) ?? foundationNumber(word)
    }
}
