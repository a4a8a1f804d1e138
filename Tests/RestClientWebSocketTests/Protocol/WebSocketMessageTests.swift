// SPDX-License-Identifier: MIT

import RestClientWebSocket
import RestEssentials
import Testing

@Suite
struct WebSocketMessageTests {
    @Test(arguments: [
        (WebSocketMessage.text("hi"), #"{"text":"hi"}"#), ("", #"{"text":""}"#),
        (.binary(Data([0, 1])), #"{"binary":"AAE="}"#),
    ])
    func `a message is an object with its text or its bytes`(message: WebSocketMessage, json: String) throws {
        #expect(try String(decoding: JSONEncoder().encode(message), as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(WebSocketMessage.self, from: Data(json.utf8)) == message)
    }

    @Test(arguments: ["{}", #"{"binary":1}"#, #"{"binary":"%"}"#, #"{"text":1}"#])
    func `an object without text and bytes is no message`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(WebSocketMessage.self, from: Data(json.utf8))
        }
    }

    @Test
    func `a message gives its text and its bytes, and describes itself without them`() {
        let (text, bytes) = (WebSocketMessage.text("sécret"), WebSocketMessage.binary(Data([0xFF, 0x00])))

        #expect(text.text == "sécret")
        #expect(text.bytes == Data("sécret".utf8))
        #expect(bytes.text == nil)
        #expect(WebSocketMessage.binary(Data("a".utf8)).text == "a")
        #expect("\(text), \(bytes)" == "text of 7 bytes, binary of 2 bytes")
    }
}
