// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import HTTPTypes
import NIOHTTP1

/// Passes interim responses, which AsyncHTTPClient drops, as header lines of the final response.
///
/// The name of the lines is random in each process, so that no server can forge it.
enum InterimLines {
    /// Limits for the interim responses of one exchange, and for the bytes of each, so that a server cannot exhaust the
    /// memory.
    private static let countLimit = 16
    private static let byteLimit = 8_192

    private static let name = "interim-\(UInt64.random(in: .min ... .max))-\(UInt64.random(in: .min ... .max))"

    static func appending(_ head: HTTPResponseHead, to interim: [InterimResponse]) -> [InterimResponse] {
        guard interim.count < countLimit else {
            return interim
        }
        var fields = HTTPFields()
        var size = 0
        for line in head.headers {
            size += line.name.utf8.count + line.value.utf8.count
            // A line break would split the line; HTTP/1.1 cannot contain one, and HTTP/2 forbids it.
            guard size <= byteLimit, !line.value.utf8.contains(UInt8(ascii: "\n")),
                let name = HTTPField.Name(line.name)
            else {
                continue
            }
            fields.append(HTTPField(name: name, value: line.value))
        }
        let status = HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
        return interim + [InterimResponse(status: status, headers: fields)]
    }

    static func marked(_ head: HTTPResponseHead, with interim: [InterimResponse]) -> HTTPResponseHead {
        var head = head
        for response in interim {
            let lines = ["\(response.status.code)"] + response.headers.map { "\($0.name.rawName): \($0.value)" }
            head.headers.add(name: name, value: lines.joined(separator: "\n"))
        }
        return head
    }

    /// Removes the interim responses from the lines of a final one; costs one comparison if there are none.
    static func take(from lines: inout [ResponseHead.Line]) -> [InterimResponse] {
        var interim: [InterimResponse] = []
        while let last = lines.last, last.name == name {
            lines.removeLast()
            interim.append(response(last.value))
        }
        return interim.reversed()
    }

    private static func response(_ text: String) -> InterimResponse {
        let lines = text.split(separator: "\n")
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            if let mark = line.firstRange(of: ": "), let name = HTTPField.Name(String(line[..<mark.lowerBound])) {
                fields.append(HTTPField(name: name, value: String(line[mark.upperBound...])))
            }
        }
        return InterimResponse(status: .init(code: lines.first.flatMap { Int($0) } ?? 100), headers: fields)
    }
}

#endif
