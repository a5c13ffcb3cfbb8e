<?php
/**
 * Abilities of WordPress 6.9 and later, as tools.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\ToolInput;
use WP_Ability;

/**
 * Registers each ability that WordPress shows in its REST API, under its own name and under the
 * name that WordPress' AI client uses. An ability needs approval unless it says that it only reads.
 * While abilities are gated, the others are tools too, which the gate alone may call.
 */
final class Abilities {

	/**
	 * Takes its parts.
	 *
	 * @param Settings      $settings      The settings.
	 * @param Ability_Input $ability_input Turns arguments into input.
	 * @param Gate\Rule     $rule          Which abilities are gated.
	 * @param Gate\Own_Runs $own_runs      Runs abilities.
	 */
	public function __construct(
		private Settings $settings,
		private Ability_Input $ability_input,
		private Gate\Rule $rule,
		private Gate\Own_Runs $own_runs,
	) {
	}

	/**
	 * Answers the hook `toolwire_register_tools`.
	 *
	 * @param Tools $tools The tools of the site.
	 */
	public function register( Tools $tools ): void {
		if ( ! function_exists( 'wp_get_abilities' ) ) {
			return;
		}
		$offered = array();
		foreach ( $this->settings->get( 'abilities' ) ? wp_get_abilities() : array() as $ability ) {
			if ( Served\Abilities::CATEGORY === $ability->get_category() ) {
				continue; // A tool of this site.
			}
			if ( $this->is_tool( $ability ) ) {
				$offered[] = $ability->get_name();
				$tools->register( $ability->get_name(), $this->arguments( $ability ) );
			}
		}
		$hidden = array(
			'offered' => false,
			'aliases' => array(),
		);
		foreach ( $this->rule->is_on() ? $this->rule->abilities() : array() as $ability ) {
			if ( ! in_array( $ability->get_name(), $offered, true ) ) {
				$tools->register( $ability->get_name(), $hidden + $this->arguments( $ability ) );
			}
		}
	}

	/**
	 * Whether an ability is a tool that is offered.
	 *
	 * @param WP_Ability $ability The ability.
	 */
	private function is_tool( WP_Ability $ability ): bool {
		$meta = (array) $ability->get_meta();
		/**
		 * Filters whether an ability is a tool.
		 *
		 * @param bool       $is_tool Whether it is shown in the REST API.
		 * @param WP_Ability $ability The ability.
		 */
		return (bool) apply_filters(
			'toolwire_ability_is_tool',
			! empty( $meta['show_in_rest'] ),
			$ability
		);
	}

	/**
	 * The registration of an ability. A call looks the ability up again, and WordPress checks it
	 * once more.
	 *
	 * @param WP_Ability $ability The ability.
	 * @return array<string, mixed>
	 */
	private function arguments( WP_Ability $ability ): array {
		$name  = $ability->get_name();
		$meta  = (array) $ability->get_meta();
		$given = (array) $ability->get_input_schema();
		return array(
			'description'         => $ability->get_description(),
			'input_schema'        => $this->ability_input->schema( $given ),
			'permission_callback' => function ( array $arguments ) use ( $name, $given ) {
				$ability = wp_get_ability( $name );
				$input   = $this->ability_input->of_arguments( $given, $arguments );
				return null === $ability ? false : $this->permits( $ability, $input );
			},
			'approval'            => true !== ( $meta['annotations']['readonly'] ?? null ),
			'annotations'         => (array) ( $meta['annotations'] ?? array() ),
			'aliases'             => array( 'wpab__' . str_replace( '/', '__', $name ) ),
			'callback'            => function (
				array $arguments,
				ToolInput $run
			) use ( $name, $given ) {
				$input = $this->ability_input->of_arguments( $given, $arguments );
				return $this->own_runs->run( $name, $input, $run->runId );
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
