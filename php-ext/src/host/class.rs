//! Makes a PHP class from a Rust type.
//!
//! The start-up function registers the classes in order, so a class may rely on earlier ones and
//! its properties can have types. Every class is final, accepts no dynamic properties, is
//! constructed once and is not cloned.

use ext_php_rs::builders::ClassBuilder;
use ext_php_rs::class::{ClassEntryInfo, ConstructorMeta, ConstructorResult, RegisteredClass};
use ext_php_rs::error::Result;
use ext_php_rs::flags::ClassFlags;
use ext_php_rs::zend::ExecuteData;

use crate::host::exception;
use crate::host::record::{self, Record};
use crate::zend;

/// The flags of every class.
pub(crate) const FLAGS: ClassFlags = ClassFlags::Final.union(ClassFlags::NoDynamicProperties);

/// The interface of objects that `count()` accepts.
pub(crate) const COUNTABLE: ClassEntryInfo = (ext_php_rs::zend::ce::countable, "Countable");

/// The interface of objects that `foreach` accepts.
pub(crate) const AGGREGATE: ClassEntryInfo = (ext_php_rs::zend::ce::aggregate, "IteratorAggregate");

/// The interface of objects that `foreach` walks over themselves.
pub(crate) const ITERATOR: ClassEntryInfo = (ext_php_rs::zend::ce::iterator, "Iterator");

/// The interface of objects that `json_encode()` asks for their JSON value.
pub(crate) const JSON: ClassEntryInfo = (zend::json_serializable, "JsonSerializable");

/// Registers a class whose objects can be serialised and restored.
pub(crate) fn register_record<T: Record>() -> Result<()> {
    register_built::<T>(record::add_methods::<T>(ClassBuilder::new(T::CLASS_NAME)))?;
    zend::allow_serialization::<T>();
    Ok(())
}

/// Registers the class of `T`, whose objects are not serialised.
pub(crate) fn register<T: RegisteredClass>() -> Result<()> {
    register_built::<T>(ClassBuilder::new(T::CLASS_NAME))
}

/// Registers the class and declares its properties typed and read-only.
fn register_built<T: RegisteredClass>(mut builder: ClassBuilder) -> Result<()> {
    for (method, flags) in T::method_builders() {
        builder = builder.method(method, flags);
    }
    for interface in T::IMPLEMENTS {
        builder = builder.implements(*interface);
    }
    for property in T::get_metadata().all_properties() {
        builder = builder.property(ext_php_rs::builders::ClassProperty {
            name: property.name.into(),
            flags: property.flags,
            default: None,
            docs: property.docs,
            ty: Some(property.ty),
            nullable: property.nullable,
            readonly: property.readonly,
            default_stub: None,
        });
    }
    builder
        .flags(T::FLAGS)
        .object_override::<T>()
        .registration(|entry, arg_info| {
            T::get_metadata().set_ce(entry);
            T::get_metadata().set_arg_info(arg_info);
        })
        .docs(T::DOC_COMMENTS)
        .register()?;
    for property in T::get_metadata().all_properties() {
        zend::declare_readonly::<T>(property.name, property.ty, property.nullable);
    }
    Ok(())
}

/// Runs a constructor on an object that is not yet constructed; throws for any other object.
///
/// PHP lets any code call `$object->__construct()`. A second construction would free the old
/// content, possibly while a method of the object runs.
pub(crate) fn construct_once<T: RegisteredClass>(
    call: &mut ExecuteData,
    constructor: Option<ConstructorMeta<T>>,
) -> ConstructorResult<T> {
    let again = || ConstructorResult::Exception(exception::constructed_twice(T::CLASS_NAME));
    let Some(ConstructorMeta { constructor, .. }) = constructor else {
        return ConstructorResult::Exception(exception::not_constructible(T::CLASS_NAME));
    };
    if call.get_object::<T>().is_some() {
        return again();
    }
    let made = constructor(call);
    // Reading the arguments may run PHP code, and that code may construct the object.
    if call.get_object::<T>().is_some() { again() } else { made }
}

