<?php
/**
 * A call as the routes tell of it.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\Html;
use Toolwire\Text;
use Toolwire\WordPress\Access;

/**
 * Makes of a row of the log what may be told to the current user.
 */
final class Call_View {

	/**
	 * Failures whose messages are for those who may read the log.
	 */
	const INTERNAL = array( 'raised', 'not_run', 'died' );

	/**
	 * A call.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, mixed>
	 */
	public static function of( array $row ): array {
		$result = self::decoded( $row['result'] );
		$failed = '' !== $row['error_code'];
		$error  = $failed ? self::error( $row, (array) $result ) : null;
		return array(
			'id'          => $row['action_id'],
			'given_id'    => $row['given_id'],
			'tool'        => $row['tool'],
			'user'        => (int) $row['user_id'],
			'state'       => $row['state'],
			'origin'      => '' === $row['origin'] ? null : $row['origin'],
			'reason'      => $row['reason'],
			'arguments'   => self::decoded( $row['arguments'] ),
			'result'      => $failed && 'tool_error' !== $row['error_code'] ? null : $result,
			'error'       => $error,
			'decision'    => '' === $row['decision'] ? null : array(
				'decision'    => $row['decision'],
				'by'          => (int) $row['decided_by'],
				'reason'      => $row['decision_reason'],
				'fingerprint' => '' === $row['fingerprint'] ? null : $row['fingerprint'],
			),
			'created_at'  => self::time( $row['created_at'] ),
			'finished_at' => self::time( $row['finished_at'] ),
			'duration_ms' => null === $row['duration_ms'] ? null : (float) $row['duration_ms'],
			'can_undo'    => self::can_undo( $row ),
			'html'        => self::html( $row, $result, $error ),
		);
	}

	/**
	 * Whether a call can still be undone.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	public static function can_undo( array $row ): bool {
		return 'completed' === $row['state'] && null !== $row['undo_until'] && $row['undo_until'] > gmdate( 'Y-m-d H:i:s' );
	}

	/**
	 * Why there is no result.
	 *
	 * @param array<string, string|null> $row     The call's row in the log.
	 * @param array<string, mixed>       $details What the log knows besides.
	 * @return array<string, mixed>
	 */
	private static function error( array $row, array $details ): array {
		$hidden  = in_array( $row['error_code'], self::INTERNAL, true ) && ! Access::allows( 'log' );
		$message = $hidden ? __( 'The tool failed.', 'toolwire' ) : $row['error'];
		$known   = array_intersect_key( $details, array_fill_keys( array( 'problems', 'retry_after', 'reason' ), true ) );
		return array(
			'code'    => $row['error_code'],
			'message' => $message,
		) + ( 'tool_error' === $row['error_code'] ? array() : $known );
	}

	/**
	 * What came of a call as a block of HTML, every value escaped and its invisible characters marked; null while nothing has.
	 *
	 * @param array<string, string|null> $row    The call's row in the log.
	 * @param mixed                      $result What the tool gave.
	 * @param array|null                 $error  Why it gave nothing.
	 */
	private static function html( array $row, $result, ?array $error ): ?string {
		if ( in_array( $row['state'], array( 'seen', 'running', 'pending' ), true ) ) {
			return null;
		}
		$text = $error['message'] ?? wp_json_encode( $result, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES );
		return Html::result( Text::visible( (string) $row['tool'] ), null === $error, Text::visible( (string) $text ) );
	}

	/**
	 * What a column of JSON holds.
	 *
	 * @param string|null $json The column.
	 * @return mixed
	 */
	private static function decoded( ?string $json ) {
		return null === $json ? null : json_decode( $json );
	}

	/**
	 * A time as the routes tell it.
	 *
	 * @param string|null $time The column, in UTC.
	 */
	private static function time( ?string $time ): ?string {
		return null === $time ? null : str_replace( ' ', 'T', $time ) . 'Z';
	}
}
