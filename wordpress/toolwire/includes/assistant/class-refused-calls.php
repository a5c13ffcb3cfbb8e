<?php
/**
 * The calls of a conversation that were refused.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Host;

/**
 * Names the calls of conversations, and records those that are not taken.
 */
final class Refused_Calls {

	/**
	 * Takes its parts.
	 *
	 * @param Engines  $engines  The engine of each site.
	 * @param Call_Log $call_log The log.
	 */
	public function __construct(
		private Engines $engines,
		private Call_Log $call_log,
	) {
	}

	/**
	 * The id under which a call runs.
	 *
	 * @param int    $user         Whose conversation it is.
	 * @param string $conversation The conversation.
	 * @param string $place        The call's place in it, `MESSAGE:INDEX`.
	 */
	public function run_id( int $user, string $conversation, string $place ): string {
		return $this->engines->get()->ids->run_id( $user, "assistant:$conversation", $place );
	}

	/**
	 * Whether a call has begun.
	 *
	 * @param string $id What run_id() says.
	 */
	public function has_begun( string $id ): bool {
		return $this->call_log->has_begun( $this->call_log->find( $id ) );
	}

	/**
	 * Records that a call which was seen is not taken.
	 *
	 * @param string $id   What run_id() says.
	 * @param string $code Why, as a code.
	 * @param string $why  The same in words.
	 */
	public function refuse( string $id, string $code, string $why ): void {
		$columns = array(
			'state'       => 'refused',
			'error_code'  => (string) preg_replace( '/^toolwire_/', '', $code ),
			'error'       => $this->call_log->text( $why, 1000 ),
			'finished_at' => gmdate( 'Y-m-d H:i:s' ),
		);
		$this->call_log->change( $id, $columns, array( 'seen' ) );
	}

	/**
	 * Records a call that was refused before it was one: it could not be read, or names no tool.
	 * The model is told why, and visitors that nothing was run.
	 *
	 * @param array<string, string|null> $row  The conversation.
	 * @param string                     $type What the agent told of: `rejected` or `result`.
	 * @param array<string, mixed>       $data What it told.
	 */
	public function record( array $row, string $type, array $data ): void {
		$is_result = 'result' === $type;
		if ( $is_result && false !== $data['success'] ) {
			return;
		}
		$uuid  = (string) $row['uuid'];
		$why   = (string) ( $is_result ? $data['error'] : $data['reason'] );
		$place = ( $data['call_message'] ?? $data['message'] ) . ':'
			. ( $data['index'] ?? 'text ' . md5( $why ) );
		$id    = $this->run_id( (int) $row['user_id'], $uuid, $place );
		if ( null !== $this->call_log->find( $id ) ) {
			return;
		}
		$name = (string) ( $data['name'] ?? '' );
		$this->call_log->see( $id, $place, $name, 'assistant' );
		$this->call_log->change( $id, array( 'conversation' => $uuid ) );
		if ( $is_result && $this->writes( $name ) ) {
			$this->refuse( $id, 'only_reads', Host::sentence() );
			return;
		}
		$this->refuse( $id, $is_result ? 'tool_not_found' : 'unreadable', $why );
	}

	/**
	 * Whether a tool is there but not offered, because this host only reads.
	 *
	 * @param string $name Its name.
	 */
	private function writes( string $name ): bool {
		return Host::only_reads() && null !== $this->engines->get()->tools->get( $name );
	}
}
