// SPDX-License-Identifier: MIT

// Foundation's essential types, under one name on every platform; on Linux without libFoundation and its ICU data. The
// C library is included.
//
// No product exports this module. Some of its types are public all the same, because the compiler specializes only
// public code for other modules.

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif
