// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of the library never resolve what only its benchmarks need.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-rest-client", path: ".."),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", "3.12.3"..<"5.0.0"),
        // The library with which the stores are compared.
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        // What the programs share: turns, tables, arguments.
        .target(name: "BenchmarkSupport"),
        .executableTarget(
            name: "BenchmarkServer",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "HTTPBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .executableTarget(
            name: "StreamBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "JobsBenchmark",
            dependencies: ["BenchmarkSupport", .product(name: "RestClient", package: "swift-rest-client")]
        ),
        .executableTarget(
            name: "RunsBenchmark",
            dependencies: ["BenchmarkSupport", .product(name: "JobGraphs", package: "swift-rest-client")]
        ),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [
                "BenchmarkSupport",
                "CBenchmarkZlib",
                .product(name: "SharedStore", package: "swift-rest-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "EventsBenchmark",
            dependencies: [
                "BenchmarkSupport",
                "CAllocationCounter",
                .product(name: "RestClient", package: "swift-rest-client"),
            ]
        ),
        .executableTarget(
            name: "HotPathBenchmark",
            dependencies: [
                "BenchmarkSupport",
                "CAllocationCounter",
                .product(name: "RestClient", package: "swift-rest-client"),
            ]
        ),
        .executableTarget(
            name: "ScaleBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
            ]
        ),
        // Starts the two programs that follow.
        .executableTarget(name: "StartBenchmark", dependencies: ["BenchmarkSupport"]),
        .executableTarget(
            name: "SmallestClient",
            dependencies: [.product(name: "RestClient", package: "swift-rest-client")]
        ),
        .executableTarget(
            name: "SmallestHTTPClient",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // Counts what the program asks the allocator for.
        .target(name: "CAllocationCounter"),
        .executableTarget(
            name: "CacheBenchmark",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "SharedStore", package: "swift-rest-client"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .systemLibrary(name: "CBenchmarkZlib", pkgConfig: "zlib"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CAllocationCounter" {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
