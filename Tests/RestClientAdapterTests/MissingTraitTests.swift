// SPDX-License-Identifier: MIT

#if !(Logging && Tracing)

import Testing

/// Says that tests are missing, which would otherwise vanish silently.
@Suite
struct MissingTraitTests {
    @Test(.disabled("the trait Logging or Tracing is off, and so are its tests"))
    func `logs and spans are tested`() {}
}

#endif
