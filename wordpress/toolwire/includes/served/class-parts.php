<?php
/**
 * The parts that serve the site's tools to programs.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Served;

use Toolwire\WordPress\Plugin;

/**
 * Builds each of these parts once, when it is first asked for.
 */
final class Parts {

	/**
	 * The parts that were asked for, by class.
	 *
	 * @var array<class-string, object>
	 */
	private array $parts = array();

	/**
	 * Takes the parts of the plugin.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/** The tools of the site, as abilities of WordPress. */
	public function abilities(): Abilities {
		return $this->parts[ Abilities::class ] ??= new Abilities(
			$this->plugin->settings(),
			$this->plugin->access(),
			$this->plugin->engines(),
			new Names(),
			$this->input(),
			$this->calls(),
		);
	}

	/** The reader of the input of these abilities. */
	public function input(): Input {
		return $this->parts[ Input::class ] ??=
			new Input( $this->plugin->request_stack(), $this->plugin->json_text() );
	}

	/** The part that runs tools for programs that use them as abilities. */
	public function calls(): Calls {
		return $this->parts[ Calls::class ] ??= new Calls(
			$this->plugin->access(),
			$this->plugin->engines(),
			$this->plugin->call_log(),
			$this->plugin->sent_calls(),
			new Answer( $this->plugin->call_view(), $this->plugin->admin()->request_view() ),
		);
	}

	/** The server of the MCP Adapter that serves them. */
	public function mcp_server(): Mcp_Server {
		return $this->parts[ Mcp_Server::class ] ??=
			new Mcp_Server( $this->plugin->access(), $this->abilities() );
	}
}
