//! The text of a secret key's file, one spelling for each key (`docs/format/directory.md`).
//!
//! ```text
//! counterfoil/secret-key/v1
//! use agent
//! agent did:key:z6Mk…
//! number 1
//! seed <base64 of the 32-byte Ed25519 seed>
//! ```
//! or, in place of the last line, `sealed argon2id …`: the seed under a passphrase, bound to the
//! lines before it. The key that an agent is named after has neither `agent` nor `number`.

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_capsule::SecretKey;
use counterfoil_types::DidKey;
use zeroize::Zeroizing;

use super::sealing::Sealed;

const HEADER: &str = "counterfoil/secret-key/v1";

/// Purpose of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Use {
    /// It signs the checkpoints of the log of this name.
    Log(String),
    /// It cosigns checkpoints of other logs under this name.
    Witness(String),
    /// It signs what the agent remembers that is named after it.
    Agent,
    /// It signs for `agent`, which has rotated to it.
    Rotated {
        /// Whom it signs for.
        agent: DidKey,
        /// Number of rotations, from 1.
        number: u64,
    },
    /// It is the key that the agent has committed to as the one after.
    Next {
        /// Whom it will sign for.
        agent: DidKey,
        /// The number that it will have, from 1.
        number: u64,
    },
    /// It is the agent's recovery key.
    Recovery {
        /// Whose.
        agent: DidKey,
    },
}

/// The secret as the file contains it.
pub(crate) enum Content {
    /// In plain text.
    Plain(SecretKey),
    /// Under a passphrase.
    Sealed(Sealed),
}

/// A file that was read.
pub(crate) struct Parsed {
    pub(crate) purpose: Use,
    pub(crate) content: Content,
    /// The lines before the secret, which a sealed one is bound to.
    pub(crate) heading: String,
}

/// The lines before the secret.
pub(crate) fn heading(purpose: &Use) -> String {
    match purpose {
        Use::Log(name) => format!("{HEADER}\nuse log\nname {name}\n"),
        Use::Witness(name) => format!("{HEADER}\nuse witness\nname {name}\n"),
        Use::Agent => format!("{HEADER}\nuse agent\n"),
        Use::Rotated { agent, number } => {
            format!("{HEADER}\nuse agent\nagent {agent}\nnumber {number}\n")
        }
        Use::Next { agent, number } => {
            format!("{HEADER}\nuse next\nagent {agent}\nnumber {number}\n")
        }
        Use::Recovery { agent } => format!("{HEADER}\nuse recovery\nagent {agent}\n"),
    }
}

/// The whole text.
pub(crate) fn text(purpose: &Use, content: &Content) -> Zeroizing<String> {
    let heading = heading(purpose);
    Zeroizing::new(match content {
        Content::Plain(secret) => {
            let seed = Zeroizing::new(STANDARD.encode(secret.expose_seed().as_slice()));
            format!("{heading}seed {}\n", seed.as_str())
        }
        Content::Sealed(sealed) => format!("{heading}{sealed}\n"),
    })
}

/// Parses a key file; refuses any text that differs from the output of [`text`].
pub(crate) fn parse(text: &str) -> Option<Parsed> {
    let body = text
        .strip_prefix(HEADER)?
        .strip_prefix('\n')?
        .strip_suffix('\n')?;
    let (above, secret) = body.rsplit_once('\n')?;
    let mut lines = above.split('\n');
    let purpose = purpose(&mut lines)?;
    let content = match secret.strip_prefix("seed ") {
        Some(seed) => {
            let seed = Zeroizing::new(STANDARD.decode(seed).ok()?);
            let seed = Zeroizing::new(<[u8; 32]>::try_from(seed.as_slice()).ok()?);
            Content::Plain(SecretKey::from_seed(*seed))
        }
        None => Content::Sealed(Sealed::parse(secret)?),
    };
    let parsed = Parsed {
        heading: heading(&purpose),
        purpose,
        content,
    };
    let again = self::text(&parsed.purpose, &parsed.content);
    (lines.next().is_none() && again.as_str() == text).then_some(parsed)
}

fn purpose<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<Use> {
    let kind = lines.next()?.strip_prefix("use ")?;
    let mut member = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let numbered = |agent: &str, number: &str| {
        let number = number.parse().ok().filter(|number| *number > 0)?;
        Some((agent.parse().ok()?, number))
    };
    Some(match kind {
        "log" => Use::Log(member("name")?.to_owned()),
        "witness" => Use::Witness(member("name")?.to_owned()),
        "agent" => match member("agent") {
            None => Use::Agent,
            Some(agent) => {
                let (agent, number) = numbered(agent, member("number")?)?;
                Use::Rotated { agent, number }
            }
        },
        "next" => {
            let (agent, number) = numbered(member("agent")?, member("number")?)?;
            Use::Next { agent, number }
        }
        "recovery" => Use::Recovery {
            agent: member("agent")?.parse().ok()?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> DidKey {
        DidKey::from_public_key(SecretKey::from_seed([9; 32]).public_key())
    }

    fn uses() -> [Use; 6] {
        let agent = agent();
        [
            Use::Log("example.org/log".into()),
            Use::Agent,
            Use::Rotated { agent, number: 12 },
            Use::Next { agent, number: 1 },
            Use::Recovery { agent },
            Use::Witness("example.org/log/witness".into()),
        ]
    }

    fn plain_text(purpose: &Use) -> Zeroizing<String> {
        text(purpose, &Content::Plain(SecretKey::from_seed([7; 32])))
    }

    #[test]
    fn every_use_comes_back_as_it_was_written() {
        for purpose in uses() {
            let parsed = parse(&plain_text(&purpose)).unwrap();
            assert_eq!(parsed.purpose, purpose);
            let Content::Plain(secret) = parsed.content else {
                panic!("sealed")
            };
            assert_eq!(*secret.expose_seed(), [7; 32]);
        }
    }

    /// What `init` wrote before there were rotations is read as it was.
    #[test]
    fn the_first_form_of_an_agents_key_is_read() {
        let seed = STANDARD.encode([7; 32]);
        let text = format!("counterfoil/secret-key/v1\nuse agent\nseed {seed}\n");
        assert_eq!(parse(&text).unwrap().purpose, Use::Agent);
        assert_eq!(*plain_text(&Use::Agent), text);
    }

    #[test]
    fn anything_but_the_format_is_refused() {
        for purpose in uses() {
            let good = plain_text(&purpose);
            for bad in [
                "",
                good.trim_end(),
                &good.replace("v1", "v2"),
                &good.replace("use ", "use dog"),
                &good.replace("seed ", "seed A"),
                &good.replace("seed ", "seed  "),
                &good.replace("seed ", "more 1\nseed "),
                &format!("{}\n", good.as_str()),
                &good.replace('\n', "\r\n"),
            ] {
                assert!(parse(bad).is_none(), "{bad:?}");
            }
        }
        let rotated = plain_text(&uses()[2]);
        for (from, to) in [
            ("number 12", "number 0"),
            ("number 12", "number 012"),
            ("number 12", "number +12"),
            ("number 12\n", ""),
            ("did:key:z", "did:key:f"),
        ] {
            assert!(parse(&rotated.replace(from, to)).is_none(), "{to}");
        }
    }
}
