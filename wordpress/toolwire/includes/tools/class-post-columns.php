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
 * must not change, and another statement takes the place of WordPress' own: it writes these columns
 * alone, and only while they are what the caller has compared. So no edit of somebody else is lost.
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
	 * @param WP_Post               $post    The post as it was compared.
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
	 * @param WP_Post               $post    The post as it was compared.
	 * @param array<string, string> $columns The columns, by name.
	 * @return WP_Post|WP_Error
	 */
	public function restore( WP_Post $post, array $columns ) {
		return $this->update( $post, $columns, array_merge( $this->row( $post ), $columns ) );
	}

	/**
	 * Updates a post.
	 *
	 * @param WP_Post               $post    The post as it was compared.
	 * @param array<string, string> $columns The columns to write.
	 * @param array<string, mixed>  $fixed   What no filter may change, by column.
	 * @return WP_Post|WP_Error
	 */
	private function update( WP_Post $post, array $columns, array $fixed ) {
		$data   = null;
		$filter = function ( array $given, array $sent ) use ( $post, $fixed, &$data ): array {
			if ( null === $data && (int) ( $sent['ID'] ?? 0 ) === $post->ID ) {
				$data = array_merge( $given, wp_slash( $fixed ) );
				return $data;
			}
			$of_post = 'revision' === $given['post_type']
				&& (int) $given['post_parent'] === $post->ID;
			return $of_post
				? array_merge( $given, wp_slash( $this->revision( $post->ID ) ) )
				: $given;
		};
		$swaps  = function ( string $query ) use ( $post, $columns, &$data, &$swaps ): string {
			if ( null === $data || ! $this->is_update( $query, $post->ID, $data ) ) {
				return $query;
			}
			remove_filter( 'query', $swaps, PHP_INT_MAX );
			$this->swap( $post, array_keys( $columns ), wp_unslash( $data ) );
			// WordPress' own statement has nothing left to write.
			return "UPDATE `{$GLOBALS['wpdb']->posts}` SET `ID` = `ID` WHERE `ID` = {$post->ID}";
		};
		// Tags and the template are not columns: they stay when they are left out.
		$whole = array(
			'ID'            => $post->ID,
			'tags_input'    => null,
			'page_template' => '',
		);
		add_filter( 'wp_insert_post_data', $filter, PHP_INT_MAX, 2 );
		add_filter( 'query', $swaps, PHP_INT_MAX );
		try {
			$updated = wp_update_post( wp_slash( $whole + $columns ), true );
		} catch ( Changed_Since $changed ) {
			clean_post_cache( $post->ID );
			return new WP_Error(
				'toolwire_changed_since',
				__( 'Somebody has changed the post since. Compare its revisions.', 'toolwire' ),
				array( 'status' => 409 )
			);
		} finally {
			remove_filter( 'query', $swaps, PHP_INT_MAX );
			remove_filter( 'wp_insert_post_data', $filter, PHP_INT_MAX );
		}
		return is_wp_error( $updated ) ? $updated : get_post( $post->ID );
	}

	/**
	 * Whether a statement is the one with which WordPress updates a post. Other code may update
	 * some columns of the post meanwhile.
	 *
	 * @param string               $query The statement.
	 * @param int                  $id    The post's id.
	 * @param array<string, mixed> $data  What WordPress writes, by column.
	 */
	private function is_update( string $query, int $id, array $data ): bool {
		if (
			! str_starts_with( $query, "UPDATE `{$GLOBALS['wpdb']->posts}` SET " )
			|| ! str_ends_with( $query, "WHERE `ID` = $id" )
		) {
			return false;
		}
		foreach ( array_keys( $data ) as $column ) {
			if ( ! str_contains( $query, "`$column` = " ) ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Writes columns of a post in one statement, if they are still those that were compared.
	 *
	 * @param WP_Post              $post  The post as it was compared.
	 * @param list<string>         $names The columns.
	 * @param array<string, mixed> $data  The new values, by column.
	 * @throws Changed_Since When one of the columns is another by now.
	 */
	private function swap( WP_Post $post, array $names, array $data ): void {
		global $wpdb;
		$written = array();
		$values  = array();
		foreach ( array( ...$names, ...self::CHANGES_ALWAYS ) as $name ) {
			$written[] = "`$name` = %s";
			$values[]  = (string) $data[ $name ];
		}
		list( $same, $old )  = $this->condition( $names, $post->to_array() );
		list( $equal, $new ) = $this->condition( $names, $data );
		$set                 = implode( ', ', $written );
		$values              = array( ...$values, $post->ID, ...$old );
		$statement           = "UPDATE `$wpdb->posts` SET $set WHERE `ID` = %d AND $same";
		// phpcs:ignore WordPress.DB -- columns are literals of this plugin, values placeholders.
		$changed = $wpdb->query( $wpdb->prepare( $statement, $values ) );
		if ( $changed ) {
			return;
		}
		// MySQL counts no row that had the values already.
		$query = "SELECT COUNT(*) FROM `$wpdb->posts` WHERE `ID` = %d AND $equal";
		// phpcs:ignore WordPress.DB -- as above.
		$there = $wpdb->get_var( $wpdb->prepare( $query, $post->ID, ...$new ) );
		if ( false === $changed || '1' !== (string) $there ) {
			throw new Changed_Since( 'the columns are not those that were compared' );
		}
	}

	/**
	 * A condition that holds while columns are equal to values, byte by byte in UTF-8 whatever the
	 * charset of the table, and its values.
	 *
	 * @param list<string>         $names The columns.
	 * @param array<string, mixed> $data  Their values.
	 * @return array{string, list<string>}
	 */
	private function condition( array $names, array $data ): array {
		// SQLite has no charsets, and no function that converts them.
		$is_sqlite = defined( 'DB_ENGINE' ) && 'sqlite' === DB_ENGINE;
		$bytes     = $is_sqlite ? 'HEX(%s)' : 'CAST(CONVERT(%s USING utf8mb4) AS BINARY)';
		$parts     = array();
		$values    = array();
		foreach ( $names as $name ) {
			$parts[]  = sprintf( $bytes, "`$name`" ) . ' = ' . sprintf( $bytes, '%s' );
			$values[] = (string) $data[ $name ];
		}
		return array( implode( ' AND ', $parts ), $values );
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
