<?php
/**
 * The schema of the result of a search for calls.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Rest;

/**
 * Describes the result of a search: the calls, the text between them, and the rejections.
 */
final class Found_Calls_Schema {

	/**
	 * The properties of what was found in a text.
	 *
	 * @param array<string, array<string, mixed>> $more What each call has besides.
	 * @return array<string, array<string, mixed>>
	 */
	public function properties( array $more = array() ): array {
		$call = array(
			'id'        => $this->text( 'The id under which the call is to be run.' ),
			'name'      => $this->text( 'The name of the tool.' ),
			'arguments' => $this->text( 'The arguments as the text that was written.' ),
			'format'    => $this->text( 'The format in which the call is written.' ),
			'shown'     => $this->text(
				'The arguments with marks for invisible characters, to be escaped.'
			),
		) + $more;
		$part = array(
			'type'  => array(
				'enum' => array( 'text', 'reasoning', 'call', 'rejection' ),
			) + $this->text(
				'Whether the part is for people, what the model thought, a call, or refused markup.'
			),
			'text'  => $this->text( 'The part, verbatim. Show only that of the type `text`.' ),
			'shown' => $this->text(
				'The text with marks for invisible characters, to be escaped.'
			),
			'code'  => $this->text( 'Why the markup was refused.' ),
			'index' => array(
				'description' => 'The number of the call among the calls.',
				'type'        => 'integer',
			),
		);
		return array(
			'calls'      => $this->list_of( 'The calls, in their order.', $call ),
			'segments'   => $this->list_of( 'The parts of the message, in their order.', $part ),
			'rejections' => array(
				'description' => 'What looked like a call and is none, with a code.',
				'type'        => 'array',
				'items'       => array( 'type' => 'object' ),
			),
		);
	}

	/**
	 * The schema of a text.
	 *
	 * @param string $description What it says.
	 * @return array<string, mixed>
	 */
	public function text( string $description ): array {
		return array(
			'description' => $description,
			'type'        => 'string',
		);
	}

	/**
	 * The schema of a list of objects.
	 *
	 * @param string                              $description What the list has.
	 * @param array<string, array<string, mixed>> $properties  What each object has.
	 * @return array<string, mixed>
	 */
	private function list_of( string $description, array $properties ): array {
		return array(
			'description' => $description,
			'type'        => 'array',
			'items'       => array(
				'type'                 => 'object',
				'properties'           => $properties,
				'additionalProperties' => false,
			),
		);
	}
}
