<?php
/**
 * What the plugin hooks into.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\ToolResultFinder;

/**
 * Names the hooks and answers each with a part of the plugin. A part is loaded when its hook is
 * called. A page without tool calls loads only this file and the list of the parts.
 */
final class Hooks {

	/**
	 * Takes the parts.
	 *
	 * @param Plugin $plugin The parts.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/**
	 * Hooks in.
	 */
	public function add(): void {
		register_activation_hook( FILE, array( $this, 'activate' ) );
		register_deactivation_hook( FILE, array( $this, 'deactivate' ) );
		add_filter( 'wpmu_drop_tables', array( $this, 'drop_tables' ), 10, 2 );
		add_action( 'init', array( $this, 'load_translations' ) );
		if ( Host::only_reads() ) {
			add_action( 'admin_notices', array( $this, 'tell_what_is_missing' ) );
		}
		if ( ! Host::works() ) {
			add_shortcode( 'toolwire_chat', '__return_empty_string' );
			return;
		}
		$this->add_everywhere();
		if ( ! Host::only_reads() ) {
			$this->add_what_changes();
		}
	}

	/**
	 * Hooks in what needs no extension: the chat, the log, the settings, the daily work.
	 */
	private function add_everywhere(): void {
		add_action( 'rest_api_init', array( $this, 'ensure_tables' ), 5 );
		add_action( 'rest_api_init', array( $this, 'register_routes' ) );
		add_filter( 'rest_request_before_callbacks', array( $this, 'begin_request' ), 0, 3 );
		add_filter( 'rest_request_after_callbacks', array( $this, 'end_request' ), 10, 3 );
		add_action( 'admin_menu', array( $this, 'ensure_tables' ), 5 );
		add_action( 'admin_menu', array( $this, 'register_screens' ) );
		add_action( 'admin_init', array( $this, 'register_settings' ) );
		add_action( 'admin_init', array( $this, 'suggest_policy' ) );
		( new Admin\Form_Hooks( $this->plugin ) )->add();
		add_action( 'toolwire_register_tools', array( $this, 'register_built_in_tools' ), 5 );
		add_action( 'toolwire_register_tools', array( $this, 'register_abilities' ), 20 );
		add_action( 'toolwire_daily', array( $this, 'keep_house' ) );
		add_action( 'toolwire_prune', array( $this, 'prune' ) );
		add_action( 'toolwire_continue', array( $this, 'go_on' ) );
		// The name is written out, because a constant would load the class.
		add_filter(
			'pre_update_option_toolwire_settings',
			array( $this, 'merge_settings' ),
			10,
			2
		);
		add_action( 'deleted_user', array( $this, 'remember_deleted_user' ), 10, 3 );
		add_action( 'remove_user_from_blog', array( $this, 'remember_removed_user' ) );
		add_filter( 'wp_privacy_personal_data_exporters', array( $this, 'add_exporter' ) );
		add_filter( 'wp_privacy_personal_data_erasers', array( $this, 'add_eraser' ) );
		add_shortcode( 'toolwire_chat', array( $this, 'render_chat' ) );
		add_action( 'init', array( $this, 'register_block' ) );
		ToolResultFinder::setFilter( array( $this, 'filter_result' ) );
	}

	/**
	 * Hooks in what may change the site: approvals, undo, other programs, the gate.
	 */
	private function add_what_changes(): void {
		add_action( 'cli_init', array( $this, 'register_commands' ) );
		add_action( 'wp_abilities_api_categories_init', array( $this, 'add_category' ) );
		// After the abilities of others, since they are tools.
		add_action( 'wp_abilities_api_init', array( $this, 'add_abilities' ), PHP_INT_MAX );
		add_action( 'mcp_adapter_init', array( $this, 'serve_abilities' ) );
		( new Gate\Hooks( $this->plugin ) )->add();
		add_action( 'toolwire_call_continued', array( $this, 'after_call' ) );
		add_action( 'toolwire_mail', array( $this, 'send_mail' ) );
	}

