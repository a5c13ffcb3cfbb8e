<?php
/**
 * What the plugin knows of a person, for WordPress' tool "Export Personal Data".
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

use Toolwire\Tools\UndoStore;

/**
 * Exports a person's calls, and the person's decisions on calls of others, page by page.
 */
final class Privacy_Exporter {

	/**
	 * How many calls and how many decisions a page has at most. A call that waits may be large.
	 */
	const PER_PAGE = 20;

	/**
	 * Takes its parts.
	 *
	 * @param Schema        $schema        The tables.
	 * @param Engines       $engines       The engine of each site.
	 * @param Admin\Words   $words         Words for people.
	 * @param Deleted_Users $deleted_users Who was deleted.
	 */
	public function __construct(
		private Schema $schema,
		private Engines $engines,
		private Admin\Words $words,
		private Deleted_Users $deleted_users,
	) {
	}

	/**
	 * Answers a page of an export.
	 *
	 * @param string $email The person's address.
	 * @param int    $page  From 1.
	 * @return array{data: list<array<string, mixed>>, done: bool}
	 */
	public function export( $email, $page = 1 ): array {
		$this->schema->ensure();
		$users = $this->deleted_users->with_address( (string) $email );
		if ( ! $users ) {
			return array(
				'data' => array(),
				'done' => true,
			);
		}
		$among     = 'IN (' . implode( ', ', array_fill( 0, count( $users ), '%d' ) ) . ')';
		$offset    = ( max( 1, (int) $page ) - 1 ) * self::PER_PAGE;
		$calls     = $this->rows( "user_id $among", $users, $offset );
		$decisions = $this->rows(
			"(decided_by $among OR changed_by $among OR undone_by $among)",
			array( ...$users, ...$users, ...$users ),
			$offset
		);
		$data      = array_map( array( $this, 'call' ), $calls );
		foreach ( $decisions as $row ) {
			$data[] = $this->decision( $row, $users );
		}
		return array(
			'data' => $data,
			'done' => count( $calls ) < self::PER_PAGE && count( $decisions ) < self::PER_PAGE,
		);
	}

	/**
	 * A call of the person. Reasons that others wrote, and their names, are left out. Secrets are
	 * masked, as in the log. Arguments that others have changed are what was done for the person.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 * @return array<string, mixed>
	 */
	private function call( array $row ): array {
		$state = $this->words->states()[ $row['state'] ] ?? $row['state'];
		return $this->item(
			'toolwire-calls',
			__( 'AI tool calls', 'toolwire' ),
			$row,
			array(
				__( 'State', 'toolwire' )            => $state,
				__( 'Id of the call', 'toolwire' )   => $row['given_id'],
				__( 'Why', 'toolwire' )              => $row['reason'],
				__( 'Arguments', 'toolwire' )        => $this->arguments( $row ),
				__( 'Arguments before somebody changed them', 'toolwire' )
					=> $row['arguments_before'],
				__( 'Result', 'toolwire' )           => $row['result'],
				__( 'Error', 'toolwire' )            => $row['error'],
				__( 'Decision', 'toolwire' )         => $row['decision'],
				__( 'Data that undoes it', 'toolwire' ) => $this->undo( $row ),
			)
		);
	}

	/**
	 * What the person decided about a call.
	 *
	 * @param array<string, string|null> $row   The call's row in the log.
	 * @param list<int>                  $users The person's ids.
	 * @return array<string, mixed>
	 */
	private function decision( array $row, array $users ): array {
		$decided = in_array( (int) $row['decided_by'], $users, true );
		$changed = in_array( (int) $row['changed_by'], $users, true );
		$undone  = in_array( (int) $row['undone_by'], $users, true );
		return $this->item(
			'toolwire-decisions',
			__( 'Decisions on AI tool calls', 'toolwire' ),
			$row,
			array(
				__( 'Decision', 'toolwire' ) => $decided ? $row['decision'] : null,
				__( 'Reason', 'toolwire' )   => $decided ? $row['decision_reason'] : null,
				__( 'Arguments as you changed them', 'toolwire' )
					=> $changed ? $row['arguments'] : null,
				__( 'Time of the change', 'toolwire' )
					=> $changed ? $row['changed_at'] . ' UTC' : null,
				__( 'Undone', 'toolwire' )   => $undone ? __( 'yes', 'toolwire' ) : null,
			)
		);
	}

	/**
	 * An item in the form that WordPress wants.
	 *
	 * @param string                     $group The group's id.
	 * @param string                     $label The group's name.
	 * @param array<string, string|null> $row   The call's row in the log.
	 * @param array<string, string|null> $facts What is told, by name; what is empty is left out.
	 * @return array<string, mixed>
	 */
	private function item( string $group, string $label, array $row, array $facts ): array {
		$facts = array(
			__( 'Time', 'toolwire' ) => $row['created_at'] . ' UTC',
			__( 'Tool', 'toolwire' ) => $row['tool'],
		) + $facts;
		$data  = array();
		foreach ( $facts as $name => $value ) {
			if ( '' !== (string) $value ) {
				$data[] = array(
					'name'  => $name,
					'value' => $this->html( (string) $value ),
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
	 * A text escaped so that WordPress shows it unchanged. WordPress lets some markup in values
	 * pass and removes the rest, reads `&amp;#39;` as `&#39;`, and removes backslashes when it
	 * stores the values between pages.
	 *
	 * @param string $text The text.
	 */
	private function html( string $text ): string {
		$escaped = htmlspecialchars( $text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8' );
		return str_replace( array( '&amp;', '\\' ), array( '&#38;', '&#92;' ), $escaped );
	}

	/**
	 * The arguments of a call, in full while it waits.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private function arguments( array $row ): string {
		$whole = '' === $row['approval_id'] || Host::only_reads()
			? null
			: $this->engines->get()->approvals->arguments( $row['approval_id'] );
		return (string) ( $whole ?? $row['arguments'] );
	}

	/**
	 * How much undo data of a call is kept, and until when. The data itself belongs to the site: it
	 * is the old content of a post.
	 *
	 * @param array<string, string|null> $row The call's row in the log.
	 */
	private function undo( array $row ): string {
		if ( null === $row['undo_until'] || Host::only_reads() ) {
			return '';
		}
		$engine = $this->engines->get();
		$kept   = ( new UndoStore( $engine->store, $engine->undo_seconds() ) )->get(
			$row['action_id']
		);
		if ( null === $kept ) {
			return '';
		}
		$bytes = strlen( (string) wp_json_encode( $kept->undoData ) );
		return sprintf(
			/* translators: 1: number of bytes, 2: a time. */
			__( '%1$s bytes, kept until %2$s', 'toolwire' ),
			number_format_i18n( $bytes ),
			$row['undo_until'] . ' UTC'
		);
	}

	/**
	 * Rows of the log.
	 *
	 * @param string    $condition With placeholders.
	 * @param list<int> $values    Their values.
	 * @param int       $offset    How many come before.
	 * @return list<array<string, string|null>>
	 */
	private function rows( string $condition, array $values, int $offset ): array {
		return $this->schema->calls(
			"WHERE $condition ORDER BY id LIMIT %d OFFSET %d",
			array( ...$values, self::PER_PAGE, $offset )
		);
	}
}
