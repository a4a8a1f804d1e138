// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import HTTPWire

@Suite
struct CertificateDefectTests {
    /// Certificates for `localhost`, made with openssl.
    private static let rsa = """
        MIIDITCCAgmgAwIBAgIUFbFwwpftzYp298hNdQywJUkjPu4wDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAX\
        DTI2MTEyMjIxMzQwN1oYDzIxMjYxMDI5MjEzNDA3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEBAQUAA4IB\
        DwAwggEKAoIBAQDSKqKL0YVvTDOa06gXpjOcjCdbtWpt5qYa/obzdgvBn0X1jZEoOTpiwBGH7mI6+jeS1BQblZ8e/hzaAMIrpac0\
        JjoKtQCiLFHArccxEjr1lJ466QYzOdcLXS0nq44HxhHe5FU4qH+amWm+cL0YAqIyui2cdd8yh0Y7yGtLwE42e2FEZLMnFIHF+Xz5\
        tZTCxBInCg/bq9gH55sv/5GjNTv7HYYmJCGJ6eRIhGdlrRlNAqNMUPXFZKSeBK1iIQ28I7AfLj0ygLGSiLRuzfm9Zrrv8ZG7Mpkg\
        +3OxZhOwZchye3X8YlAksuTRJMHvz52IIAQ8Tat4rPakCNClIoeqOof3AgMBAAGjaTBnMB0GA1UdDgQWBBRYzRAxVV86JM7hS6rO\
        /09mBmU81jAfBgNVHSMEGDAWgBRYzRAxVV86JM7hS6rO/09mBmU81jAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2Fs\
        aG9zdDANBgkqhkiG9w0BAQsFAAOCAQEAzpOqf2lJxi/WPqNwNcJOedxRcLKuYhc8at/O3Q0mXLEpSNTcySDDRQ2q3rQiS6EzSQk/\
        pUeeXs1I7Uynna7jDJIEwgbH6GXUjQCweSKOVvYdHYncA8T32oNPQ2/lznh+8zQMx033PfLT/yaOYAkVPCX9JppEEnDT0jCzFjGo\
        13BnGvt2+CS8tFqwmLq8WCzJrQBHi8ISkKWNQHks6D+2Td9GJ9QMsZAM4lXRkRgMYoVXBEsbUq1iD1oIyH8nhq61pKUMqtSL7PGG\
        PLFB0FTHSKK3zcVMyiwJAAIFAQVidN4o4KUZrJm77tabYxNSOlTNEvJXkxkwR5e9pkrw2DA6hw==
        """
    private static let ecdsa = """
        MIIBlTCCATugAwIBAgIUH8BbUsRZFfAQgZNI/hFpP6jK6zkwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2\
        MTEyMjIxMzQwOFoYDzIxMjYxMDI5MjEzNDA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
        AATB0ywruv3ze+g+Zy+eDwQN4oZ4euuPuOTSsyR55jQozhHk0xe9nhTrM6ZH35efSNkOBl4feUzKXdz87NT7xYYEo2kwZzAdBgNV\
        HQ4EFgQUNwPUqNNPWmeY+8JgyzOS+TNdZw4wHwYDVR0jBBgwFoAUNwPUqNNPWmeY+8JgyzOS+TNdZw4wDwYDVR0TAQH/BAUwAwEB\
        /zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDSAAwRQIhAL2JuqJuTGZuEqx50/Ni4vZ4jQaokP8MttHvtajt45WF\
        AiAWvuQZEZOEL5zCBjR3Zqud9zkXxEFYmF5zLZzuydi6ng==
        """
    private static let smallKey = """
        MIICHDCCAYWgAwIBAgIUAzkg3XqfKPFmxC1xQ65r9hPM+HAwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAX\
        DTI2MTEyMjIxMzQwN1oYDzIxMjYxMDI5MjEzNDA3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwgZ8wDQYJKoZIhvcNAQEBBQADgY0A\
        MIGJAoGBAO3vRleSA2rUDdtKgBkXdff2JGGoVvucC62hGy6Iv5y9eqw3ZBBJElXyHUofpLPugQt7x7hiiAgh0u6yZB0hm0/A2x43\
        935vaY1pfmZU+MPbfnUwi+YFHh/yJEAr8eLYZoRVT1fHhvOU0RrU322VLBIeLz6kQ4fVAGL0MkXGVVKLAgMBAAGjaTBnMB0GA1Ud\
        DgQWBBRzEtRVpk84tjsycBoreZ71o9W2UjAfBgNVHSMEGDAWgBRzEtRVpk84tjsycBoreZ71o9W2UjAPBgNVHRMBAf8EBTADAQH/\
        MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDANBgkqhkiG9w0BAQsFAAOBgQDDk5gr/S98CHYFeSZIRZDRPh6mN/XRpFde//Gw7ceEo2aB\
        8Y8n9rg6COdKDfufetfrGWUdBsj+rqlYFeIu83jpj2f7V3XiP5P1toDjixPqUGgNY8088pQDQD4xRr52oveJYsx34hsEEFhNENH7\
        KMtgkHL2H1Ihy/Fq/6YnCWhadw==
        """
    private static let sha1 = """
        MIIDITCCAgmgAwIBAgIUeExPUEQX5mOtKq6FnOcm/EDEkcMwDQYJKoZIhvcNAQEFBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAX\
        DTI2MTEyMjIxMzQwOFoYDzIxMjYxMDI5MjEzNDA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEBAQUAA4IB\
        DwAwggEKAoIBAQDIVrPcCDJ1TwyghJEOGGrjNwCPOR59N9XeT1X1D5EVIqD0q2oqwUstLFHf+vwaCe4smTplrwolxf4mpSgVaPyM\
        wVXoRcGAEC9bEHvmu0Ee7HeLBiMQMruRm81kM7IXgvLugE3GdTgVMrd0ApwOHu74/hCJTKLP8A2ThJVQE5iuY0fuFROlZkH6wxu2\
        hVD8uggc69ZukdnADdIrhZvL8Cjh68adnxo+9LrAV7cCPVoHWEuuD0yyyLtcBlriXkBTxj81G0b7IICMTnYjnRYn8WD8T0CM5jZx\
        cShXCsBtpMTIk0ww4zoDtgB+qR/ph/xY0f4Os3tgCJF4VjG0gUVMjFSZAgMBAAGjaTBnMB0GA1UdDgQWBBSLB9RD5UyNQ0xMPjje\
        q5u4mVQjkDAfBgNVHSMEGDAWgBSLB9RD5UyNQ0xMPjjeq5u4mVQjkDAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2Fs\
        aG9zdDANBgkqhkiG9w0BAQUFAAOCAQEAJISb1Iy4lSOfgHQsW1bnhoINs87DWGmJV9jcjW5ePzCE+vh+MItudgzvpsiiZ67P/VD6\
        73te9pWv9sFvzm8ezJ97JRXiS7nlvrt38UmBQiv0Fij22sMtwxnIGI+Z6ndVfFFOpdEbrMRh1b+VqgYAL+g77WusWZV2ObbN8Kok\
        XHUxR6Y47YwGL3TxJo+DGNk+cTiroP92JlYvj/COEqAtlzA51FQFfC2keL2/fQI2jIrOE/0w/FII0cGfbE2t7WhflVNa4x21EQaA\
        n62+ex/GvBroxr8huaEcoCX3ortCnQ7eBxb2+h0BvPaH02bANBhzu12rcb77AVw1Nwri/2J57Q==
        """
    private static let commonNameOnly = """
        MIIDGDCCAgCgAwIBAgIUTcy9ANFBhYs851MVqKI1Ie/Dr4wwDQYJKoZIhvcNAQELBQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAX\
        DTI2MTEyMjIxMzQwOFoYDzIxMjYxMDI5MjEzNDA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEBAQUAA4IB\
        DwAwggEKAoIBAQCyLImH4J7VISP9npfnc5Sut8yzOxbVOrwLyRoLnCi/1TNEVTiiN1PQjOI3HdVXl7FixAXDJToRONh4Tj3XY7nI\
        rirh05bUqM3seYj84almHTlME0f2JVdl8RC4Fvh6MBQelEf/x47lvPaDDOl1t9kNoZWe1ulKc6RmdoBr5JRVeqybT5uoU5hk1FeS\
        zuf+MfvmkANXcEjfOs3u+71LJqeMqASGA0ReKUKTFXqzhcob2PknCP13XP4JI8Nw6HqdUISGaPfIiPqcAaU516/xQMUrVd2AVXI+\
        9tKFPHcaRfZT6Te2t99Aa9lA6be7Iq8JAwTnQQb4LVsAEMetakBRcoBnAgMBAAGjYDBeMB0GA1UdDgQWBBQ/1lRkALhC8wO4p7ZN\
        gwg3THtrajAfBgNVHSMEGDAWgBQ/1lRkALhC8wO4p7ZNgwg3THtrajAPBgNVHRMBAf8EBTADAQH/MAsGA1UdDwQEAwIHgDANBgkq\
        hkiG9w0BAQsFAAOCAQEAoNw++dbxvLUgDTKdMlGGPkHSb4m+87Blu2ENBIcL/bHROA5CVdEpYb1OZz3tnDp9iqEFwkVxET2Mef/v\
        4+MLtYJrQ6lPwzNfM8b/VoVJK+NodkG6htugrQuuOawzker/fG5JanuwvFZ2//3zRI3fjnFmR5v+Dp7x9TJ3f+2xJ4i1ojrPp2Yd\
        0jABAlCxiS7L+5cDVPYB18NKWwAnERPqzdogp61tbXDth/UpNzEA2qzuwh4q6kCkD2ic/fQ1AyPfu2urSrVuIjn78X+ZeNNXbjs+\
        +198kJ/k8SeTJ09cfCI8fh+4C7bVEhb3aPSBnwIb/vUBSlUd7IitI53IpSH2JQ==
        """

