dnl What phpize makes ./configure from: `phpize && ./configure && make` builds the extension with
dnl cargo. PIE runs it where no binary fits.

PHP_ARG_ENABLE([toolwire],
  [whether to build toolwire],
  [AS_HELP_STRING([--disable-toolwire], [Do not build toolwire])],
  [yes])

if test "$PHP_TOOLWIRE" != "no"; then
  AC_PATH_PROG([CARGO], [cargo], [no], [$PATH:$HOME/.cargo/bin])
  if test "$CARGO" = "no"; then
    AC_MSG_ERROR([cargo is missing. Install Rust 1.95 or newer: https://rustup.rs])
  fi
  dnl ext-php-rs reads the headers of PHP with it.
  AC_PATH_PROG([TOOLWIRE_CLANG], [clang], [no])
  if test "$TOOLWIRE_CLANG" = "no"; then
    AC_MSG_ERROR([clang is missing. On Debian and Ubuntu: apt-get install clang libclang-dev])
  fi
  TOOLWIRE_PHP_CONFIG=`command -v "$PHP_CONFIG"`
  PHP_SUBST([CARGO])
  PHP_SUBST([TOOLWIRE_PHP_CONFIG])
  PHP_MODULES="$PHP_MODULES \$(phplibdir)/toolwire.so"
  PHP_ADD_MAKEFILE_FRAGMENT([$abs_srcdir/Makefile.frag], [$abs_srcdir], [$abs_builddir])
fi
