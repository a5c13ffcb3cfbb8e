<?php
/**
 * A call in the answers of the routes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\Html;
use Toolwire\Text;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Call_States;
use Toolwire\WordPress\Json_Text;

/**
 * Turns a row of the log into what the current user may see.
 */
final class Call_View {

	/**
	 * Failures whose messages only readers of the log may see.
	 */
	const INTERNAL = array( 'raised', 'not_run', 'interrupted' );

	/**
	 * The states of calls that have not ended.
	 */
	const OPEN = array( 'seen', 'running', ...Call_States::WAITING );

	/**
	 * Any value that JSON can hold.
	 */
	const ANYTHING = array(
		'type' => array( 'null', 'boolean', 'integer', 'number', 'string', 'array', 'object' ),
	);

	/**
	 * Takes its parts.
	 *
	 * @param Access    $access    Who may do what.
	 * @param Call_Log  $call_log  The log.
	 * @param Json_Text $json_text Reads JSON.
	 */
	public function __construct(
		private Access $access,
		private Call_Log $call_log,
		private Json_Text $json_text,
	) {
	}

	/**
	 * The schema of a call.
	 *
	 * @return array<string, mixed>
	 */
	public function schema(): array {
		return array(
			'title'                => 'toolwire-call',
			'type'                 => 'object',
			'properties'           => array(
				'id'          => $this->text( 'The id of the call on this site.' ),
				'given_id'    => $this->text( 'The id that the model gave, or the detector.' ),
				'tool'        => $this->text( 'The name of the tool.' ),
				'user'        => array(
					'description' => 'The id of the user whose call it is.',
					'type'        => 'integer',
				),
				'state'       => array(
					'enum' => Call_Log::STATES,
				) + $this->text( 'How the call stands.' ),
				'origin'      => array(
					'enum' => array( ...Call_Log::ORIGINS, null ),
				) + $this->text_or_null( 'Where the call came from.' ),
				'reason'      => $this->text_or_null( 'Why, in the words of the model.' ),
				'arguments'   => array(
					'description' => 'The arguments, without secrets, long texts cut.',
				) + self::ANYTHING,
				'result'      => array( 'description' => 'What the tool gave.' ) + self::ANYTHING,
				'error'       => $this->error_schema(),
				'decision'    => $this->decision_schema(),
				'changed'     => $this->changed_schema(),
				'created_at'  => array( 'format' => 'date-time' ) + $this->text(
					'When the call was made, in UTC.'
				),
				'finished_at' => $this->text_or_null( 'When the call ended, in UTC.' ),
				'duration_ms' => array(
					'description' => 'For how many milliseconds it ran.',
					'type'        => array( 'number', 'null' ),
				),
				'can_undo'    => array(
					'description' => 'Whether the call can still be undone.',
					'type'        => 'boolean',
				),
				'html'        => $this->text_or_null(
					'What came of the call as a block of HTML, escaped; null while nothing has.'
				),
			),
			'additionalProperties' => false,
		);
	}

	/**
	 * The schema of the error of a call.
	 *
	 * @return array<string, mixed>
	 */
	private function error_schema(): array {
		return array(
			'description'          => 'Why there is no result.',
			'type'                 => array( 'object', 'null' ),
			'properties'           => array(
				'code'        => $this->text( 'The code of the reason.' ),
				'message'     => $this->text_or_null( 'The reason in words.' ),
				'problems'    => array(
					'description' => 'Where the arguments do not fit the schema of the tool.',
				) + self::ANYTHING,
				'retry_after' => array(
					'description' => 'After how many seconds the call may be sent again.',
					'type'        => 'number',
				),
				'reason'      => $this->text_or_null( 'Why the call was denied.' ),
				'tool_code'   => $this->text( 'The code of the WP_Error that the tool gave.' ),
				'status'      => array(
					'description' => 'The status of the WP_Error that the tool gave.',
					'type'        => 'integer',
				),
			),
			'additionalProperties' => false,
		);
	}

	/**
	 * The schema of a decision.
	 *
	 * @return array<string, mixed>
	 */
	private function decision_schema(): array {
		return array(
			'description'          => 'What a person decided.',
			'type'                 => array( 'object', 'null' ),
			'properties'           => array(
				'decision'    => array(
					'enum' => array( 'approved', 'denied' ),
				) + $this->text( 'The decision.' ),
				'by'          => array(
					'description' => 'The id of the user who decided.',
					'type'        => 'integer',
				),
				'reason'      => $this->text_or_null( 'Why.' ),
				'fingerprint' => $this->text_or_null(
					'The fingerprint of what the person was shown.'
				),
			),
			'additionalProperties' => false,
		);
	}

	/**
	 * The schema of a change of the arguments.
	 *
	 * @return array<string, mixed>
	 */
	private function changed_schema(): array {
		return array(
			'description'          => 'That a person approved other arguments than those of the '
				. 'call; `arguments` has what was approved.',
			'type'                 => array( 'object', 'null' ),
			'properties'           => array(
				'by'               => array(
					'description' => 'The id of the user who changed them.',
					'type'        => 'integer',
				),
				'at'               => array( 'format' => 'date-time' ) + $this->text(
					'When, in UTC.'
				),
				'arguments_before' => array(
					'description' => 'The arguments of the call, without secrets, long texts cut.',
				) + self::ANYTHING,
				'message'          => $this->text( 'The same in words, for the model.' ),
			),
			'additionalProperties' => false,
		);
	}

