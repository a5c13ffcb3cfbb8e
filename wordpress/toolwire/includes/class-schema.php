<?php
/**
 * The plugin's tables.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Makes, changes and removes the tables, the options and the daily event.
 */
final class Schema {

	const VERSION = 7;

	/**
	 * The table of the store.
	 */
	public function store_table(): string {
		return $GLOBALS['wpdb']->prefix . 'toolwire_store';
	}

	/**
	 * The table of the calls.
	 */
	public function calls_table(): string {
		return $GLOBALS['wpdb']->prefix . 'toolwire_calls';
	}

	/**
	 * The table of the conversations with the assistant.
	 */
	public function conversations_table(): string {
		return $GLOBALS['wpdb']->prefix . 'toolwire_conversations';
	}

	/**
	 * Rows of the table of the calls.
	 *
	 * @param string           $rest    What stands behind the table's name, with placeholders.
	 * @param list<string|int> $values  The values of the placeholders.
	 * @param string           $columns The columns.
	 * @return list<array<string, string|null>>
	 */
	public function calls( string $rest, array $values, string $columns = '*' ): array {
		return (array) $GLOBALS['wpdb']->get_results(
			$this->query( $columns, $rest, $values ),
			ARRAY_A
		);
	}

	/**
	 * How many calls meet a condition.
	 *
	 * @param string           $condition The condition, with placeholders.
	 * @param list<string|int> $values    The values of the placeholders.
	 */
	public function count_calls( string $condition, array $values ): int {
		$query = $this->query( 'COUNT(*)', "WHERE $condition", $values );
		return (int) $GLOBALS['wpdb']->get_var( $query );
	}

	/**
	 * A query of the table of the calls, with its values in it.
	 *
	 * @param string           $columns The columns.
	 * @param string           $rest    What stands behind the table's name, with placeholders.
	 * @param list<string|int> $values  The values of the placeholders.
	 */
	private function query( string $columns, string $rest, array $values ): string {
		global $wpdb;
		$table = $this->calls_table();
		$query = "SELECT $columns FROM `$table` $rest";
		// phpcs:ignore WordPress.DB -- queries are literals of this plugin, values placeholders.
		return $values ? $wpdb->prepare( $query, $values ) : $query;
	}

	/**
	 * Makes the tables where they are missing or old: a site of a network has none before it is
	 * first used.
	 */
	public function ensure(): void {
		if ( self::VERSION !== (int) get_option( 'toolwire_schema' ) ) {
			$this->install();
		} else {
			$this->schedule();
		}
	}

	/**
	 * Makes the tables, the options and the daily event.
	 */
	public function install(): void {
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		dbDelta( $this->statements() );
		$set    = get_option( Settings::OPTION );
		$before = (int) get_option( 'toolwire_schema' );
		if ( is_array( $set ) && $before < 2 ) {
			update_option( Settings::OPTION, $set + Settings::BEFORE, true );
		}
		if ( $before < 5 ) {
			$this->rename_old_states();
		}
		add_option( Settings::OPTION, Settings::DEFAULTS, '', true );
		update_option( 'toolwire_schema', self::VERSION, true );
		$this->schedule();
	}

	/**
	 * Gives the calls of earlier versions the states that runs have. Those that were left running
	 * or taken for dead are interrupted: nobody knows what their tools did, and the store has no
	 * run of them that could be tried again.
	 */
	private function rename_old_states(): void {
		global $wpdb;
		$table = $this->calls_table();
		// phpcs:ignore WordPress.DB -- WordPress before 6.2 has no placeholder for a table.
		$wpdb->query( "UPDATE `$table` SET state = 'waiting' WHERE state = 'pending'" );
		// phpcs:ignore WordPress.DB -- as above.
		$wpdb->query(
			"UPDATE `$table` SET state = 'expired' "
				. "WHERE state = 'denied' AND error_code = 'approval_timeout'"
		);
		// phpcs:ignore WordPress.DB -- as above.
		$wpdb->query(
			"UPDATE `$table` SET state = 'interrupted', error_code = 'interrupted' "
				. "WHERE state = 'running' OR (state = 'failed' AND error_code = 'died')"
		);
	}

	/**
	 * Starts the daily event, unless it is there. After a network has turned the plugin off and on
	 * again, each site has its tables but no event.
	 */
	private function schedule(): void {
		if ( ! wp_next_scheduled( 'toolwire_daily' ) ) {
			wp_schedule_event( time() + HOUR_IN_SECONDS, 'daily', 'toolwire_daily' );
		}
	}