    private static func defect(_ text: String) throws -> CertificateDefect? {
        CertificateDefect.find(in: Array(try #require(Data(base64Encoded: text))))
    }

    @Test
    func `a strong certificate that names its host has no defect`() throws {
        #expect(try Self.defect(Self.rsa) == nil)
        #expect(try Self.defect(Self.ecdsa) == nil)
    }

    @Test
    func `a short key, a broken hash and a missing alternative name are defects`() throws {
        #expect(try Self.defect(Self.smallKey) == .weakKey(bits: 1_024))
        #expect(try Self.defect(Self.sha1) == .weakSignature(hash: "SHA-1"))
        #expect(try Self.defect(Self.commonNameOnly) == .noAlternativeName)
    }

    @Test
    func `whatever is cut or changed is no certificate, and does not trap`() throws {
        let bytes = Array(try #require(Data(base64Encoded: Self.rsa)))
        for count in 0..<bytes.count {
            #expect(CertificateDefect.find(in: Array(bytes.prefix(count))) == .unreadable)
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0xff
            _ = CertificateDefect.find(in: changed)
        }
    }

    @Test
    func `each defect says what is wrong`() {
        #expect(CertificateDefect.weakKey(bits: 1_024).description.contains("1024 bits"))
        #expect(CertificateDefect.weakSignature(hash: "SHA-1").description.contains("SHA-1"))
        #expect(CertificateDefect.noAlternativeName.description.contains("subject alternative name"))
    }
}
