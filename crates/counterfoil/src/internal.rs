//! Parts that the commands about claims and exchange use directly. They become private as these move here.

pub use crate::import::{Line, Lines};
pub use crate::keys::check_private;
pub use crate::{claims, exchange, files, floor, home, recall, remember, versions, when};
