//! Asking, on a store in a folder of its own, a transport that follows a script, and a clock that moves when it is waited for.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod binding;
#[cfg(test)]
mod clocks;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod erased;
#[cfg(test)]
mod failing;
#[cfg(test)]
mod heard;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod kept;
#[cfg(test)]
mod retracted;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod stop;
#[cfg(test)]
mod testimony;
#[cfg(test)]
mod vouched;
#[cfg(test)]
mod words;
