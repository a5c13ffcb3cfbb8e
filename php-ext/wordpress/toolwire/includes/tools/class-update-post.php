<?php
/**
 * The tool `update_post`.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Tools;

use Toolwire\Diff;
use Toolwire\Tools\ToolOutput;
use WP_Error;
use WP_Post;

/**
 * Changes the title and the content of a post or page, and changes them back.
 */
final class Update_Post {

	const FIELDS = array(
		'title'   => 'post_title',
		'content' => 'post_content',
	);

	/**
	 * Its registration.
	 *
	 * @return array<string, mixed>
	 */
	public static function arguments(): array {
		return array(
			'description'         => 'Changes the title or the content of a post or page. A person sees what would change and approves it first.',
			'input_schema'        => array(
				'type'                 => 'object',
				'properties'           => array(
					'post_id' => array(
						'type'    => 'integer',
						'minimum' => 1,
					),
					'title'   => array(
						'type'      => 'string',
						'maxLength' => 1000,
					),
					'content' => array(
						'type'      => 'string',
						'maxLength' => 500000,
					),
				),
				'required'             => array( 'post_id' ),
				'minProperties'        => 2,
				'additionalProperties' => false,
			),
			'capability'          => 'edit_posts',
			'permission_callback' => array( self::class, 'permits' ),
			'approval'            => __( 'Change this post?', 'toolwire' ),
			'callback'            => array( self::class, 'call' ),
			'preview_callback'    => array( self::class, 'preview' ),
			'undo_callback'       => array( self::class, 'undo' ),
		);
	}

	/**
	 * Whether the current user may edit the post.
	 *
	 * @param array<mixed> $arguments Arguments that nobody has checked.
	 */
	public static function permits( array $arguments ): bool {
		$id = $arguments['post_id'] ?? 0;
		// Arguments of another form are refused by the schema, with the reason.
		return ! is_int( $id ) || ( null !== self::post( $id ) && current_user_can( 'edit_post', $id ) );
	}

	/**
	 * What a call would change.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 * @return list<array{label: string, diff: \Toolwire\DiffResult}>
	 */
	public static function preview( array $arguments ): array {
		$post = self::post( $arguments['post_id'] );
		if ( null === $post ) {
			return array();
		}
		$labels  = array(
			'title'   => __( 'Title', 'toolwire' ),
			'content' => __( 'Content', 'toolwire' ),
		);
		$changes = array();
		foreach ( self::FIELDS as $name => $column ) {
			if ( isset( $arguments[ $name ] ) ) {
				$changes[] = array(
					'label' => $labels[ $name ],
					'diff'  => Diff::text( $post->$column, $arguments[ $name ], fromFile: "before/$name", toFile: "after/$name" ),
				);
			}
		}
		return $changes;
	}

	/**
	 * Changes the post.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 * @return ToolOutput|WP_Error
	 */
	public static function call( array $arguments ) {
		$id     = $arguments['post_id'];
		$before = self::post( $id );
		if ( null === $before ) {
			/* translators: %d: id of a post. */
			return new WP_Error( 'toolwire_no_post', sprintf( __( 'There is no post %d.', 'toolwire' ), $id ) );
		}
		$columns = array();
		foreach ( self::FIELDS as $name => $column ) {
			if ( isset( $arguments[ $name ] ) ) {
				$columns[ $column ] = $arguments[ $name ];
			}
		}
		$changed = self::write( $id, $columns );
		if ( is_wp_error( $changed ) ) {
			return $changed;
		}
		$undo = array(
			'post_id' => $id,
			'before'  => array_intersect_key( $before->to_array(), $columns ),
			'after'   => self::fingerprint( $changed, array_keys( $columns ) ),
		);
		$data = array(
			'post_id' => $id,
			'title'   => $changed->post_title,
			'url'     => get_permalink( $changed ),
			'changed' => array(),
		);
		foreach ( array_intersect( self::FIELDS, array_keys( $columns ) ) as $name => $column ) {
			$data['changed'][ $name ] = Diff::text( $before->$column, $changed->$column )->changeSummary();
		}
		return ToolOutput::ok( $data, undoMetadata: $undo );
	}

	/**
	 * Changes the post back, unless somebody has changed it since.
	 *
	 * @param array<string, mixed> $undo What call() gave.
	 * @return WP_Error|null
	 */
	public static function undo( array $undo ): ?WP_Error {
		$post = self::post( $undo['post_id'] );
		if ( null === $post || ! current_user_can( 'edit_post', $post->ID ) ) {
			return new WP_Error( 'toolwire_no_post', __( 'The post is gone, or you may not edit it.', 'toolwire' ) );
		}
		if ( self::fingerprint( $post, array_keys( $undo['before'] ) ) !== $undo['after'] ) {
			return new WP_Error( 'toolwire_changed_since', __( 'Somebody has changed the post since. Compare its revisions.', 'toolwire' ) );
		}
		$changed = self::write( $post->ID, $undo['before'] );
		return is_wp_error( $changed ) ? $changed : null;
	}

	/**
	 * The post or page of an id.
	 *
	 * @param int $id The id.
	 */
	private static function post( int $id ): ?WP_Post {
		$post = get_post( $id );
		return $post instanceof WP_Post && in_array( $post->post_type, array( 'post', 'page' ), true ) ? $post : null;
	}

	/**
	 * Writes columns of a post; the post as it then is.
	 *
	 * @param int                   $id      The post's id.
	 * @param array<string, string> $columns The columns, by name.
	 * @return WP_Post|WP_Error
	 */
	private static function write( int $id, array $columns ) {
		$written = wp_update_post( wp_slash( array( 'ID' => $id ) + $columns ), true );
		return is_wp_error( $written ) ? $written : get_post( $id );
	}

	/**
	 * Tells whether columns of a post are what they were.
	 *
	 * @param WP_Post      $post    The post.
	 * @param list<string> $columns The columns' names.
	 */
	private static function fingerprint( WP_Post $post, array $columns ): string {
		sort( $columns );
		return hash( 'sha256', (string) wp_json_encode( array_map( static fn ( $column ) => $post->$column, $columns ) ) );
	}
}
