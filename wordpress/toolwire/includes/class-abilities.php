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
	 * Takes its parts.
	 *
	 * @param Settings $settings The settings.
	 */
	public function __construct(
		private Settings $settings,
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
		$schema = $this->standard( (array) $ability->get_input_schema() );
		// An ability without a schema takes no input.
		$input = static fn ( array $arguments ) => $schema ? $arguments : null;
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

	/**
	 * A schema in which the object lists its required properties, as in JSON Schema. WordPress also
	 * allows `required` at each property.
	 *
	 * @param array<string, mixed> $schema The schema of an ability.
	 * @return array<string, mixed>
	 */
	private function standard( array $schema ): array {
		if ( is_bool( $schema['required'] ?? null ) ) {
			unset( $schema['required'] );
		}
		if ( isset( $schema['items'] ) && is_array( $schema['items'] ) ) {
			$schema['items'] = $this->standard( $schema['items'] );
		}
		foreach ( (array) ( $schema['properties'] ?? array() ) as $name => $property ) {
			if ( is_array( $property ) ) {
				if ( true === ( $property['required'] ?? null ) ) {
					$schema['required'][] = (string) $name;
				}
				$schema['properties'][ $name ] = $this->standard( $property );
			}
		}
		return $schema;
	}
}
