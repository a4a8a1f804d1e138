// SPDX-License-Identifier: MIT

#if !(Logging && Tracing)

import Testing

/// Says that tests are missing, which would otherwise vanish silently.
@Suite
struct MissingTraitTests {
    @Test(.disabled("the traits are off, and so are their tests: build with --traits Logging,Tracing"))
    func `logs and spans are tested`() {}
}

#endif
