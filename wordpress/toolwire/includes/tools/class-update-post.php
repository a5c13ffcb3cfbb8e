<?php
/**
 * The tool `update_post`.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Tools;

use Toolwire\Diff;
use Toolwire\Tools\ToolOutput;
use WP_Error;
use WP_Post;

/**
 * Changes the title and the content of a post or page, and changes them back.
 */
final class Update_Post {

	const FIELDS = array(
		'title'   => 'post_title',
		'content' => 'post_content',
	);

	/**
	 * The posts whose changes were last shown or compared with what was approved, by id. A call
	 * writes only over these.
	 *
	 * @var array<int, WP_Post>
	 */
	private array $compared = array();

	/**
	 * Takes its parts.
	 *
	 * @param Post_Columns $post_columns Writes columns of posts.
	 */
	public function __construct(
		private Post_Columns $post_columns,
	) {
	}

	/**
	 * Its registration.
	 *
	 * @return array<string, mixed>
	 */
	public function arguments(): array {
		return array(
			'description'         => 'Changes the title or the content of a post or page. '
				. 'A person sees what would change and approves it first.',
			'input_schema'        => array(
				'type'                 => 'object',
				'properties'           => array(
					'post_id' => array(
						'type'    => 'integer',
						'minimum' => 1,
					),
					'title'   => array(
						'type'      => 'string',
						'maxLength' => 1000,
					),
					'content' => array(
						'type'      => 'string',
						'maxLength' => 500000,
					),
				),
				'required'             => array( 'post_id' ),
				'minProperties'        => 2,
				'additionalProperties' => false,
			),
			'annotations'         => array(
				'readonly'    => false,
				'destructive' => true,
				'idempotent'  => true,
			),
			'capability'          => 'edit_posts',
			'permission_callback' => array( $this, 'permits' ),
			'approval'            => __( 'Change this post?', 'toolwire' ),
			'callback'            => array( $this, 'call' ),
			'preview_callback'    => array( $this, 'preview' ),
			'hold_callback'       => array( $this, 'hold' ),
			'undo_callback'       => array( $this, 'undo' ),
		);
	}

	/**
	 * Whether the current user may edit the post.
	 *
	 * @param array<mixed> $arguments What the schema says.
	 */
	public function permits( array $arguments ): bool {
		$id = $arguments['post_id'] ?? null;
		return is_int( $id ) && null !== $this->post( $id ) && current_user_can( 'edit_post', $id );
	}

	/**
	 * What a call would change, as WordPress would store it for the current user.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 * @return list<array{label: string, diff: \Toolwire\DiffResult}>
	 */
	public function preview( array $arguments ): array {
		$post = $this->post( $arguments['post_id'] );
		if ( null === $post ) {
			return array();
		}
		$this->compared[ $post->ID ] = $post;

		$labels  = array(
			'title'   => __( 'Title', 'toolwire' ),
			'content' => __( 'Content', 'toolwire' ),
		);
		$stored  = $this->post_columns->stored( $post, $this->columns( $arguments ) );
		$changes = array();
		foreach ( self::FIELDS as $name => $column ) {
			if ( isset( $stored[ $column ] ) ) {
				$changes[] = array(
					'label' => $labels[ $name ],
					'diff'  => Diff::text(
						$post->$column,
						$stored[ $column ],
						fromFile: "before/$name",
						toFile: "after/$name"
					),
				);
			}
		}
		return $changes;
	}

	/**
	 * Says who has the post open in the editor: that person would overwrite the change, or be told
	 * of a conflict.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 */
	public function hold( array $arguments ): ?WP_Error {
		require_once ABSPATH . 'wp-admin/includes/post.php';
		$editor = wp_check_post_lock( $arguments['post_id'] );
		$user   = $editor ? get_userdata( $editor ) : false;
		return $user ? new WP_Error(
			'toolwire_post_locked',
			/* translators: %s: name of a user. */
			sprintf( __( '%s edits this post now.', 'toolwire' ), $user->display_name )
		) : null;
	}

