// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lets suites written in any language drive the library through its public products.
///
///     conformance-driver serve CACHE_DIR [--ca FILE] [--client-cert FILE --client-key FILE] [--no-cache] [--no-memory-tier]
///         [--transport NAME] [--max-response BYTES] [--max-decoded-ratio N] [--idle-timeout MS]
///         [--tls-pin SHA256 ...]
///     conformance-driver get URL [--ca FILE | --insecure-localhost] [--timeout SECONDS] [--http2-only]
///
/// Both take `--transport direct` (the default) or, on Apple platforms, `url-session`.
///
/// `serve` reads a JSON request a line and writes a JSON response a line, in any order. It ends when its input does.
/// `get` writes the status to standard error and the body to standard output; it exits with 1 when no response came.
@main
enum ConformanceDriver {
    static func main() async {
        // Whoever reads the responses may go away; that is an error of a write then, and no reason to be killed.
        signal(SIGPIPE, SIG_IGN)
        do {
            var arguments = Arguments(CommandLine.arguments.dropFirst())
            switch arguments.takeWord() {
            case "serve": try await ServeCommand(&arguments).run()
            case "get": try await GetCommand(&arguments).run()
            default: throw UsageError(text: "say 'serve CACHE_DIR' or 'get URL'")
            }
        } catch let error as UsageError {
            Output.error("conformance-driver: \(error.text)")
            exit(64)
        } catch {
            Output.error("conformance-driver: \(error)")
            exit(1)
        }
    }
}
