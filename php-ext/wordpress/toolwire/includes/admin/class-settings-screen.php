<?php
/**
 * The screen of the settings.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Access;
use Toolwire\WordPress\Schema;
use Toolwire\WordPress\Settings;

/**
 * Shows the settings and saves them by WordPress' own way.
 */
final class Settings_Screen {

	/**
	 * Answers the hook `admin_init`.
	 */
	public static function register(): void {
		register_setting(
			'toolwire',
			Settings::OPTION,
			array(
				'type'              => 'object',
				'sanitize_callback' => array( Settings::class, 'sanitize' ),
			)
		);
		add_filter( 'option_page_capability_toolwire', static fn (): string => Access::capability( 'settings' ) );
	}

	/**
	 * Prints the screen.
	 */
	public static function show(): void {
		if ( ! Access::allows( 'settings' ) ) {
			wp_die( esc_html__( 'You are not allowed to do that.', 'toolwire' ), '', array( 'response' => 403 ) );
		}
		Schema::ensure();
		printf( '<div class="wrap toolwire"><h1>%s</h1>', esc_html__( 'Settings for tool calls', 'toolwire' ) );
		settings_errors();
		printf( '<form method="post" action="%s">', esc_url( admin_url( 'options.php' ) ) );
		settings_fields( 'toolwire' );
		echo '<table class="form-table" role="presentation">';
		self::choice(
			'approval',
			__( 'Approval', 'toolwire' ),
			array(
				'tool' => __( 'where a tool asks for it', 'toolwire' ),
				'all'  => __( 'for every call', 'toolwire' ),
			)
		);
		self::number( 'approval_hours', __( 'A request can be decided for so many hours', 'toolwire' ) );
		self::number( 'undo_hours', __( 'A call can be undone for so many hours', 'toolwire' ) );
		self::number( 'calls_per_minute', __( 'Calls a minute, for each user', 'toolwire' ) );
		self::number( 'retention_days', __( 'Days for which the log is kept', 'toolwire' ) );
		self::choice(
			'formats',
			__( 'Formats of calls in text', 'toolwire' ),
			array(
				'seed' => __( 'tags, JSON and HTML', 'toolwire' ),
				'auto' => __( 'all that can be told apart', 'toolwire' ),
			)
		);
		self::box( 'others_approve', __( 'Nobody approves a call of their own', 'toolwire' ) );
		self::box( 'bound_calls', __( 'Run calls found in text only when they come from this site\'s assistant', 'toolwire' ) );
		self::box( 'built_in', __( 'Offer the tools that come with the plugin', 'toolwire' ) );
		self::box( 'abilities', __( 'Offer abilities of WordPress 6.9 and later as tools', 'toolwire' ) );
		echo '</table>';
		submit_button();
		echo '</form></div>';
	}

	/**
	 * Prints a number.
	 *
	 * @param string $name  The setting.
	 * @param string $label Its label.
	 */
	private static function number( string $name, string $label ): void {
		list( $least, $most ) = Settings::ranges()[ $name ];
		printf(
			'<tr><th scope="row"><label for="toolwire-%1$s">%2$s</label></th><td><input type="number" id="toolwire-%1$s" name="%3$s[%1$s]" value="%4$d" min="%5$d" max="%6$d" class="small-text"></td></tr>',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( Settings::OPTION ),
			(int) Settings::get( $name ),
			(int) $least,
			(int) $most
		);
	}

	/**
	 * Prints a list to choose from.
	 *
	 * @param string                $name    The setting.
	 * @param string                $label   Its label.
	 * @param array<string, string> $choices What there is, by value.
	 */
	private static function choice( string $name, string $label, array $choices ): void {
		printf(
			'<tr><th scope="row"><label for="toolwire-%1$s">%2$s</label></th><td><select id="toolwire-%1$s" name="%3$s[%1$s]">',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( Settings::OPTION )
		);
		foreach ( $choices as $value => $text ) {
			printf( '<option value="%s"%s>%s</option>', esc_attr( $value ), selected( Settings::get( $name ), $value, false ), esc_html( $text ) );
		}
		echo '</select></td></tr>';
	}

	/**
	 * Prints a box to tick. A browser sends nothing for one that is not ticked; the hidden field says that it was there.
	 *
	 * @param string $name  The setting.
	 * @param string $label Its label.
	 */
	private static function box( string $name, string $label ): void {
		printf(
			'<tr><th scope="row">%2$s</th><td><input type="hidden" name="%3$s[%1$s]" value="0"><input type="checkbox" id="toolwire-%1$s" name="%3$s[%1$s]" value="1" aria-label="%2$s"%4$s></td></tr>',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( Settings::OPTION ),
			checked( (bool) Settings::get( $name ), true, false )
		);
	}
}
