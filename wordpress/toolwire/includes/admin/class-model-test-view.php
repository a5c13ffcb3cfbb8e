<?php
/**
 * The test of the model on the screen of the settings.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Text;
use Toolwire\WordPress\Assistant\Model;
use Toolwire\WordPress\Assistant\Model_Test;

/**
 * Says what answers in the assistant, and has a button that tests it.
 */
final class Model_Test_View {

	/**
	 * The form that the button sends: a form within the form of the settings is none.
	 */
	const FORM = 'toolwire-test-model';

	/**
	 * Takes its parts.
	 *
	 * @param Model      $model What answers.
	 * @param Model_Test $test  Tests it.
	 */
	public function __construct(
		private Model $model,
		private Model_Test $test,
	) {
	}

	/**
	 * Prints the row of the table of settings.
	 */
	public function row(): void {
		printf(
			'<tr id="toolwire-model-test"><th scope="row">%1$s</th><td><p>%2$s</p>',
			esc_html__( 'What answers', 'toolwire' ),
			esc_html( $this->source() )
		);
		$this->outcome();
		if ( $this->model->is_connected() ) {
			printf(
				'<p><button type="submit" form="%1$s" class="button" '
					. 'aria-describedby="toolwire-test-hint">%2$s</button></p>'
					. '<p class="description" id="toolwire-test-hint">%3$s</p>',
				esc_attr( self::FORM ),
				esc_html__( 'Test', 'toolwire' ),
				esc_html__( 'It is asked once, by the settings as they are saved.', 'toolwire' )
			);
		}
		echo '</td></tr>';
	}

	/**
	 * Prints the form that the button sends, behind the form of the settings.
	 */
	public function form(): void {
		printf(
			'<form id="%1$s" method="post" action="%2$s">'
				. '<input type="hidden" name="action" value="toolwire_test_model">',
			esc_attr( self::FORM ),
			esc_url( admin_url( 'admin-post.php' ) )
		);
		wp_nonce_field( 'toolwire_test_model', '_wpnonce', false );
		echo '</form>';
	}

	/**
	 * What answers, in words.
	 */
	private function source(): string {
		// phpcs:disable Generic.Files.LineLength -- a text to translate is one literal.
		return match ( $this->model->source() ) {
			'own'       => __( 'A function of this site answers, by a filter.', 'toolwire' ),
			'address'   => __( 'The server at the address answers.', 'toolwire' ),
			'wordpress' => __( 'WordPress\' own AI client answers, since there is no address.', 'toolwire' ),
			default     => __( 'No model is connected.', 'toolwire' ),
		};
		// phpcs:enable
	}

	/**
	 * Prints what came of a test.
	 */
	private function outcome(): void {
		$outcome = $this->test->outcome();
		if ( null === $outcome ) {
			return;
		}
		$failure = $outcome['failure'] ?? null;
		printf(
			'<div role="status" class="notice inline %1$s"><p>%2$s</p>',
			null === $failure ? 'notice-success' : 'notice-error',
			esc_html( null === $failure ? $this->answered( $outcome ) : $this->why( $failure ) )
		);
		if ( '' !== ( $outcome['details'] ?? '' ) ) {
			$details = Text::visible( $outcome['details'] );
			printf( '<p><code>%s</code></p>', esc_textarea( $details ) );
		}
		echo '</div>';
	}

	/**
	 * How the model answered, in words.
	 *
	 * @param array<string, mixed> $outcome What Model_Test says.
	 */
	private function answered( array $outcome ): string {
		$name = Text::visible( (string) $outcome['name'] );
		return sprintf(
			/* translators: 1: name of a model, 2: a number. */
			__( '%1$s has answered in %2$s seconds.', 'toolwire' ),
			'' === $name ? __( 'The model', 'toolwire' ) : $name,
			number_format_i18n( $outcome['seconds'], 1 )
		) . ' ' . (
			$outcome['is_live']
				? __( 'Its answers come while they are written.', 'toolwire' )
				: __( 'Its answers come as a whole.', 'toolwire' )
		);
	}

	/**
	 * Why it did not answer, in words.
	 *
	 * @param string $code What Model_Test says.
	 */
	private function why( string $code ): string {
		// phpcs:disable Generic.Files.LineLength -- a text to translate is one literal.
		return match ( $code ) {
			'no_model'            => __( 'No model is connected.', 'toolwire' ),
			'tokens_spent'        => __( 'The tokens of this month are spent.', 'toolwire' ),
			'rate_limited'        => __( 'You have tested often. Try again in a minute.', 'toolwire' ),
			'model_unreachable'   => __( 'The server of the model was not reached, or it failed.', 'toolwire' ),
			'model_refused'       => __( 'The server of the model refuses the request. Are the key and the name of the model right?', 'toolwire' ),
			'model_limited'       => __( 'The server of the model asks to be left alone for a while.', 'toolwire' ),
			'answer_unreadable'   => __( 'What came back is no answer of a model. Is the address right?', 'toolwire' ),
			'toolwire_no_grammar' => __( 'There is no grammar for this model and its tools.', 'toolwire' ),
			'too_slow'            => __( 'The model did not answer in time.', 'toolwire' ),
			default               => __( 'The model gave no answer.', 'toolwire' ),
		};
		// phpcs:enable
	}
}
