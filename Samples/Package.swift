// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the library never resolve what its samples and the tests of its traits need.
let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // All traits, so that the tests and the documentation of what is behind them have something to compile.
        .package(
            name: "swift-rest-client",
            path: "..",
            traits: [
                "Logging", "Tracing", "Metrics", "Brotli", "Zstd", "XML", "OpenCombine", "URLSessionTransport",
            ]
        ),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", .upToNextMinor(from: "0.14.0")),
    ],
    targets: [
        // The two targets of the demo, which are a package without traits, too: Demo/Package.swift.
        .executableTarget(
            name: "ChainedOrchestration",
            dependencies: [
                "DemoServer",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
            ],
            path: "Demo/Sources/ChainedOrchestration"
        ),
        .target(
            name: "DemoServer",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Demo/Sources/DemoServer"
        ),
        // The template of a script, which is a package to copy, too: Script/Package.swift.
        .executableTarget(
            name: "Script",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientReports", package: "swift-rest-client"),
            ],
            path: "Script/Sources/Script"
        ),
        .testTarget(
            name: "ScriptTests",
            dependencies: [
                "Script",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
            ],
            path: "Script/Tests/ScriptTests"
        ),
        .executableTarget(
            name: "EventObserver",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientFoundation", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
            ]
        ),
        .executableTarget(
            name: "OfflineDummy",
            dependencies: ["DemoServer", "OrderBook", .product(name: "RestClient", package: "swift-rest-client")]
        ),
        // The business code of OfflineDummy. It does not know whether a server or a dummy responds.
        .target(name: "OrderBook", dependencies: [.product(name: "RestClient", package: "swift-rest-client")]),
        .testTarget(
            name: "OrderBookTests",
            dependencies: [
                "OrderBook",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
            ]
        ),
        // An importer on JobGraphs alone, without HTTP: killed and resumed, with a report.
        .executableTarget(
            name: "FolderImport",
            dependencies: ["SalesImport", .product(name: "JobGraphs", package: "swift-rest-client")]
        ),
        .target(
            name: "SalesImport",
            dependencies: [
                .product(name: "JobGraphs", package: "swift-rest-client"),
                .product(name: "RestClientReports", package: "swift-rest-client"),
            ]
        ),
        .testTarget(
            name: "SalesImportTests",
            dependencies: [
                "FolderImport",
                "SalesImport",
                .product(name: "ConcurrencyTesting", package: "swift-rest-client"),
                .product(name: "JobGraphs", package: "swift-rest-client"),
            ]
        ),
        // Durable runs that two terminals work together, one of which may be killed.
        .executableTarget(
            name: "NightShift",
            dependencies: [.product(name: "JobGraphs", package: "swift-rest-client")]
        ),
        // Files, a listing and a feed, against a server in the process: progress, resuming, JSON lines, reconnecting.
        .executableTarget(
            name: "FileTransfers",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
            ]
        ),
        .testTarget(
            name: "FileTransfersTests",
            dependencies: [
                "FileTransfers",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
            ]
        ),
        // The library's own adapter to swift-metrics, which is behind the trait that this package enables.
        .testTarget(
            name: "MetricsTests",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientMetrics", package: "swift-rest-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]
        ),
        // The content codings br and zstd, which are behind traits that this package enables.
        .testTarget(
            name: "ContentCodingTests",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
            ]
        ),
        // The library's dogma for XML and its publishers, which are behind traits that this package enables. XMLCoder
        // has to be compiled before OpenCombine: see Scripts/test.
        .testTarget(
            name: "XMLTests",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientXML", package: "swift-rest-client"),
            ]
        ),
        .testTarget(
            name: "CombineTests",
            dependencies: [
                .product(name: "ConcurrencyTesting", package: "swift-rest-client"),
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientCombine", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
