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
	 * Prints the notice, for the users who can solve the problem.
	 */
	public function tell(): void {
		if ( ! current_user_can( 'activate_plugins' ) ) {
			return;
		}
		$message = sprintf(
			__(
				/* translators: 1: name of the PHP extension, 2: a line for php.ini, 3: a folder. */
				'Toolwire does nothing yet: the PHP extension %1$s is not loaded. Copy its file to %3$s, add the line %2$s to php.ini, and restart PHP.', // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'toolwire'
			),
			'<code>toolwire</code>',
			'<code>extension=toolwire</code>',
			'<code>' . esc_html( (string) ini_get( 'extension_dir' ) ) . '</code>'
		);
		printf(
			'<div class="notice notice-error"><p>%s</p></div>',
			wp_kses( $message, array( 'code' => array() ) )
		);
	}
}