/// Makes a PHP class from a type; functions read its properties.
///
/// After the names come the interfaces, the way of construction (`private`, or `public` if an impl
/// block has a constructor) and the properties: name, type, whether it may be null, function.
macro_rules! php_class {
    (
        $type:ident, $name:literal, [$($interface:expr),*], $constructor:ident,
        { $($property:literal: $kind:expr, $nullable:literal => $getter:ident;)* }
    ) => {
        impl ext_php_rs::class::RegisteredClass for $type {
            const CLASS_NAME: &'static str = $name;
            const BUILDER_MODIFIER: Option<
                fn(ext_php_rs::builders::ClassBuilder) -> ext_php_rs::builders::ClassBuilder,
            > = None;
            const EXTENDS: Option<ext_php_rs::class::ClassEntryInfo> = None;
            const IMPLEMENTS: &'static [ext_php_rs::class::ClassEntryInfo] = &[$($interface),*];
            const FLAGS: ext_php_rs::flags::ClassFlags = $crate::host::class::FLAGS;

            fn get_metadata() -> &'static ext_php_rs::class::ClassMetadata<Self> {
                use ext_php_rs::internal::property::PropertyDescriptor;
                const PROPERTIES: &[PropertyDescriptor<$type>] = &[$(PropertyDescriptor {
                    name: $property,
                    get: Some({
                        fn get(this: &$type, value: &mut ext_php_rs::types::Zval) -> ext_php_rs::exception::PhpResult {
                            *value = $crate::zend::Given::given(this.$getter())?;
                            Ok(())
                        }
                        get
                    }),
                    set: Some({
                        fn set(_: &mut $type, _: &ext_php_rs::types::Zval) -> ext_php_rs::exception::PhpResult {
                            Err($crate::host::exception::readonly($name, $property))
                        }
                        set
                    }),
                    flags: ext_php_rs::flags::PropertyFlags::Public,
                    docs: &[],
                    ty: $kind,
                    nullable: $nullable,
                    readonly: true,
                },)*];
                static METADATA: ext_php_rs::class::ClassMetadata<$type> =
                    ext_php_rs::class::ClassMetadata::new(PROPERTIES);
                &METADATA
            }

            fn method_builders() -> Vec<(
                ext_php_rs::builders::FunctionBuilder<'static>,
                ext_php_rs::flags::MethodFlags,
            )> {
                #[allow(unused_imports, reason = "a class without methods is served by another trait impl")]
                use ext_php_rs::internal::class::PhpClassImpl;
                ext_php_rs::internal::class::PhpClassImplCollector::<Self>::default().get_methods()
            }

            fn constructor() -> Option<ext_php_rs::class::ConstructorMeta<Self>> {
                $crate::host::class::php_class!(@$constructor)
            }

            fn constants() -> &'static [(
                &'static str,
                &'static dyn ext_php_rs::convert::IntoZvalDyn,
                ext_php_rs::describe::DocComments,
                ext_php_rs::flags::ConstantFlags,
            )] {
                &[]
            }
        }

        ext_php_rs::class_derives!($type);
    };
    (@public) => {{
        use ext_php_rs::internal::class::{PhpClassImpl, PhpClassImplCollector};
        PhpClassImplCollector::<Self>::default().get_constructor().map(|constructor| {
            ext_php_rs::class::ConstructorMeta {
                constructor: |call| {
                    let constructor = PhpClassImplCollector::<Self>::default().get_constructor();
                    $crate::host::class::construct_once(call, constructor)
                },
                ..constructor
            }
        })
    }};
    (@private) => {
        Some(ext_php_rs::class::ConstructorMeta {
            constructor: |_| {
                ext_php_rs::class::ConstructorResult::Exception($crate::host::exception::not_constructible(
                    <Self as ext_php_rs::class::RegisteredClass>::CLASS_NAME,
                ))
            },
            build_fn: |builder| builder,
            flags: Some(ext_php_rs::flags::MethodFlags::Private),
        })
    };
}

pub(crate) use php_class;
