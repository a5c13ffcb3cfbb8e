//! Lines and columns of places in a text, asked for from front to back.

use memchr::memchr_iter;

/// Counts lines forward. A query for an earlier place returns the last answer.
#[derive(Clone, Debug)]
pub(crate) struct LineCounter {
    pos: usize,
    line: usize,
    column: usize,
}

impl Default for LineCounter {
    fn default() -> Self {
        Self { pos: 0, line: 1, column: 1 }
    }
}

impl LineCounter {
    /// The line and the column of the byte at `pos`, both from 1; the column counts code points.
    pub(crate) fn at(&mut self, input: &[u8], pos: usize) -> (usize, usize) {
        let passed = input.get(self.pos..pos).unwrap_or_default();
        let mut line_start = 0;
        for newline in memchr_iter(b'\n', passed) {
            self.line += 1;
            self.column = 1;
            line_start = newline + 1;
        }
        let tail = passed.get(line_start..).unwrap_or_default();
        self.column += tail.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        self.pos = self.pos.max(pos);
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points() {
        let text = "añ\nb€c".as_bytes();
        let mut lines = LineCounter::default();
        assert_eq!(lines.at(text, 0), (1, 1));
        assert_eq!(lines.at(text, 3), (1, 3));
        assert_eq!(lines.at(text, 8), (2, 3));
    }
}
