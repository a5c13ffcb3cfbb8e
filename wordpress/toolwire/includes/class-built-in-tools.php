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
	 * Takes its parts.
	 *
	 * @param Settings          $settings    The settings.
	 * @param Tools\Site_Info   $site_info   Says what site this is.
	 * @param Tools\List_Posts  $list_posts  Lists posts.
	 * @param Tools\Update_Post $update_post Changes a post.
	 */
	public function __construct(
		private Settings $settings,
		private Tools\Site_Info $site_info,
		private Tools\List_Posts $list_posts,
		private Tools\Update_Post $update_post,
	) {
	}

	/**
	 * Answers the hook `toolwire_register_tools`.
	 *
	 * @param Tools $tools The tools of the site.
	 */
	public function register( Tools $tools ): void {
		if ( ! $this->settings->get( 'built_in' ) ) {
			return;
		}
		$tools->register( 'site_info', $this->site_info->arguments() );
		$tools->register( 'list_posts', $this->list_posts->arguments() );
		$tools->register( 'update_post', $this->update_post->arguments() );
	}
}
