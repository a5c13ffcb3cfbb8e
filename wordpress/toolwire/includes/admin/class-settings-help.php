<?php
/**
 * What each setting is for.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

/**
 * A sentence for each setting, which stands under its field.
 */
final class Settings_Help {

	/**
	 * The sentence for a setting; empty when there is none.
	 *
	 * @param string $name The setting.
	 */
	public function of( string $name ): string {
		return $this->sentences()[ $name ] ?? '';
	}

	/**
	 * The sentences by setting.
	 *
	 * @return array<string, string>
	 */
	private function sentences(): array {
		// phpcs:disable Generic.Files.LineLength -- a text to translate is one literal.
		return array(
			'approval'         => __( 'A person looks at a call and decides before it runs.', 'toolwire' ),
			'approval_hours'   => __( 'A call on which nobody decides in this time does not run.', 'toolwire' ),
			'undo_hours'       => __( 'What is needed to undo a call is kept for this time.', 'toolwire' ),
			'calls_per_minute' => __( 'Further calls are refused, with the time to wait.', 'toolwire' ),
			'retention_days'   => __( 'Older calls are removed daily, with everything that is stored for them.', 'toolwire' ),
			'formats'          => __( 'How a model may write calls: the first choice finds fewer ways of writing them.', 'toolwire' ),
			'model_timeout'    => __( 'After this time the chat says that the assistant did not answer.', 'toolwire' ),
			'grammar'          => __( 'Such a server then lets the model write calls in its own form only, with arguments that fit. Other servers refuse it.', 'toolwire' ),
			'tokens_per_month' => __( 'Then the assistant stops until the next month, not the site. 0 is no limit.', 'toolwire' ),
			'chat_days'        => __( 'Older conversations are removed daily, unless a call in them waits.', 'toolwire' ),
			'reasoning'        => __( 'Some models write down their thoughts before they answer.', 'toolwire' ),
			'mail'             => __( 'Who may approve is told that calls wait, by one mail in five minutes at most.', 'toolwire' ),
			'others_approve'   => __( 'Somebody else must look at each call; users may still deny their own.', 'toolwire' ),
			'bound_calls'      => __( 'A call that somebody hides in a comment or a mail is then refused.', 'toolwire' ),
			'built_in'         => __( 'They tell of the site, list posts, and change posts.', 'toolwire' ),
			'abilities'        => __( 'Those that are shown in the REST API; they need approval unless they only read.', 'toolwire' ),
			'gate'             => __( 'They wait here too, whoever runs them; those that only read are logged and limited.', 'toolwire' ),
			'served'           => __( 'A program uses a ticked tool with the rights of its user, and waits for approval as others do.', 'toolwire' ),
		);
		// phpcs:enable
	}
}
