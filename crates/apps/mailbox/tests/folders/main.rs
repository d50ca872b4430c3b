//! Folders on a real file system: what is asked is answered, and what others put there harms nobody.
#![cfg(unix)]

#[cfg(test)]
mod asking;
#[cfg(test)]
mod failing;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod racing;
#[cfg(test)]
mod rig;
