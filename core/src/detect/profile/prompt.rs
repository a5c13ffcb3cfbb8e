//! Whether a rendered prompt has begun the message's reasoning.

use memchr::memmem;

use super::data::{Profile, Source};
use crate::detect::format::marker::Marker;

/// The bytes at the end of a prompt that are looked at.
const END: usize = 64 << 10;

impl Profile {
    /// The same profile for the message that follows this prompt.
    ///
    /// Only the last 64 KB count. The message begins in reasoning when they open reasoning, and
    /// neither end it nor frame another part behind that.
    ///
    /// ```
    /// use toolwire::detect::Profile;
    ///
    /// let profile = Profile::named("qwen3.5")?;
    /// let prompt = b"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n";
    /// assert_eq!(profile.begun_by(prompt).reasoning_begun(), Some("think"));
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    #[must_use]
    pub fn begun_by(self, prompt: &[u8]) -> Self {
        let begun = self.left_open(prompt);
        self.beginning_in(begun, Source::Prompt)
    }

    /// The reasoning that the end of a prompt leaves open.
    pub(super) fn left_open(&self, prompt: &[u8]) -> Option<usize> {
        let end = prompt.get(prompt.len().saturating_sub(END)..).unwrap_or(prompt);
        let message = self.message();
        let opened = message.reasoning.iter().enumerate().filter_map(|(index, reasoning)| {
            let (start, length) = last(&reasoning.open, end)?;
            let behind = end.get(start + length..).unwrap_or_default();
            let ended = [&reasoning.close, &reasoning.ends_at, &message.frames];
            let is_open = ended.into_iter().all(|markers| last(markers, behind).is_none());
            is_open.then_some((start, std::cmp::Reverse(index)))
        });
        opened.max().map(|(_, index)| index.0)
    }
}

/// Where the last of the markers stands, and its length.
fn last(markers: &[Marker], text: &[u8]) -> Option<(usize, usize)> {
    let places = markers.iter().filter_map(|marker| {
        memmem::rfind_iter(text, marker.lead()).find_map(|at| {
            match marker.at(text.get(at..).unwrap_or_default(), b"", true) {
                Ok(Some(length)) => Some((at, length)),
                Ok(None) | Err(_) => None,
            }
        })
    });
    places.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(model: &str, prompt: &str) -> Option<String> {
        let profile = Profile::named(model).unwrap().begun_by(prompt.as_bytes());
        profile.reasoning_begun().map(str::to_owned)
    }

    #[test]
    fn only_what_is_left_open_counts() {
        let think = Some("think".to_owned());
        let turn = "<|im_start|>assistant\n";
        assert_eq!(begun("qwen3", &format!("{turn}<think>\n")), think);
        assert_eq!(begun("qwen3", &format!("{turn}<think>\nI should")), think);
        assert_eq!(begun("qwen3", &format!("{turn}<think>\n\n</think>\n\n")), None);
        assert_eq!(begun("qwen3", &format!("What is <think>?<|im_end|>\n{turn}")), None);
        assert_eq!(begun("qwq", turn), None, "the prompt decides");
        assert_eq!(begun("glm-4.5", "<|assistant|>\n<think></think>"), None);
        assert_eq!(begun("gpt-oss", "<|start|>assistant"), None);
        let analysis = "<|start|>assistant<|channel|>analysis<|message|>We";
        assert_eq!(begun("gpt-oss", analysis).as_deref(), Some("harmony"));
        assert_eq!(begun("auto", &format!("{turn}<think>\n")), think);
        assert_eq!(begun("hy4", "<think:6124c78e>").as_deref(), Some("hy_think"));
    }

    #[test]
    fn only_the_end_of_a_prompt_counts() {
        let long = format!("<think>{}", "x".repeat(1 << 20));
        assert_eq!(begun("qwen3", &long), None);
        assert_eq!(begun("qwen3", &format!("{long}<think>")).as_deref(), Some("think"));
    }
}
