<?php
/**
 * Some columns of a post.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Tools;

use WP_Error;
use WP_Post;

/**
 * Writes columns of a post and leaves the others as they are, byte by byte.
 *
 * `wp_update_post()` sends the whole post through the filters that clean what the current user
 * wrote. That would remove markup of others from columns that the user did not touch. This class
 * still calls `wp_update_post()`, so that revisions, caches and hooks work as for any other change.
 * But a filter on `wp_insert_post_data`, the last before the database, restores the columns that
 * must not change.
 */
final class Post_Columns {

	const CHANGES_ALWAYS = array( 'post_modified', 'post_modified_gmt' );

	const IN_REVISIONS = array( 'post_title', 'post_content', 'post_excerpt' );

	/**
	 * The columns of a post as WordPress would store them for the current user.
	 *
	 * @param WP_Post               $post    The post.
	 * @param array<string, string> $columns The columns, by name.
	 * @return array<string, string>
	 */
	public function stored( WP_Post $post, array $columns ): array {
		global $wpdb;
		$given = wp_slash( array_merge( $post->to_array(), $columns ) );
		$clean = sanitize_post( array( 'ID' => $post->ID ) + wp_slash( $columns ), 'db' );
		$clean = array_intersect_key( $clean, $columns );
		foreach ( $clean as $column => $value ) {
			if ( 'utf8' === $wpdb->get_col_charset( $wpdb->posts, $column ) ) {
				$clean[ $column ] = wp_encode_emoji( $value );
			}
		}
		$data = array_merge( wp_slash( $this->row( $post ) ), $clean );
		/** This filter is documented in wp-includes/post.php */
		// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- WordPress' own filter.
		$data = apply_filters(
			'wp_insert_post_data',
			$data,
			array_merge( $given, $clean ),
			$given,
			true
		);
		return wp_unslash( array_intersect_key( $data, $columns ) );
	}

	/**
	 * Writes columns as the current user would, and returns the new post.
	 *
	 * @param WP_Post               $post    The post.
	 * @param array<string, string> $columns The columns, by name.
	 * @return WP_Post|WP_Error
	 */
	public function write( WP_Post $post, array $columns ) {
		return $this->update( $post, $columns, array_diff_key( $this->row( $post ), $columns ) );
	}

	/**
	 * Writes columns byte by byte, as they once were in the database, and returns the new post.
	 *
	 * No filter cleans them: somebody else may have written them, with rights that the current user
	 * does not have.
	 *
	 * @param WP_Post               $post    The post.
	 * @param array<string, string> $columns The columns, by name.
	 * @return WP_Post|WP_Error
	 */
	public function restore( WP_Post $post, array $columns ) {
		return $this->update( $post, $columns, array_merge( $this->row( $post ), $columns ) );
	}

	/**
	 * Updates a post.
	 *
	 * @param WP_Post              $post    The post.
	 * @param array<string, string> $columns The columns to write.
	 * @param array<string, mixed> $fixed   What no filter may change, by column.
	 * @return WP_Post|WP_Error
	 */
	private function update( WP_Post $post, array $columns, array $fixed ) {
		$written = false;
		$filter  = function ( array $data, array $sent ) use ( $post, $fixed, &$written ): array {
			if ( ! $written && (int) ( $sent['ID'] ?? 0 ) === $post->ID ) {
				$written = true;
				return array_merge( $data, wp_slash( $fixed ) );
			}
			$of_post = 'revision' === $data['post_type']
				&& (int) $data['post_parent'] === $post->ID;
			return $of_post
				? array_merge( $data, wp_slash( $this->revision( $post->ID ) ) )
				: $data;
		};
		// Tags and the template are not columns: they stay when they are left out.
		$whole = array(
			'ID'            => $post->ID,
			'tags_input'    => null,
			'page_template' => '',
		);
		add_filter( 'wp_insert_post_data', $filter, PHP_INT_MAX, 2 );
		try {
			$updated = wp_update_post( wp_slash( $whole + $columns ), true );
		} finally {
			remove_filter( 'wp_insert_post_data', $filter, PHP_INT_MAX );
		}
		return is_wp_error( $updated ) ? $updated : get_post( $post->ID );
	}

	/**
	 * What a revision of a post holds.
	 *
	 * @param int $id The post's id.
	 * @return array<string, string>
	 */
	private function revision( int $id ): array {
		$post = get_post( $id );
		return null === $post
			? array()
			: array_intersect_key( $post->to_array(), array_flip( self::IN_REVISIONS ) );
	}

	/**
	 * The columns of a post that change only when somebody changes them.
	 *
	 * @param WP_Post $post The post.
	 * @return array<string, mixed>
	 */
	private function row( WP_Post $post ): array {
		$row = array_diff_key(
			$post->to_array(),
			array_flip( array( 'ID', 'filter', 'comment_count', ...self::CHANGES_ALWAYS ) )
		);
		return array_filter(
			$row,
			static fn ( string $name ): bool => property_exists( WP_Post::class, $name ),
			ARRAY_FILTER_USE_KEY
		);
	}
}
