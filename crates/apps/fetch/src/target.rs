//! URLs that may be fetched, tested after parsing, as the client reads them (R11; case 107).

use counterfoil_web::Url;

/// Allowed port.
const PORT: u16 = 443;
/// Top-level names that resolve locally or not at all.
const LOCAL: [&str; 11] = [
    "alt",
    "arpa",
    "corp",
    "example",
    "home",
    "internal",
    "invalid",
    "lan",
    "local",
    "localhost",
    "onion",
];

/// URL that may be resolved: https, port 443, a name of the public DNS, no user name or password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    url: Url,
    host: String,
}

impl Target {
    /// Parses a URL as the client does; `None` if it may not be fetched.
    pub(crate) fn read(text: &str) -> Option<Self> {
        Url::parse(text).ok().and_then(Self::of)
    }

    /// Returns the target of a redirect from here; `None` if it may not be fetched.
    pub(crate) fn redirected(&self, location: &str) -> Option<Self> {
        self.url.join(location).ok().and_then(Self::of)
    }

    fn of(mut url: Url) -> Option<Self> {
        let plain = url.scheme() == "https"
            && url.port_or_known_default() == Some(PORT)
            && url.username().is_empty()
            && url.password().is_none();
        let host = url
            .domain()
            .filter(|host| plain && is_public_name(host))?
            .to_owned();
        url.set_fragment(None);
        Some(Self { url, host })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }
}

/// Returns true for a name of two labels or more whose last is not a local one. A trailing dot is refused: it is another
/// spelling of the same host.
fn is_public_name(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let last = labels.next().unwrap_or_default();
    let more = labels.next().is_some_and(|label| !label.is_empty());
    let numeric = last.bytes().all(|byte| byte.is_ascii_digit());
    more && !last.is_empty() && !numeric && !LOCAL.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adversarial case H107: none of these is resolved, whatever spelling it has.
    #[test]
    fn what_is_not_a_public_https_name_is_not_looked_at() {
        for text in [
            "http://a.example.com/x",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://017700000001/",
            "https://１２７.０.０.１/",
            "https://[::1]/",
            "https://[::ffff:7f00:1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://169.254.169.254/latest/meta-data",
            "https://100.100.100.200/",
            "https://localhost/",
            "https://localhost./",
            "https://a.localhost/",
            "https://printer.local/",
            "https://abc.onion/",
            "https://db.internal/",
            "https://intranet/",
            "https://a.com./",
            "https://user@a.com/",
            "https://user:secret@a.com/",
            "https://a.com@127.0.0.1/",
            "https://a.com:22/",
            "https://a.com:8443/",
            "ftp://a.com/",
            "file:///etc/passwd",
            "gopher://a.com/",
            "data:text/plain,x",
            "javascript:1",
            "",
            "a.com",
        ] {
            assert_eq!(Target::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_public_name_is_looked_at_and_its_fragment_is_not_sent() {
        let target = Target::read("https://Example.Com:443/a?b=c#d").unwrap();
        assert_eq!(
            (target.host(), target.url().as_str()),
            ("example.com", "https://example.com/a?b=c")
        );
    }

    /// Adversarial case H109: a redirect is judged as if it had been given.
    #[test]
    fn a_redirect_is_judged_anew() {
        let target = Target::read("https://a.com/x/y").unwrap();
        assert_eq!(
            target.redirected("../z").unwrap().url().as_str(),
            "https://a.com/z"
        );
        assert_eq!(target.redirected("//b.org/q").unwrap().host(), "b.org");
        for bad in [
            "http://a.com/",
            "https://169.254.169.254/",
            "//127.0.0.1/",
            "file:///x",
            "https://[::1]/",
        ] {
            assert_eq!(target.redirected(bad), None, "{bad}");
        }
    }
}
