//! The id of a run, made of what names its call.

use uuid::Uuid;

use crate::slug::slugs;

/// The namespace of the ids of runs.
const CALLS: Uuid = Uuid::from_u128(0x5f0c_1f0e_6c0b_5d0a_9d53_0a3d_6a1f_7c2e);

/// What names a call, so that the same call is the same run in every process and every language.
///
/// Models count their calls anew in each conversation, and many servers in each message: `call_0`
/// is a name only within the message that holds it. Everything but the id is the program's own, so
/// no id that a model writes reaches a run of another caller, conversation or message.
///
/// ```
/// use toolwire::lifecycle::{CallName, run_id};
///
/// let in_chat = CallName { scope: "chat 7", ..CallName::new("call_0") };
/// assert_eq!(run_id(&in_chat), run_id(&in_chat));
/// assert_ne!(run_id(&in_chat), run_id(&CallName { scope: "chat 8", ..in_chat }));
/// assert_ne!(run_id(&in_chat), run_id(&CallName { message: "2", ..in_chat }));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallName<'n> {
    /// The user or client whose call it is; empty where there is one only.
    pub caller: &'n str,
    /// The conversation, session or client that the program knows; empty where there is one only.
    pub scope: &'n str,
    /// The message that holds the call, by its number or id; empty if ids of calls never come
    /// again within the scope.
    pub message: &'n str,
    /// The place of the call among those of its message, from 0. With it, the call's id counts no
    /// more: the program may have made that id itself.
    pub index: Option<u64>,
    /// The id of the call; may be empty.
    pub id: &'n str,
    /// Whether the id is the program's own, and not one that a model wrote.
    pub own: bool,
}

impl<'n> CallName<'n> {
    /// Names a call by the id that a model gave it.
    #[must_use]
    pub fn new(id: &'n str) -> Self {
        Self { id, ..Self::default() }
    }

    /// Returns how the run of the call got its id.
    #[must_use]
    pub fn naming(&self) -> Naming {
        match self.index {
            None if self.id.is_empty() => Naming::New,
            None if self.is_own_uuid() => Naming::Own,
            _ => Naming::Call,
        }
    }

    /// Whether the program named the run itself, by a UUID and nothing else.
    fn is_own_uuid(&self) -> bool {
        self.own
            && [self.caller, self.scope, self.message].iter().all(|part| part.is_empty())
            && Uuid::try_parse(self.id).is_ok_and(|id| id.to_string() == self.id)
    }
}

slugs! {
    /// How a run got its id. A run is found again only by the kind of name that it began with, so
    /// that a call whose id is the id of another run does not reach that run.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Naming {
        /// Its id is made of the call's name.
        Call => "call",
        /// The program gave a UUID.
        Own => "own",
        /// The call had no id, and nothing finds the run but its own id.
        New => "new",
    }
}

/// Returns the id of the run of a call.
///
/// An id that is the program's own and a UUID is the run's id, where neither caller nor scope nor
/// message is named. Any other name gives a UUID of version 5 over its parts, each with its length.
/// A call without an id and an index gets a new id.
///
/// ```
/// use toolwire::lifecycle::{CallName, run_id};
///
/// let id = "0b4d2a4e-5d0a-4c8e-9d53-0a3d6a1f7c2e";
/// assert_eq!(run_id(&CallName { own: true, ..CallName::new(id) }), id);
/// assert_ne!(run_id(&CallName::new(id)), id);
/// ```
#[must_use]
pub fn run_id(name: &CallName<'_>) -> String {
    match name.naming() {
        Naming::New => Uuid::new_v4().to_string(),
        Naming::Own => name.id.to_owned(),
        Naming::Call => {
            let index = name.index.map(|index| index.to_string());
            let place = match &index {
                Some(index) => ["index", index],
                None => ["id", name.id],
            };
            let mut parts = String::new();
            for part in [name.caller, name.scope, name.message].into_iter().chain(place) {
                // The length before each part keeps `("a", "b")` apart from `("ab", "")`.
                parts.push_str(&part.len().to_string());
                parts.push(':');
                parts.push_str(part);
            }
            Uuid::new_v5(&CALLS, parts.as_bytes()).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_parts_of_a_name_can_be_taken_for_other_parts() {
        let parts = ["", "a", "\0", "a\0b", "1:a", "chat 7\0call_1", "id", "index", "0"];
        let mut seen = HashSet::new();
        let mut names = 0;
        for caller in parts {
            for scope in parts {
                for message in parts {
                    for id in parts.into_iter().filter(|id| !id.is_empty()) {
                        let name = CallName { caller, scope, message, ..CallName::new(id) };
                        assert!(seen.insert(run_id(&name)), "{name:?}");
                        names += 1;
                    }
                    for index in [0, 1] {
                        let index = Some(index);
                        let name = CallName { caller, scope, message, index, ..CallName::new("a") };
                        assert!(seen.insert(run_id(&name)), "{name:?}");
                        names += 1;
                    }
                }
            }
        }
        assert_eq!(seen.len(), names);
    }

    #[test]
    fn a_call_at_a_place_is_named_without_its_id() {
        let at = |id| CallName { scope: "s", message: "4", index: Some(1), ..CallName::new(id) };
        assert_eq!(run_id(&at("call_0")), run_id(&at("")));
    }

    #[test]
    fn a_uuid_of_a_model_is_an_id_like_any_other() {
        let id = Uuid::new_v4().to_string();
        assert_ne!(run_id(&CallName::new(&id)), id);
        let own = CallName { own: true, ..CallName::new(&id) };
        assert_eq!(run_id(&own), id);
        assert_ne!(run_id(&CallName { scope: "chat 7", ..own }), id);
        assert_ne!(run_id(&CallName { caller: "ann", ..own }), id);
    }

    #[test]
    fn a_call_without_an_id_is_a_new_run_each_time() {
        assert_ne!(run_id(&CallName::new("")), run_id(&CallName::new("")));
    }
}
