//! Extractors as their callers meet them: texts in, proposals out.

#[cfg(feature = "endpoint")]
#[cfg(test)]
mod endpoint;
#[cfg(test)]
mod rules;
#[cfg(feature = "endpoint")]
#[cfg(test)]
mod server;
