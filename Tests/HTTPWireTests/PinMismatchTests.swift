// SPDX-License-Identifier: MIT

import NIOSSL
import RestEssentials
import Testing

@testable import HTTPWire

@Suite
struct PinMismatchTests {
    /// A certificate for `localhost`, made with openssl, and the pin that openssl makes of its key.
    private static let certificate = """
        MIIBlTCCATugAwIBAgIUH8BbUsRZFfAQgZNI/hFpP6jK6zkwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2\
        MTEyMjIxMzQwOFoYDzIxMjYxMDI5MjEzNDA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
        AATB0ywruv3ze+g+Zy+eDwQN4oZ4euuPuOTSsyR55jQozhHk0xe9nhTrM6ZH35efSNkOBl4feUzKXdz87NT7xYYEo2kwZzAdBgNV\
        HQ4EFgQUNwPUqNNPWmeY+8JgyzOS+TNdZw4wHwYDVR0jBBgwFoAUNwPUqNNPWmeY+8JgyzOS+TNdZw4wDwYDVR0TAQH/BAUwAwEB\
        /zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDSAAwRQIhAL2JuqJuTGZuEqx50/Ni4vZ4jQaokP8MttHvtajt45WF\
        AiAWvuQZEZOEL5zCBjR3Zqud9zkXxEFYmF5zLZzuydi6ng==
        """

    @Test
    func `a pin is what openssl makes of the key`() throws {
        let bytes = Array(try #require(Data(base64Encoded: Self.certificate)))
        let pin = PinMismatch.pin(of: try NIOSSLCertificate(bytes: bytes, format: .der))

        #expect(pin == "sha256/VuaLwVS/KibPBaS960Q9A4M8Q/l8Woatw4Qdsz9U1qQ=")
    }

    @Test
    func `a mismatch names the pins and the key`() {
        let mismatch = PinMismatch(expected: ["sha256/b", "sha256/a"], actual: "sha256/c")

        #expect(mismatch.description == "its key is sha256/c, and only sha256/a, sha256/b are pinned")
        #expect(PinMismatch(expected: ["sha256/a"], actual: nil).description.contains("cannot be seen"))
    }
}