	/**
	 * Changes the post.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 * @return ToolOutput|WP_Error
	 */
	public function call( array $arguments ) {
		$id     = $arguments['post_id'];
		$before = $this->compared[ $id ] ?? $this->post( $id );
		unset( $this->compared[ $id ] );
		if ( null === $before ) {
			return new WP_Error(
				'toolwire_no_post',
				/* translators: %d: id of a post. */
				sprintf( __( 'There is no post %d.', 'toolwire' ), $id )
			);
		}
		$columns = $this->columns( $arguments );
		$changed = $this->post_columns->write( $before, $columns );
		if ( is_wp_error( $changed ) ) {
			return $changed;
		}
		$undo = array(
			'post_id' => $id,
			'before'  => array_intersect_key( $before->to_array(), $columns ),
			'after'   => $this->fingerprint( $changed, array_keys( $columns ) ),
		);
		$data = array(
			'post_id' => $id,
			'title'   => $changed->post_title,
			'url'     => get_permalink( $changed ),
			'changed' => array(),
		);
		foreach ( array_intersect( self::FIELDS, array_keys( $columns ) ) as $name => $column ) {
			$data['changed'][ $name ] = Diff::text(
				$before->$column,
				$changed->$column
			)->changeSummary();
		}
		return ToolOutput::ok( $data, undoMetadata: $undo );
	}

	/**
	 * Changes the post back, unless somebody has changed it since.
	 *
	 * @param array<string, mixed> $undo What call() gave.
	 * @return WP_Error|null
	 */
	public function undo( array $undo ): ?WP_Error {
		$post = $this->post( $undo['post_id'] );
		if ( null === $post || ! current_user_can( 'edit_post', $post->ID ) ) {
			return new WP_Error(
				'toolwire_no_post',
				__( 'The post is gone, or you may not edit it.', 'toolwire' )
			);
		}
		if ( $this->fingerprint( $post, array_keys( $undo['before'] ) ) !== $undo['after'] ) {
			return new WP_Error(
				'toolwire_changed_since',
				__( 'Somebody has changed the post since. Compare its revisions.', 'toolwire' )
			);
		}
		$restored = $this->post_columns->restore( $post, $undo['before'] );
		if ( is_wp_error( $restored ) ) {
			return $restored;
		}
		if ( array_intersect_key( $restored->to_array(), $undo['before'] ) === $undo['before'] ) {
			return null;
		}
		// The undo data belongs to the post as it was before this attempt.
		$this->post_columns->restore(
			$restored,
			array_intersect_key( $post->to_array(), $undo['before'] )
		);
		return new WP_Error(
			'toolwire_not_restored',
			__(
				// phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
				'The site did not store the post as it was before. Another plugin may change what is stored.',
				'toolwire'
			)
		);
	}

	/**
	 * The columns that a call asks for, by name.
	 *
	 * @param array<string, mixed> $arguments What the schema says.
	 * @return array<string, string>
	 */
	private function columns( array $arguments ): array {
		$columns = array();
		foreach ( self::FIELDS as $name => $column ) {
			if ( isset( $arguments[ $name ] ) ) {
				$columns[ $column ] = $arguments[ $name ];
			}
		}
		return $columns;
	}

	/**
	 * The post or page of an id.
	 *
	 * @param int $id The id.
	 */
	private function post( int $id ): ?WP_Post {
		$post = get_post( $id );
		return $post instanceof WP_Post && in_array(
			$post->post_type,
			array( 'post', 'page' ),
			true
		)
			? $post
			: null;
	}

	/**
	 * Tells whether columns of a post are what they were.
	 *
	 * @param WP_Post      $post    The post.
	 * @param list<string> $columns The columns' names.
	 */
	private function fingerprint( WP_Post $post, array $columns ): string {
		sort( $columns );
		$hashes = array_map(
			static fn ( string $column ): string => hash( 'sha256', (string) $post->$column ),
			$columns
		);
		return hash( 'sha256', implode( '', $hashes ) );
	}
}
