// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Texts for machines, under a locale of the user.
@Suite(.timeLimit(.minutes(5)), .enabled(if: CrashingProcess.executable != nil, "the helper was not built"))
struct LocaleTests {
    @Test(.enabled(if: CommaLocale.isAvailable, "there is no locale with a decimal comma"))
    func `numbers have a decimal point under a locale with a decimal comma`() async throws {
        let locale = try await CommaLocale()
        let process = try CrashingProcess("locale", environment: locale.environment)
        #expect(await process.end() == 0)
        withExtendedLifetime(locale) {}
    }
}
