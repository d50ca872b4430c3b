//! Server and client on real sockets of this machine, against scripts of what strangers do.

#[cfg(test)]
mod card;
#[cfg(test)]
mod carrying;
#[cfg(test)]
mod ending;
#[cfg(test)]
mod files;
#[cfg(test)]
mod flooding;
#[cfg(test)]
mod problems;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod signatures;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod tls;
