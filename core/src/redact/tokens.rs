//! Finds texts that look like a token of a service, even if they are not known secrets.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// The patterns of the tokens of widespread services; the groups in [`HEADS`] and `tail` are kept.
/// Of the groups in [`DOTTED`], the pattern is only the beginning.
///
/// A pattern covers no more than the token: a person who approves must see the text around it. So a
/// private key ends with its lines of base64, whatever text follows, and a cookie has no white
/// space.
const TOKENS: &str = r#"(?x-u)
    \b gh[opsur]_[A-Za-z0-9]{20,}
  | \b github_pat_[A-Za-z0-9_]{20,}
  | \b glpat-[A-Za-z0-9_-]{16,}
  | \b [sr]k[-_][A-Za-z0-9_-]{20,}
  | \b whsec_[A-Za-z0-9+/=]{16,}
  | \b (?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}
  | \b (?:AKIA|ASIA)[A-Z0-9]{16} \b
  | \b AIza[A-Za-z0-9_-]{30,}
  | \b GOCSPX-[A-Za-z0-9_-]{20,}
  | \b ya29\.[A-Za-z0-9_-]{20,}
  | \b (?:npm|hf|pypi)[-_][A-Za-z0-9_-]{24,}
  | \b dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}
  | \b do[opr]_v1_[a-f0-9]{32,}
  | \b SK[0-9a-fA-F]{32} \b
  | (?<sendgrid>\bSG\.[A-Za-z0-9_-]{16})
  | \b AGE-SECRET-KEY-1[0-9A-Z]{20,}
  | (?<jwt>\beyJ[A-Za-z0-9_-]{8})
  | -----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY-----
        (?:\s*(?:Proc-Type:\ 4,ENCRYPTED|DEK-Info:\ [A-Z0-9-]{1,30},[0-9A-Fa-f]{8,64}))*
        (?:[\s>"'+,|*\#-]{0,16}[A-Za-z0-9+/]{16,}={0,2})*
        (?:[\s>"'+,|*\#-]{0,16}[A-Za-z0-9+/]{0,76}={0,2}(?:
            [\s>"'+,|*\#]{0,16}-----END\ [A-Z\ ]{0,30}PRIVATE\ KEY-----|\s*\z))?
  | \b [0-9]{10} \| [A-Za-z0-9]{20,64} \| [0-9a-f]{64} \b
  | \$[PH]\$[./0-9A-Za-z]{31}
  | (?:\$wp)?\$2[abxy]\$[0-9]{2}\$[./0-9A-Za-z]{53}
  | \$argon2(?:i|d|id)\$[a-z0-9=,$]{1,60}\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}
  | \$generic\$[A-Za-z0-9+/_-]{20,}={0,2}
  | (?<reset>\bwp-(?:login|activate)\.php\?(?:[^\s"'<>]{0,256}?[&;])?(?:key|rm_key|rm_token|confirm_key)=)
    [A-Za-z0-9]{8,64}
  | (?<bearer>\b(?i:bearer)[\ \t]+)[A-Za-z0-9._~+/=-]{16,}
  | (?<basic>\b(?i:authorization["']?[\ \t]*[:=][\ \t]*["']?basic)[\ \t]+)[A-Za-z0-9+/_=-]{8,}
  | (?<cookie>\b(?i:cookie["']?[\ \t]*:[\ \t]*["']?))
        [^\s=;"'`]{1,128}=[^\s;,"'`<>\\(){}\[\]]+(?:;\ *[^\s=;"'`<>]{1,128}=[^\s;,"'`<>\\(){}\[\]]+)*
  | (?<account>\b(?i:AccountKey|SharedAccessKey|SharedAccessSignature)=)[A-Za-z0-9+/=%&_-]{20,}
  | (?<application>\b(?i:app(?:lication)?[\ _-]?pass(?:word|wd)?)
        (?:[\ ](?i:is|was|for[\ ][a-z0-9_.@-]{1,60}))?[\ \t:=`"']{1,8})
    (?:[A-Za-z0-9]{4}[\ +]){5}[A-Za-z0-9]{4} \b
  | (?<scheme>://[^\s/:@]{0,64}:)[^\s/@]{1,256}(?<tail>@)"#;

/// The groups of [`TOKENS`] before the secret, which are kept.
const HEADS: &[&str] = &["bearer", "basic", "cookie", "account", "application", "reset", "scheme"];

static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TOKENS).ok());

/// The tokens of parts with dots between them: the group of the beginning, how many bytes of it
/// precede the first part, and the fewest bytes of each part.
///
/// The expression finds only their beginning. It would read each part to its end, which may be the
/// end of the text, again for each token that stands in the part.
const DOTTED: &[(&str, usize, &[usize])] = &[("jwt", 3, &[8, 8, 8]), ("sendgrid", 3, &[16, 16])];

/// The spans of texts that look like a token.
pub(super) fn tokens(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let (mut at, mut runs) = (0, DottedRuns::default());
    std::iter::from_fn(move || {
        loop {
            let found = TOKEN.as_ref()?.captures_at(text, at)?;
            let whole = found.get(0)?.range();
            let dotted = DOTTED.iter().find(|(group, ..)| found.name(group).is_some());
            if let Some((_, head, parts)) = dotted {
                if let Some(end) = runs.dotted(text, whole.start + head, parts) {
                    at = end;
                    return Some(whole.start..end);
                }
                at = whole.start + head;
                continue;
            }
            at = whole.end;
            let head = HEADS.iter().find_map(|group| found.name(group));
            let start = head.map_or(whole.start, |head| head.end());
            let end = found.name("tail").map_or(whole.end, |tail| tail.start());
            return Some(start..end);
        }
    })
}

/// The runs of a text that were read last. They are asked for from the start of the text to its
/// end, so each byte of a run is read once.
#[derive(Default)]
struct DottedRuns {
    last: [Range<usize>; 3],
}

impl DottedRuns {
    /// The end of the parts with dots between them that begin at this offset, if each of them has
    /// so many bytes.
    fn dotted(&mut self, text: &[u8], start: usize, parts: &[usize]) -> Option<usize> {
        let mut end = start.checked_sub(1)?;
        for (number, fewest) in parts.iter().enumerate() {
            if number > 0 && text.get(end) != Some(&b'.') {
                return None;
            }
            let part = end + 1;
            end = self.end(text, part);
            if end - part < *fewest {
                return None;
            }
        }
        Some(end)
    }

    /// The end of the run of letters, digits, `_` and `-` at this offset.
    fn end(&mut self, text: &[u8], start: usize) -> usize {
        if let Some(run) = self.last.iter().find(|run| run.contains(&start)) {
            return run.end;
        }
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let rest = text.get(start..).unwrap_or_default();
        let end = start + rest.iter().take_while(is_part).count();
        if let Some(oldest) = self.last.iter_mut().min_by_key(|run| run.end) {
            *oldest = start..end;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the expression would be without the parts that are read by hand.
    fn whole() -> Regex {
        let part = |fewest: usize| format!("[A-Za-z0-9_-]{{{fewest},}}");
        let (jwt, sendgrid) = ([8; 3].map(part).join(r"\."), [16; 2].map(part).join(r"\."));
        let tokens = TOKENS
            .replace(r"(?<jwt>\beyJ[A-Za-z0-9_-]{8})", &format!(r"(?<jwt>\beyJ{jwt})"))
            .replace(
                r"(?<sendgrid>\bSG\.[A-Za-z0-9_-]{16})",
                &format!(r"(?<sendgrid>\bSG\.{sendgrid})"),
            );
        assert_eq!(tokens.matches("{8,}\\.").count() + tokens.matches("{16,}\\.").count(), 3);
        Regex::new(&tokens).unwrap()
    }

    fn spans(whole: &Regex, text: &[u8]) -> Vec<Range<usize>> {
        let spans = whole.captures_iter(text).map(|found| {
            let head = HEADS.iter().find_map(|group| found.name(group));
            let all = found.get(0).unwrap();
            let end = found.name("tail").map_or(all.end(), |tail| tail.start());
            head.map_or(all.start(), |head| head.end())..end
        });
        spans.collect()
    }

    /// Pieces of tokens that reach into each other.
    const PIECES: &[&str] = &[
        "eyJ",
        "SG.",
        "-eyJaaaaaaaa",
        "aaaaaaaa",
        "a",
        ".",
        "-",
        "_",
        " ",
        "\n",
        "/",
        "@",
        "ghp_aaaaaaaaaaaaaaaaaaaa",
        "-xoxb-aaaaaaaaaa",
        "sk-",
        "-----BEGIN PRIVATE KEY-----",
        "cookie:a=",
        "bearer ",
        "://a:",
        "ya29.",
        "$argon2id$a=1$",
        "AccountKey=",
        "\u{fc}",
    ];

    #[test]
    fn dotted_tokens_are_found_as_one_expression_finds_them() {
        let (whole, mut state, mut found) = (whole(), 1_u64, 0);
        for _ in 0..1000 {
            let mut text = String::new();
            for _ in 0..24 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let piece = usize::try_from(state >> 33).unwrap() % PIECES.len();
                text.push_str(PIECES[piece]);
            }
            let by_hand: Vec<_> = tokens(text.as_bytes()).collect();
            assert_eq!(by_hand, spans(&whole, text.as_bytes()), "{text:?}");
            found += by_hand.iter().filter(|span| text[(*span).clone()].contains('.')).count();
        }
        assert!(found > 250, "{found}");
    }

    #[test]
    fn runs_are_read_once() {
        let text = format!("{}.{}", "-eyJaaaaaaaa".repeat(50), "a".repeat(40));
        let mut runs = DottedRuns::default();
        assert_eq!(runs.end(text.as_bytes(), 4), 600);
        // What was read is not read again, whatever the text has become.
        assert_eq!(runs.end(b"", 16), 600);
        assert_eq!(runs.dotted(text.as_bytes(), 4, &[8, 8]), Some(641));
        assert_eq!(runs.dotted(text.as_bytes(), 4, &[8, 8, 8]), None);
    }
}
