<?php
/**
 * The screen of the log.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Crash_Guard;
use Toolwire\WordPress\Runner;
use Toolwire\WordPress\Schema;

/**
 * Shows the calls, with filters.
 */
final class Log_Screen {

	/**
	 * Prints the screen.
	 */
	public static function show(): void {
		if ( ! Access::allows( 'log' ) ) {
			wp_die( esc_html__( 'You are not allowed to do that.', 'toolwire' ), '', array( 'response' => 403 ) );
		}
		Schema::ensure();
		Crash_Guard::reap();
		Runner::settle( 100 );
		$filters = self::filters();
		$table   = new Log_Table( $filters );
		$table->prepare_items();
		printf( '<div class="wrap toolwire"><h1>%s</h1>', esc_html__( 'Log of tool calls', 'toolwire' ) );
		Notices::show();
		self::form( $filters );
		$table->display();
		echo '</div>';
	}

	/**
	 * The filters that the address names, those of the right form.
	 *
	 * @return array<string, string|int>
	 */
	private static function filters(): array {
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
			$key   = 'search' === $name ? 's' : $name;
			$given = isset( $_GET[ $key ] ) && is_string( $_GET[ $key ] ) ? wp_unslash( $_GET[ $key ] ) : ''; // phpcs:ignore WordPress.Security -- it narrows a list; the patterns check it.
			if ( 1 === preg_match( $pattern, $given ) ) {
				$filters[ $name ] = $given;
			}
		}
		foreach ( array( 'from', 'to' ) as $name ) {
			if ( isset( $filters[ $name ] ) && null === Call_Log::day( $filters[ $name ] ) ) {
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
	private static function form( array $filters ): void {
		printf( '<form method="get" action="%s" class="toolwire-filters"><input type="hidden" name="page" value="toolwire-log">', esc_url( admin_url( 'admin.php' ) ) );
		$tools = Call_Log::tools();
		self::choice( 'tool', __( 'Tool', 'toolwire' ), array_combine( $tools, $tools ), $filters );
		self::choice( 'state', __( 'State', 'toolwire' ), Log_Table::states(), $filters );
		self::choice( 'origin', __( 'Came from', 'toolwire' ), array_combine( Call_Log::ORIGINS, array_map( array( Origin::class, 'words' ), Call_Log::ORIGINS ) ), $filters );
		self::field( 'user', 'number', __( 'User (id)', 'toolwire' ), $filters['user'] ?? '' );
		self::field( 'from', 'date', __( 'From', 'toolwire' ), $filters['from'] ?? '' );
		self::field( 'to', 'date', __( 'To', 'toolwire' ), $filters['to'] ?? '' );
		self::field( 's', 'search', __( 'Search', 'toolwire' ), $filters['search'] ?? '' );
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
	private static function choice( string $name, string $label, array $choices, array $filters ): void {
		printf( '<label>%s <select name="%s"><option value="">%s</option>', esc_html( $label ), esc_attr( $name ), esc_html__( 'all', 'toolwire' ) );
		foreach ( $choices as $value => $text ) {
			printf( '<option value="%s"%s>%s</option>', esc_attr( $value ), selected( $filters[ $name ] ?? '', (string) $value, false ), esc_html( $text ) );
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
	private static function field( string $name, string $type, string $label, string $value ): void {
		printf( '<label>%s <input type="%s" name="%s" value="%s"></label> ', esc_html( $label ), esc_attr( $type ), esc_attr( $name ), esc_attr( $value ) );
	}
}
