<?php
/**
 * Acting as another user.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Lets the user who made a call act while somebody else decides: rights and filters are those of
 * the user who made it.
 */
final class Acting_User {

	/**
	 * Whether the acting user no longer exists. Nothing may run then.
	 *
	 * @var bool
	 */
	private bool $gone = false;

	/**
	 * Does something as a user, and returns the result.
	 *
	 * @param int      $user The user's id.
	 * @param callable $act  What is done.
	 * @return mixed
	 */
	public function during( int $user, callable $act ) {
		$present    = get_current_user_id();
		$before     = $this->gone;
		$this->gone = $this->has_gone( $user );
		try {
			// A hook on the change of the user may throw.
			wp_set_current_user( $user );
			return $act();
		} finally {
			$this->gone = $before;
			wp_set_current_user( $present );
		}
	}

	/**
	 * Whether the acting user no longer exists.
	 */
	public function is_gone(): bool {
		return $this->gone;
	}

	/**
	 * Whether a user was deleted, or removed from this site of a network.
	 *
	 * @param int $user The user's id; 0 for a visitor, who cannot be gone.
	 */
	public function has_gone( int $user ): bool {
		if ( 0 === $user ) {
			return false;
		}
		return ! get_userdata( $user )
			|| ( is_multisite() && ! is_user_member_of_blog( $user ) && ! is_super_admin( $user ) );
	}
}
