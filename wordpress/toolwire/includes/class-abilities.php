<?php
/**
 * Abilities of WordPress 6.9 and later, as tools.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use WP_Ability;

/**
 * Registers each ability that WordPress shows in its REST API, under its own name and under the
 * name that WordPress' AI client uses. An ability needs approval unless it says that it only reads.
 */
final class Abilities {

	/**
	 * The argument that is the input of an ability whose input is no object, such as a text.
	 */
	const INPUT = 'input';

	/**
	 * Takes its parts.
	 *
	 * @param Settings     $settings     The settings.
	 * @param Input_Schema $input_schema Reads schemas.
	 */
	public function __construct(
		private Settings $settings,
		private Input_Schema $input_schema,
	) {
	}

	/**
	 * Answers the hook `toolwire_register_tools`.
	 *
	 * @param Tools $tools The tools of the site.
	 */
	public function register( Tools $tools ): void {
		if (
			! function_exists( 'wp_get_ability' )
			|| ! function_exists( 'wp_get_abilities' )
			|| ! $this->settings->get( 'abilities' )
		) {
			return;
		}
		foreach ( wp_get_abilities() as $ability ) {
			$meta = (array) $ability->get_meta();
			if ( Served\Abilities::CATEGORY === $ability->get_category() ) {
				continue; // A tool of this site.
			}
			/**
			 * Filters whether an ability is a tool.
			 *
			 * @param bool       $is_tool Whether it is shown in the REST API.
			 * @param WP_Ability $ability The ability.
			 */
			$public = ! empty( $meta['show_in_rest'] );
			if ( apply_filters( 'toolwire_ability_is_tool', $public, $ability ) ) {
				$tools->register( $ability->get_name(), $this->arguments( $ability, $meta ) );
			}
		}
	}

	/**
	 * The registration of an ability. A call looks the ability up again, and WordPress checks it
	 * once more.
	 *
	 * @param WP_Ability           $ability The ability.
	 * @param array<string, mixed> $meta    Its meta data.
	 * @return array<string, mixed>
	 */
	private function arguments( WP_Ability $ability, array $meta ): array {
		$name   = $ability->get_name();
		$given  = (array) $ability->get_input_schema();
		$schema = $this->input_schema->standard( $given );
		$wraps  = $schema && ! $this->input_schema->is_for_objects( $schema );
		$input  = static function ( array $arguments ) use ( $given, $wraps ) {
			if ( $wraps ) {
				return $arguments[ self::INPUT ] ?? null;
			}
			// An ability without a schema takes no input; one with a default takes that for none.
			$none = ! $given || ( ! $arguments && array_key_exists( 'default', $given ) );
			return $none ? null : $arguments;
		};
		if ( $wraps ) {
			$schema = array(
				'type'                 => 'object',
				'properties'           => array( self::INPUT => $schema ),
				'additionalProperties' => false,
			) + ( array_key_exists( 'default', $given )
				? array()
				: array( 'required' => array( self::INPUT ) ) );
		}
		return array(
			'description'         => $ability->get_description(),
			'input_schema'        => $schema,
			'permission_callback' => function ( array $arguments ) use ( $name, $input ) {
				$ability = wp_get_ability( $name );
				return null === $ability ? false : $this->permits( $ability, $input( $arguments ) );
			},
			'approval'            => true !== ( $meta['annotations']['readonly'] ?? null ),
			'annotations'         => (array) ( $meta['annotations'] ?? array() ),
			'aliases'             => array( 'wpab__' . str_replace( '/', '__', $name ) ),
			'callback'            => static function ( array $arguments ) use ( $name, $input ) {
				$ability = wp_get_ability( $name );
				return null === $ability
					? new \WP_Error(
						'toolwire_no_ability',
						__( 'There is no such ability any more.', 'toolwire' )
					)
					: $ability->execute( $input( $arguments ) );
			},
		);
	}

	/**
	 * Whether the current user may use an ability. The ability is asked only when the input matches
	 * the schema by WordPress' rules too. Other input is refused.
	 *
	 * @param WP_Ability $ability The ability.
	 * @param mixed      $input   Its input.
	 * @return bool|\WP_Error
	 */
	private function permits( WP_Ability $ability, $input ) {
		$input = $ability->normalize_input( $input );
		$valid = is_wp_error( $input ) ? $input : $ability->validate_input( $input );
		return is_wp_error( $valid ) ? $valid : $ability->check_permissions( $input );
	}
}
