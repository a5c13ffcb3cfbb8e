<?php
/**
 * The settings of the model's server.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Text;
use Toolwire\WordPress\Assistant\Model;
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
	 * it was, and the screen says why. A new key is kept, that of another server is not.
	 *
	 * @param array<mixed> $given What the form sent.
	 * @return array<mixed>
	 */
	public function checked( array $given ): array {
		$given = $this->with_checked_address( $given );
		$key   = $given['model_key'] ?? null;
		if ( is_string( $key ) && strlen( $key ) > self::MOST_BYTES ) {
			$message = __( 'The key of the model is too long. It was not kept.', 'toolwire' );
			add_settings_error( Settings::OPTION, 'model_key', $message );
		} elseif ( is_string( $key ) && '' !== trim( $key ) ) {
			$this->key->set( trim( $key ) );
		} elseif ( ! empty( $given['forget_key'] ) ) {
			$this->key->set( '' );
		}
		unset( $given['model_key'], $given['forget_key'] );
		return $given;
	}

	/**
	 * What a form sent, without an address that cannot be used. The key of another server is
	 * forgotten: who enters an address must not learn the key by it.
	 *
	 * @param array<mixed> $given What the form sent.
	 * @return array<mixed>
	 */
	private function with_checked_address( array $given ): array {
		$address = $given['model_address'] ?? '';
		if ( ! is_string( $address ) || '' === trim( $address ) ) {
			return $given;
		}
		$before = (string) $this->settings->get( 'model_address' );
		if ( trim( $address ) === $before ) {
			return $given;
		}
		$refusal = $this->refusal( $address );
		if ( null !== $refusal ) {
			add_settings_error( Settings::OPTION, 'model_address', $refusal );
			unset( $given['model_address'] );
			return $given;
		}
		if ( '' !== $before && $this->server( $before ) !== $this->server( $address ) ) {
			$this->key->set( '' );
		}
		return $given;
	}

	/**
	 * The server of an address: its scheme, host and port.
	 *
	 * @param string $address The address.
	 */
	private function server( string $address ): string {
		$parts = (array) wp_parse_url( strtolower( trim( $address ) ) );
		$names = array_flip( array( 'scheme', 'host', 'port' ) );
		return implode( ' ', array_intersect_key( $parts, $names ) );
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
		if ( ! is_multisite() || is_super_admin() ) {
			return null;
		}
		if ( $this->key->is_given() ) {
			return __(
				'The key is that of the network, so only super admins may change the address.',
				'toolwire'
			);
		}
		return $address->is_private ? __(
			'On a network only super admins may connect a model in a private network.',
			'toolwire'
		) : null;
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
		$failure = (string) get_transient( Model::FAILURE );
		if ( '' !== $failure ) {
			printf(
				'<tr><th scope="row">%s</th><td class="toolwire-warning">%s</td></tr>',
				esc_html__( 'The model\'s last failure', 'toolwire' ),
				esc_textarea( Text::visible( $failure ) )
			);
		}
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
