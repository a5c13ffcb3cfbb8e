<?php
/**
 * A table of calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Call_Log;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Json_Text;
use WP_List_Table;

require_once ABSPATH . 'wp-admin/includes/class-wp-list-table.php';

/**
 * Calls, newest first, each with its arguments, its outcome, who decided, and what can be done with
 * it. A table says which calls, what is told of them, and who may do what.
 */
abstract class Calls_Table extends WP_List_Table {

	const PER_PAGE = 20;

	/**
	 * Takes its parts.
	 *
	 * @param Call_Log $call_log The log.
	 * @param Verbatim $verbatim Shows texts as they are.
	 * @param Words    $words    Words for people.
	 */
	public function __construct(
		private Call_Log $call_log,
		private Verbatim $verbatim,
		protected Words $words,
	) {
		parent::__construct(
			array(
				'singular' => 'call',
				'plural'   => 'calls',
			)
		);
	}

	/**
	 * A page of the calls.
	 *
	 * @param int $page     From 1.
	 * @param int $per_page How many.
	 * @return array{rows: list<array<string, string|null>>, total: int}
	 */
	abstract protected function found( int $page, int $per_page ): array;

	/**
	 * What came of a call: the JSON of its result, and its error.
	 *
	 * @param array<string, string|null> $item A row.
	 * @return array{result: string|null, error: string|null}
	 */
	abstract protected function outcome( array $item ): array;

	/**
	 * Whether the user may do something with a call.
	 *
	 * @param string                     $action `undo` or `retry`.
	 * @param array<string, string|null> $item   A row.
	 */
	abstract protected function allows( string $action, array $item ): bool;

	/**
	 * The columns.
	 *
	 * @return array<string, string>
	 */
	public function get_columns() {
		return array(
			'time'     => __( 'Time', 'toolwire' ),
			'tool'     => __( 'Tool', 'toolwire' ),
			'state'    => __( 'State', 'toolwire' ),
			'call'     => __( 'Call', 'toolwire' ),
			'decision' => __( 'Decision', 'toolwire' ),
			'undo'     => __( 'Undo', 'toolwire' ),
		);
	}

	/**
	 * The table's classes, without the one that makes all columns equally wide.
	 *
	 * @return list<string>
	 */
	protected function get_table_classes() {
		return array( 'widefat', 'striped', 'calls' );
	}

	/**
	 * Reads a page of rows.
	 */
	public function prepare_items() {
		$this->_column_headers = array( $this->get_columns(), array(), array(), 'tool' );
		$found                 = $this->found( $this->get_pagenum(), self::PER_PAGE );
		$this->items           = $found['rows'];
		$this->set_pagination_args(
			array(
				'total_items' => $found['total'],
				'per_page'    => self::PER_PAGE,
			)
		);
	}

	/**
	 * Says that there is nothing.
	 */
	public function no_items() {
		esc_html_e( 'No tool calls.', 'toolwire' );
	}

