//! An asker, and somebody who answers in a folder when told to.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::place::Place;

/// Ann asks, Bob answers everyone with all that bears the label `public`.
pub(crate) struct Pair {
    pub(crate) ann: Place,
    pub(crate) bob: Place,
}

impl Pair {
    pub(crate) fn new() -> Self {
        let pair = Self {
            ann: Place::new(),
            bob: Place::new(),
        };
        let settings = "[agent]\nname = \"bob\"\n\n[[share]]\nto = \"*\"\nlabels = [\"public\"]\n\
                        format = \"attestation\"\n\n[share_claims]\npredicates = [\"lives in\"]\n";
        std::fs::write(pair.bob.dir().join("exchange.toml"), settings).unwrap();
        std::fs::create_dir(pair.folder()).unwrap();
        let (key, folder) = (pair.bob_key(), pair.folder());
        let args = ["peer", "add", "bob", &key, "--at", folder.to_str().unwrap()];
        pair.ann.run(args).ok();
        pair
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.bob.folder().join("between")
    }

    pub(crate) fn bob_key(&self) -> String {
        self.bob.json(["key", "show"])["agent"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Bob remembers something that he shares.
    pub(crate) fn bob_shares(&self, text: &str) {
        let data = serde_json::json!({ "text": text, "share": "public" });
        let file = self.bob.file("memory.json", data.to_string().as_bytes());
        self.bob
            .run(["remember".as_ref(), "--file".as_ref(), file.as_os_str()])
            .ok();
    }

    /// Ann asks Bob; the process waits.
    pub(crate) fn asks(&self, question: &str, more: &[&str]) -> Child {
        self.ann
            .command()
            .args(["--json", "ask", "bob", question])
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Bob answers what is there, once something is.
    pub(crate) fn bob_answers(&self) {
        let folder = self.folder();
        for _ in 0..200 {
            let args = ["answer", "--once", "--dir", folder.to_str().unwrap()];
            let told = self.bob.json(args);
            if !told["answered"].as_array().unwrap().is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("nobody asked");
    }

    /// Ann asks, Bob answers, and the exchange ends with this code.
    #[track_caller]
    pub(crate) fn exchange(&self, question: &str, more: &[&str], code: i32) -> Value {
        let asking = self.asks(question, more);
        self.bob_answers();
        ended(asking, code)
    }
}

/// The document of a process that ends with this code.
#[track_caller]
pub(crate) fn ended(asking: Child, code: i32) -> Value {
    let ran = asking.wait_with_output().unwrap();
    let (said, complaint) = (
        String::from_utf8(ran.stdout).unwrap(),
        String::from_utf8(ran.stderr).unwrap(),
    );
    assert_eq!(ran.status.code(), Some(code), "{said}\n{complaint}");
    serde_json::from_str(&said).unwrap()
}