	/**
	 * The schema of a text.
	 *
	 * @param string $description What it says.
	 * @return array<string, mixed>
	 */
	private function text( string $description ): array {
		return array(
			'description' => $description,
			'type'        => 'string',
		);
	}

	/**
	 * The schema of a text that may be missing.
	 *
	 * @param string $description What it says.
	 * @return array<string, mixed>
	 */
	private function text_or_null( string $description ): array {
		return array(
			'description' => $description,
			'type'        => array( 'string', 'null' ),
		);
	}

	/**
	 * A call.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, mixed>
	 */
	public function of( array $row ): array {
		$result = $this->decoded( $row['result'] );
		$failed = '' !== $row['error_code'];
		$error  = $failed ? $this->error( $row, (array) $result ) : null;
		$result = isset( $error['tool_code'] ) ? null : $result;
		return array(
			'id'          => $row['action_id'],
			'given_id'    => $row['given_id'],
			'tool'        => $row['tool'],
			'user'        => (int) $row['user_id'],
			'state'       => $row['state'],
			'origin'      => '' === $row['origin'] ? null : $row['origin'],
			'reason'      => $row['reason'],
			'arguments'   => $this->decoded( $row['arguments'] ),
			'result'      => $failed && 'tool_error' !== $row['error_code'] ? null : $result,
			'error'       => $error,
			'decision'    => '' === $row['decision'] ? null : array(
				'decision'    => $row['decision'],
				'by'          => (int) $row['decided_by'],
				'reason'      => $row['decision_reason'],
				'fingerprint' => '' === $row['fingerprint'] ? null : $row['fingerprint'],
			),
			'changed'     => $this->changed( $row ),
			'created_at'  => $this->time( $row['created_at'] ),
			'finished_at' => $this->time( $row['finished_at'] ),
			'duration_ms' => null === $row['duration_ms'] ? null : (float) $row['duration_ms'],
			'can_undo'    => $this->call_log->can_undo( $row ),
			'html'        => $this->html( $row, $result, $error ),
		);
	}

	/**
	 * That a person changed the arguments; null where nobody did.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, mixed>|null
	 */
	private function changed( array $row ): ?array {
		return null === $row['changed_at'] ? null : array(
			'by'               => (int) $row['changed_by'],
			'at'               => $this->time( $row['changed_at'] ),
			'arguments_before' => $this->decoded( $row['arguments_before'] ),
			'message'          => __(
				'A person changed the arguments of this call, and approved the changed ones.',
				'toolwire'
			),
		);
	}

	/**
	 * The status of HTTP that a tool wants for its error; null where it wants none.
	 *
	 * @param array<string, mixed> $view What of() returned.
	 */
	public function status( array $view ): ?int {
		$status = $view['error']['status'] ?? null;
		return is_int( $status ) && $status >= 400 && $status <= 599 ? $status : null;
	}

	/**
	 * Why there is no result.
	 *
	 * @param array<string, string|null> $row     The call's row in the log.
	 * @param array<string, mixed>       $details What the log knows besides.
	 * @return array<string, mixed>
	 */
	private function error( array $row, array $details ): array {
		$hidden  = in_array(
			$row['error_code'],
			self::INTERNAL,
			true
		) && ! $this->access->allows( 'log' );
		$message = $hidden ? __( 'The tool failed.', 'toolwire' ) : $row['error'];
		$known   = array_intersect_key(
			$details,
			array_fill_keys( array( 'problems', 'retry_after', 'reason' ), true )
		);
		$error   = array(
			'code'    => $row['error_code'],
			'message' => $message,
		);
		if ( 'tool_error' !== $row['error_code'] ) {
			$error += $known;
		}
		$given = (array) ( $details['wp_error'] ?? array() );
		if ( isset( $given['code'] ) ) {
			$error['tool_code'] = $given['code'];
		}
		return $error + array_intersect_key( $given, array( 'status' => true ) );
	}

	/**
	 * The outcome of a call as a block of HTML, with every value escaped and its invisible
	 * characters marked; null while there is none.
	 *
	 * @param array<string, string|null> $row    The call's row in the log.
	 * @param mixed                      $result What the tool gave.
	 * @param array|null                 $error  Why it gave nothing.
	 */
	private function html( array $row, $result, ?array $error ): ?string {
		if ( in_array( $row['state'], self::OPEN, true ) ) {
			return null;
		}
		$text    = $error['message'] ?? $this->json_text->of( $result, JSON_PRETTY_PRINT );
		$changed = $this->changed( $row );
		return Html::result(
			Text::visible( (string) $row['tool'] ),
			null === $error,
			Text::visible( (string) $text )
		) . ( null === $changed ? '' : sprintf(
			'<p class="toolwire-changed">%s</p>',
			esc_html( $changed['message'] )
		) );
	}

	/**
	 * What a column of JSON holds.
	 *
	 * @param string|null $json The column.
	 * @return mixed
	 */
	private function decoded( ?string $json ) {
		return null === $json ? null : $this->json_text->value( $json );
	}

	/**
	 * A time in the form of the routes.
	 *
	 * @param string|null $time The column, in UTC.
	 */
	private function time( ?string $time ): ?string {
		return null === $time ? null : str_replace( ' ', 'T', $time ) . 'Z';
	}
}
