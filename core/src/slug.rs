//! Closed sets of words: enums whose variants each have a stable slug.
//!
//! A slug is the same in every language, and is never reused for another meaning.

/// Declares an enum with a stable slug for each variant.
macro_rules! slugs {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident => $slug:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $visibility enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every variant, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The slugs, in the order of [`Self::ALL`].
            pub const SLUGS: &'static [&'static str] = &[$($slug,)+];

            /// The stable slug, the same in every language.
            #[must_use]
            #[inline]
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ }
            }

            /// The variant with this slug.
            #[must_use]
            pub fn from_slug(slug: &str) -> Option<Self> {
                match slug { $($slug => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.slug())
            }
        }
    };
}

pub(crate) use slugs;
