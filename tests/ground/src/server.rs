//! The server, its standbys, and how they end.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Set where a missing PostgreSQL is an error, as in CI.
const REQUIRED: &str = "COUNTERFOIL_REQUIRES_POSTGRES";

/// Database that others are copies of.
const TEMPLATE: &str = "ground";

/// The most time that a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. It ends with the process that started it.
pub struct Server {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    /// Settings in the form of the command line.
    settings: Vec<String>,
    /// Ends the server when its input ends: with this process, however it ends.
    keeper: Mutex<Option<Child>>,
}

/// Returns the server that all tests of a process share; `None`, and a line that says so, where PostgreSQL is not installed.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    // Nothing here survives a loss of power, which no test makes.
    SERVER
        .get_or_init(|| Server::start(&["fsync=off", "full_page_writes=off"]))
        .as_ref()
}

impl Server {
    /// Starts a server with these settings; `None` where PostgreSQL is not installed.
    ///
    /// # Panics
    /// When it is required by the environment and not installed, and when it does not start.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os(REQUIRED).is_none(),
                "PostgreSQL is not installed"
            );
            let line = "\nPOSTGRESQL IS MISSING: the tests of the shared ground did not run (Debian: postgresql)\n";
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("ground-")
            .tempdir()
            .unwrap();
        if let Some((user, group)) = user() {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let made = Self {
            folder,
            programs,
            port: free_port(),
            settings: settings.iter().map(|it| (*it).to_owned()).collect(),
            keeper: Mutex::default(),
        };
        let data = made.data();
        made.run(
            "initdb",
            &[
                "-D",
                text(&data),
                "-U",
                "admin",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ],
        );
        made.resume();
        made.sql("postgres", &format!("CREATE DATABASE {TEMPLATE}"));
        Some(made)
    }

    /// Starts a standby of this server, as a copy of it now, which it follows by streaming.
    pub fn standby(&self, name: &str, settings: &[&str]) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ground-")
            .tempdir()
            .unwrap();
        if let Some((user, group)) = user() {
            chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let made = Self {
            folder,
            programs: self.programs.clone(),
            port: free_port(),
            settings: settings.iter().map(|it| (*it).to_owned()).collect(),
            keeper: Mutex::default(),
        };
        let (data, from) = (
            made.data(),
            format!(
                "host=127.0.0.1 port={} user=admin application_name={name}",
                self.port
            ),
        );
        made.run(
            "pg_basebackup",
            &[
                "-D",
                text(&data),
                "-d",
                &from,
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
                "--no-sync",
            ],
        );
        made.resume();
        made
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        self.sql("postgres", "SELECT pg_promote(true, 60)");
    }

    /// Writes a file of the server beside its data, for the server alone.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put(&self, name: &str, content: &str) {
        let path = self.data().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((user, group)) = user() {
            chown(&path, Some(user), Some(group)).unwrap();
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Port of the server, on loopback.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Address of a database for a role.
    pub fn url(&self, role: &str, database: &str) -> String {
        format!("postgres://{role}@127.0.0.1:{}/{database}", self.port)
    }

    /// Makes a database with a role of its own, which is no superuser. Returns its address.
    pub fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("logs{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE ROLE {name} LOGIN"));
        self.sql(
            "postgres",
            &format!("CREATE DATABASE {name} OWNER {name} TEMPLATE {TEMPLATE}"),
        );
        self.url(&name, &name)
    }

    /// Runs SQL as the superuser, and returns what it prints: a row a line, columns divided by `|`.
    ///
    /// # Panics
    /// When it fails.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        self.try_sql("admin", database, sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Runs SQL as a role. Returns what the server says where it refuses.
    ///
    /// # Errors
    /// The message of the server.
    ///
    /// # Panics
    /// When `psql` cannot be run.
    pub fn try_sql(&self, role: &str, database: &str, sql: &str) -> Result<String, String> {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]);
        let done = command
            .args(["-d", &self.url(role, database), "-c", sql])
            .output()
            .unwrap();
        match done.status.success() {
            true => Ok(String::from_utf8(done.stdout)
                .unwrap()
                .trim_end()
                .to_owned()),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
        }
    }

    /// Kills all processes of the server.
    ///
    /// # Panics
    /// When they cannot be found.
    pub fn kill(&self) {
        let pid = fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap().to_owned();
        signal("KILL", &pid);
        self.end();
    }

    /// Starts the server again, where it was killed.
    ///
    /// # Panics
    /// When it does not start.
    pub fn resume(&self) {
        let (data, socket) = (self.data(), self.folder.path());
        let mut arguments = format!(
            "-D {} -p {} -c listen_addresses=127.0.0.1 -k {}",
            text(&data),
            self.port,
            text(socket)
        );
        for setting in [
            "autovacuum=off",
            "max_connections=200",
            "shared_buffers=64MB",
        ] {
            arguments.push_str(&format!(" -c {setting}"));
        }
        for setting in &self.settings {
            arguments.push_str(&format!(" -c '{setting}'"));
        }
        let postgres = self.programs.join("postgres");
        let log = self.folder.path().join("log");
        // Children of a postmaster that was killed hold its memory for a moment.
        let script = format!(
            "n=0; while [ $n -lt 50 ]; do {} {arguments} >>{} 2>&1 </dev/null & pid=$!; sleep 0.1; kill -0 $pid 2>/dev/null && break; \
             sleep 0.1; n=$((n+1)); done; cat >/dev/null; kill -QUIT $pid; wait $pid",
            text(&postgres),
            text(&log)
        );
        let mut keeper = self.command("sh");
        keeper.args(["-c", &script]).stdin(Stdio::piped());
        // A group of its own, so that an interrupted test does not end the server before the keeper does.
        *self.keeper.lock().unwrap() = Some(keeper.process_group(0).spawn().unwrap());
        let until = Instant::now() + PATIENCE;
        let mut ready = Command::new(self.programs.join("pg_isready"));
        ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        while !ready.status().unwrap().success() {
            let log = fs::read_to_string(&log).unwrap_or_default();
            assert!(Instant::now() < until, "PostgreSQL does not start:\n{log}");
            sleep(Duration::from_millis(50));
        }
    }

    fn end(&self) {
        let keeper = self.keeper.lock().unwrap().take();
        if let Some(mut keeper) = keeper {
            drop(keeper.stdin.take());
            keeper.wait().unwrap();
        }
    }

    /// A command as the user of the server.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        if let Some((user, group)) = user() {
            command.uid(user).gid(group);
        }
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let done = self
            .command(text(&program))
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}: {}",
            program.display(),
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Sends a signal to a process.
///
/// # Panics
/// When there is no `kill`.
pub fn signal(name: &str, pid: &str) {
    Command::new("kill")
        .args([&format!("-{name}"), pid])
        .status()
        .unwrap();
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Folder of PostgreSQL's programs: the newest that is installed.
fn programs() -> Option<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let installed = installed.map(|version| version.path().join("bin"));
    let mut found: Vec<PathBuf> = installed
        .filter(|bin| bin.join("initdb").exists())
        .collect();
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    found.sort();
    found.splice(
        0..0,
        std::env::split_paths(&on_path).filter(|bin| bin.join("initdb").exists()),
    );
    found.pop()
}

/// User and group of the server where the tests run as root, whom PostgreSQL refuses.
fn user() -> Option<(u32, u32)> {
    let me = fs::metadata("/proc/self").ok()?;
    if std::os::unix::fs::MetadataExt::uid(&me) != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let named = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.starts_with(&format!("{name}:")))?;
        let mut columns = line.split(':').skip(2).map(str::parse);
        Some((columns.next()?.ok()?, columns.next()?.ok()?))
    };
    named("postgres").or_else(|| named("nobody"))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}
