<?php
/**
 * An assistant that follows a script.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Answers without a model, so that tool calls can be seen at work before one is connected by the
 * filter `toolwire_assistant_reply`.
 */
final class Scripted_Assistant {

	/**
	 * What it says to a message.
	 *
	 * @param string $message What the user wrote.
	 */
	public function reply( string $message ): string {
		$rename = '/^\s*rename (?:post )?(\d{1,9}) to (.{1,200}?)\s*$/isu';
		if ( 1 === preg_match( $rename, $message, $found ) ) {
			return sprintf( 'I will change the title of post %d. ', $found[1] ) . $this->call(
				'update_post',
				array(
					'post_id' => (int) $found[1],
					'title'   => $found[2],
				)
			);
		}
		if ( false !== stripos( $message, 'posts' ) ) {
			return 'Let me look at the newest posts. ' . $this->call(
				'list_posts',
				array( 'number' => 5 )
			);
		}
		if ( false !== stripos( $message, 'site' ) ) {
			return 'I will look this site up. ' . $this->call( 'site_info', array() );
		}
		return __(
			// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			'I follow a script. Ask me about this site, ask for the newest posts, or write: rename post 1 to A better title.',
			'toolwire'
		);
	}

	/**
	 * A call as a model writes it.
	 *
	 * @param string               $name      The tool.
	 * @param array<string, mixed> $arguments Its arguments.
	 */
	private function call( string $name, array $arguments ): string {
		return "<tool:$name>" . wp_json_encode( (object) $arguments ) . '</tool>';
	}
}
