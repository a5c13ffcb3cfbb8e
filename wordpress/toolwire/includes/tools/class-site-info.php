<?php
/**
 * The tool `site_info`.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Tools;

/**
 * Says what site this is.
 */
final class Site_Info {

	/**
	 * Its registration.
	 *
	 * @return array<string, mixed>
	 */
	public function arguments(): array {
		return array(
			'description'  => 'The name, address, language and time zone of this WordPress site, '
				. 'and how many posts and pages it has.',
			'input_schema' => array(
				'type'                 => 'object',
				'properties'           => (object) array(),
				'additionalProperties' => false,
			),
			'annotations'  => array( 'readonly' => true ),
			'capability'   => 'edit_posts',
			'approval'     => false,
			'callback'     => array( $this, 'call' ),
		);
	}

	/**
	 * What site this is.
	 *
	 * @return array<string, mixed>
	 */
	public function call(): array {
		return array(
			'name'        => get_bloginfo( 'name' ),
			'description' => get_bloginfo( 'description' ),
			'url'         => home_url( '/' ),
			'language'    => get_bloginfo( 'language' ),
			'timezone'    => wp_timezone_string(),
			'wordpress'   => get_bloginfo( 'version' ),
			'theme'       => wp_get_theme()->get( 'Name' ),
			'posts'       => (int) wp_count_posts()->publish,
			'pages'       => (int) wp_count_posts( 'page' )->publish,
		);
	}
}
