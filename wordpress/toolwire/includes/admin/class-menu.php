<?php
/**
 * The menu in wp-admin.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Schema;
use Toolwire\WordPress\Scripts;

/**
 * Adds the screens.
 */
final class Menu {

	/**
	 * Takes its parts.
	 *
	 * @param Access                  $access   Who may do what.
	 * @param Call_Log                $call_log The log.
	 * @param Scripts                 $scripts  Loads scripts.
	 * @param Notices                 $notices  Says what came of a decision.
	 * @param array<string, callable> $screens  What prints the screens `approvals`, `log`, `mine`
	 *                                          and `settings`.
	 */
	public function __construct(
		private Access $access,
		private Call_Log $call_log,
		private Scripts $scripts,
		private Notices $notices,
		private array $screens,
	) {
	}

	/**
	 * Answers the hook `admin_menu`.
	 */
	public function register(): void {
		$title = __( 'AI tool calls', 'toolwire' );
		if ( Host::only_reads() ) {
			$this->load( $this->reading( $title ) );
			return;
		}
		add_menu_page(
			$title,
			$title . $this->bubble(),
			$this->access->capability( 'approve' ),
			'toolwire',
			$this->screens['approvals'],
			'dashicons-yes-alt',
			76
		);
		$screens   = array(
			add_submenu_page(
				'toolwire',
				__( 'Tool calls that wait for approval', 'toolwire' ),
				__( 'Approvals', 'toolwire' ),
				$this->access->capability( 'approve' ),
				'toolwire',
				$this->screens['approvals']
			),
			add_submenu_page(
				'toolwire',
				__( 'Log of tool calls', 'toolwire' ),
				__( 'Log', 'toolwire' ),
				$this->access->capability( 'log' ),
				'toolwire-log',
				$this->screens['log']
			),
			add_submenu_page(
				'toolwire',
				__( 'Settings for tool calls', 'toolwire' ),
				__( 'Settings', 'toolwire' ),
				$this->access->capability( 'settings' ),
				'toolwire-settings',
				$this->screens['settings']
			),
		);
		$screens[] = $this->mine();
		$this->load( $screens );
	}

	/**
	 * Adds the screens of a host that only reads: nobody approves there.
	 *
	 * @param string $title The menu's title.
	 * @return list<string|false>
	 */
	private function reading( string $title ): array {
		$may_log = $this->access->allows( 'log' );
		$log     = array(
			$this->access->capability( 'log' ),
			'toolwire-log',
			$this->screens['log'],
		);
		$set     = array(
			$this->access->capability( 'settings' ),
			'toolwire-settings',
			$this->screens['settings'],
		);
		$icon    = 'dashicons-yes-alt';
		$parent  = $may_log ? 'toolwire-log' : 'toolwire-settings';
		add_menu_page( $title, $title, ...( $may_log ? $log : $set ), ...array( $icon, 76 ) );
		$names = array(
			__( 'Log of tool calls', 'toolwire' ),
			__( 'Log', 'toolwire' ),
			__( 'Settings for tool calls', 'toolwire' ),
			__( 'Settings', 'toolwire' ),
		);
		return array(
			add_submenu_page( $parent, $names[0], $names[1], ...$log ),
			add_submenu_page( $parent, $names[2], $names[3], ...$set ),
			$this->mine(),
		);
	}

	/**
	 * Loads the scripts on screens.
	 *
	 * @param list<string|false> $screens The screens.
	 */
	private function load( array $screens ): void {
		foreach ( array_filter( $screens ) as $screen ) {
			add_action( "load-$screen", fn () => $this->scripts->admin( $this->notices->words() ) );
		}
	}

	/**
	 * Adds the screen of the user's own calls, for users who have tools called and may not read
	 * the log. It stands below the list of approvals for those who see it.
	 *
	 * @return string|false The name of the screen; false when there is none.
	 */
	private function mine() {
		if ( ! $this->access->allows( 'use' ) || $this->access->allows( 'log' ) ) {
			return false;
		}
		$title   = __( 'My tool calls', 'toolwire' );
		$right   = $this->access->capability( 'use' );
		$content = $this->screens['mine'];
		return $this->access->allows( 'approve' ) && ! Host::only_reads()
			? add_submenu_page( 'toolwire', $title, $title, $right, 'toolwire-mine', $content )
			: add_menu_page(
				$title,
				$title,
				$right,
				'toolwire-mine',
				$content,
				'dashicons-yes-alt',
				76
			);
	}

	/**
	 * How many calls wait, for those who may decide.
	 */
	private function bubble(): string {
		if (
			! $this->access->allows( 'approve' )
			|| Schema::VERSION !== (int) get_option( 'toolwire_schema' )
		) {
			return '';
		}
		$waiting = $this->call_log->count( 'waiting' );
		if ( 0 === $waiting ) {
			return '';
		}
		$number = number_format_i18n( $waiting );
		$words  = sprintf(
			/* translators: %s: a number. */
			_n( '%s call waits for approval', '%s calls wait for approval', $waiting, 'toolwire' ),
			$number
		);
		return sprintf(
			' <span class="awaiting-mod"><span class="pending-count" aria-hidden="true">%s</span>'
				. '<span class="screen-reader-text">%s</span></span>',
			esc_html( $number ),
			esc_html( $words )
		);
	}
}
