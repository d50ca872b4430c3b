//! Watched folders: every change of a file in one is recorded in order, and may be made to fail.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use libc::c_int;

use crate::interpose::fail;

/// Names a file for ever, whatever it is called.
pub(crate) type Inode = usize;

/// One change, in the order in which the kernel saw it. Names are relative to the watched folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operation {
    Create {
        name: String,
        inode: Inode,
    },
    MakeFolder(String),
    Write {
        inode: Inode,
        offset: u64,
        bytes: Arc<[u8]>,
    },
    Resize {
        inode: Inode,
        length: u64,
    },
    Sync(Inode),
    /// What was not on disk before it may never be, although later syncs succeed.
    SyncFailed(Inode),
    SyncFolder(String),
    Rename {
        from: String,
        to: String,
    },
    Remove(String),
    /// Not of the disk: what the scenario says in between.
    Mark(usize),
}

/// How a change is made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The first change that fails, counted from 0.
    pub(crate) at: usize,
    pub(crate) error: c_int,
    pub(crate) lasts: Lasts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    Once,
    /// Until the fault is taken away; what needs no room goes on when the disk is full.
    ForEver,
}

/// A folder that is watched until it is dropped.
pub(crate) struct Watched {
    disk: Arc<Disk>,
}

impl Watched {
    /// Watches `folder`, whose files are numbered by `inodes`.
    pub(crate) fn record(folder: &Path, inodes: BTreeMap<String, Inode>) -> Self {
        Self::start(folder, inodes, Keeps::All)
    }

    /// Only spares the waiting for the real disk.
    pub(crate) fn hurry(folder: &Path) -> Self {
        Self::start(folder, BTreeMap::new(), Keeps::Nothing)
    }

    fn start(folder: &Path, inodes: BTreeMap<String, Inode>, keeps: Keeps) -> Self {
        let next = inodes.values().max().map_or(0, |last| last + 1);
        let disk = Arc::new(Disk {
            root: folder.canonicalize().unwrap(),
            keeps,
            state: Mutex::new(State {
                inodes,
                next,
                ..State::default()
            }),
        });
        DISKS.write().unwrap().push(Arc::clone(&disk));
        WATCHED.fetch_add(1, Ordering::SeqCst);
        Self { disk }
    }

    pub(crate) fn mark(&self, mark: usize) {
        let operation = Operation::Mark(mark);
        self.disk.lock().operations.push(operation);
    }

    pub(crate) fn set_fault(&self, fault: Option<Fault>) {
        self.disk.lock().fault = fault;
    }

    pub(crate) fn failures(&self) -> usize {
        self.disk.lock().failures
    }

    pub(crate) fn take(&self) -> Vec<Operation> {
        std::mem::take(&mut self.disk.lock().operations)
    }

    /// How often the file of that name was opened.
    pub(crate) fn openings(&self, name: &str) -> usize {
        self.disk.lock().openings.get(name).copied().unwrap_or(0)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut disks = DISKS.write().unwrap();
        disks.retain(|disk| !Arc::ptr_eq(disk, &self.disk));
        WATCHED.fetch_sub(1, Ordering::SeqCst);
    }
}

static WATCHED: AtomicUsize = AtomicUsize::new(0);
static DISKS: RwLock<Vec<Arc<Disk>>> = RwLock::new(Vec::new());
static FILES: RwLock<Option<HashMap<c_int, File>>> = RwLock::new(None);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    All,
    Nothing,
}

#[derive(Debug)]
struct Disk {
    root: PathBuf,
    keeps: Keeps,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    inodes: BTreeMap<String, Inode>,
    next: Inode,
    operations: Vec<Operation>,
    openings: BTreeMap<String, usize>,
    fault: Option<Fault>,
    changes: usize,
    failures: usize,
}

impl State {
    /// The error of the next change, if it is to fail.
    fn fails(&mut self, needs_room: bool) -> Option<c_int> {
        let number = self.changes;
        self.changes += 1;
        let fault = self.fault?;
        let hits = match fault.lasts {
            Lasts::Once => number == fault.at,
            Lasts::ForEver => number >= fault.at && (needs_room || fault.error != libc::ENOSPC),
        };
        self.failures += usize::from(hits);
        hits.then_some(fault.error)
    }
}

/// A descriptor of a watched file or folder.
#[derive(Debug, Clone)]
pub(crate) struct File {
    disk: Arc<Disk>,
    what: What,
    pub(crate) appends: bool,
}

#[derive(Debug, Clone)]
enum What {
    File(Inode),
    Folder(String),
    /// SQLite's shared memory: it may fail, but after a loss of power nobody looks at it.
    Memory,
}

/// What is done through a descriptor.
pub(crate) enum Change {
    Resize(u64),
    Sync,
}

pub(crate) struct Opening<'a> {
    pub(crate) path: &'a Path,
    pub(crate) creates: bool,
    pub(crate) truncates: bool,
    pub(crate) appends: bool,
}

impl File {
    pub(crate) fn write(&self, offset: u64, bytes: &[u8], raw: impl Fn(usize) -> i64) -> i64 {
        if self.disk.keeps == Keeps::Nothing {
            return raw(bytes.len());
        }
        let mut state = self.disk.lock();
        if let Some(error) = state.fails(true) {
            return fail(error);
        }
        let written = raw(bytes.len());
        if let (What::File(inode), Ok(count)) = (&self.what, usize::try_from(written)) {
            state.operations.push(Operation::Write {
                inode: *inode,
                offset,
                bytes: bytes[..count].into(),
            });
        }
        written
    }

