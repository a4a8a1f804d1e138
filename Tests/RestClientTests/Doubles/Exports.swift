// SPDX-License-Identifier: MIT

// The doubles of the test supports are used in most files of these tests.
@_exported import JobGraphsTestSupport
@_exported import TestSupport
