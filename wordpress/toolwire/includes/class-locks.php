<?php
/**
 * Locks that requests hold.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Locks that one request holds at a time. They are named locks of the database, which releases them
 * when the connection ends, so a killed request blocks nobody.
 *
 * Clusters refuse named locks (Galera, Percona's strict mode), and behind some proxies they are not
 * kept. There a lock is an entry of the store that expires. A request releases it at its end; that
 * of a killed request is over when it expires.
 */
final class Locks {

	const PREFIX = 'wordpress/lock/';

	/**
	 * For how many seconds a lock in the store is held at least.
	 */
	const LEAST_SECONDS = 60;

	/**
	 * Whether the database keeps named locks; null when it was not asked yet.
	 *
	 * @var bool|null
	 */
	private ?bool $named = null;

	/**
	 * The stores of the sites in which this request holds locks.
	 *
	 * @var array<int, Store>
	 */
	private array $stores = array();

	/**
	 * The locks in stores that this request holds: the version of the entry, by the site's id and
	 * the key.
	 *
	 * @var array<int, array<string, int>>
	 */
	private array $leases = array();

	/**
	 * Takes the tables: their names make the locks of each site different.
	 *
	 * @param Schema $schema The tables.
	 */
	public function __construct( private Schema $schema ) {
	}

	/**
	 * Takes a lock, and returns whether it was free.
	 *
	 * @param string $what    What the lock is for.
	 * @param int    $seconds How long to wait for it.
	 */
	public function take( string $what, int $seconds = 0 ): bool {
		if ( false === $this->named ) {
			return $this->lease( $what, $seconds );
		}
		$taken = $this->ask( 'GET_LOCK(%s, %d)', $what, $seconds );
		if ( '0' === $taken ) {
			return false;
		}
		$this->named ??= '1' === $taken
			&& '1' === $this->ask( 'IS_USED_LOCK(%s) = CONNECTION_ID()', $what );
		return $this->named && '1' === $taken ? true : $this->lease( $what, $seconds );
	}

	/**
	 * Releases a lock.
	 *
	 * @param string $what What the lock is for.
	 */
	public function release( string $what ): void {
		$site    = get_current_blog_id();
		$version = $this->leases[ $site ][ self::PREFIX . $what ] ?? null;
		if ( null === $version ) {
			$this->ask( 'RELEASE_LOCK(%s)', $what );
			return;
		}
		unset( $this->leases[ $site ][ self::PREFIX . $what ] );
		$store = $this->store();
		$store->delete( self::PREFIX . $what, $version, $store->now() );
	}

	/**
	 * Whether nobody holds a lock, of either kind.
	 *
	 * @param string $what What the lock is for.
	 */
	public function is_free( string $what ): bool {
		$store = $this->store();
		return null === $store->get( self::PREFIX . $what, $store->now() )
			&& '0' !== $this->ask( 'IS_FREE_LOCK(%s)', $what );
	}

	/**
	 * Releases the locks in stores that a request still holds at its end: a tool may end the
	 * request.
	 */
	public function release_all(): void {
		foreach ( $this->leases as $site => $leases ) {
			foreach ( $leases as $key => $version ) {
				$store = $this->stores[ $site ];
				$store->delete( $key, $version, $store->now() );
			}
		}
		$this->leases = array();
	}

	/**
	 * Takes a lock in the store.
	 *
	 * @param string $what    What the lock is for.
	 * @param int    $seconds How long to wait for it.
	 */
	private function lease( string $what, int $seconds ): bool {
		$store = $this->store();
		$until = $store->now() + $seconds * 1000000;
		do {
			$now     = $store->now();
			$expires = $now + $this->lease_seconds() * 1000000;
			$version = $store->put( self::PREFIX . $what, '', 0, $expires, $now );
			if ( null !== $version ) {
				if ( ! $this->leases ) {
					register_shutdown_function( array( $this, 'release_all' ) );
				}
				$this->leases[ get_current_blog_id() ][ self::PREFIX . $what ] = $version;
				return true;
			}
			usleep( $now < $until ? 50000 : 0 );
		} while ( $now < $until );
		return false;
	}

	/**
	 * For how many seconds a lock in the store is held: longer than PHP lets the request run.
	 */
	private function lease_seconds(): int {
		$limit = (int) ini_get( 'max_execution_time' );
		/**
		 * Filters for how many seconds a lock is held where the database refuses named locks.
		 *
		 * @param int $seconds Longer than a tool runs; time in which PHP waits counts.
		 */
		return (int) apply_filters(
			'toolwire_lock_seconds',
			0 === $limit ? HOUR_IN_SECONDS : max( self::LEAST_SECONDS, $limit + 10 )
		);
	}

	/**
	 * The store of the current site.
	 */
	private function store(): Store {
		return $this->stores[ get_current_blog_id() ] ??= new Store( $this->schema );
	}

	/**
	 * What a function of the database answers for a lock; null when the database refuses it.
	 *
	 * @param string $function The call, with a placeholder for the lock's name.
	 * @param string $what     What the lock is for.
	 * @param int    ...$more  Values of further placeholders.
	 */
	private function ask( string $function, string $what, int ...$more ): ?string {
		global $wpdb;
		$shown = $wpdb->suppress_errors();
		// phpcs:ignore WordPress.DB -- locks are not cached, and the call is a literal.
		$query  = $wpdb->prepare( "SELECT $function", $this->name( $what ), ...$more );
		$answer = $wpdb->get_var( $query ); // phpcs:ignore WordPress.DB -- as above.
		$wpdb->suppress_errors( $shown );
		return '' === $wpdb->last_error ? $answer : null;
	}

	/**
	 * The name of a lock in the database. All sites share the names, which have 64 characters at
	 * most.
	 *
	 * @param string $what What the lock is for.
	 */
	private function name( string $what ): string {
		return 'toolwire_' . md5( DB_NAME . '/' . $this->schema->calls_table() . '/' . $what );
	}
}
