# cargo knows what has changed.
.PHONY: toolwire-cargo
toolwire-cargo:
	cd $(srcdir) && PATH="$(dir $(CARGO)):$$PATH" \
		PHP="$(PHP_EXECUTABLE)" PHP_CONFIG="$(TOOLWIRE_PHP_CONFIG)" \
		$(CARGO) build --release --locked -p toolwire-php --target-dir "$(builddir)/target"

$(phplibdir)/toolwire.so: toolwire-cargo
	@mkdir -p $(phplibdir)
	cp $(builddir)/target/release/libtoolwire_php.so $@
