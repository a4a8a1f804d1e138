// SPDX-License-Identifier: MIT

/// The rules for the URLs that a server gives for what follows: the next page, or the state of an operation.
enum PageURL {
    /// The words for a page, in errors.
    static let page = "the next page"

    static func base(_ text: String) throws(RestClientError) -> HTTPURL {
        do throws(HTTPURL.Defect) {
            var url = try HTTPURL(text)
            url.fragment = nil
            return url
        } catch {
            throw RestClientError(
                .pageRefused,
                "'\(Redaction.url(text))' is not a valid URL of a page: \(error.reason)"
            )
        }
    }

    /// Returns the URL of a page as it is sent: normalized, as servers write it.
    static func sent(_ url: HTTPURL, of what: String = page) throws(RestClientError) -> HTTPURL {
        guard url.userInfo.isEmpty, let sent = try? HTTPURL(whole: url.textForSending) else {
            throw RestClientError(.pageRefused, "the URL of \(what) contains a user name")
        }
        return sent
    }

    static func reference(_ relation: String = "next", in links: [WebLink], of base: HTTPURL) -> String? {
        links.first { $0.hasRelation(relation) && isAbout($0, base) }?.target
    }

    /// Resolves a reference to the URL of the page after redirects, and checks that the page may be loaded.
    static func url(
        _ reference: String,
        of base: HTTPURL,
        origins: PageOrigins,
        allowsPlainHTTP: Bool,
        to what: String = page
    ) throws(RestClientError) -> HTTPURL {
        var url: HTTPURL
        do throws(HTTPURL.Defect) {
            url = try HTTPURL(reference, relativeTo: base)
        } catch {
            throw RestClientError(
                .pageRefused,
                "the URL of \(what) is not a valid http or https URL",
                underlying: error
            )
        }
        guard url.userInfo.isEmpty else {
            throw RestClientError(.pageRefused, "the URL of \(what) contains a user name")
        }
        guard origins == .any || url.hasOrigin(of: base) else {
            throw RestClientError(
                .pageRefused,
                "\(what) is at '\(url.origin)', not at '\(base.origin)' like this one"
            )
        }
        try checkEncryption(of: url, after: base, allowsPlainHTTP: allowsPlainHTTP, to: what)
        url.fragment = nil
        return url
    }

    static func checkEncryption(
        of url: HTTPURL,
        after base: HTTPURL,
        allowsPlainHTTP: Bool,
        to what: String = page
    ) throws(RestClientError) {
        guard base.scheme != "https" || url.scheme == "https" || allowsPlainHTTP else {
            throw RestClientError(
                .pageRefused,
                "\(what) leads from https to '\(url.origin)', where anybody can read along; "
                    + "if that is meant, say so with .redirects(.follow.allowingPlainHTTP())"
            )
        }
    }

    /// True if a link refers to the page itself: it has no anchor, or one that resolves to the page (RFC 8288, section
    /// 3.2).
    private static func isAbout(_ link: WebLink, _ base: HTTPURL) -> Bool {
        guard let anchor = link.anchor else {
            return true
        }
        guard var context = try? HTTPURL(anchor, relativeTo: base) else {
            return false
        }
        var page = base
        context.fragment = nil
        page.fragment = nil
        return context == page
    }
}
