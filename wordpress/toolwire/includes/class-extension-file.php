<?php
/**
 * Which file of a release holds the extension for a PHP.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * The name of the file with the extension for a PHP, which is the name that PIE looks for.
 */
final class Extension_File {

	/** The kinds of PHP for which a release has files. */
	const BUILT = array( '8.2', '8.3', '8.4', '8.5', '8.6', '8.4-zts' );

	/** The machines for which a release has files. */
	const MACHINES = array( 'x86_64', 'arm64' );

	/** The names that operating systems give to the machine that PIE calls arm64. */
	const ARM64 = array( 'aarch64', 'arm64' );

	/**
	 * Describes a PHP.
	 *
	 * @param string $version Such as 8.4.
	 * @param string $machine As the operating system calls it, such as aarch64.
	 * @param string $system  Such as linux.
	 * @param string $libc    Either glibc or musl; '' where there is no such choice.
	 * @param bool   $threads Whether this PHP is thread-safe (ZTS).
	 * @param bool   $debug   Whether this PHP is a debug build.
	 */
	public function __construct(
		private string $version,
		private string $machine,
		private string $system,
		private string $libc,
		private bool $threads,
		private bool $debug = false
	) {
		if ( in_array( $machine, self::ARM64, true ) ) {
			$this->machine = 'arm64';
		}
	}

	/**
	 * Describes the PHP that runs this code.
	 */
	public static function of_this_php(): self {
		return new self(
			PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION,
			strtolower( php_uname( 'm' ) ),
			strtolower( PHP_OS_FAMILY ),
			'Linux' === PHP_OS_FAMILY ? self::libc() : '',
			(bool) PHP_ZTS,
			(bool) PHP_DEBUG
		);
	}

	/**
	 * The C library of this system: Alpine has musl, most others have glibc.
	 */
	private static function libc(): string {
		if ( defined( 'ICONV_IMPL' ) && 'glibc' === ICONV_IMPL ) {
			return 'glibc';
		}
		// Where PHP may not look into this folder, glob() finds nothing.
		return glob( '/lib/ld-musl-*.so.1' ) ? 'musl' : 'glibc';
	}

	/**
	 * Whether a release has the file.
	 */
	public function is_built(): bool {
		$kind = $this->version . ( $this->threads ? '-zts' : '' );
		return 'linux' === $this->system
			&& 'glibc' === $this->libc
			&& ! $this->debug
			&& in_array( $kind, self::BUILT, true )
			&& in_array( $this->machine, self::MACHINES, true );
	}

	/**
	 * The name of the file, for the release that has the plugin's version.
	 *
	 * @param string $release The version of the release.
	 */
	public function name( string $release ): string {
		return "php_toolwire-{$release}_php{$this->platform()}.zip";
	}

	/**
	 * What the file is for: PHP's version, the machine, the system, and how PHP was built.
	 */
	public function platform(): string {
		$parts = array( $this->version, $this->machine, $this->system, $this->libc );
		$built = array( $this->debug ? 'debug' : '', $this->threads ? 'zts' : 'nts' );
		return implode( '-', array_filter( array_merge( $parts, $built ), 'strlen' ) );
	}
}
