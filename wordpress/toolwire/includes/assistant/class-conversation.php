<?php
/**
 * A conversation, for who asks the model.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

/**
 * What the filter `toolwire_reply` gets: what was said so far, as the request for the next answer
 * has it.
 */
final class Conversation {

	/**
	 * Takes what it tells.
	 *
	 * @param string               $id      The conversation's id.
	 * @param int                  $user_id Whose it is.
	 * @param string               $model   The model's name in the settings; may be empty.
	 * @param array<string, mixed> $request The request: `messages` with their roles, and `tools`,
	 *                                      as chat completions of OpenAI have them, or as the
	 *                                      filter `toolwire_model_api` says.
	 * @param Own_Reply            $reply   Takes the pieces of the answer.
	 */
	public function __construct(
		public readonly string $id,
		public readonly int $user_id,
		public readonly string $model,
		public readonly array $request,
		public readonly Own_Reply $reply = new Own_Reply(),
	) {
	}

	/**
	 * Shows a piece of the answer while it comes, where the page can be shown it. Calls in it and
	 * marks of reasoning are not shown. The whole answer is what the function returns at last.
	 *
	 * @param string $text The piece.
	 */
	public function piece( string $text ): void {
		$this->reply->take( $text );
	}

	/**
	 * What was said so far, the oldest first: what the model is told before all else, what the user
	 * said, what the model answered, and the results of its calls.
	 *
	 * @return list<array<string, mixed>>
	 */
	public function messages(): array {
		return $this->request['messages'] ?? $this->request['input'] ?? $this->request['contents']
			?? array();
	}

	/**
	 * The same without calls and results as such, for a server that takes no tools: the calls stand
	 * in the text of the model, as it writes them, and the results are told by the user.
	 *
	 * @param string $tools What Tool_List::prompt() gives.
	 * @return list<array{role: string, content: string}>
	 */
	public function text_messages( string $tools ): array {
		return ( new Text_Messages( $this->model ) )->of( $this->messages(), $tools );
	}

	/**
	 * The newest text of the user.
	 */
	public function newest_text(): string {
		foreach ( array_reverse( $this->messages() ) as $message ) {
			$text = 'user' === ( $message['role'] ?? '' ) ? $message['content'] ?? null : null;
			if ( is_string( $text ) ) {
				return $text;
			}
		}
		return '';
	}

	/**
	 * Whether the model has not answered to the newest text of the user yet.
	 */
	public function is_new_text(): bool {
		$messages = $this->messages();
		return 'user' === ( end( $messages )['role'] ?? '' );
	}
}
