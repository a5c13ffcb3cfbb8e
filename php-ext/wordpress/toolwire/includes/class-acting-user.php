<?php
/**
 * Acting as another user.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Lets the user whose call it is act while somebody else decides: rights and filters are then those of the first.
 */
final class Acting_User {

	/**
	 * Does something as a user; what it gives.
	 *
	 * @param int      $user The user's id.
	 * @param callable $act  What is done.
	 * @return mixed
	 */
	public static function during( int $user, callable $act ) {
		$present = get_current_user_id();
		wp_set_current_user( $user );
		try {
			return $act();
		} finally {
			wp_set_current_user( $present );
		}
	}
}
