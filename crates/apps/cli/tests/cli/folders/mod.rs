//! Two agents and one folder, and what they say to each other in a conversation.

mod answering;
mod hearing;
mod rig;