	/**
	 * Makes the tables when the plugin is turned on.
	 */
	public function activate(): void {
		$this->plugin->schema()->install();
	}

	/**
	 * Stops the daily event when the plugin is turned off.
	 *
	 * @param mixed $everywhere Whether a network turns it off on all its sites.
	 */
	public function deactivate( $everywhere ): void {
		$this->plugin->network()->deactivate( (bool) $everywhere );
	}

	/**
	 * Adds the plugin's tables to those that are removed with a site.
	 *
	 * @param mixed $tables The names of the tables.
	 * @param mixed $site   The site's id.
	 * @return array<int|string, string>
	 */
	public function drop_tables( $tables, $site ): array {
		return $this->plugin->network()->tables_of_deleted_site( $tables, $site );
	}

	/**
	 * Loads translations that came with the plugin.
	 */
	public function load_translations(): void {
		load_plugin_textdomain(
			'toolwire',
			false,
			dirname( plugin_basename( FILE ) ) . '/languages'
		);
	}

	/**
	 * Says how to install the extension.
	 */
	public function tell_what_is_missing(): void {
		$this->plugin->missing_extension()->tell();
	}

	/**
	 * Makes the tables where they are missing.
	 */
	public function ensure_tables(): void {
		$this->plugin->schema()->ensure();
	}

	/**
	 * Registers the REST routes.
	 */
	public function register_routes(): void {
		$this->plugin->routes()->register();
	}

	/**
	 * Remembers a request of REST whose callbacks are about to run.
	 *
	 * @param mixed $answer  What others answer.
	 * @param mixed $handler The handler.
	 * @param mixed $request The request.
	 * @return mixed
	 */
	public function begin_request( $answer, $handler, $request ) {
		return $this->plugin->request_stack()->begin( $answer, $handler, $request );
	}

	/**
	 * Forgets a request of REST whose callbacks have run.
	 *
	 * @param mixed $answer  The answer.
	 * @param mixed $handler The handler.
	 * @param mixed $request The request.
	 * @return mixed
	 */
	public function end_request( $answer, $handler, $request ) {
		return $this->plugin->request_stack()->end( $answer, $handler, $request );
	}

	/**
	 * Registers the commands of WP-CLI.
	 */
	public function register_commands(): void {
		( new Cli\Commands( $this->plugin ) )->register();
	}

	/**
	 * Registers the screens in wp-admin.
	 */
	public function register_screens(): void {
		$this->plugin->admin()->menu()->register();
	}

	/**
	 * Registers the settings.
	 */
	public function register_settings(): void {
		$this->plugin->admin()->settings_screen()->register();
	}

	/**
	 * Suggests a text for the privacy policy.
	 */
	public function suggest_policy(): void {
		$this->plugin->privacy()->policy()->suggest();
	}

	/**
	 * Registers the tools that come with the plugin.
	 *
	 * @param Tools $tools The tools of the site.
	 */
	public function register_built_in_tools( Tools $tools ): void {
		$this->plugin->built_in_tools()->register( $tools );
	}

	/**
	 * Registers the abilities of WordPress as tools.
	 *
	 * @param Tools $tools The tools of the site.
	 */
	public function register_abilities( Tools $tools ): void {
		$this->plugin->abilities()->register( $tools );
	}

	/**
	 * Adds the category of the tools that are abilities.
	 */
	public function add_category(): void {
		$this->plugin->served()->abilities()->add_category();
	}

	/**
	 * Registers tools of the site as abilities of WordPress.
	 */
	public function add_abilities(): void {
		$this->plugin->served()->abilities()->register();
	}

	/**
	 * Lets the MCP Adapter serve these abilities.
	 *
	 * @param object $adapter The adapter.
	 */
	public function serve_abilities( $adapter ): void {
		$this->plugin->served()->mcp_server()->create( $adapter );
	}

