// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

/// RFC 9530, with its examples.
@Suite
struct DigestFieldTests {
    private let short = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
    private let long =
        "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="

    private func text(_ digest: DigestField?) -> String? {
        digest.map { "\($0.algorithm.rawValue) \($0.value.base64EncodedString())" }
    }

    @Test
    func `the strongest of several is taken`() {
        let lines = ["sha-256=:\(short):, sha-512=:\(long):"]

        #expect(text(DigestField.strongest(in: lines)) == "sha-512 \(long)")
        #expect(text(DigestField.strongest(in: ["sha-256=:\(short):"])) == "sha-256 \(short)")
        #expect(text(DigestField.strongest(in: ["sha-512=:\(long):", "sha-256=:\(short):"])) == "sha-512 \(long)")
    }

    @Test
    func `parameters, white space and other members do not disturb`() {
        let lines = [
            "md5=:Sd/dVLAcvNLSq16eXua5uQ==:, flag, note=\"a,sha-256=1\",\tsha-256=:\(short):;x=1;y=\"z\" , n=5"
        ]

        #expect(text(DigestField.strongest(in: lines)) == "sha-256 \(short)")
    }

    @Test
    func `padding may be left out, and the last of equal members counts`() {
        let bare = short.filter { $0 != "=" }

        #expect(text(DigestField.strongest(in: ["sha-256=:\(bare):"])) == "sha-256 \(short)")
        #expect(text(DigestField.strongest(in: ["sha-256=:AAAA:, sha-256=:\(short):"])) == "sha-256 \(short)")
    }

    @Test(arguments: [
        "", "sha-256", "sha-256=1", "sha-256=::", "sha-256=:AAAA:", "sha-256=:****:", "sha-256=:",
        "md5=:Sd/dVLAcvNLSq16eXua5uQ==:", "sha=:AAAAAAAAAAAAAAAAAAAAAAAAAAA=:", "unixsum=:AAA=:",
    ])
    func `a digest that is weak, malformed or of a wrong length is none`(value: String) {
        #expect(DigestField.strongest(in: [value]) == nil)
    }

    @Test
    func `names in upper case and values without colons are none`() {
        #expect(DigestField.strongest(in: ["SHA-256=:\(short):"]) == nil)
        #expect(DigestField.strongest(in: ["sha-256=\(short)"]) == nil)
    }

    @Test
    func `a digest that cannot be used does not hide a weaker one that can`() {
        #expect(text(DigestField.strongest(in: ["sha-512=:AAAA:, sha-256=:\(short):"])) == "sha-256 \(short)")
    }
}
