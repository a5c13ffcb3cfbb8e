<?php
/**
 * The tool `list_posts`.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Tools;

use WP_Post;

/**
 * Lists the newest posts or pages that the user may edit.
 */
final class List_Posts {

	const MOST = 50;

	/**
	 * Its registration.
	 *
	 * @return array<string, mixed>
	 */
	public function arguments(): array {
		return array(
			'description'  => 'Lists the newest posts or pages of this site that the user may '
				. 'edit: id, title, status, date.',
			'input_schema' => array(
				'type'                 => 'object',
				'properties'           => array(
					'type'   => array( 'enum' => array( 'post', 'page' ) ),
					'status' => array(
						'enum' => array( 'publish', 'draft', 'pending', 'future', 'private' ),
					),
					'search' => array(
						'type'      => 'string',
						'maxLength' => 200,
					),
					'number' => array(
						'type'    => 'integer',
						'minimum' => 1,
						'maximum' => self::MOST,
					),
				),
				'additionalProperties' => false,
			),
			'annotations'  => array( 'readonly' => true ),
			'capability'   => 'edit_posts',
			'approval'     => false,
			'callback'     => array( $this, 'call' ),
		);
	}

	/**
	 * Lists posts.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 * @return array{posts: list<array<string, mixed>>}
	 */
	public function call( array $arguments ): array {
		$found = get_posts(
			array(
				'post_type'        => $arguments['type'] ?? 'post',
				'post_status'      => $arguments['status'] ?? 'any',
				's'                => $arguments['search'] ?? '',
				'numberposts'      => $arguments['number'] ?? 10,
				'suppress_filters' => false,
			)
		);
		$found = array_filter(
			$found,
			static fn ( WP_Post $post ): bool => current_user_can( 'edit_post', $post->ID )
		);
		$lines = array_map(
			static fn ( WP_Post $post ): array => array(
				'id'     => $post->ID,
				'title'  => $post->post_title,
				'status' => $post->post_status,
				'date'   => $post->post_date_gmt,
			),
			array_values( $found )
		);
		return array( 'posts' => $lines );
	}
}
