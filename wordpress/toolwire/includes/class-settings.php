<?php
/**
 * The settings of a site.
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
	 * The defaults.
	 *
	 * @var array<string, int|string|bool|list<string>>
	 */
	const DEFAULTS = array(
		'approval'         => 'tool',
		'approval_hours'   => 24,
		'undo_hours'       => 24,
		'calls_per_minute' => 30,
		'retention_days'   => 30,
		'chat_days'        => 30,
		'formats'          => 'auto',
		'model'            => '',
		'model_address'    => '',
		'model_timeout'    => 60,
		'grammar'          => 'none',
		'tokens_per_month' => 0,
		'reasoning'        => 'folded',
		'bound_calls'      => true,
		'others_approve'   => false,
		'mail'             => 'off',
		'built_in'         => true,
		'abilities'        => true,
		'served'           => array(),
		'gate'             => 'none',
	);

	/**
	 * The values for a site that is older than a setting: its behaviour stays as it was.
	 *
	 * @var array<string, bool>
	 */
	const BEFORE = array( 'bound_calls' => false );

	/**
	 * The least and the most value of each number.
	 *
	 * @var array<string, array{int, int}>
	 */
	const RANGES = array(
		'approval_hours'   => array( 1, 720 ),
		'undo_hours'       => array( 1, 720 ),
		'calls_per_minute' => array( 1, 10000 ),
		'retention_days'   => array( 1, 3650 ),
		'chat_days'        => array( 1, 365 ),
		'model_timeout'    => array( 5, 300 ),
		'tokens_per_month' => array( 0, 1000000000 ),
	);

	/**
	 * The allowed words of each choice.
	 *
	 * @var array<string, list<string>>
	 */
	const CHOICES = array(
		'approval'  => array( 'tool', 'all' ),
		'formats'   => array( 'seed', 'auto' ),
		'grammar'   => array( 'none', 'structural_tag', 'gbnf' ),
		'reasoning' => array( 'folded', 'hidden' ),
		'mail'      => array( 'off', 'once', 'hourly' ),
		'gate'      => array( 'none', 'writing', 'all' ),
	);

	/**
	 * One of the settings.
	 *
	 * @param string $name Its name, one of those in DEFAULTS.
	 * @return int|string|bool|list<string>
	 */
	public function get( string $name ) {
		$set = get_option( self::OPTION );
		return is_array( $set ) && isset( $set[ $name ] ) ? $set[ $name ] : self::DEFAULTS[ $name ];
	}

	/**
	 * The valid settings of a submitted form.
	 *
	 * @param mixed $given What the form sent.
	 * @return array<string, int|string|bool|list<string>>
	 */
	public function sanitize( $given ): array {
		$given = is_array( $given ) ? $given : array();
		$kept  = $this->lists( $given );
		$given = array_filter( $given, 'is_scalar' );
		foreach ( self::RANGES as $name => list( $least, $most ) ) {
			if ( isset( $given[ $name ] ) && is_numeric( $given[ $name ] ) ) {
				// A number beyond the range of integers is limited before the cast.
				$kept[ $name ] = (int) max( $least, min( $most, (float) $given[ $name ] ) );
			}
		}
		foreach ( self::CHOICES as $name => $choices ) {
			if ( in_array( $given[ $name ] ?? null, $choices, true ) ) {
				$kept[ $name ] = $given[ $name ];
			}
		}
		if ( isset( $given['model_address'] ) ) {
			$kept['model_address'] = esc_url_raw(
				mb_substr( trim( (string) $given['model_address'] ), 0, 300 ),
				array( 'http', 'https' )
			);
		}
		if ( isset( $given['model'] ) ) {
			$kept['model'] = mb_substr( sanitize_text_field( (string) $given['model'] ), 0, 200 );
		}
		foreach ( array_keys( array_filter( self::DEFAULTS, 'is_bool' ) ) as $name ) {
			if ( isset( $given[ $name ] ) ) {
				$kept[ $name ] = (bool) $given[ $name ];
			}
		}
		return $kept;
	}

	/**
	 * The valid lists of a submitted form. An empty text in a list says that the list was there.
	 *
	 * @param array<mixed> $given What the form sent.
	 * @return array<string, list<string>>
	 */
	private function lists( array $given ): array {
		$lists = array_intersect_key( $given, array_filter( self::DEFAULTS, 'is_array' ) );
		return array_map(
			static function ( array $texts ): array {
				$kept = array_filter( array_filter( $texts, 'is_string' ), 'strlen' );
				return array_values( array_unique( array_map( 'wp_unslash', $kept ) ) );
			},
			array_filter( $lists, 'is_array' )
		);
	}

	/**
	 * Answers the hook `pre_update_option_toolwire_settings`: settings that are not in what is
	 * saved stay as they were.
	 *
	 * @param mixed $given What is saved.
	 * @param mixed $set   What was set.
	 * @return array<string, int|string|bool|list<string>>
	 */
	public function merge( $given, $set ): array {
		return ( is_array( $given ) ? $given : array() ) + ( is_array( $set ) ? $set : array() );
	}
}
