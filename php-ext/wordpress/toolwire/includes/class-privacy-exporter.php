<?php
/**
 * What the plugin knows of a person, for WordPress' tool "Export Personal Data".
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\UndoStore;

/**
 * Gives the calls that a person had made, and the decisions that the person took on others' calls, page by page.
 */
final class Privacy_Exporter {

	/**
	 * How many calls and how many decisions a page has at most.
	 */
	const PER_PAGE = 100;

	/**
	 * Answers a page of an export.
	 *
	 * @param string $email The person's address.
	 * @param int    $page  From 1.
	 * @return array{data: list<array<string, mixed>>, done: bool}
	 */
	public static function export( $email, $page = 1 ): array {
		$user = get_user_by( 'email', (string) $email );
		if ( ! $user ) {
			return array(
				'data' => array(),
				'done' => true,
			);
		}
		Schema::ensure();
		$offset    = ( max( 1, (int) $page ) - 1 ) * self::PER_PAGE;
		$calls     = self::rows( 'user_id = %d', array( $user->ID ), $offset );
		$decisions = self::rows( '(decided_by = %d OR undone_by = %d)', array( $user->ID, $user->ID ), $offset );
		$data      = array_map( array( self::class, 'call' ), $calls );
		foreach ( $decisions as $row ) {
			$data[] = self::decision( $row, $user->ID );
		}
		return array(
			'data' => $data,
			'done' => count( $calls ) < self::PER_PAGE && count( $decisions ) < self::PER_PAGE,
		);
	}

	/**
	 * A call of the person. What others wrote or are named in stays out; secrets are masked, as in the log.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, mixed>
	 */
	private static function call( array $row ): array {
		return self::item(
			'toolwire-calls',
			__( 'AI tool calls', 'toolwire' ),
			$row,
			array(
				__( 'State', 'toolwire' )            => Admin\Log_Table::states()[ $row['state'] ] ?? $row['state'],
				__( 'Id of the call', 'toolwire' )   => $row['given_id'],
				__( 'Why', 'toolwire' )              => $row['reason'],
				__( 'Arguments', 'toolwire' )        => self::arguments( $row ),
				__( 'Result', 'toolwire' )           => $row['result'],
				__( 'Error', 'toolwire' )            => $row['error'],
				__( 'Decision', 'toolwire' )         => $row['decision'],
				__( 'Data that undoes it', 'toolwire' ) => self::undo( $row ),
			)
		);
	}

	/**
	 * What the person decided about a call.
	 *
	 * @param array<string, string|null> $row  The call's row in the log.
	 * @param int                        $user The person's id.
	 * @return array<string, mixed>
	 */
	private static function decision( array $row, int $user ): array {
		$decided = $user === (int) $row['decided_by'];
		return self::item(
			'toolwire-decisions',
			__( 'Decisions on AI tool calls', 'toolwire' ),
			$row,
			array(
				__( 'Decision', 'toolwire' ) => $decided ? $row['decision'] : null,
				__( 'Reason', 'toolwire' )   => $decided ? $row['decision_reason'] : null,
				__( 'Undone', 'toolwire' )   => $user === (int) $row['undone_by'] ? __( 'yes', 'toolwire' ) : null,
			)
		);
	}

	/**
	 * An item as WordPress takes it.
	 *
	 * @param string                     $group The group's id.
	 * @param string                     $label The group's name.
	 * @param array<string, string|null> $row   The call's row in the log.
	 * @param array<string, string|null> $facts What is told, by name; what is empty is left out.
	 * @return array<string, mixed>
	 */
	private static function item( string $group, string $label, array $row, array $facts ): array {
		$facts = array(
			__( 'Time', 'toolwire' ) => $row['created_at'] . ' UTC',
			__( 'Tool', 'toolwire' ) => $row['tool'],
		) + $facts;
		$data  = array();
		foreach ( $facts as $name => $value ) {
			if ( '' !== (string) $value ) {
				$data[] = array(
					'name'  => $name,
					'value' => self::html( (string) $value ),
				);
			}
		}
		return array(
			'group_id'    => $group,
			'group_label' => $label,
			'item_id'     => "$group-{$row['id']}",
			'data'        => $data,
		);
	}

	/**
	 * A text that comes through as it is: WordPress lets some markup in values pass and takes the rest out, reads
	 * `&amp;#39;` as `&#39;`, and takes backslashes out where it keeps the values between pages.
	 *
	 * @param string $text The text.
	 */
	private static function html( string $text ): string {
		$escaped = htmlspecialchars( $text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8' );
		return str_replace( array( '&amp;', '\\' ), array( '&#38;', '&#92;' ), $escaped );
	}

	/**
	 * The arguments of a call, in full while it waits.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private static function arguments( array $row ): string {
		$request = '' === $row['approval_id'] ? null : Engine::get()->approvals->get( $row['approval_id'] );
		return (string) ( $request->arguments ?? $row['arguments'] );
	}

	/**
	 * How much is kept to undo a call, and until when. The data itself is of the site: what a post held before.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private static function undo( array $row ): string {
		$kept = null === $row['undo_until'] ? null : ( new UndoStore( Engine::get()->store, Engine::undo_seconds() ) )->get( $row['action_id'] );
		if ( null === $kept ) {
			return '';
		}
		$bytes = strlen( (string) wp_json_encode( $kept->undoData ) ); // phpcs:ignore WordPress.NamingConventions.ValidVariableName -- the extension's name.
		/* translators: 1: number of bytes, 2: a time. */
		return sprintf( __( '%1$s bytes, kept until %2$s', 'toolwire' ), number_format_i18n( $bytes ), $row['undo_until'] . ' UTC' );
	}

	/**
	 * Rows of the log.
	 *
	 * @param string    $condition With placeholders.
	 * @param list<int> $values    Their values.
	 * @param int       $offset    How many come before.
	 * @return list<array<string, string|null>>
	 */
	private static function rows( string $condition, array $values, int $offset ): array {
		global $wpdb;
		$table     = Schema::calls_table();
		$statement = "SELECT * FROM `$table` WHERE $condition ORDER BY id LIMIT %d OFFSET %d";
		// phpcs:ignore WordPress.DB -- the condition is a literal of this class.
		return (array) $wpdb->get_results( $wpdb->prepare( $statement, array( ...$values, self::PER_PAGE, $offset ) ), ARRAY_A );
	}
}
