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
			'bound_calls'      => true,
			'others_approve'   => false,
			'built_in'         => true,
			'abilities'        => true,
		);
	}

	/**
	 * What holds on a site that was set up before a setting came: it keeps what it had.
	 *
	 * @return array<string, bool>
	 */
	public static function before(): array {
		return array( 'bound_calls' => false );
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
	 * The words that are taken.
	 *
	 * @return array<string, list<string>>
	 */
	private static function choices(): array {
		return array(
			'approval' => array( 'tool', 'all' ),
			'formats'  => array( 'seed', 'auto' ),
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
	 * What is kept of what was sent: the settings that are in it, each of its form.
	 *
	 * @param mixed $given What the form sent.
	 * @return array<string, int|string|bool>
	 */
	public static function sanitize( $given ): array {
		$given = array_filter( is_array( $given ) ? $given : array(), 'is_scalar' );
		$kept  = array();
		foreach ( self::ranges() as $name => list( $least, $most ) ) {
			if ( isset( $given[ $name ] ) && is_numeric( $given[ $name ] ) ) {
				// A number beyond the range of integers is cut before it becomes one.
				$kept[ $name ] = (int) max( $least, min( $most, (float) $given[ $name ] ) );
			}
		}
		foreach ( self::choices() as $name => $choices ) {
			if ( in_array( $given[ $name ] ?? null, $choices, true ) ) {
				$kept[ $name ] = $given[ $name ];
			}
		}
		foreach ( array_keys( array_filter( self::defaults(), 'is_bool' ) ) as $name ) {
			if ( isset( $given[ $name ] ) ) {
				$kept[ $name ] = (bool) $given[ $name ];
			}
		}
		return $kept;
	}

	/**
	 * Answers the hook `pre_update_option_toolwire_settings`: settings that are not in what is saved stay as they were.
	 *
	 * @param mixed $given What is saved.
	 * @param mixed $set   What was set.
	 * @return array<string, int|string|bool>
	 */
	public static function merge( $given, $set ): array {
		return ( is_array( $given ) ? $given : array() ) + ( is_array( $set ) ? $set : array() );
	}
}
