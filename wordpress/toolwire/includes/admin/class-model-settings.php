<?php
/**
 * The settings of the model's server.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Assistant\Model_Address;
use Toolwire\WordPress\Assistant\Model_Key;
use Toolwire\WordPress\Settings;

/**
 * Shows the address and the key of the model's server, and checks what a person has written. The
 * key is no setting: it is kept encrypted, and nobody is shown it.
 */
final class Model_Settings {

	/**
	 * The longest key.
	 */
	const MOST_BYTES = 1000;

	/**
	 * Takes its parts.
	 *
	 * @param Settings  $settings The settings.
	 * @param Model_Key $key      The key.
	 */
	public function __construct(
		private Settings $settings,
		private Model_Key $key,
	) {
	}

	/**
	 * The settings that may be saved of what a form sent. An address that cannot be used stays as
	 * it was, and the screen says why. A new key is kept.
	 *
	 * @param array<mixed> $given What the form sent.
	 * @return array<mixed>
	 */
	public function checked( array $given ): array {
		$key = $given['model_key'] ?? null;
		if ( is_string( $key ) && strlen( $key ) > self::MOST_BYTES ) {
			$message = __( 'The key of the model is too long. It was not kept.', 'toolwire' );
			add_settings_error( Settings::OPTION, 'model_key', $message );
		} elseif ( is_string( $key ) && '' !== trim( $key ) ) {
			$this->key->set( trim( $key ) );
		} elseif ( ! empty( $given['forget_key'] ) ) {
			$this->key->set( '' );
		}
		unset( $given['model_key'], $given['forget_key'] );
		$address = $given['model_address'] ?? '';
		if ( ! is_string( $address ) || '' === trim( $address ) ) {
			return $given;
		}
		$refusal = $this->refusal( $address );
		if ( null !== $refusal ) {
			add_settings_error( Settings::OPTION, 'model_address', $refusal );
			unset( $given['model_address'] );
		}
		return $given;
	}

	/**
	 * Why an address cannot be used; null if it can.
	 *
	 * @param string $written The address as it was written.
	 */
	private function refusal( string $written ): ?string {
		$address = Model_Address::read( $written );
		if ( is_wp_error( $address ) ) {
			return $address->get_error_message();
		}
		if ( $address->is_private && is_multisite() && ! is_super_admin() ) {
			return __(
				'On a network only super admins may connect a model in a private network.',
				'toolwire'
			);
		}
		return null;
	}

	/**
	 * Prints the rows of the table of settings.
	 */
	public function show(): void {
		printf(
			'<tr><th scope="row"><label for="toolwire-model_address">%1$s</label></th><td>'
				. '<input type="url" id="toolwire-model_address" name="%2$s[model_address]" '
				. 'value="%3$s" maxlength="300" class="regular-text" placeholder="%4$s" '
				. 'aria-describedby="toolwire-model_address-hint">'
				. '<p class="description" id="toolwire-model_address-hint">%5$s</p></td></tr>',
			esc_html__( 'Address of the model', 'toolwire' ),
			esc_attr( Settings::OPTION ),
			esc_attr( (string) $this->settings->get( 'model_address' ) ),
			esc_attr( 'https://example.com/v1' ),
			esc_html__(
				'An OpenAI-compatible service. What users write in the chat is sent there.',
				'toolwire'
			)
		);
		$this->show_key();
	}

	/**
	 * Prints the row of the key.
	 */
	private function show_key(): void {
		$hint = __( 'It is stored encrypted. A constant TOOLWIRE_MODEL_KEY is safer.', 'toolwire' );
		if ( $this->key->is_given() ) {
			$hint = __( 'The key comes from TOOLWIRE_MODEL_KEY.', 'toolwire' );
		} elseif ( $this->key->is_lost() ) {
			$hint = __( 'The keys of this site have changed. Enter the key again.', 'toolwire' );
		}
		printf(
			'<tr><th scope="row"><label for="toolwire-model_key">%1$s</label></th><td>'
				. '<input type="password" id="toolwire-model_key" name="%2$s[model_key]" value="" '
				. 'autocomplete="off" class="regular-text" placeholder="%3$s" '
				. 'aria-describedby="toolwire-model_key-hint"%4$s>'
				. '<p class="description" id="toolwire-model_key-hint">%5$s</p>',
			esc_html__( 'Key of the model', 'toolwire' ),
			esc_attr( Settings::OPTION ),
			esc_attr( $this->key->shown() ),
			disabled( $this->key->is_given(), true, false ),
			esc_html( $hint )
		);
		if ( '' !== $this->key->shown() && ! $this->key->is_given() ) {
			printf(
				'<label><input type="checkbox" name="%s[forget_key]" value="1"> %s</label>',
				esc_attr( Settings::OPTION ),
				esc_html__( 'Forget the key', 'toolwire' )
			);
		}
		echo '</td></tr>';
	}
}
