<?php
/**
 * The screen of the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Log_Search;
use Toolwire\WordPress\Runs;
use Toolwire\WordPress\Schema;

/**
 * Shows the calls, with filters.
 */
final class Log_Screen {

	/**
	 * Takes its parts.
	 *
	 * @param Access      $access      Who may do what.
	 * @param Schema      $schema      The tables.
	 * @param Call_Log    $call_log    The log.
	 * @param Log_Search  $log_search  Searches the log.
	 * @param Runs        $runner      Runs calls.
	 * @param Words       $words       Words for people.
	 * @param Verbatim    $verbatim    Shows texts as they are.
	 * @param Notices     $notices     Says what came of a form.
	 */
	public function __construct(
		private Access $access,
		private Schema $schema,
		private Call_Log $call_log,
		private Log_Search $log_search,
		private Runs $runner,
		private Words $words,
		private Verbatim $verbatim,
		private Notices $notices,
	) {
	}

	/**
	 * Prints the screen.
	 */
	public function show(): void {
		if ( ! $this->access->allows( 'log' ) ) {
			wp_die(
				esc_html__( 'You are not allowed to do that.', 'toolwire' ),
				'',
				array( 'response' => 403 )
			);
		}
		$this->schema->ensure();
		$this->runner->look();
		$this->runner->resume_decided( 100 );
		$filters = $this->filters();
		$table   = new Log_Table(
			$filters,
			$this->call_log,
			$this->log_search,
			$this->access,
			$this->verbatim,
			$this->words
		);
		$table->prepare_items();
		printf(
			'<div class="wrap toolwire"><h1>%s</h1>',
			esc_html__( 'Log of tool calls', 'toolwire' )
		);
		Host::tell();
		$this->notices->show();
		$this->form( $filters );
		$table->display();
		echo '</div>';
	}

	/**
	 * The filters that the address names, those of the right form.
	 *
	 * @return array<string, string|int>
	 */
	private function filters(): array {
		$patterns = array(
			'tool'   => '~^[A-Za-z0-9_.:/-]{1,128}$~',
			'state'  => '~^(' . implode( '|', Call_Log::STATES ) . ')$~',
			'origin' => '~^(' . implode( '|', Call_Log::ORIGINS ) . ')$~',
			'user'   => '~^[1-9]\d{0,15}$~',
			'from'   => '~^\d{4}-\d{2}-\d{2}$~',
			'to'     => '~^\d{4}-\d{2}-\d{2}$~',
			'search' => '~^.{1,200}$~su',
		);
		$filters  = array();
		foreach ( $patterns as $name => $pattern ) {
			$key = 'search' === $name ? 's' : $name;
			// It narrows a list; the patterns check it.
			// phpcs:disable WordPress.Security.NonceVerification, WordPress.Security.ValidatedSanitizedInput
			$given = isset( $_GET[ $key ] ) && is_string( $_GET[ $key ] )
				? wp_unslash( $_GET[ $key ] )
				: '';
			// phpcs:enable
			if ( 1 === preg_match( $pattern, $given ) ) {
				$filters[ $name ] = $given;
			}
		}
		foreach ( array( 'from', 'to' ) as $name ) {
			if (
				isset( $filters[ $name ] )
				&& null === $this->log_search->day( $filters[ $name ] )
			) {
				unset( $filters[ $name ] );
			}
		}
		return $filters;
	}

	/**
	 * Prints the filters.
	 *
	 * @param array<string, string|int> $filters Those that are set.
	 */
	private function form( array $filters ): void {
		printf(
			'<form method="get" action="%s" class="toolwire-filters">'
				. '<input type="hidden" name="page" value="toolwire-log">',
			esc_url( admin_url( 'admin.php' ) )
		);
		$tools = $this->log_search->tools();
		$this->choice(
			'tool',
			__( 'Tool', 'toolwire' ),
			array_combine( $tools, $tools ),
			$filters
		);
		$this->choice( 'state', __( 'State', 'toolwire' ), $this->words->states(), $filters );
		$this->choice(
			'origin',
			__( 'Came from', 'toolwire' ),
			array_combine(
				Call_Log::ORIGINS,
				array_map( array( $this->words, 'origin' ), Call_Log::ORIGINS )
			),
			$filters
		);
		$this->field( 'user', 'number', __( 'User (id)', 'toolwire' ), $filters['user'] ?? '' );
		$this->field( 'from', 'date', __( 'From', 'toolwire' ), $filters['from'] ?? '' );
		$this->field( 'to', 'date', __( 'To', 'toolwire' ), $filters['to'] ?? '' );
		$this->field( 's', 'search', __( 'Search', 'toolwire' ), $filters['search'] ?? '' );
		submit_button( __( 'Filter', 'toolwire' ), '', '', false );
		echo '</form>';
	}

	/**
	 * Prints a list to choose from.
	 *
	 * @param string                    $name    Its name.
	 * @param string                    $label   Its label.
	 * @param array<string, string>     $choices What there is, by value.
	 * @param array<string, string|int> $filters Those that are set.
	 */
	private function choice( string $name, string $label, array $choices, array $filters ): void {
		printf(
			'<label>%s <select name="%s"><option value="">%s</option>',
			esc_html( $label ),
			esc_attr( $name ),
			esc_html__( 'all', 'toolwire' )
		);
		foreach ( $choices as $value => $text ) {
			printf(
				'<option value="%s"%s>%s</option>',
				esc_attr( $value ),
				selected( $filters[ $name ] ?? '', (string) $value, false ),
				esc_html( $text )
			);
		}
		echo '</select></label> ';
	}

	/**
	 * Prints a field.
	 *
	 * @param string $name  Its name.
	 * @param string $type  Its type.
	 * @param string $label Its label.
	 * @param string $value What is in it.
	 */
	private function field( string $name, string $type, string $label, string $value ): void {
		printf(
			'<label>%s <input type="%s" name="%s" value="%s"></label> ',
			esc_html( $label ),
			esc_attr( $type ),
			esc_attr( $name ),
			esc_attr( $value )
		);
	}
}
