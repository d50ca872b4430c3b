//! Two agents, each with a store and a key of its own.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use crate::place::{Place, Ran};

/// What Babel remembers and shares with whoever asks.
pub(crate) const SHARED: &str = "Pruning is identity: what you forget defines who you become.";
/// What Babel remembers and shares with nobody.
pub(crate) const PRIVATE: &str = "The pruning knife is under the mat.";

/// Ann asks, Babel answers.
pub(crate) struct Two {
    pub(crate) ann: Place,
    pub(crate) babel: Place,
}

impl Two {
    /// Babel answers everyone, with what bears its label.
    pub(crate) fn new() -> Self {
        let two = Self {
            ann: named("ann"),
            babel: named("babel"),
        };
        two.babel.remembers(SHARED, "public");
        two.babel.remembers(PRIVATE, "nobody");
        two
    }

    /// The folder between them.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.babel.folder().join("between");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Babel's key.
    pub(crate) fn babel_key(&self) -> String {
        let shown = self.babel.json(["key", "show"]);
        shown["agent"].as_str().unwrap().to_owned()
    }

    /// Ann gives Babel a name, and says where Babel is asked.
    pub(crate) fn introduce(&self) {
        let folder = self.folder().into_os_string().into_string().unwrap();
        let added = ["peer", "add", "babel", &self.babel_key(), "--at", &folder];
        self.ann.run(added).ok();
    }

    /// Ann asks whoever answers in the folder; the process waits.
    pub(crate) fn ask(&self, question: &str) -> Child {
        self.ask_of(self.folder().as_os_str(), question)
    }

    /// Ann asks somebody; the process waits.
    pub(crate) fn ask_of(&self, target: &OsStr, question: &str) -> Child {
        let mut command = self.ann.command();
        command.args(["--json", "ask"]).arg(target).arg(question);
        command.args(["--timeout", "60"]).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// The request that waits in the folder.
    pub(crate) fn waiting(&self) -> PathBuf {
        let inbox = self.folder().join("inbox");
        for _ in 0..1_000 {
            let entries = std::fs::read_dir(&inbox).into_iter().flatten().flatten();
            let mut paths = entries.map(|entry| entry.path());
            let is_written = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
            if let Some(path) = paths.find(is_written) {
                return path;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("nobody asked");
    }

    /// Babel answers what is there, until something was.
    pub(crate) fn answer_once(&self) -> serde_json::Value {
        for _ in 0..200 {
            let told = self.babel.json([
                "answer".into(),
                "--dir".into(),
                self.folder(),
                "--once".into(),
            ]);
            if !told["answered"].as_array().unwrap().is_empty()
                || !told["refused"].as_array().unwrap().is_empty()
            {
                return told;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("nobody asked");
    }
}

fn named(name: &str) -> Place {
    let place = Place::new();
    let settings = format!(
        "[agent]\nname = {name:?}\n\n[[share]]\nto = \"*\"\nlevel = 0\nlabels = [\"public\"]\nformat = \"attestation\"\n"
    );
    std::fs::write(place.dir().join("exchange.toml"), settings).unwrap();
    place
}

impl Place {
    /// A memory with a label.
    fn remembers(&self, text: &str, label: &str) {
        let data = serde_json::json!({ "text": text, "share": label });
        let file = self.file("memory.json", data.to_string().as_bytes());
        self.run(["remember".as_ref(), "--file".as_ref(), file.as_os_str()])
            .ok();
    }

    /// Hears a message.
    pub(crate) fn hears(&self, message: &str, more: &[&str]) -> Ran {
        let args = ["hear", "-"].iter().chain(more);
        self.run_with_input(args, message.as_bytes())
    }
}
