<?php
/**
 * The names of tools as abilities.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

/**
 * Gives each tool a name that WordPress allows to abilities: small letters, digits and hyphens
 * behind the plugin's own prefix.
 */
final class Names {

	const PREFIX = 'toolwire/';

	/**
	 * The ability that tells how a call stands.
	 */
	const STATUS = self::PREFIX . 'status';

	/**
	 * The most characters behind the prefix.
	 */
	const LENGTH = 80;

	/**
	 * The abilities' names, by the tools'. A tool whose name is taken gets the beginning of a hash
	 * behind its name.
	 *
	 * @param list<string> $tools The names of the tools.
	 * @return array<string, string>
	 */
	public function of( array $tools ): array {
		$taken = array( self::STATUS => true );
		$names = array();
		foreach ( $tools as $tool ) {
			$word = trim( (string) preg_replace( '/[^a-z0-9]+/', '-', strtolower( $tool ) ), '-' );
			$name = self::PREFIX . $word;
			if ( '' === $word || strlen( $word ) > self::LENGTH || isset( $taken[ $name ] ) ) {
				$hash = substr( hash( 'sha256', $tool ), 0, 8 );
				$name = self::PREFIX . ltrim( substr( $word, 0, self::LENGTH ) . "-$hash", '-' );
			}
			$taken[ $name ] = true;
			$names[ $tool ] = $name;
		}
		return $names;
	}
}
