// SPDX-License-Identifier: MIT

// Foundation's essential types, under one name on every platform; on Linux without libFoundation and its ICU data. The
// C library is included.

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
