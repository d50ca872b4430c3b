//! Loss of power and errors of the disk at each system call that changes a file (reliability R1, R4).
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

#[cfg(test)]
mod asking;
#[cfg(test)]
mod creation;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod interpose;
#[cfg(test)]
mod judge;
#[cfg(test)]
mod platter;
#[cfg(test)]
mod power;
#[cfg(test)]
mod random;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod scenario;
#[cfg(test)]
mod twice;
#[cfg(test)]
mod twins;
#[cfg(test)]
mod watch;
