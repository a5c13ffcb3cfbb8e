<?php
/**
 * Where a call came from, in words.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

/**
 * Says to people what the log's column `origin` means: whether a text could have asked for the call.
 */
final class Origin {

	/**
	 * The words for an origin.
	 *
	 * @param string $origin One of Call_Log::ORIGINS; empty for a call from before it was recorded.
	 */
	public static function words( string $origin ): string {
		$words = array(
			'assistant' => __( 'a reply of the site\'s assistant', 'toolwire' ),
			'text'      => __( 'a text in which the call was found; anybody may have written it', 'toolwire' ),
			'script'    => __( 'a script of this site that names the tool', 'toolwire' ),
			'rest'      => __( 'a program that uses the REST API', 'toolwire' ),
		);
		return $words[ $origin ] ?? __( 'unknown', 'toolwire' );
	}
}
