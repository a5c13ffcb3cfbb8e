//! The properties of a detection and of its calls that nearly every program reads.

use ext_php_rs::types::Zval;

use crate::class::call::ToolCall;
use crate::class::detection::Detection;
use crate::zend::{FullRead, Quick};

impl Quick for ToolCall {
    fn full() -> &'static FullRead {
        static FULL: FullRead = FullRead::new();
        &FULL
    }

    fn quick(&self, name: &[u8]) -> Option<Zval> {
        match name {
            b"name" => Some(self.name()),
            b"arguments" => self.arguments().ok(),
            _ => None,
        }
    }
}

impl Quick for Detection {
    fn full() -> &'static FullRead {
        static FULL: FullRead = FullRead::new();
        &FULL
    }

    fn quick(&self, name: &[u8]) -> Option<Zval> {
        if name == b"calls" { self.calls().ok() } else { None }
    }
}
