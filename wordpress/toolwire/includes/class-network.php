<?php
/**
 * The sites of a network.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Each site has its own tables, settings and daily event. This class goes from site to site, and
 * removes what a deleted site left. It works without the extension.
 */
final class Network {

	/**
	 * How many sites are read at once.
	 */
	const BATCH = 100;

	/**
	 * Takes its parts.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct(
		private Schema $schema,
	) {
	}

	/**
	 * Answers the deactivation of the plugin.
	 *
	 * @param bool $everywhere Whether a network turns it off on all its sites.
	 */
	public function deactivate( $everywhere ): void {
		if ( $everywhere && is_multisite() ) {
			$this->each_site( array( $this->schema, 'unschedule' ), get_current_network_id() );
		} else {
			$this->schema->unschedule();
		}
	}

	/**
	 * Adds the plugin's tables to those that are removed with a site. Answers the filter
	 * `wpmu_drop_tables`.
	 *
	 * @param mixed $tables The names of the tables.
	 * @param int   $site   The site's id.
	 * @return array<int|string, string>
	 */
	public function tables_of_deleted_site( $tables, $site ): array {
		$prefix = $GLOBALS['wpdb']->get_blog_prefix( (int) $site );
		return array_merge(
			(array) $tables,
			array(
				"{$prefix}toolwire_store",
				"{$prefix}toolwire_calls",
				"{$prefix}toolwire_conversations",
			)
		);
	}

	/**
	 * Removes all that the plugin has written, on every site.
	 */
	public function uninstall(): void {
		if ( is_multisite() ) {
			$this->each_site( array( $this->schema, 'uninstall' ), 0 );
			$this->drop_tables_without_site();
		} else {
			$this->schema->uninstall();
		}
	}

	/**
	 * Does something on each site, in batches: a network may have more sites than memory holds.
	 *
	 * @param callable(): void $act     What is done, with the site as the current one.
	 * @param int              $network The network's id; 0 for all.
	 */
	private function each_site( callable $act, int $network ): void {
		for ( $offset = 0; ; $offset += self::BATCH ) {
			$sites = get_sites(
				array(
					'fields'     => 'ids',
					'number'     => self::BATCH,
					'offset'     => $offset,
					'network_id' => $network,
					'orderby'    => 'id',
				)
			);
			foreach ( $sites as $site ) {
				switch_to_blog( (int) $site );
				$act();
				restore_current_blog();
			}
			if ( count( $sites ) < self::BATCH ) {
				return;
			}
			// Each site's options were loaded.
			if ( function_exists( 'wp_cache_supports' ) && wp_cache_supports( 'flush_runtime' ) ) {
				wp_cache_flush_runtime();
			}
		}
	}

	/**
	 * Removes tables of sites that were deleted while the plugin was off: WordPress does not know
	 * of these tables.
	 */
	private function drop_tables_without_site(): void {
		global $wpdb;
		$like = $wpdb->esc_like( $wpdb->base_prefix ) . '%' . $wpdb->esc_like( 'toolwire_' ) . '%';
		$base = preg_quote( $wpdb->base_prefix, '/' );
		$name = "/^$base(\d{1,18})_toolwire_(?:store|calls|conversations)\$/D";
		// phpcs:ignore WordPress.DB -- tables are not cached.
		foreach ( $wpdb->get_col( $wpdb->prepare( 'SHOW TABLES LIKE %s', $like ) ) as $table ) {
			if ( preg_match( $name, $table, $found ) && null === get_site( (int) $found[1] ) ) {
				// phpcs:ignore WordPress.DB -- the pattern above allows no other name.
				$wpdb->query( "DROP TABLE IF EXISTS `$table`" );
			}
		}
	}
}
