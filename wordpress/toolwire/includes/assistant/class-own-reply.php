<?php
/**
 * Answers of a function of the site, in pieces.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Closure;
use Fiber;
use Iterator;
use Toolwire\Tools\ModelResponse;
use WP_Error;

/**
 * Lets a function of the site tell its answer piece by piece, by {@see Conversation::piece()}. The
 * function runs in a fiber, which pauses at each piece. What it returns is the answer, whatever it
 * told before.
 */
final class Own_Reply {

	/**
	 * What runs the function.
	 *
	 * @var ?Fiber
	 */
	private ?Fiber $fiber = null;

	/**
	 * Takes a piece. One that the function tells from a fiber of its own is left out: nothing here
	 * may pause that one.
	 *
	 * @param string $text The piece.
	 */
	public function take( string $text ): void {
		if ( '' !== $text && null !== $this->fiber && Fiber::getCurrent() === $this->fiber ) {
			Fiber::suspend( $text );
		}
	}

	/**
	 * What the function answers: its answer, or an iterator over its pieces and its answer.
	 *
	 * @param Closure(): mixed $ask Asks the function.
	 * @return mixed
	 */
	public function of( Closure $ask ) {
		$this->fiber = new Fiber( $ask );
		$piece       = $this->fiber->start();
		return $this->fiber->isTerminated()
			? $this->fiber->getReturn()
			: $this->pieces( $this->fiber, (string) $piece );
	}

	/**
	 * The pieces as events of a stream, then the whole answer.
	 *
	 * @param Fiber  $fiber What runs the function.
	 * @param string $piece The first piece.
	 * @return Iterator<int, array<string, mixed>|ModelResponse>
	 * @throws Model_Failure When the answer is a stream, too.
	 */
	private function pieces( Fiber $fiber, string $piece ): Iterator {
		$bytes = 0;
		while ( ! $fiber->isTerminated() ) {
			$bytes += strlen( $piece );
			if ( $bytes <= Model_Client::MOST_BYTES ) {
				yield array(
					'choices' => array( array( 'delta' => array( 'content' => $piece ) ) ),
				);
			}
			$piece = (string) $fiber->resume();
		}
		$answer = $fiber->getReturn();
		if ( $answer instanceof Iterator ) {
			$why = new WP_Error( 'toolwire_no_reply', 'A whole answer must follow the pieces.' );
			// phpcs:ignore WordPress.Security.EscapeOutput -- not shown to visitors.
			throw new Model_Failure( $why );
		}
		yield $answer instanceof ModelResponse
			? $answer
			: new ModelResponse( 200, (string) wp_json_encode( $answer ) );
	}
}
