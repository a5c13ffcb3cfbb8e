<?php
/**
 * The hooks of forms.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Host;
use Toolwire\WordPress\Plugin;

/**
 * Ties what the forms of the screens send to what answers them.
 */
final class Form_Hooks {

	/**
	 * What the forms send as `action`, with the method of {@see Forms} that answers.
	 */
	const ACTIONS = array(
		'toolwire_decide'         => 'decide',
		'toolwire_decide_several' => 'decide_several',
		'toolwire_undo'           => 'undo',
		'toolwire_retry'          => 'retry',
		'toolwire_test_model'     => 'test_model',
	);

	/**
	 * Those of them that change nothing.
	 */
	const READING = array( 'toolwire_test_model' => 'test_model' );

	/**
	 * Takes the parts of the plugin.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/**
	 * Adds the hooks. What answers is made when a form comes, not on every page.
	 */
	public function add(): void {
		$actions = Host::only_reads() ? self::READING : self::ACTIONS;
		foreach ( $actions as $action => $method ) {
			add_action(
				"admin_post_$action",
				function () use ( $method ): void {
					$this->plugin->admin()->forms()->$method();
				}
			);
		}
	}
}
