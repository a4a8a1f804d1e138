// SPDX-License-Identifier: MIT

// What users test with is what this package's own tests use: one import brings both.
@_exported public import RestClientTesting
