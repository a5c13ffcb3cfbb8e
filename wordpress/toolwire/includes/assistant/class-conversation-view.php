<?php
/**
 * Conversations in the answers of the routes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\Text;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Admin\Request_View;
use Toolwire\WordPress\Call_States;
use Toolwire\WordPress\Found_Calls;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Rest\Call_View;
use Toolwire\WordPress\Settings;
use Toolwire\WordPress\Tools;

/**
 * Turns what happened in a conversation into what its user may see: texts without markup, reasoning
 * where the settings show it, and each call as it stands by now.
 */
final class Conversation_View {

	/**
	 * Takes its parts.
	 *
	 * @param Settings    $settings    The settings.
	 * @param Access      $access      Who may do what.
	 * @param Call_View   $call_view   Tells of calls.
	 * @param Found_Calls $found_calls Knows what of a text is text.
	 * @param Refused_Calls $refused_calls Knows the ids of calls.
	 * @param Model       $model       What answers.
	 * @param Request_View $request_view Knows where people decide.
	 * @param Call_Standings $calls      How calls stand.
	 * @param Coming_Words $coming       The words of messages that are being written.
	 */
	public function __construct(
		private Settings $settings,
		private Access $access,
		private Call_View $call_view,
		private Found_Calls $found_calls,
		private Refused_Calls $refused_calls,
		private Model $model,
		private Request_View $request_view,
		private Call_Standings $calls,
		private Coming_Words $coming,
	) {
	}

	/**
	 * What a list tells of a conversation.
	 *
	 * @param array<string, string|null> $row The conversation.
	 * @return array<string, mixed>
	 */
	public function head( array $row ): array {
		return array(
			'id'         => $row['uuid'],
			'title'      => Text::visible( (string) $row['title'] ),
			'state'      => $row['state'],
			'version'    => (int) $row['version'],
			'reason'     => '' === $row['error_code'] ? null : $row['error_code'],
			'demo'       => ! $this->model->is_connected(),
			'updated_at' => str_replace( ' ', 'T', (string) $row['updated_at'] ) . 'Z',
		);
	}

	/**
	 * A conversation with what happened.
	 *
	 * @param array<string, string|null>                             $row    The conversation.
	 * @param list<array{type: string, data: array<string, mixed>}> $events What happened.
	 * @param int                                                    $after  How many parts the
	 *                                                                       client has.
	 * @param Tools                                                  $tools  The tools of the site.
	 * @param string                                                 $known  The `known` of the
	 *                                                                       client's last answer.
	 * @return array<string, mixed>
	 */
	public function of(
		array $row,
		array $events,
		int $after,
		Tools $tools,
		string $known = '',
	): array {
		$parts  = $this->parts( $row, $events );
		$stands = $this->calls->of( (string) $row['uuid'] );
		$ids    = array_filter( array_column( $parts, 'call' ) );
		$before = array_filter( array_column( array_slice( $parts, 0, $after ), 'call' ) );
		$all    = array_intersect_key( $stands, array_flip( $ids ) );
		$old    = array_intersect_key( $stands, array_flip( $before ) );
		$wanted = $this->calls->tag( $old ) === $known ? array_diff_key( $all, $old ) : $all;
		$rows   = $this->calls->rows( array_keys( $wanted ) );
		$count  = $events ? end( $events )['data']['message'] + 1 : 0;
		return $this->head( $row ) + array(
			'parts'    => array_slice( $parts, $after ),
			'next'     => count( $parts ),
			'calls'    => array_map( fn ( array $call ) => $this->call( $call, $tools ), $rows ),
			'known'    => $this->calls->tag( $all ),
			'messages' => $count,
			'coming'   => 'thinking' === $row['state'] ? $this->coming( $row, $count ) : array(),
		);
	}

	/**
	 * The parts of the message that is being written right now.
	 *
	 * @param array<string, string|null> $row   The conversation.
	 * @param int                        $count How many messages it has.
	 * @return list<array<string, mixed>>
	 */
	private function coming( array $row, int $count ): array {
		$words = $this->coming->find( (string) $row['uuid'] );
		return null === $words || $words['message'] < $count ? array() : $this->said( $words );
	}

	/**
	 * The parts of a message that is still being written.
	 *
	 * @param array<string, mixed> $said What came of it so far: `reasoning` and `text`.
	 * @return list<array<string, mixed>>
	 */
	public function said( array $said ): array {
		$events = array();
		foreach ( array( 'reasoning', 'text' ) as $type ) {
			if ( '' !== $said[ $type ] ) {
				$events[] = array(
					'type' => $type,
					'data' => array( 'text' => $said[ $type ] ),
				);
			}
		}
		return $this->parts( array(), $events );
	}

