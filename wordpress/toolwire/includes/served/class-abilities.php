<?php
/**
 * Tools of the site, as abilities of WordPress.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Settings;
use Toolwire\WordPress\Tool;
use Toolwire\WordPress\Tools;
use WP_Error;

/**
 * Registers the tools that the owner of the site allows, each as an ability of its own, and one
 * ability that tells how a call stands. Nothing is registered while no tool is allowed.
 */
final class Abilities {

	const CATEGORY = 'toolwire';

	/**
	 * Takes its parts.
	 *
	 * @param Settings $settings The settings.
	 * @param Access   $access   Who may do what.
	 * @param Engines  $engines  The engine of each site.
	 * @param Names    $names    Names abilities.
	 * @param Input    $input    Reads their input.
	 * @param Calls    $calls    Runs tools.
	 */
	public function __construct(
		private Settings $settings,
		private Access $access,
		private Engines $engines,
		private Names $names,
		private Input $input,
		private Calls $calls,
	) {
	}

	/**
	 * Adds the category of the abilities.
	 */
	public function add_category(): void {
		if ( $this->may_serve() ) {
			wp_register_ability_category(
				self::CATEGORY,
				array(
					'label'       => __( 'Tools of this site', 'toolwire' ),
					'description' => __(
						'Tools whose calls Toolwire checks, has approved, and records.',
						'toolwire'
					),
				)
			);
		}
	}

	/**
	 * Registers the abilities.
	 */
	public function register(): void {
		$names = $this->names();
		if ( ! $names ) {
			return;
		}
		$tools = $this->engines->get()->tools;
		foreach ( $names as $tool => $ability ) {
			wp_register_ability(
				$ability,
				$this->arguments( $ability, $tools, $tools->all()[ $tool ] )
			);
		}
		wp_register_ability( Names::STATUS, $this->status() );
	}

	/**
	 * The abilities' names, by the tools' that the owner allows.
	 *
	 * @return array<string, string>
	 */
	public function names(): array {
		if ( ! $this->may_serve() ) {
			return array();
		}
		$allowed = (array) $this->settings->get( 'served' );
		$served  = array();
		foreach ( array_keys( $this->engines->get()->tools->all() ) as $tool ) {
			/**
			 * Filters whether a tool is an ability.
			 *
			 * @param bool   $is_ability Whether the settings say so.
			 * @param string $tool       The tool's name.
			 */
			$is_ability = apply_filters(
				'toolwire_tool_is_ability',
				in_array( (string) $tool, $allowed, true ),
				(string) $tool
			);
			if ( $is_ability ) {
				$served[] = (string) $tool;
			}
		}
		return $this->names->of( $served );
	}

	/**
	 * Whether there can be a tool to serve. Pages without one need not load the tools.
	 */
	private function may_serve(): bool {
		return function_exists( 'wp_register_ability' )
			&& ( $this->settings->get( 'served' ) || has_filter( 'toolwire_tool_is_ability' ) );
	}

	/**
	 * The registration of a tool. What the user may do with the tool is asked by the executor, so
	 * that the log has it.
	 *
	 * @param string $ability The ability's name.
	 * @param Tools  $tools   The tools of the site.
	 * @param Tool   $tool    The tool.
	 * @return array<string, mixed>
	 */
	private function arguments( string $ability, Tools $tools, Tool $tool ): array {
		$name       = $tool->name;
		$definition = $tools->registry->get( $name );
		$schema     = $this->input->schema( (array) $definition?->inputSchema );
		$words      = trim( (string) preg_replace( '/[^A-Za-z0-9]+/', ' ', $name ) );
		return array(
			'label'            => '' === $words ? $name : ucfirst( $words ),
			'description'      => '' === (string) $definition?->description
				? $name
				: $definition->description,
			'execute_callback' => fn ( $input = null ) => $this->calls->run(
				$name,
				$this->input->arguments( $ability, $schema, $input )
			),
			'meta'             => $this->meta( $tool->annotations() ),
		) + $this->shared( $schema );
	}

	/**
	 * The registration of the ability that tells how a call stands.
	 *
	 * @return array<string, mixed>
	 */
	private function status(): array {
		$schema = array(
			'type'                 => 'object',
			'properties'           => array(
				'call' => array(
					'type'        => 'string',
					'description' => __( 'The id that came with the answer.', 'toolwire' ),
				),
			),
			'required'             => array( 'call' ),
			'additionalProperties' => false,
		);
		return array(
			'label'            => __( 'Status of a call', 'toolwire' ),
			'description'      => __(
				'Tells how a call of a tool stands, and runs it if it waited and is approved now.',
				'toolwire'
			),
			'execute_callback' => fn ( $input = null ) => $this->calls->status(
				(string) ( $input['call'] ?? '' )
			),
			// It may run what was approved, so it does not only read.
			'meta'             => $this->meta(
				array(
					'readonly'    => false,
					'destructive' => false,
					'idempotent'  => true,
				)
			),
		) + $this->shared( $schema );
	}

	/**
	 * What the registrations have in common.
	 *
	 * @param array<string, mixed>|null $schema The schema of the input.
	 * @return array<string, mixed>
	 */
	private function shared( ?array $schema ): array {
		return array(
			'category'            => self::CATEGORY,
			'permission_callback' => fn () => $this->access->allows( 'use' ) ? true : new WP_Error(
				'toolwire_forbidden',
				__( 'You are not allowed to do that.', 'toolwire' ),
				array( 'status' => rest_authorization_required_code() )
			),
		) + ( null === $schema ? array() : array( 'input_schema' => $schema ) );
	}

	/**
	 * The meta data of an ability.
	 *
	 * @param array<string, mixed> $annotations What it does to the site.
	 * @return array<string, mixed>
	 */
	private function meta( array $annotations ): array {
		return array(
			'annotations'  => $annotations,
			'show_in_rest' => true,
			'mcp'          => array(
				'public' => true,
				'type'   => 'tool',
			),
		);
	}
}
