<?php
/**
 * Reports of failures.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Throwable;

/**
 * Tells the site's administrator of a failure whose reason nobody else may see: the log of PHP is
 * the place for it.
 */
final class Report {

	/**
	 * Warns of a failure, without secrets.
	 *
	 * @param string    $what   What failed, such as "could not send mail".
	 * @param Throwable $thrown Why.
	 */
	public static function failure( string $what, Throwable $thrown ): void {
		$why = ( new Secrets() )->text( $thrown->getMessage() );
		// phpcs:ignore WordPress.PHP.DevelopmentFunctions -- no other place reports it.
		trigger_error( esc_html( "Toolwire $what: $why" ), E_USER_WARNING );
	}
}
