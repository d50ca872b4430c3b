//! A build without `std`: the sysroot has `core` and `alloc` alone, so that no macro, module, feature or helper reaches more
//! (M-8, CR-16, FP-08).
//!
//! The compiler resolves each name itself, here on the host's own target. `unsafe` code is refused with it, since a system
//! call needs no library. Code for other platforms is not compiled; the scan of its text is all there is for it.

use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::process::{Command, Output};

use crate::{Error, Graph, Package};

/// The libraries of the sysroot.
const LIBRARIES: [&str; 3] = ["libcore-", "liballoc-", "libcompiler_builtins-"];

/// A package that does not build.
pub(crate) struct Failure {
    /// Name of the package.
    pub(crate) package: String,
    /// First message of the compiler.
    pub(crate) message: String,
}

/// Type-checks the libraries of `packages`, with every feature of members and all that they are built from; `None` says that all
/// of it compiles without `std`.
///
/// # Errors
/// [`Error::Build`] when the compiler came to no verdict.
pub(crate) fn build(graph: &Graph, packages: &[&Package]) -> Result<Option<Failure>, Error> {
    // Not the target directory of the user's choice: two workspaces that share it would share packages of one name.
    let folder = graph.root.join("target/counterfoil-bare");
    let version = run(graph, rustc().arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Error::Build(version.clone()))?;
    let sysroot = sysroot(graph, &folder, host)?;

    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["check", "--quiet", "--lib", "--message-format", "short"]);
    command.args(["--target", host, "--target-dir"]).arg(folder);
    command.args(&graph.options);
    for package in packages {
        command.args(["--package", &package.cargo.id.repr]);
    }
    if packages.iter().all(|package| package.member) {
        command.arg("--all-features");
    }
    let flags = format!("--sysroot={}\u{1f}-Funsafe_code", sysroot.display());
    let output = start(graph, command.env("CARGO_ENCODED_RUSTFLAGS", flags))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let package = text
        .split_once("could not compile `")
        .and_then(|(_, rest)| Some(rest.split_once('`')?.0.to_owned()));
    let message = text.lines().find(|line| line.contains("error"));
    match (output.status.success(), package, message) {
        (true, ..) => Ok(None),
        (false, Some(package), Some(message)) => Ok(Some(Failure {
            package,
            message: message.to_owned(),
        })),
        _ => Err(Error::Build(text)),
    }
}

/// Makes the sysroot of the toolchain that the workspace uses, and returns its folder.
fn sysroot(graph: &Graph, folder: &FilePath, host: &str) -> Result<PathBuf, Error> {
    let libraries = run(graph, rustc().args(["--print", "target-libdir"]))?;
    let libraries = PathBuf::from(libraries.trim());
    let failed = |path: &FilePath| {
        let path = path.to_path_buf();
        |source| Error::Read { path, source }
    };
    let entries = fs::read_dir(&libraries).map_err(failed(&libraries))?;
    let mut names: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| LIBRARIES.iter().any(|one| name.starts_with(one)))
        .collect();
    names.sort();
    // A folder for each toolchain: two versions of `core` side by side are an error of the compiler.
    let Some(core) = names.iter().find(|name| name.starts_with("libcore-")) else {
        return Err(Error::Build(format!(
            "no libcore in {}",
            libraries.display()
        )));
    };
    let sysroot = folder.join(core);
    let there = sysroot.join("lib/rustlib").join(host).join("lib");
    fs::create_dir_all(&there).map_err(failed(&there))?;
    for name in names {
        let (from, to) = (libraries.join(&name), there.join(&name));
        if !to.exists() && fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).map_err(failed(&to))?;
        }
    }
    Ok(sysroot)
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

fn run(graph: &Graph, command: &mut Command) -> Result<String, Error> {
    let output = start(graph, command)?;
    if !output.status.success() {
        return Err(Error::Build(String::from_utf8_lossy(&output.stderr).into()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into())
}

fn start(graph: &Graph, command: &mut Command) -> Result<Output, Error> {
    let program = PathBuf::from(command.get_program());
    let started = command.current_dir(&graph.root).output();
    started.map_err(|source| Error::Read {
        path: program,
        source,
    })
}
