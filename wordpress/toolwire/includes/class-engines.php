<?php
/**
 * The engines of the sites.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Makes the engine of a site when a request first needs it. Code that goes through a network may
 * use several.
 */
final class Engines {

	/**
	 * The engines of this request by the site's id.
	 *
	 * @var array<int, Engine>
	 */
	private array $engines = array();

	/**
	 * Takes what all engines share.
	 *
	 * @param Schema      $schema      The tables.
	 * @param Settings    $settings    The settings.
	 * @param Secrets     $secrets     Masks secrets.
	 * @param Events      $events      Tells of events.
	 * @param Acting_User $acting_user Who acts.
	 * @param Json_Text   $json_text   Tells objects from lists.
	 */
	public function __construct(
		private Schema $schema,
		private Settings $settings,
		private Secrets $secrets,
		private Events $events,
		private Acting_User $acting_user,
		private Json_Text $json_text,
	) {
	}

	/**
	 * The engine of the current site.
	 */
	public function get(): Engine {
		// WordPress registers abilities when they are first asked for, and some of them are tools
		// of this site, which need the engine. Asking first makes one engine, not two.
		if ( function_exists( 'wp_get_abilities' ) && did_action( 'init' ) ) {
			wp_get_abilities();
		}
		return $this->engines[ get_current_blog_id() ] ??= new Engine(
			new Store( $this->schema ),
			new Tools( $this->settings ),
			$this->settings,
			$this->secrets,
			$this->events,
			$this->acting_user,
			$this->json_text,
		);
	}

	/**
	 * Forgets the engines, so that the next use asks for the tools and the settings again.
	 */
	public function reset(): void {
		$this->engines = array();
	}
}
