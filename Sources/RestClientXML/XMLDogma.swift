// SPDX-License-Identifier: MIT

#if XML

import Foundation
import HTTPTypes
public import RestClient
public import XMLCoder

/// XML through `Codable`, with XMLCoder.
///
/// ```swift
/// manager.dogmas["legacy"] = XMLDogma(rootElement: "order")
/// manager.servers[.legacy] = Server("https://legacy.example.com").dogma("legacy")
/// ```
///
/// Properties are elements; XMLCoder's `@Attribute`, `@Element` and `DynamicNodeEncoding` make them attributes. The
/// name of the outermost element of a response is not checked. Texts keep their spaces, so there must be none around
/// a number unless the configuration sets `trimValueWhitespaces`. Dates are ISO 8601 in both directions unless the
/// configuration sets another format. Encoded members are sorted by name, so equal models have equal bytes.
///
/// The strategies of a call (``/RestClient/CallConfigurable/coding(keys:dates:)``)
/// take precedence over the configuration.
///
/// A response may be of the media types `application/xml`, `text/xml`, any that ends in `+xml`, `text/plain`,
/// `application/octet-stream`, or none; its parameter `charset` counts more than the encoding that the document
/// declares. Documents that could harm are refused before they are parsed: see
/// the overview of ``RestClientXML``.
public struct XMLDogma: Dogma {
    private let rootElement: String?
    private let contentType: String
    private let configureEncoder: (@Sendable (XMLEncoder) -> Void)?
    private let configureDecoder: (@Sendable (XMLDecoder) -> Void)?

    /// Creates an XML dogma.
    ///
    /// - Parameters:
    ///   - rootElement: The name of the outermost element of requests; the name of the model's type by default, or
    ///     `root` if that is not the name of an element, as for a list, and for dictionaries.
    ///   - contentType: The media type of requests.
    ///   - configureEncoder: Configures each encoder before its use; called from any task.
    ///   - configureDecoder: Configures each decoder before its use; called from any task.
    public init(
        rootElement: String? = nil,
        contentType: String = "application/xml",
        configureEncoder: (@Sendable (XMLEncoder) -> Void)? = nil,
        configureDecoder: (@Sendable (XMLDecoder) -> Void)? = nil
    ) {
        self.rootElement = rootElement
        self.contentType = contentType
        self.configureEncoder = configureEncoder
        self.configureDecoder = configureDecoder
    }

    /// The media types of XML.
    public var acceptedContentType: String? { "application/xml, text/xml;q=0.9" }

    /// Encodes a model as an XML document.
    ///
    /// - Throws: An `EncodingError` if the model has no members, as a number or a text has none, if a member has a name
    ///   that no element can have, or if a text contains a character that XML cannot represent.
    public func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
        try XMLNames.check(model)
        let encoder = XMLEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .iso8601
        configureEncoder?(encoder)
        request.keyStrategy?.configure(encoder)
        request.dateStrategy?.configure(encoder)
        let document = try encoder.encode(
            model,
            withRootKey: try rootName(of: model),
            header: XMLHeader(version: 1.0, encoding: "UTF-8")
        )
        // XMLCoder escapes what has a meaning in XML, and passes on control characters.
        guard document.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
            throw XMLNames.error(model, "a text contains a control character, which XML cannot represent")
        }
        return EncodedBody(document, contentType: contentType)
    }

    /// Decodes a model from an XML document.
    ///
    /// - Throws: A `DecodingError` if the response is not XML, if it could harm, or if it does not fit the model.
    public func decode<Model: Decodable>(
        _ type: Model.Type,
        from response: RawResponse,
        for request: DogmaRequest
    ) throws -> Model {
        if let label = response.headers[.contentType], !Self.isXML(label) {
            throw Self.refusal("the response is '\(label.prefix(80))', and not XML")
        }
        let document = try Self.document(of: response)
        do throws(XMLRefusal) {
            try XMLOutline.check(document)
        } catch {
            throw Self.refusal("the document was not parsed: \(error.sentence)")
        }
        // Trimming takes place piece by piece: it would remove the space between two references.
        let decoder = XMLDecoder(trimValueWhitespaces: false, removeWhitespaceElements: true)
        decoder.dateDecodingStrategy = .iso8601
        configureDecoder?(decoder)
        request.keyStrategy?.configure(decoder)
        request.dateStrategy?.configure(decoder)
        return try decoder.decode(type, from: document)
    }

    private func rootName<Model: Encodable>(of model: Model) throws -> String {
        if let rootElement {
            guard XMLNames.isName(rootElement) else {
                throw XMLNames.error(model, "'\(rootElement.prefix(40))' is not the name of an element")
            }
            return rootElement
        }
        let name = "\(Model.self)"
        return XMLNames.isName(name) && !(model is JSONValue) ? name : "root"
    }

    /// Returns the document; one in a known charset becomes UTF-8 without its declaration, which counts less than the
    /// charset (RFC 7303, section 3).
    private static func document(of response: RawResponse) throws -> Data {
        let contentType = response.headers[.contentType]
        guard let label = TextEncoding.label(in: contentType), TextEncoding(label: label) != nil else {
            return response.body
        }
        let text = try TextEncoding.text(of: response.body, contentType: contentType)
        guard text.hasPrefix("<?xml"), text.dropFirst(5).first?.isWhitespace ?? false,
            let end = text.firstRange(of: "?>")
        else {
            return Data(text.utf8)
        }
        return Data(text[end.upperBound...].utf8)
    }

    private static func isXML(_ label: String) -> Bool {
        let type = MediaType.essence(of: label)
        return type.hasSuffix("+xml")
            || ["application/xml", "text/xml", "text/plain", "application/octet-stream", ""].contains(type)
    }

    private static func refusal(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: reason))
    }
}

/// Checks what XMLCoder takes for granted of a model: that it has members, and that their names are those of elements.
enum XMLNames {
    static func check(_ model: some Encodable) throws {
        let value: JSONValue
        if let model = model as? JSONValue {
            value = model
        } else {
            // XMLCoder ends the process for a model without members; JSON shows which it has.
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "",
                negativeInfinity: "",
                nan: ""
            )
            value = try JSONText.value(of: try encoder.encode(model))
        }
        switch value {
        case .object, .array: break
        default: throw error(model, "an XML document needs a model with members; this is a single value")
        }
        if let name = firstBadName(in: value) {
            throw error(model, "'\(name.prefix(40))' is not the name of an element")
        }
    }

    /// Returns true if a text can be the name of an element (XML 1.0, section 2.3), in ASCII or with letters of any
    /// script.
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isStart(first) else {
            return false
        }
        return text.unicodeScalars.allSatisfy { scalar in
            isStart(scalar) || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "."
        }
    }

    static func error(_ model: some Encodable, _ reason: String) -> EncodingError {
        .invalidValue(model, EncodingError.Context(codingPath: [], debugDescription: reason))
    }

    private static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == ":" || scalar.properties.isAlphabetic
    }

    /// XMLCoder's own name for the text of an element is empty.
    private static func firstBadName(in value: JSONValue) -> String? {
        switch value {
        case .object(let members):
            members.keys.first { !$0.isEmpty && !isName($0) } ?? members.values.lazy.compactMap(firstBadName).first
        case .array(let elements):
            elements.lazy.compactMap(firstBadName).first
        default:
            nil
        }
    }
}

#endif
