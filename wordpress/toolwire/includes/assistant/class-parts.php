<?php
/**
 * The parts of the assistant.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Assistant;

use Toolwire\WordPress\Host;
use Toolwire\WordPress\Plugin;
use Toolwire\WordPress\Reading\Read_Only_Calls;
use Toolwire\WordPress\Rest\Conversations_Controller;

/**
 * Builds each part of the assistant once, when it is first asked for.
 */
final class Parts {

	/**
	 * The parts that were asked for, by class.
	 *
	 * @var array<class-string, object>
	 */
	private array $parts = array();

	/**
	 * Takes the parts of the plugin.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/** The key of the model's server. */
	public function key(): Model_Key {
		return $this->parts[ Model_Key::class ] ??= new Model_Key();
	}

	/** What asks the model's server. */
	public function client(): Model_Client {
		return $this->parts[ Model_Client::class ] ??=
			new Model_Client(
				$this->plugin->settings(),
				$this->key(),
				new Model_Grammar( $this->plugin->settings() )
			);
	}

	/** What asks WordPress' AI client. */
	public function ai_client(): Ai_Client {
		return $this->parts[ Ai_Client::class ] ??=
			new Ai_Client( $this->plugin->settings(), new Ai_Messages() );
	}

	/** What answers. */
	public function model(): Model {
		return $this->parts[ Model::class ] ??= new Model(
			$this->plugin->settings(),
			$this->client(),
			$this->ai_client(),
			$this->plugin->scripted_assistant(),
			$this->plugin->access(),
			$this->plugin->secrets(),
		);
	}

	/** The rows of conversations. */
	public function table(): Conversation_Table {
		return $this->parts[ Conversation_Table::class ] ??=
			new Conversation_Table( $this->plugin->schema() );
	}

	/** The part that names the calls of conversations, and records those that are not taken. */
	public function refused_calls(): Refused_Calls {
		return $this->parts[ Refused_Calls::class ] ??=
			new Refused_Calls( $this->plugin->engines(), $this->plugin->call_log() );
	}

	/** The part that runs the calls of conversations. */
	public function conversation_runs(): Conversation_Runs {
		return $this->parts[ Conversation_Runs::class ] ??= Host::only_reads()
			? new Read_Only_Calls(
				$this->plugin->engines(),
				$this->plugin->call_log(),
				$this->plugin->call_view(),
				$this->refused_calls(),
				$this->plugin->left_calls(),
				$this->plugin->silence(),
				$this->plugin->events(),
				$this->plugin->remains(),
			)
			: new Agent_Calls(
				$this->plugin->engines(),
				$this->plugin->call_log(),
				$this->plugin->sent_calls(),
				$this->plugin->runner(),
				$this->plugin->call_view(),
				$this->refused_calls(),
			);
	}

	/** The part that makes agents. */
	public function agents(): Agents {
		return $this->parts[ Agents::class ] ??= new Agents(
			$this->plugin->engines(),
			$this->plugin->found_calls(),
			$this->plugin->secrets(),
			$this->model(),
			$this->conversation_runs(),
			$this->refused_calls(),
			new Offered_Tools( $this->plugin->engines(), $this->table() ),
		);
	}

	/** The conversations. */
	public function conversations(): Conversations {
		return $this->parts[ Conversations::class ] ??= new Conversations(
			$this->plugin->engines(),
			$this->table(),
			$this->agents(),
			$this->plugin->call_log(),
			$this->budget(),
			$this->model(),
			$this->coming_words(),
		);
	}

	/** What tests the model. */
	public function model_test(): Model_Test {
		return $this->parts[ Model_Test::class ] ??= new Model_Test(
			$this->agents(),
			$this->model(),
			$this->ai_client(),
			$this->budget(),
			$this->plugin->engines(),
		);
	}

	/** The part that counts tokens. */
	public function budget(): Token_Budget {
		return $this->parts[ Token_Budget::class ] ??=
			new Token_Budget( $this->plugin->engines(), $this->plugin->settings() );
	}

	/** The part that takes steps. */
	public function steps(): Steps {
		return $this->parts[ Steps::class ] ??= new Steps(
			$this->table(),
			$this->agents(),
			$this->model(),
			$this->plugin->acting_user(),
			$this->refused_calls(),
			$this->budget(),
		);
	}

	/** The part that goes on without a page. */
	public function continuing(): Continuing {
		return $this->parts[ Continuing::class ] ??= new Continuing(
			$this->plugin->settings(),
			$this->table(),
			$this->steps(),
			$this->plugin->call_log(),
		);
	}

	/** The part that removes old conversations, and those of a person. */
	public function forgetting(): Forgetting {
		return $this->parts[ Forgetting::class ] ??= new Forgetting(
			$this->plugin->settings(),
			$this->table(),
			$this->conversations(),
		);
	}

	/** The part that exports and erases a person's conversations. */
	public function privacy(): Conversation_Privacy {
		return $this->parts[ Conversation_Privacy::class ] ??= new Conversation_Privacy(
			$this->table(),
			$this->conversations(),
			$this->plugin->deleted_users(),
		);
	}

	/** The view of conversations for their users. */
	public function view(): Conversation_View {
		return $this->parts[ Conversation_View::class ] ??= new Conversation_View(
			$this->plugin->settings(),
			$this->plugin->access(),
			$this->plugin->call_view(),
			$this->plugin->found_calls(),
			$this->refused_calls(),
			$this->model(),
			$this->plugin->admin()->request_view(),
			$this->call_standings(),
			$this->coming_words(),
		);
	}

	/** The part that says how the calls of conversations stand. */
	public function call_standings(): Call_Standings {
		return $this->parts[ Call_Standings::class ] ??=
			new Call_Standings( $this->plugin->schema(), $this->plugin->access() );
	}

	/** The words of messages that are being written. */
	public function coming_words(): Coming_Words {
		return $this->parts[ Coming_Words::class ] ??=
			new Coming_Words( $this->plugin->engines() );
	}

	/** What names the states of conversations. */
	public function tag(): Conversation_Tag {
		return $this->parts[ Conversation_Tag::class ] ??= new Conversation_Tag(
			$this->plugin->settings(),
			$this->plugin->engines(),
			$this->call_standings(),
			$this->coming_words(),
			$this->model(),
		);
	}

	/** The routes of conversations. */
	public function controller(): Conversations_Controller {
		return new Conversations_Controller(
			$this->plugin->access(),
			$this->plugin->engines(),
			$this->conversations(),
			$this->table(),
			$this->view(),
			$this->steps(),
			$this->continuing(),
			$this->model(),
			$this->tag(),
			new Live_Answer( $this->view(), $this->coming_words() ),
		);
	}
}
