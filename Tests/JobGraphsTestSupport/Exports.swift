// SPDX-License-Identifier: MIT

// Gates, recorders and clocks are used in most tests.
@_exported public import ConcurrencyTesting
