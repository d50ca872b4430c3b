//! Stands before the system calls that change a disk, for this process alone.
//!
//! SQLite and Rust's standard library call these functions of the C library by name; a definition in
//! the program itself comes first. Each passes on what does not concern a watched folder, and asks
//! [`watch`](crate::watch) about the rest. So whatever the backend does to a file is seen, whichever
//! library does it. The list was compared with `strace` of the scenarios: nothing else is called.
#![expect(
    unsafe_code,
    reason = "to define a C function, to call a system call and to read its arguments is unsafe"
)]

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::{c_char, c_int, c_long, c_uint, c_void, iovec, off64_t, size_t, ssize_t};

use crate::watch::{self, Change, Opening};

/// Arguments of a system call take their width from their type.
const NOTHING: c_long = 0;
const PLAIN: c_int = 0;
const UNSIGNED: c_uint = 0;

/// Sets the error number as the C library does, and answers -1.
pub(crate) fn fail(error: c_int) -> i64 {
    // SAFETY: the C library gives each thread a valid place for its error number.
    unsafe { *libc::__errno_location() = error };
    -1
}

fn ssize(result: i64) -> ssize_t {
    ssize_t::try_from(result).unwrap_or(-1)
}

fn int(result: i64) -> c_int {
    c_int::try_from(result).unwrap_or(-1)
}

/// The bytes that a caller hands over.
///
/// # Safety
/// `data` points to `count` bytes that are readable while the result lives.
unsafe fn bytes<'a>(data: *const c_void, count: size_t) -> &'a [u8] {
    // SAFETY: as the caller promises; the system call would read the same bytes.
    unsafe { std::slice::from_raw_parts(data.cast(), count) }
}

/// # Safety
/// `path` is a C string that lives as long as the result.
unsafe fn path<'a>(path: *const c_char) -> &'a Path {
    // SAFETY: as the caller promises.
    Path::new(OsStr::from_bytes(
        unsafe { CStr::from_ptr(path) }.to_bytes(),
    ))
}

