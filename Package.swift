// swift-tools-version: 6.2
import PackageDescription

let logging = TargetDependencyCondition.when(traits: ["Logging"])
let tracing = TargetDependencyCondition.when(traits: ["Tracing"])

let package = Package(
    name: "swift-rest-client",
    platforms: [
        // The oldest releases that have `Synchronization.Mutex`.
        .macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
    ],
    products: [
        .library(name: "RestClient", targets: ["RestClient"]),
        .library(name: "JobGraphs", targets: ["JobGraphs"]),
        .library(name: "SharedStore", targets: ["SharedStore"]),
        .library(name: "ConcurrencyTesting", targets: ["ConcurrencyTesting"]),
        .library(name: "RestClientWebSocket", targets: ["RestClientWebSocket"]),
        .library(name: "RestClientFoundation", targets: ["RestClientFoundation"]),
        .library(name: "RestClientLogging", targets: ["RestClientLogging"]),
        .library(name: "RestClientMetrics", targets: ["RestClientMetrics"]),
        .library(name: "RestClientTracing", targets: ["RestClientTracing"]),
        .library(name: "RestClientAWS", targets: ["RestClientAWS"]),
        .library(name: "RestClientXML", targets: ["RestClientXML"]),
        .library(name: "RestClientCombine", targets: ["RestClientCombine"]),
        .library(name: "RestClientReports", targets: ["RestClientReports"]),
        .library(name: "RestClientRecording", targets: ["RestClientRecording"]),
        .library(name: "RestClientTesting", targets: ["RestClientTesting"]),
    ],
    traits: [
        // None: who needs an adapter names its trait. Scripts/ build this package with those of its own tests.
        .default(enabledTraits: []),
        .trait(
            name: "URLSessionTransport",
            description: "Offers URLSessionTransport on Linux too, where it links FoundationNetworking."
        ),
        .trait(name: "Logging", description: "Fills RestClientLogging; without it nobody resolves swift-log."),
        .trait(
            name: "Tracing",
            description: "Fills RestClientTracing; without it nobody resolves swift-distributed-tracing."
        ),
        .trait(name: "Metrics", description: "Fills RestClientMetrics; without it nobody resolves swift-metrics."),
        .trait(name: "XML", description: "Fills RestClientXML; without it nobody resolves XMLCoder."),
        .trait(
            name: "OpenCombine",
            description: "Fills RestClientCombine where there is no Combine; without it nobody resolves OpenCombine."
        ),
        .trait(name: "Brotli", description: "Decodes responses in the content coding br; needs libbrotlidec."),
        .trait(name: "Zstd", description: "Decodes responses in the content coding zstd; needs libzstd."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.36.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.2.0"),
        // Only with their traits are these resolved: Logging, Tracing, Metrics, XML and OpenCombine, in this order.
        .package(url: "https://github.com/apple/swift-log.git", from: "1.7.1"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder.git", .upToNextMinor(from: "0.18.2")),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", .upToNextMinor(from: "0.14.0")),
    ],
    targets: [
        // MARK: - Libraries
        // Work without HTTP: worker pool, jobs, graphs, durable runs.
        .target(
            name: "JobGraphs",
            dependencies: [
                "SharedStore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(name: "RestClientReports", dependencies: ["JobGraphs"]),
        // HTTP on the wire: connections, requests and responses, without a word of what they are for.
        .target(
            name: "HTTPWire",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ]
        ),
        .target(
            name: "RestClient",
            dependencies: [
                "HTTPWire",
                "JSONCoding",
                "JobGraphs",
                "SharedStore",
                .target(name: "CBrotli", condition: .when(traits: ["Brotli"])),
                .target(name: "CZstd", condition: .when(traits: ["Zstd"])),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "RestClientWebSocket",
            dependencies: [
                "RestClient",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "RestClientFoundation",
            dependencies: ["RestClient", .product(name: "HTTPTypes", package: "swift-http-types")]
        ),
        .target(
            name: "RestClientAWS",
            dependencies: [
                "RestClient",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "RestClientLogging",
            dependencies: [
                "RestClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log", condition: logging),
            ]
        ),
        .target(
            name: "RestClientMetrics",
            dependencies: [
                "RestClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ]
        ),
        .target(
            name: "RestClientXML",
            dependencies: [
                "RestClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "XMLCoder", package: "XMLCoder", condition: .when(traits: ["XML"])),
            ]
        ),
        .target(
            name: "RestClientCombine",
            dependencies: [
                "RestClient",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ]
        ),
        .target(
            name: "RestClientTracing",
            dependencies: [
                "RestClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ]
        ),
        .target(
            name: "RestClientRecording",
            dependencies: [
                "RestClient",
                "RestClientWebSocket",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // Gates, recorders and a manual clock, for tests of any asynchronous code.
        .target(name: "ConcurrencyTesting"),
        // Imports Testing: for test targets only.
        .target(
            name: "RestClientTesting",
            dependencies: [
                "ConcurrencyTesting",
                "RestClient",
                "RestClientRecording",
                "SharedStore",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "SharedStore",
            dependencies: [
                "CSQLite",
                "CZlib",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "_CryptoExtras", package: "swift-crypto"),
            ]
        ),
        // JSON for standard Codable, with the results and errors of Foundation's coders; independent of HTTP.
        .target(name: "JSONCoding"),
        // Foundation's essential types, and primitives that several libraries share.
        .target(name: "RestEssentials"),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        // Only with their traits does anything import these two.
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),

        // MARK: - Tests
        .target(
            name: "TestSupport",
            dependencies: [
                "ConcurrencyTesting",
                "RestClient",
                "RestClientTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ],
            path: "Tests/TestSupport"
        ),
        // Separate from TestSupport, so that the tests of the store need no networking.
        .target(name: "SeededRandom", path: "Tests/SeededRandom"),
        .target(name: "TinyDisk", path: "Tests/TinyDisk"),
        // The doubles for jobs and graphs, without HTTP.
        .target(
            name: "JobGraphsTestSupport",
            dependencies: ["ConcurrencyTesting", "JobGraphs"],
            path: "Tests/JobGraphsTestSupport"
        ),
        .testTarget(name: "RestEssentialsTests"),
        .testTarget(
            name: "JSONCodingTests",
            dependencies: ["JSONCoding", "JSONSamples", "SeededRandom"],
            exclude: ["JSONTestSuite"]
        ),
        // Models, documents and the comparison with Foundation, for the tests and the fuzzer.
        .target(name: "JSONSamples", dependencies: ["JSONCoding", "SeededRandom"], path: "Tests/JSONSamples"),
        .executableTarget(
            name: "JSONFuzz",
            dependencies: ["JSONCoding", "JSONSamples", "SeededRandom"],
            path: "Tests/JSONFuzz"
        ),
        // Measures JSONCoding, which other packages cannot import, against Foundation's coders.
        .executableTarget(name: "JSONBench", dependencies: ["JSONCoding", "JSONSamples"], path: "Tests/JSONBench"),
        .testTarget(
            name: "HTTPWireTests",
            dependencies: [
                "ConcurrencyTesting",
                "HTTPWire",
                "HTTPWireSamples",
                "SeededRandom",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ]
        ),
        // Responses and frames made from seeds, and what they are compared with, for the tests and the fuzzer.
        .target(
            name: "HTTPWireSamples",
            dependencies: [
                "HTTPWire",
                "SeededRandom",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/HTTPWireSamples"
        ),
        .executableTarget(
            name: "HTTPWireFuzz",
            dependencies: ["HTTPWireSamples", "SeededRandom"],
            path: "Tests/HTTPWireFuzz"
        ),
        .testTarget(
            name: "JobGraphsTests",
            dependencies: ["JobGraphs", "JobGraphsTestSupport", "RunChaos", "SeededRandom", "SharedStore"]
        ),
        // The program of Scripts/chaos: workers that are killed and stopped, and the one that does it.
        .executableTarget(name: "RunChaos", dependencies: ["JobGraphs"], path: "Tests/RunChaos"),
        .testTarget(
            name: "RestClientReportsTests",
            dependencies: ["JobGraphs", "JobGraphsTestSupport", "RestClientReports", "SeededRandom"]
        ),
        .testTarget(
            name: "SharedStoreTests",
            dependencies: ["SharedStore", "SharedStoreCrashHelper", "SeededRandom", "TinyDisk"]
        ),
        // The process that the crash and two-process suites kill.
        .executableTarget(
            name: "SharedStoreCrashHelper",
            dependencies: ["SharedStore"],
            path: "Tests/SharedStoreCrashHelper"
        ),
        .testTarget(
            name: "RestClientTests",
            dependencies: [
                "HTTPWire",
                "JobGraphs",
                "JobGraphsTestSupport",
                "RestClient",
                "RestClientReports",
                "RestClientFoundation",
                "SeededRandom",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "RestClientWebSocketTests",
            dependencies: [
                "RestClient",
                "RestClientRecording",
                "RestClientWebSocket",
                "SeededRandom",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "RestClientRecordingTests",
            dependencies: [
                "RestClient",
                "RestClientRecording",
                "SeededRandom",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "RestClientAWSTests",
            dependencies: [
                "RestClient",
                "RestClientAWS",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "RestClientTestingTests",
            dependencies: [
                "RestClient",
                "RestClientRecording",
                "RestClientTesting",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // RestClientMetrics, which is behind a trait, is tested in Samples/.
        .testTarget(
            name: "RestClientAdapterTests",
            dependencies: [
                "RestClient",
                "RestClientLogging",
                "RestClientTracing",
                "RestClientWebSocket",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log", condition: logging),
                .product(name: "InMemoryLogging", package: "swift-log", condition: logging),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: tracing),
            ]
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "RestClient",
                "RestClientLogging",
                "RestClientRecording",
                "RestClientReports",
                "RestClientTracing",
                "SharedStore",
                "TestSupport",
                "LinkProbe",
                "JournalCrashHelper",
                "Simulation",
                "TinyDisk",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryLogging", package: "swift-log", condition: logging),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: tracing),
                .product(name: "Logging", package: "swift-log", condition: logging),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: tracing),
            ]
        ),
        // Random inputs for the rules that read what others write; the program of Scripts/fuzz.
        .testTarget(
            name: "RuleFuzzTests",
            dependencies: [
                "HTTPWire",
                "JobGraphs",
                "RestClient",
                "RestClientRecording",
                "RestClientWebSocket",
                "SeededRandom",
                "SharedStore",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // The documented examples of five earlier clients, and the defects found in them.
        .testTarget(
            name: "ParityTests",
            dependencies: [
                "JobGraphs",
                "RestClient",
                "SharedStore",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // The process that the tests of the run journal, of the cache and of locales start, and kill.
        .executableTarget(
            name: "JournalCrashHelper",
            dependencies: ["JSONCoding", "RestClient", .product(name: "HTTPTypes", package: "swift-http-types")],
            path: "Tests/JournalCrashHelper"
        ),
        // The processes of Scripts/soak: a server that breaks a tenth of its responses, and clients that count.
        .executableTarget(
            name: "Soak",
            dependencies: [
                "RestClient",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Soak"
        ),
        // The program of Scripts/simulate: everything under a scheduler with a seed, in virtual time.
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "JobGraphs",
                "RestClient",
                "SharedStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Simulation"
        ),
        // The smallest possible program on this library: a test checks what it links.
        .executableTarget(name: "LinkProbe", dependencies: ["RestClient", "SharedStore"], path: "Tests/LinkProbe"),
    ],
    swiftLanguageModes: [.v6]
)

// The test targets that 'Scripts/test --only' names, if it does: a sanitizer has less to compile.
if let names = Context.environment["REST_CLIENT_TEST_TARGETS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// One set of compiler settings for every target; the links name what each feature changes.
for target in package.targets where target.type != .system {
    if target.name != "RestEssentials" {
        target.dependencies.append("RestEssentials")
    }
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .strictMemorySafety(),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
        .enableUpcomingFeature("InferIsolatedConformances"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
        .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
}