	/**
	 * When it was made, and how long it ran.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_time( $item ): string {
		$time = esc_html( $this->words->time( $item['created_at'] ) );
		return null === $item['duration_ms']
			? $time
			: $time . '<br>' . esc_html(
				sprintf(
					/* translators: %s: milliseconds. */
					__( '%s ms', 'toolwire' ),
					number_format_i18n( (float) $item['duration_ms'], 1 )
				)
			);
	}

	/**
	 * The tool's name.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_tool( $item ): string {
		return '<code>' . $this->verbatim->html(
			(string) $item['tool']
		) . '</code><br>' . esc_html(
			$this->words->origin( (string) $item['origin'] )
		);
	}

	/**
	 * Where it stands.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_state( $item ): string {
		$state = $this->words->states()[ $item['state'] ] ?? (string) $item['state'];
		$error = (string) $item['error_code'];
		return sprintf(
			'<span class="toolwire-state toolwire-state-%s">%s</span>%s',
			esc_attr( (string) $item['state'] ),
			esc_html( $state ),
			'' === $error ? '' : '<br><code>' . esc_html( $error ) . '</code>'
		);
	}

	/**
	 * What was asked, and what came of it.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_call( $item ): string {
		$outcome = $this->outcome( $item );
		$parts   = array(
			__( 'Why', 'toolwire' )       => $item['reason'],
			__( 'Id', 'toolwire' )        => $item['given_id'],
			__( 'Arguments', 'toolwire' ) => Json_Text::indented( (string) $item['arguments'] ),
			__( 'Arguments before they were changed', 'toolwire' )
				=> Json_Text::indented( (string) $item['arguments_before'] ),
			__( 'Result', 'toolwire' )    => Json_Text::indented( (string) $outcome['result'] ),
			__( 'Error', 'toolwire' )     => $outcome['error'],
		);
		$shown   = '';
		$parts   = array_filter( $parts, static fn ( $part ): bool => '' !== (string) $part );
		foreach ( $parts as $name => $part ) {
			$shown .= sprintf(
				'<dt>%s</dt><dd><pre>%s</pre></dd>',
				esc_html( $name ),
				$this->verbatim->html( $part )
			);
		}
		return sprintf(
			'<details><summary>%s<span class="screen-reader-text"> %s</span></summary>'
				. '<dl>%s</dl></details>',
			esc_html__( 'Show', 'toolwire' ),
			$this->verbatim->html( (string) $item['tool'] ),
			$shown
		);
	}

	/**
	 * Who decided, and why, and who changed the arguments.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_decision( $item ): string {
		if ( '' === $item['decision'] ) {
			return '—';
		}
		$words = array(
			/* translators: %s: name of a user. */
			'approved' => __( 'approved by %s', 'toolwire' ),
			/* translators: %s: name of a user. */
			'denied'   => __( 'denied by %s', 'toolwire' ),
		);
		$who   = esc_html(
			sprintf(
				$words[ $item['decision'] ] ?? '%s',
				$this->words->user( (int) $item['decided_by'] )
			)
		);
		$why   = '' === (string) $item['decision_reason']
			? ''
			: '<br><q>' . $this->verbatim->html( (string) $item['decision_reason'] ) . '</q>';
		return $who . $why . $this->changed( $item );
	}

	/**
	 * Who changed the arguments, and when.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	private function changed( array $item ): string {
		return null === $item['changed_at'] ? '' : '<br>' . esc_html(
			sprintf(
				/* translators: 1: name of a user, 2: a time. */
				__( 'arguments changed by %1$s, %2$s', 'toolwire' ),
				$this->words->user( (int) $item['changed_by'] ),
				$this->words->time( $item['changed_at'] )
			)
		);
	}

	/**
	 * The button that undoes it, or runs it once more.
	 *
	 * @param array<string, string|null> $item A row.
	 */
	protected function column_undo( $item ): string {
		$retries = 'interrupted' === $item['state'] && ! Host::only_reads();
		if ( $retries && $this->allows( 'retry', $item ) ) {
			return $this->button( 'retry', __( 'Retry', 'toolwire' ), $item );
		}
		if ( 'undone' === $item['state'] ) {
			return esc_html(
				sprintf(
					/* translators: %s: name of a user. */
					__( 'undone by %s', 'toolwire' ),
					$this->words->user( (int) $item['undone_by'] )
				)
			);
		}
		return $this->call_log->can_undo( $item ) && $this->allows( 'undo', $item )
			? $this->button( 'undo', __( 'Undo', 'toolwire' ), $item )
			: '—';
	}

	/**
	 * A button that does something with a call.
	 *
	 * @param string                     $action What it does: `undo` or `retry`.
	 * @param string                     $label  Its label.
	 * @param array<string, string|null> $item   A row.
	 */
	private function button( string $action, string $label, array $item ): string {
		$id = (string) $item['action_id'];
		return sprintf(
			'<form method="post" action="%s">'
				. '<input type="hidden" name="action" value="toolwire_%s">'
				. '<input type="hidden" name="id" value="%s">%s'
				. '<button type="submit" class="button">%s'
				. '<span class="screen-reader-text"> %s</span></button></form>',
			esc_url( admin_url( 'admin-post.php' ) ),
			esc_attr( $action ),
			esc_attr( $id ),
			wp_nonce_field( "toolwire_{$action}_$id", '_wpnonce', true, false ),
			esc_html( $label ),
			$this->verbatim->html( (string) $item['tool'] )
		);
	}
}