	/**
	 * Stops the events.
	 */
	public function unschedule(): void {
		wp_clear_scheduled_hook( 'toolwire_daily' );
		wp_clear_scheduled_hook( 'toolwire_prune' );
		wp_unschedule_hook( 'toolwire_continue' );
		wp_clear_scheduled_hook( 'toolwire_mail' );
	}

	/**
	 * Removes all that the plugin has written on this site.
	 */
	public function uninstall(): void {
		global $wpdb;
		$tables = array( $this->store_table(), $this->calls_table(), $this->conversations_table() );
		foreach ( $tables as $table ) {
			// phpcs:ignore WordPress.DB -- WordPress before 6.2 has no placeholder for a table.
			$wpdb->query( "DROP TABLE IF EXISTS `$table`" );
		}
		delete_option( 'toolwire_schema' );
		delete_option( Settings::OPTION );
		// The names are written out, because uninstall.php loads no other class.
		delete_option( 'toolwire_model_key' );
		delete_option( 'toolwire_mailed' );
		foreach ( array( '_transient_toolwire_', '_transient_timeout_toolwire_' ) as $prefix ) {
			$query = "DELETE FROM $wpdb->options WHERE option_name LIKE %s";
			// phpcs:ignore WordPress.DB -- there is no function that removes several options.
			$wpdb->query( $wpdb->prepare( $query, $wpdb->esc_like( $prefix ) . '%' ) );
		}
		$this->unschedule();
	}

	/**
	 * The tables as dbDelta() reads them. Keys are compared byte by byte, and values are any bytes.
	 */
	private function statements(): string {
		$collate = $GLOBALS['wpdb']->get_charset_collate();
		$store   = $this->store_table();
		$calls   = $this->calls_table();
		$talks   = $this->conversations_table();
		return "CREATE TABLE $store (
name varbinary(255) NOT NULL,
value longblob NOT NULL,
version bigint(20) unsigned NOT NULL,
expires_at bigint(20) DEFAULT NULL,
PRIMARY KEY  (name),
KEY expires_at (expires_at)
) $collate;
CREATE TABLE $calls (
id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
action_id varchar(40) NOT NULL,
given_id varchar(256) NOT NULL DEFAULT '',
user_id bigint(20) unsigned NOT NULL,
tool varchar(128) NOT NULL,
state varchar(20) NOT NULL,
origin varchar(20) NOT NULL DEFAULT '',
conversation varchar(36) NOT NULL DEFAULT '',
reason text DEFAULT NULL,
arguments longtext DEFAULT NULL,
arguments_before longtext DEFAULT NULL,
changed_by bigint(20) unsigned NOT NULL DEFAULT 0,
changed_at datetime DEFAULT NULL,
result longtext DEFAULT NULL,
error_code varchar(64) NOT NULL DEFAULT '',
error text DEFAULT NULL,
approval_id varchar(64) NOT NULL DEFAULT '',
decided_by bigint(20) unsigned NOT NULL DEFAULT 0,
decision varchar(20) NOT NULL DEFAULT '',
decision_reason text DEFAULT NULL,
fingerprint varchar(64) NOT NULL DEFAULT '',
created_at datetime NOT NULL,
finished_at datetime DEFAULT NULL,
duration_ms double DEFAULT NULL,
undo_until datetime DEFAULT NULL,
undone_by bigint(20) unsigned NOT NULL DEFAULT 0,
PRIMARY KEY  (id),
UNIQUE KEY action_id (action_id),
KEY state (state),
KEY tool (tool),
KEY user_id (user_id),
KEY created_at (created_at),
KEY conversation (conversation)
) $collate;
CREATE TABLE $talks (
id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
uuid varchar(36) NOT NULL,
user_id bigint(20) unsigned NOT NULL,
title varchar(200) NOT NULL DEFAULT '',
state varchar(20) NOT NULL,
error_code varchar(64) NOT NULL DEFAULT '',
client_id varchar(64) NOT NULL DEFAULT '',
texts int(10) unsigned NOT NULL DEFAULT 0,
api varchar(20) NOT NULL DEFAULT 'openai',
version bigint(20) unsigned NOT NULL DEFAULT 1,
claim varchar(36) NOT NULL DEFAULT '',
claimed_until bigint(20) NOT NULL DEFAULT 0,
deaths int(10) unsigned NOT NULL DEFAULT 0,
tokens bigint(20) unsigned NOT NULL DEFAULT 0,
created_at datetime NOT NULL,
updated_at datetime NOT NULL,
PRIMARY KEY  (id),
UNIQUE KEY uuid (uuid),
KEY user_id (user_id,updated_at),
KEY state (state),
KEY claimed_until (claimed_until)
) $collate;";
	}
}
