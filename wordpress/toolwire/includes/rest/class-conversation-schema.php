<?php
/**
 * The schema of a conversation in the answers of the routes.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

use Toolwire\WordPress\Assistant\Conversation_Table;

/**
 * Says what Conversation_View tells, as `OPTIONS` shows it.
 */
final class Conversation_Schema {

	/**
	 * The schema of a conversation. A list has only what Conversation_View::head() says.
	 *
	 * @return array<string, mixed>
	 */
	public static function schema(): array {
		$text = static fn ( string $description, $type = 'string' ): array => array(
			'description' => $description,
			'type'        => $type,
		);
		$list = static fn ( string $description ): array => array(
			'description' => $description,
			'type'        => 'array',
			'items'       => array( 'type' => 'object' ),
		);
		return array(
			'title'                => 'toolwire-conversation',
			'type'                 => 'object',
			'properties'           => array(
				'id'         => $text( 'The id of the conversation.' ),
				'title'      => $text( 'The beginning of its first message.' ),
				'state'      => array(
					'enum' => Conversation_Table::STATES,
				) + $text( 'How it stands. While it is `thinking`, a step is to be taken.' ),
				'reason'     => $text( 'Why it failed or was stopped.', array( 'string', 'null' ) ),
				'version'    => $text( 'Grows with each change.', 'integer' ),
				'demo'       => $text( 'Whether a script answers and no model.', 'boolean' ),
				'updated_at' => $text( 'When something happened last, in UTC.' ),
				'parts'      => $list(
					'What happened, each with its `type`: `user`, `reasoning`, `text` with '
						. '`text`, `call` with the id of the `call`, or `rejection`.'
				),
				'next'       => $text( 'What `after` is next.', 'integer' ),
				'calls'      => $list(
					'The calls of the conversation as they stand. With a `known` that is right, '
						. 'only those of `parts`: the others have not changed.'
				),
				'known'      => $text( 'A name for how the calls stand.' ),
				'messages'   => $text( 'How many messages it has.', 'integer' ),
				'coming'     => $list( 'The parts of a message that is being written.' ),
				'deleted'    => $text( 'Whether it was removed; alone then.', 'boolean' ),
			),
			'additionalProperties' => false,
		);
	}
}
