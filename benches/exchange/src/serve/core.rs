//! Which processors a process runs on.

use anyhow::Result;

/// Keeps this process and what it starts on the server's core, or off it.
#[cfg(target_os = "linux")]
pub(super) fn keep(on: bool) -> Result<()> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let allowed = sched_getaffinity(None)?;
    let all = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
    let all: Vec<usize> = all.collect();
    // One core alone is for both.
    let Some((server, [_, ..])) = all.split_last() else {
        return Ok(());
    };
    let mut kept = CpuSet::new();
    for core in all.iter().filter(|core| (*core == server) == on) {
        kept.set(*core);
    }
    Ok(sched_setaffinity(None, &kept)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn keep(_: bool) -> Result<()> {
    Ok(())
}
