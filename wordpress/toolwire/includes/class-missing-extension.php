<?php
/**
 * The notice that the extension is missing.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Tells an administrator how to install the extension `toolwire`.
 */
final class Missing_Extension {

	/**
	 * Prints the notice, for the users who can solve the problem: everywhere where nothing works,
	 * else on the screens of plugins and of this plugin.
	 */
	public function tell(): void {
		$screen = get_current_screen()?->id ?? '';
		$is_own = 'plugins' === $screen || str_contains( $screen, 'toolwire' );
		if ( current_user_can( 'activate_plugins' ) && ( $is_own || ! Host::works() ) ) {
			printf(
				'<div class="notice notice-%s"><p>%s</p></div>',
				Host::works() ? 'warning' : 'error',
				wp_kses(
					$this->works( Host::works() ) . ' '
						. $this->message( Extension_File::of_this_php() ),
					array( 'code' => array() )
				)
			);
		}
	}

	/**
	 * What works without the extension.
	 *
	 * @param bool $reads Whether the plugin brings the library in plain PHP.
	 */
	public function works( bool $reads ): string {
		return $reads
			? Host::sentence() . ' ' . __(
				// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'The chat answers as a whole and uses tools that only read; the log, the limits and the tools for personal data work. Approvals, changes, undo, WP-CLI, MCP and the abilities of other plugins need the extension.',
				'toolwire'
			)
			: __( 'Toolwire does nothing yet.', 'toolwire' );
	}

	/**
	 * What the notice says about a PHP, as HTML.
	 *
	 * @param Extension_File $file The file for that PHP.
	 */
	public function message( Extension_File $file ): string {
		if ( ! $file->is_built() ) {
			return sprintf(
				/* translators: 1: an extension, 2: a PHP, such as 8.4-arm64-linux-musl. */
				__( 'The PHP extension %1$s is not loaded. No release has a file for this PHP (%2$s): build the extension from its source, or use another PHP.', 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'<code>toolwire</code>',
				'<code>' . esc_html( $file->platform() ) . '</code>'
			);
		}
		return sprintf(
			/* translators: 1: an extension, 2: a line for php.ini, 3: a folder, 4, 5: files. */
			__( 'The PHP extension %1$s is not loaded. This PHP needs the file %4$s of the release: unpack its %5$s into %3$s, add the line %2$s to php.ini, and restart PHP.', 'toolwire' ), // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			'<code>toolwire</code>',
			'<code>extension=toolwire</code>',
			'<code>' . esc_html( (string) ini_get( 'extension_dir' ) ) . '</code>',
			'<code>' . esc_html( $file->name( VERSION ) ) . '</code>',
			'<code>toolwire.so</code>'
		);
	}
}
