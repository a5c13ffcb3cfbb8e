//! Reading JSON that arrives in pieces.
//!
//! [`scanner`] turns bytes into tokens and can stop at any byte; [`run`] reads the inside of a string for it and
//! [`lexeme`] knows a token's parts; [`notes`] watches the tokens of a call's arguments; [`arguments`] puts both
//! together; [`repair`] mends what is almost JSON; [`text`] decodes strings; [`value`] makes JSON of what is not.

pub(crate) mod arguments;
pub(crate) mod lexeme;
pub(crate) mod notes;
pub(crate) mod repair;
pub(crate) mod run;
pub(crate) mod scanner;
pub(crate) mod text;
pub(crate) mod value;
