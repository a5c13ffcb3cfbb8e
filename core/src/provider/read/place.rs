//! Where in an object something stands, as a JSON Pointer (RFC 6901).
//!
//! A place links to the place around it on the stack, so nothing is allocated until a caller asks
//! for a pointer.

/// A place in an object.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct ObjectPlace<'a> {
    around: Option<&'a ObjectPlace<'a>>,
    step: PathStep<'a>,
    /// How many steps lead here.
    pub(in crate::provider) depth: usize,
}

#[derive(Clone, Copy, Debug)]
enum PathStep<'a> {
    Root,
    Key(&'a str),
    Item(usize),
}

impl<'a> ObjectPlace<'a> {
    /// The object itself.
    pub(in crate::provider) fn root() -> Self {
        Self { around: None, step: PathStep::Root, depth: 0 }
    }

    /// The place under a key of the object here.
    pub(in crate::provider) fn key(&'a self, key: &'a str) -> Self {
        Self { around: Some(self), step: PathStep::Key(key), depth: self.depth + 1 }
    }

    /// The place of an item of the list here.
    pub(in crate::provider) fn item(&'a self, index: usize) -> Self {
        Self { around: Some(self), step: PathStep::Item(index), depth: self.depth + 1 }
    }

    /// Whether this is an item of a list under one of these keys.
    pub(in crate::provider) fn is_item_of(&self, keys: &[&str]) -> bool {
        let list = matches!(self.step, PathStep::Item(_)).then_some(self.around).flatten();
        matches!(list.map(|list| list.step), Some(PathStep::Key(key)) if keys.contains(&key))
    }

    /// The pointer to what stands here.
    pub(in crate::provider) fn pointer(&self) -> String {
        let mut steps = Vec::with_capacity(self.depth);
        let mut place = Some(self);
        while let Some(&ObjectPlace { around, step, .. }) = place {
            steps.push(step);
            place = around;
        }
        let mut pointer = String::new();
        for step in steps.into_iter().rev() {
            match step {
                PathStep::Root => {}
                PathStep::Key(key) => {
                    pointer.push('/');
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                }
                PathStep::Item(index) => {
                    pointer.push('/');
                    pointer.push_str(&index.to_string());
                }
            }
        }
        pointer
    }

    /// The pointer to the value under a path of keys.
    pub(in crate::provider) fn pointer_to(&self, path: &[&str]) -> String {
        let mut pointer = self.pointer();
        for key in path {
            pointer.push('/');
            pointer.push_str(key);
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_escaped_as_the_rfc_says() {
        let root = ObjectPlace::root();
        let (list, odd);
        list = root.key("a/b");
        odd = list.item(3);
        assert_eq!(root.pointer(), "");
        assert_eq!(odd.key("~x").pointer(), "/a~1b/3/~0x");
        assert_eq!(odd.pointer_to(&["function", "name"]), "/a~1b/3/function/name");
    }
}