	/**
	 * A call as a card shows it.
	 *
	 * @param array<string, string|null> $row   The call's row in the log.
	 * @param Tools                      $tools The tools of the site.
	 * @return array<string, mixed>
	 */
	public function call( array $row, Tools $tools ): array {
		$view   = $this->call_view->of( $row );
		$waits  = Call_States::waits( $row['state'] );
		$decide = $waits && ! Host::only_reads() && $this->access->allows( 'approve' );
		$url    = $decide ? $this->request_view->address( (string) $row['approval_id'] ) : null;
		return array(
			'id'         => $view['id'],
			'tool'       => Text::visible( (string) $view['tool'] ),
			'does'       => Text::visible(
				(string) $tools->registry->get( (string) $row['tool'] )?->description
			),
			'state'      => $view['state'],
			'arguments'  => $view['arguments'],
			'error'      => $view['error'],
			'decision'   => $view['decision'],
			'changed'    => $this->changed( $view['changed'] ),
			'can_undo'   => $view['can_undo'],
			'can_ask'    => 'expired' === $row['state'] && ! Host::only_reads(),
			'held'       => $waits && Host::only_reads() ? Host::sentence() : null,
			'html'       => $view['html'],
			'decide_url' => $url,
		);
	}

	/**
	 * Who changed the arguments of a call, in words; null where nobody did.
	 *
	 * @param array<string, mixed>|null $changed What Call_View says of it.
	 */
	private function changed( ?array $changed ): ?string {
		if ( null === $changed ) {
			return null;
		}
		$user = get_userdata( $changed['by'] );
		/* translators: %s: name of a user. */
		$words = __( '%s changed this before it was approved.', 'toolwire' );
		return $user
			? sprintf( $words, Text::visible( $user->display_name ) )
			: $changed['message'];
	}

	/**
	 * What happened, as a page shows it: one part after the other.
	 *
	 * @param array<string, string|null>                             $row    The conversation.
	 * @param list<array{type: string, data: array<string, mixed>}> $events What happened.
	 * @return list<array<string, mixed>>
	 */
	private function parts( array $row, array $events ): array {
		$parts = array();
		foreach ( $events as $event ) {
			foreach ( $this->of_event( $row, $event ) as $part ) {
				$last = $parts[ count( $parts ) - 1 ] ?? array( 'type' => '' );
				// Markup that was refused and what the model is told of it are one thing.
				if ( 'rejection' !== $part['type'] || $part !== $last ) {
					$parts[] = $part;
				}
			}
		}
		return $parts;
	}

	/**
	 * The parts of an event.
	 *
	 * @param array<string, string|null>                       $row   The conversation.
	 * @param array{type: string, data: array<string, mixed>} $event What happened.
	 * @return list<array<string, mixed>>
	 */
	private function of_event( array $row, array $event ): array {
		$data      = $event['data'];
		$reasoning = 'hidden' !== $this->settings->get( 'reasoning' );
		switch ( $event['type'] ) {
			case 'user':
				return array( $this->words( 'user', $data['text'] ) );
			case 'reasoning':
				return $reasoning ? array( $this->words( 'reasoning', $data['text'] ) ) : array();
			case 'text':
				return $this->of_text( $data['text'], $reasoning );
			case 'call':
				$place = "{$data['message']}:{$data['index']}";
				return array(
					array(
						'type' => 'call',
						'call' => $this->refused_calls->run_id(
							(int) $row['user_id'],
							(string) $row['uuid'],
							$place
						),
					),
				);
			case 'rejected':
				return array( array( 'type' => 'rejection' ) );
			default:
				return array();
		}
	}

	/**
	 * The parts of a text of the model. Markup in it that was refused is not shown.
	 *
	 * @param string $text      The text.
	 * @param bool   $reasoning Whether reasoning is shown.
	 * @return list<array<string, mixed>>
	 */
	private function of_text( string $text, bool $reasoning ): array {
		$parts = array();
		foreach ( $this->found_calls->parts( $text, $reasoning ) as $part ) {
			$is_said = 'text' === $part['type'] || 'reasoning' === $part['type'];
			if ( $is_said && '' !== trim( $part['text'] ) ) {
				$parts[] = $this->words( $part['type'], $part['text'] );
			} elseif ( ! $is_said ) {
				$parts[] = array( 'type' => 'rejection' );
			}
		}
		return $parts;
	}

	/**
	 * A part with words, with marks for invisible characters.
	 *
	 * @param string $type  Its kind.
	 * @param string $words The words.
	 * @return array<string, string>
	 */
	private function words( string $type, string $words ): array {
		return array(
			'type' => $type,
			'text' => Text::visible( $words ),
		);
	}
}
