<?php
/**
 * What a site's owner can choose.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * The settings, in one option that WordPress loads with all others.
 */
final class Settings {

	const OPTION = 'toolwire_settings';

	/**
	 * What holds until somebody chooses otherwise.
	 *
	 * @return array<string, int|string|bool>
	 */
	public static function defaults(): array {
		return array(
			'approval'         => 'tool',
			'approval_hours'   => 24,
			'undo_hours'       => 24,
			'calls_per_minute' => 30,
			'retention_days'   => 30,
			'formats'          => 'seed',
			'built_in'         => true,
			'abilities'        => true,
		);
	}

	/**
	 * The numbers that are taken, least and most.
	 *
	 * @return array<string, array{int, int}>
	 */
	public static function ranges(): array {
		return array(
			'approval_hours'   => array( 1, 720 ),
			'undo_hours'       => array( 1, 720 ),
			'calls_per_minute' => array( 1, 10000 ),
			'retention_days'   => array( 1, 3650 ),
		);
	}

	/**
	 * One of the settings.
	 *
	 * @param string $name Its name, one of those in defaults().
	 * @return int|string|bool
	 */
	public static function get( string $name ) {
		$set = get_option( self::OPTION );
		return is_array( $set ) && isset( $set[ $name ] ) ? $set[ $name ] : self::defaults()[ $name ];
	}

	/**
	 * What is kept of what was sent.
	 *
	 * @param mixed $given What the form sent.
	 * @return array<string, int|string|bool>
	 */
	public static function sanitize( $given ): array {
		$given = is_array( $given ) ? $given : array();
		$kept  = self::defaults();
		foreach ( self::ranges() as $name => list( $least, $most ) ) {
			if ( isset( $given[ $name ] ) && is_numeric( $given[ $name ] ) ) {
				$kept[ $name ] = max( $least, min( $most, (int) $given[ $name ] ) );
			}
		}
		$kept['approval'] = 'all' === ( $given['approval'] ?? '' ) ? 'all' : 'tool';
		$kept['formats']  = 'auto' === ( $given['formats'] ?? '' ) ? 'auto' : 'seed';
		foreach ( array( 'built_in', 'abilities' ) as $name ) {
			$kept[ $name ] = ! empty( $given[ $name ] );
		}
		return $kept;
	}
}
