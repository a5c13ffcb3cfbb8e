<?php
/**
 * The tools that come with the plugin.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Registers them, where the site's owner has not turned them off.
 */
final class Built_In_Tools {

	/**
	 * Answers the hook `toolwire_register_tools`.
	 *
	 * @param Tools $tools The tools of the site.
	 */
	public static function register( Tools $tools ): void {
		if ( ! Settings::get( 'built_in' ) ) {
			return;
		}
		$tools->register( 'site_info', Tools\Site_Info::arguments() );
		$tools->register( 'list_posts', Tools\List_Posts::arguments() );
		$tools->register( 'update_post', Tools\Update_Post::arguments() );
	}
}