fn position(fd: c_int, whence: c_int) -> u64 {
    // SAFETY: a system call without pointers.
    let at = unsafe { libc::syscall(libc::SYS_lseek, fd, NOTHING, whence) };
    u64::try_from(at).unwrap_or(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open(name: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    let raw = || {
        // SAFETY: the arguments are the caller's.
        unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, name, flags, mode) }
    };
    // SAFETY: a caller of `open` gives a C string.
    let opening = Opening {
        path: unsafe { path(name) },
        creates: flags & libc::O_CREAT != 0,
        truncates: flags & libc::O_TRUNC != 0,
        appends: flags & libc::O_APPEND != 0,
    };
    int(watch::open(&opening, raw))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open64(name: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the same function under the name for large files.
    unsafe { open(name, flags, mode) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn close(fd: c_int) -> c_int {
    watch::close(fd);
    // SAFETY: a system call without pointers.
    int(unsafe { libc::syscall(libc::SYS_close, fd) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(fd: c_int, data: *const c_void, count: size_t) -> ssize_t {
    // SAFETY: the arguments are the caller's.
    let raw = |count: size_t| unsafe { libc::syscall(libc::SYS_write, fd, data, count) };
    let Some(file) = watch::file(fd) else {
        return ssize(raw(count));
    };
    let whence = if file.appends {
        libc::SEEK_END
    } else {
        libc::SEEK_CUR
    };
    // SAFETY: the caller gives `count` readable bytes.
    let bytes = unsafe { bytes(data, count) };
    ssize(file.write(position(fd, whence), bytes, raw))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite64(
    fd: c_int,
    data: *const c_void,
    count: size_t,
    offset: off64_t,
) -> ssize_t {
    // SAFETY: the arguments are the caller's.
    let raw = |count: size_t| unsafe { libc::syscall(libc::SYS_pwrite64, fd, data, count, offset) };
    match (watch::file(fd), u64::try_from(offset)) {
        // SAFETY: the caller gives `count` readable bytes.
        (Some(file), Ok(offset)) => ssize(file.write(offset, unsafe { bytes(data, count) }, raw)),
        _ => ssize(raw(count)),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pwrite(
    fd: c_int,
    data: *const c_void,
    count: size_t,
    offset: off64_t,
) -> ssize_t {
    // SAFETY: the same function; offsets have 64 bits here.
    unsafe { pwrite64(fd, data, count, offset) }
}

/// Writes the first of the parts, as a system call may.
#[unsafe(no_mangle)]
unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    if watch::file(fd).is_some() && count > 0 {
        // SAFETY: the caller gives `count` parts, so there is a first one.
        let first = unsafe { &*parts };
        // SAFETY: a part is a pointer to as many bytes as it says.
        return unsafe { write(fd, first.iov_base, first.iov_len) };
    }
    // SAFETY: the arguments are the caller's.
    ssize(unsafe { libc::syscall(libc::SYS_writev, fd, parts, count) })
}

/// Refused between watched files, so that the standard library reads and writes instead.
#[unsafe(no_mangle)]
unsafe extern "C" fn copy_file_range(
    from: c_int,
    from_offset: *mut off64_t,
    to: c_int,
    to_offset: *mut off64_t,
    length: size_t,
    flags: c_uint,
) -> ssize_t {
    if watch::file(to).is_some() {
        return ssize(fail(libc::ENOSYS));
    }
    // SAFETY: the arguments are the caller's.
    ssize(unsafe {
        libc::syscall(
            libc::SYS_copy_file_range,
            from,
            from_offset,
            to,
            to_offset,
            length,
            flags,
        )
    })
}

/// As [`copy_file_range`].
#[unsafe(no_mangle)]
unsafe extern "C" fn sendfile64(
    to: c_int,
    from: c_int,
    offset: *mut off64_t,
    count: size_t,
) -> ssize_t {
    if watch::file(to).is_some() {
        return ssize(fail(libc::ENOSYS));
    }
    // SAFETY: the arguments are the caller's.
    ssize(unsafe { libc::syscall(libc::SYS_sendfile, to, from, offset, count) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate64(fd: c_int, length: off64_t) -> c_int {
    // SAFETY: a system call without pointers.
    let raw = || unsafe { libc::syscall(libc::SYS_ftruncate, fd, length) };
    match (watch::file(fd), u64::try_from(length)) {
        (Some(file), Ok(length)) => int(file.change(Change::Resize(length), raw)),
        _ => int(raw()),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate(fd: c_int, length: off64_t) -> c_int {
    // SAFETY: the same function; offsets have 64 bits here.
    unsafe { ftruncate64(fd, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fsync(fd: c_int) -> c_int {
    // SAFETY: a system call without pointers.
    let raw = || unsafe { libc::syscall(libc::SYS_fsync, fd) };
    match watch::file(fd) {
        // What the disk holds is modelled, so nobody waits for the real one.
        Some(file) => int(file.change(Change::Sync, || 0)),
        None => int(raw()),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fdatasync(fd: c_int) -> c_int {
    // SAFETY: a system call without pointers.
    let raw = || unsafe { libc::syscall(libc::SYS_fdatasync, fd) };
    match watch::file(fd) {
        Some(file) => int(file.change(Change::Sync, || 0)),
        None => int(raw()),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(name: *const c_char) -> c_int {
    let raw = || {
        // SAFETY: the arguments are the caller's.
        unsafe { libc::syscall(libc::SYS_unlinkat, libc::AT_FDCWD, name, PLAIN) }
    };
    // SAFETY: a caller of `unlink` gives a C string.
    int(watch::remove(unsafe { path(name) }, raw))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let here = libc::AT_FDCWD;
    // SAFETY: the arguments are the caller's.
    let raw = || unsafe { libc::syscall(libc::SYS_renameat2, here, from, here, to, UNSIGNED) };
    // SAFETY: a caller of `rename` gives two C strings.
    int(watch::rename(
        unsafe { path(from) },
        unsafe { path(to) },
        raw,
    ))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(name: *const c_char, mode: c_uint) -> c_int {
    // SAFETY: the arguments are the caller's.
    let raw = || unsafe { libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, name, mode) };
    // SAFETY: a caller of `mkdir` gives a C string.
    int(watch::make_folder(unsafe { path(name) }, raw))
}