	/**
	 * Does the daily work.
	 */
	public function keep_house(): void {
		$this->plugin->housekeeping()->run();
	}

	/**
	 * Removes more of the old calls.
	 */
	public function prune(): void {
		$this->plugin->housekeeping()->prune();
	}

	/**
	 * Goes on with a conversation.
	 *
	 * @param mixed $uuid The conversation.
	 */
	public function go_on( $uuid ): void {
		$this->plugin->assistant()->continuing()->go_on( $uuid );
	}

	/**
	 * Has the conversation of a call go on that has gone on itself.
	 *
	 * @param mixed $run_id The call.
	 */
	public function after_call( $run_id ): void {
		$this->plugin->assistant()->continuing()->after_call( (string) $run_id );
	}

	/**
	 * Sends mail to those who may approve.
	 */
	public function send_mail(): void {
		$this->plugin->approval_mail()->send();
	}

	/**
	 * Keeps the settings that the saved form leaves out.
	 *
	 * @param mixed $given What is saved.
	 * @param mixed $set   What was set.
	 * @return array<string, int|string|bool>
	 */
	public function merge_settings( $given, $set ): array {
		return $this->plugin->settings()->merge( $given, $set );
	}

	/**
	 * Remembers a user who was deleted.
	 *
	 * @param mixed $id       The user's id.
	 * @param mixed $reassign To whom the posts went.
	 * @param mixed $user     The user.
	 */
	public function remember_deleted_user( $id, $reassign = null, $user = null ): void {
		if ( $user instanceof \WP_User ) {
			$this->forget_conversations( $user );
			$this->plugin->deleted_users()->remember( $user );
		}
	}

	/**
	 * Remembers a user who leaves this site of a network; the user may be deleted from all of them.
	 *
	 * @param mixed $id The user's id.
	 */
	public function remember_removed_user( $id ): void {
		$user = get_userdata( (int) $id );
		if ( $user ) {
			$this->forget_conversations( $user );
			$this->plugin->deleted_users()->remember( $user );
		}
	}

	/**
	 * Removes the conversations of a user who is gone, where the plugin has its tables.
	 *
	 * @param \WP_User $user The user.
	 */
	private function forget_conversations( \WP_User $user ): void {
		if ( Schema::VERSION === (int) get_option( 'toolwire_schema' ) ) {
			$this->plugin->assistant()->forgetting()->of_user( $user->ID );
		}
	}

	/**
	 * Adds the exporter of personal data.
	 *
	 * @param mixed $exporters Those of others.
	 * @return array<string, array<string, mixed>>
	 */
	public function add_exporter( $exporters ): array {
		return $this->plugin->privacy()->offer()->exporter( $exporters );
	}

	/**
	 * Adds the eraser of personal data.
	 *
	 * @param mixed $erasers Those of others.
	 * @return array<string, array<string, mixed>>
	 */
	public function add_eraser( $erasers ): array {
		return $this->plugin->privacy()->offer()->eraser( $erasers );
	}

	/**
	 * Registers the block of the chat box.
	 */
	public function register_block(): void {
		register_block_type(
			dirname( FILE ) . '/block',
			array( 'render_callback' => array( $this, 'render_chat' ) )
		);
	}

	/**
	 * The chat box.
	 */
	public function render_chat(): string {
		return $this->plugin->chat()->render();
	}

	/**
	 * Lets others change what a search for a handler's result found.
	 *
	 * @param array|null $found   The data packet, or null.
	 * @param array      $packets The data packets that were searched.
	 * @param string     $handler The slug of the handler.
	 * @return array|null
	 */
	public function filter_result( $found, $packets, $handler ) {
		/**
		 * Filters the data packet that holds a handler's result.
		 *
		 * @param array|null $found   The data packet, or null.
		 * @param array      $packets The data packets that were searched.
		 * @param string     $handler The slug of the handler.
		 */
		return apply_filters( 'datamachine_tool_result_finder', $found, $packets, $handler );
	}
}
