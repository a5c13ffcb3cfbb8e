<?php
/**
 * Which abilities are gated.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Gate;

use Toolwire\WordPress\Served;
use Toolwire\WordPress\Settings;
use WP_Ability;

/**
 * Decides whether an ability of another plugin, or of WordPress, becomes a call of this site when
 * somebody runs it.
 */
final class Rule {

	/**
	 * The ability of the MCP Adapter that runs the ability which its input names. That one is
	 * gated, and this one is not: the call of one ability waits once.
	 */
	const RUNS_OTHERS = 'mcp-adapter/execute-ability';

	/**
	 * The names of the abilities that were registered while any may be gated, as keys.
	 *
	 * @var array<string, true>
	 */
	private array $names = array();

	/**
	 * Takes its parts.
	 *
	 * @param Settings $settings The settings.
	 */
	public function __construct( private Settings $settings ) {
	}

	/**
	 * Whether any ability may be gated. Sites that gate none do nothing more.
	 */
	public function is_on(): bool {
		return 'none' !== $this->settings->get( 'gate' ) || has_filter( 'toolwire_gate_ability' );
	}

	/**
	 * Takes an ability that is being registered. False when it cannot be gated: the abilities that
	 * are tools of this site are calls of it anyway.
	 *
	 * @param string $name     The ability's name.
	 * @param string $category The ability's category.
	 */
	public function take( string $name, string $category ): bool {
		if ( Served\Abilities::CATEGORY === $category || self::RUNS_OTHERS === $name ) {
			return false;
		}
		$this->names[ $name ] = true;
		return true;
	}

	/**
	 * The abilities that can be gated. WordPress' list of abilities does not do: other code may
	 * leave some out of it, which can still be run.
	 *
	 * @return list<WP_Ability>
	 */
	public function abilities(): array {
		$names = array_filter( array_keys( $this->names ), 'wp_has_ability' );
		return array_values( array_map( 'wp_get_ability', $names ) );
	}

	/**
	 * Whether an ability is gated.
	 *
	 * @param WP_Ability $ability The ability.
	 */
	public function gates( WP_Ability $ability ): bool {
		if ( ! isset( $this->names[ $ability->get_name() ] ) ) {
			return false;
		}
		$set    = $this->settings->get( 'gate' );
		$meta   = (array) $ability->get_meta();
		$writes = true !== ( $meta['annotations']['readonly'] ?? null );
		/**
		 * Filters whether an ability is gated: whoever runs it makes a call of this site, with
		 * approval, limits and a row of the log.
		 *
		 * @param bool       $gate    Whether the settings say so.
		 * @param string     $name    The ability's name.
		 * @param WP_Ability $ability The ability.
		 */
		return (bool) apply_filters(
			'toolwire_gate_ability',
			'all' === $set || ( 'writing' === $set && $writes ),
			$ability->get_name(),
			$ability
		);
	}
}
