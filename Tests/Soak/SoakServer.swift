// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization
import TestSupport

/// The server of the soak: a tenth of its responses is broken, its tokens live for two seconds, and it counts each
/// unsafe request that it acted on.
final class SoakServer: Sendable {
    private struct State {
        var generator: SplitMix64
        var lastToken = 0
        var issued: [String: ContinuousClock.Instant] = [:]
        /// How often the server acted on each order.
        var orders: [String: Int] = [:]
        /// How often each order came in, whatever became of it.
        var received: [String: Int] = [:]
        var requests = 0
        var faults = 0
    }

    private let state: Mutex<State>

    private init(seed: UInt64) {
        state = Mutex(State(generator: SplitMix64(seed: seed)))
    }

    static func serve(addressFile: String, seed: UInt64) async throws {
        let soak = SoakServer(seed: seed)
        let server = try await FaultServer.start()
        server.onRequest { soak.respond(to: $0) }
        try Data(server.url.utf8).write(to: URL(filePath: addressFile), options: .atomic)
        try await Soak.clock.sleep(for: .seconds(86_400))
        await server.stop()
    }

    private func respond(to request: FaultServer.Request) -> FaultServer.Fault? {
        state.withLock { state in
            state.requests += 1
            let path = request.path
            if path.hasPrefix("/report/") {
                return Self.report(of: String(path.dropFirst("/report/".count)), state)
            }
            if path == "/token" {
                return Self.token(&state)
            }
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count == 2 else {
                return Self.response("404 Not Found", "{}")
            }
            if request.method == "POST" {
                state.received[parts[1], default: 0] += 1
            }
            if parts[0] != "cached", !Self.isValid(request.value(of: "authorization"), state) {
                return Self.response("401 Unauthorized", "{}", ["WWW-Authenticate: Bearer"])
            }
            let isFaulty = Int.random(in: 0..<10, using: &state.generator) == 0
            state.faults += isFaulty ? 1 : 0
            let fault = isFaulty ? Self.fault(parts[1], &state.generator) : nil
            if request.method == "POST", fault?.isRefusal != true {
                state.orders[parts[1], default: 0] += 1
            }
            if let fault {
                return fault.fault
            }
            if parts[0] == "cached" {
                let tag = "\"\(parts[1])\""
                let fields = ["Cache-Control: max-age=1", "ETag: \(tag)"]
                return request.value(of: "if-none-match") == tag
                    ? Self.response("304 Not Modified", nil, fields)
                    : Self.response("200 OK", Self.body(parts[1]), fields)
            }
            return Self.response("200 OK", Self.body(parts[1]), ["Cache-Control: no-store"])
        }
    }

    // MARK: - Tokens

    private static func token(_ state: inout State) -> FaultServer.Fault {
        if Int.random(in: 0..<50, using: &state.generator) == 0 {
            return response("503 Service Unavailable", "{}")
        }
        state.lastToken += 1
        let token = "token-\(state.lastToken)"
        let now = ContinuousClock.now
        state.issued = state.issued.filter { now - $0.value < .seconds(10) }
        state.issued[token] = now
        return response("200 OK", #"{"access_token": "\#(token)", "expires_in": 2}"#)
    }

    private static func isValid(_ authorization: String?, _ state: State) -> Bool {
        guard let token = authorization?.split(separator: " ").last, let issued = state.issued[String(token)] else {
            return false
        }
        return ContinuousClock.now - issued < .seconds(2)
    }

    // MARK: - Responses

    private static func report(of name: String, _ state: State) -> FaultServer.Fault {
        func own(_ counts: [String: Int]) -> String {
            let own = counts.filter { $0.key.hasPrefix(name + "-") }
            return "{" + own.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
        }
        return response(
            "200 OK",
            "{\"orders\": \(own(state.orders)), \"received\": \(own(state.received)), "
                + "\"requests\": \(state.requests), \"faults\": \(state.faults)}"
        )
    }

    private static func body(_ name: String) -> String { "{\"name\": \"\(name)\"}" }

    private static func text(_ status: String, _ body: String?, _ fields: [String]) -> String {
        let length = body.map { ["Content-Type: application/json", "Content-Length: \($0.utf8.count)"] } ?? []
        return "HTTP/1.1 \(status)\r\n" + (fields + length).map { $0 + "\r\n" }.joined() + "\r\n" + (body ?? "")
    }

    private static func response(_ status: String, _ body: String?, _ fields: [String] = []) -> FaultServer.Fault {
        FaultServer.Fault("response", [.send(text(status, body, fields))])
    }

    /// Returns one of the ways in which a request goes wrong, and whether the server refuses it without acting on it.
    private static func fault(
        _ name: String,
        _ generator: inout SplitMix64
    ) -> (fault: FaultServer.Fault, isRefusal: Bool) {
        let whole = text("200 OK", body(name), ["Cache-Control: no-store"])
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return (.cutBeforeHead, false)
        case 1: return (.cutInHead, false)
        case 2: return (.cutInBody, false)
        case 3: return (.resetInBody, false)
        case 4: return (.wordAsChunkSize, false)
        case 5: return (.garbageLine, false)
        case 6: return (response("500 Internal Server Error", "{}"), false)
        case 7: return (response("503 Service Unavailable", "{}", ["Retry-After: 0"]), true)
        case 8: return (response("429 Too Many Requests", "{}", ["Retry-After: 0"]), true)
        case 9: return (FaultServer.Fault("late", [.pause(.milliseconds(50)), .send(whole)]), false)
        case 10: return (FaultServer.Fault("surplus", [.send(whole + "HTTP/1.1 200 OK\r\n\r\nevil")]), false)
        default:
            let (first, second) = (String(whole.prefix(30)), String(whole.dropFirst(30)))
            return (FaultServer.Fault("in two parts", [.send(first), .pause(.milliseconds(5)), .send(second)]), false)
        }
    }
}