    pub(crate) fn change(&self, change: Change, raw: impl FnOnce() -> i64) -> i64 {
        if self.disk.keeps == Keeps::Nothing {
            return raw();
        }
        let mut state = self.disk.lock();
        if let Some(error) = state.fails(false) {
            if let (Change::Sync, What::File(inode)) = (change, &self.what) {
                state.operations.push(Operation::SyncFailed(*inode));
            }
            return fail(error);
        }
        let result = raw();
        let operation = match (change, &self.what) {
            _ if result < 0 => None,
            (Change::Resize(length), &What::File(inode)) => {
                Some(Operation::Resize { inode, length })
            }
            (Change::Sync, &What::File(inode)) => Some(Operation::Sync(inode)),
            (Change::Sync, What::Folder(name)) => Some(Operation::SyncFolder(name.clone())),
            _ => None,
        };
        state.operations.extend(operation);
        result
    }
}

impl Disk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn opened(&self, name: &str, opening: &Opening<'_>, raw: impl FnOnce() -> i64) -> (i64, What) {
        if self.keeps == Keeps::Nothing || name.ends_with("-shm") {
            return (raw(), What::Memory);
        }
        let mut state = self.lock();
        *state.openings.entry(name.to_owned()).or_default() += 1;
        let known = state.inodes.get(name).copied();
        let changes = known.is_none() && opening.creates || opening.truncates;
        if changes && let Some(error) = state.fails(true) {
            return (fail(error), What::Memory);
        }
        let fd = raw();
        if fd < 0 {
            return (fd, What::Memory);
        }
        if known.is_none() && !opening.creates {
            return (fd, What::Folder(name.to_owned()));
        }
        let inode = known.unwrap_or(state.next);
        if known.is_none() {
            state.next += 1;
            let name = name.to_owned();
            state.inodes.insert(name.clone(), inode);
            state.operations.push(Operation::Create { name, inode });
        } else if opening.truncates {
            state
                .operations
                .push(Operation::Resize { inode, length: 0 });
        }
        (fd, What::File(inode))
    }
}

/// The watched folder that a path lies in, and its name there.
fn find(path: &Path) -> Option<(Arc<Disk>, String)> {
    if WATCHED.load(Ordering::SeqCst) == 0 {
        return None;
    }
    let disks = DISKS.read().unwrap();
    disks.iter().find_map(|disk| {
        let name = path.strip_prefix(&disk.root).ok()?.to_str()?;
        Some((Arc::clone(disk), name.to_owned()))
    })
}

pub(crate) fn file(fd: c_int) -> Option<File> {
    if WATCHED.load(Ordering::SeqCst) == 0 {
        return None;
    }
    FILES.read().unwrap().as_ref()?.get(&fd).cloned()
}

pub(crate) fn open(opening: &Opening<'_>, raw: impl FnOnce() -> i64) -> i64 {
    let Some((disk, name)) = find(opening.path) else {
        return raw();
    };
    let (fd, what) = disk.opened(&name, opening, raw);
    if let Ok(fd) = c_int::try_from(fd)
        && fd >= 0
    {
        let appends = opening.appends;
        let file = File {
            disk,
            what,
            appends,
        };
        let mut files = FILES.write().unwrap();
        files.get_or_insert_default().insert(fd, file);
    }
    fd
}

pub(crate) fn close(fd: c_int) {
    let watched = FILES
        .read()
        .unwrap()
        .as_ref()
        .is_some_and(|files| files.contains_key(&fd));
    if watched && let Some(files) = FILES.write().unwrap().as_mut() {
        files.remove(&fd);
    }
}

/// A change of names; `done` is told how it was recorded.
fn renamed(
    disk: &Disk,
    needs_room: bool,
    raw: impl FnOnce() -> i64,
    done: impl FnOnce(&mut State),
) -> i64 {
    if disk.keeps == Keeps::Nothing {
        return raw();
    }
    let mut state = disk.lock();
    if let Some(error) = state.fails(needs_room) {
        return fail(error);
    }
    let result = raw();
    if result == 0 {
        done(&mut state);
    }
    result
}

pub(crate) fn remove(path: &Path, raw: impl FnOnce() -> i64) -> i64 {
    match find(path) {
        Some((disk, name)) if !name.ends_with("-shm") => renamed(&disk, false, raw, |state| {
            state.inodes.remove(&name);
            state.operations.push(Operation::Remove(name));
        }),
        _ => raw(),
    }
}

pub(crate) fn rename(from: &Path, to: &Path, raw: impl FnOnce() -> i64) -> i64 {
    match (find(from), find(to)) {
        (Some((disk, from)), Some((_, to))) => renamed(&disk, true, raw, |state| {
            if let Some(inode) = state.inodes.remove(&from) {
                state.inodes.insert(to.clone(), inode);
            }
            state.operations.push(Operation::Rename { from, to });
        }),
        _ => raw(),
    }
}

pub(crate) fn make_folder(path: &Path, raw: impl FnOnce() -> i64) -> i64 {
    match find(path) {
        Some((disk, name)) => renamed(&disk, true, raw, |state| {
            state.operations.push(Operation::MakeFolder(name));
        }),
        None => raw(),
    }
}
