<?php
/**
 * What must not be kept.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Comment;

/**
 * Masks secrets in what the log keeps: whatever stands under a name of one, and every text that looks like one.
 */
final class Secrets {

	/**
	 * What is kept in place of a secret.
	 */
	const MASK = '[redacted]';

	/**
	 * Names of secrets. A key bears one if its words stand in the key in a row, as `api_key` in `X-API-Key`.
	 */
	const NAMES = array(
		'password',
		'passwords',
		'password1',
		'password2',
		'passwd',
		'passphrase',
		'passkey',
		'pass',
		'pass1',
		'pass2',
		'pwd',
		'user_pass',
		'token',
		'access_tokens',
		'api_tokens',
		'auth_tokens',
		'refresh_tokens',
		'session_tokens',
		'jwt',
		'bearer',
		'secret',
		'secrets',
		'credential',
		'credentials',
		'authorization',
		'basic_auth',
		'github_pat',
		'gh_pat',
		'api_key',
		'api_keys',
		'access_key',
		'account_key',
		'activation_key',
		'auth_key',
		'secure_auth_key',
		'consumer_key',
		'deploy_key',
		'encryption_key',
		'license_key',
		'licence_key',
		'logged_in_key',
		'master_key',
		'nonce_key',
		'private_key',
		'session_key',
		'signing_key',
		'ssh_key',
		'webhook_key',
		'auth_salt',
		'logged_in_salt',
		'nonce_salt',
		'password_salt',
		'cookie',
		'cookies',
		'session_id',
		'phpsessid',
		'nonce',
		'wpnonce',
		'otp',
		'totp',
		'cvv',
		'cvc',
		'recovery_code',
		'recovery_codes',
		'backup_codes',
		'security_code',
		'verification_code',
	);

	/**
	 * The names by which secrets are found, also by what runs the tools.
	 *
	 * @return list<string>
	 */
	public static function names(): array {
		/**
		 * Filters the names of secrets. What stands under one of them in a call is kept out of the log and the store.
		 *
		 * @param list<string> $names Words joined by `_`.
		 */
		$names = (array) apply_filters( 'toolwire_secret_names', self::NAMES );
		return array_values( array_filter( $names, 'is_string' ) );
	}

	/**
	 * A text without what looks like a secret.
	 *
	 * @param string $text The text.
	 */
	public static function text( string $text ): string {
		return Comment::redact( $text );
	}

	/**
	 * A value that JSON gave, without secrets.
	 *
	 * @param mixed $value The value; its objects are objects or arrays.
	 * @return mixed
	 */
	public static function masked( $value ) {
		return self::copy( $value, array_map( array( self::class, 'words' ), self::names() ) );
	}

	/**
	 * A copy without secrets.
	 *
	 * @param mixed        $value The value.
	 * @param list<string> $names What words() makes of the names.
	 * @return mixed
	 */
	private static function copy( $value, array $names ) {
		if ( is_string( $value ) ) {
			return self::text( $value );
		}
		if ( ! is_array( $value ) && ! is_object( $value ) ) {
			return $value;
		}
		$copy = array();
		foreach ( is_object( $value ) ? get_object_vars( $value ) : $value as $key => $item ) {
			// A key is text that somebody wrote, too.
			$key          = is_string( $key ) ? self::text( $key ) : $key;
			$copy[ $key ] = is_string( $key ) && self::hides( $key, $names ) ? self::MASK : self::copy( $item, $names );
		}
		return is_object( $value ) ? (object) $copy : $copy;
	}

	/**
	 * Whether what stands under a key is a secret.
	 *
	 * @param string       $key   The key.
	 * @param list<string> $names What words() makes of the names.
	 */
	private static function hides( string $key, array $names ): bool {
		$words = self::words( $key );
		foreach ( $names as $name ) {
			if ( '__' !== $name && ( str_contains( $words, $name ) || str_replace( '_', '', $words ) === str_replace( '_', '', $name ) ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The words of a key in lower case, each between underscores.
	 *
	 * @param string $key The key.
	 */
	private static function words( string $key ): string {
		$parted = (string) preg_replace( '/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u', '_', mb_scrub( $key, 'UTF-8' ) );
		$joined = (string) preg_replace( '/[^\p{L}\p{N}]+/u', '_', mb_strtolower( $parted, 'UTF-8' ) );
		return '_' . trim( $joined, '_' ) . '_';
	}
}
