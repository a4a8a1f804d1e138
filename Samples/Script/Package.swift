// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Script",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a copy of this folder:
        // .package(url: "<the address of the repository>", from: "0.1.0", traits: [])
        .package(name: "swift-rest-client", path: "../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "Script",
            dependencies: [
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientReports", package: "swift-rest-client"),
            ]
        ),
        .testTarget(
            name: "ScriptTests",
            dependencies: [
                "Script",
                .product(name: "RestClient", package: "swift-rest-client"),
                .product(name: "RestClientTesting", package: "swift-rest-client"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
